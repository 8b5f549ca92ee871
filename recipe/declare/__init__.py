"""TODO: the room declare."""
