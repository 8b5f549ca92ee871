"""TODO: the room system."""
