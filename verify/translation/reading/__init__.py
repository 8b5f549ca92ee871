"""TODO: the room reading."""
