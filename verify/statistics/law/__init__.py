"""TODO: the room law."""
