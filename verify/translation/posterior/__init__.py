"""TODO: the room posterior."""
