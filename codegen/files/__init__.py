"""TODO: the room files."""
