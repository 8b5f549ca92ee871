"""TODO: the room reference."""
