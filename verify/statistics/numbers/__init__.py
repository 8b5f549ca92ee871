"""TODO: the room numbers."""
