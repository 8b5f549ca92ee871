"""TODO: the room change."""
