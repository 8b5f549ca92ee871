"""TODO: the room state."""
