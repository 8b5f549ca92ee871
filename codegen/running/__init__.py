"""TODO: the room running."""
