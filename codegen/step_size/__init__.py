"""TODO: the room step_size."""
