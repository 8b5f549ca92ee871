"""TODO: the room store."""
