"""TODO: the room printing."""
