"""TODO: the room asymptotics."""
