"""TODO: the room decide."""
