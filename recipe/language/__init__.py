"""TODO: the room language."""
