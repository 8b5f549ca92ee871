"""Found on 21 November 2026: formulas of a linear step were *proved* for more than they hold for:
for every quadratic U although the step singles out a basis, for every d although the law couples
coordinates, and for noise with a covariance matrix.
"""

import pytest
from sympy import Symbol, sqrt

from recipe import (
    Dense,
    Noise,
    Parameter,
    Potential,
    Scalar,
    Update,
    Vector,
    discretised,
    grad,
    total,
)
from verify import Verdict
from verify.obligations.step.stable_step import STABLE_STEP
from verify.subject import subject_of

h, k = Symbol("step_size", positive=True), Symbol("k", positive=True)


x, y = Vector("x"), Scalar("y")
z = Vector("z", like=x)
U, both = Potential("U", x), Potential("U", x, z)
EIGENVALUES, EVERY_LENGTH = "for every quadratic U", "every d"


def langevin(block, slope, noise):
    return block - h * slope + sqrt(2 * h) * noise


def said(rule, target):
    return STABLE_STEP.discharge(subject_of(discretised(Update(h, rule, target), "printed")))


w, v = (Noise(name, like=x) for name in "wv")
BASES = {
    "a value a coordinate": (
        {x: langevin(x, Parameter("g", like=x, positive=True) * grad(U, x), w)},
        U,
    ),
    "a U of two blocks": (
        {x: langevin(x, grad(both, x), w), z: langevin(z, 2 * grad(both, z), v)},
        both,
    ),
    "a number beside x": (
        {x: langevin(x, grad(U, x) - y, w), y: langevin(y, y, Noise("n", like=y))},
        U + y**2 / 2,
    ),
}


@pytest.mark.parametrize("name", BASES)
def test_what_singles_out_a_basis_is_not_proved_for_every_quadratic_potential(name):
    """A Hessian cannot be made diagonal without changing such a step."""
    told = said(*BASES[name])
    assert told.verdict is Verdict.PROVED
    assert EIGENVALUES not in told.scope


def test_a_law_that_couples_coordinates_is_compared_with_in_one_dimension_only():
    told = said({x: langevin(x, grad(U, x), Noise("w", like=x))}, U + total(x) ** 2 / 2)
    assert EVERY_LENGTH not in told.scope


def test_noise_with_a_covariance_matrix_is_not_read_as_independent():
    coloured = Noise("w", like=x, covariance=Dense("M", x, positive=True))
    told = said({x: langevin(x, grad(U, x), coloured)}, U)
    assert told.verdict is Verdict.UNDECIDED
    assert "covariance M" in told.by
