"""TODO: the room batch."""
