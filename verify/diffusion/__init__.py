"""TODO: the room diffusion."""
