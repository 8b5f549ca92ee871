"""Two samplers, declared in full, and the symbols of a regression that they sample."""

import sympy
from sympy import Matrix

from recipe import Data, Potential, Recipe, Vector, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
C = sympy.Symbol("C", positive=True)
X, y = Data("x", like=theta), Data("y")
SGLD = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="sgld")
SGHMC = Recipe(
    (theta, r),
    U + total(r**2) / 2,
    Matrix([[0, 0], [0, C]]),
    Matrix([[0, -1], [1, 0]]),
    name="sghmc",
)
