"""TODO: the room kernel."""
