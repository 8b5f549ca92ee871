"""TODO: the room results."""
