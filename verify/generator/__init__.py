"""TODO: the room generator."""
