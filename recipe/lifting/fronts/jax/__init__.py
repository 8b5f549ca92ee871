"""Functions of JAX, by their jaxpr."""
