"""TODO: the room device."""
