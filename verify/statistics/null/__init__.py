"""TODO: the room null."""
