"""TODO: the room rebuild."""
