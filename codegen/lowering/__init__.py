"""TODO: the room lowering."""
