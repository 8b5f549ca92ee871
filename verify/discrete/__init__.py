"""TODO: the room discrete."""
