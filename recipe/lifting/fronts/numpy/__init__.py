"""Functions of numpy and plain Python, on arrays that record."""
