"""TODO: the room map."""
