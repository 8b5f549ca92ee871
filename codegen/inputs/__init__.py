"""TODO: the room inputs."""
