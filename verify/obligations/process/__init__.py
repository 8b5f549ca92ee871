"""TODO: the room process."""
