"""TODO: the room recover."""
