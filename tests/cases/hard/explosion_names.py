"""What both files of explosion and uniqueness build on."""

# ruff: noqa: F403
from cases.hard.names import *
from cases.hard.names import Matrix, Noise, Recipe, Symbol, Update, sqrt, x

eps = Symbol("epsilon", positive=True)
A = Symbol("A", positive=True)
FRICTION, CANONICAL = Matrix([[0, 0], [0, A]]), Matrix([[0, -1], [1, 0]])


def drift(f, V, D=1):
    return Update(eps, {x: x + eps * f + sqrt(2 * D * eps) * Noise("w", like=x)}, V)


def langevin(V, D=1, block=x):
    return Recipe((block,), V, D, 0)
