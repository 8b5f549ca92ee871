"""What both files of positive semidefinite matrices build on."""

# ruff: noqa: F403
from cases.hard.names import *
from cases.hard.names import Matrix, Scalar


def at_end(state, D):
    """A matrix with D for the last blocks of the state and nothing for the first ones."""
    D = Matrix(D)
    k = len(state) - D.rows
    return Matrix(len(state), len(state), lambda i, j: D[i - k, j - k] if i >= k and j >= k else 0)


S5 = tuple(Scalar(f"s{k}") for k in range(5))
S4 = S5[:4]
