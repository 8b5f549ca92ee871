"""TODO: the room step."""
