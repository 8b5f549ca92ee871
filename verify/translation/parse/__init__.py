"""TODO: the room parse."""
