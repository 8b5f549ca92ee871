"""TODO: the room run."""
