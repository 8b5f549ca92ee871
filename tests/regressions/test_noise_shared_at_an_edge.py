"""Edges that are reached by a coordinate that is a diffusion by itself, where others move with it:
until 2026-11-24 its own test alone decided, and these were proved.
"""

import mpmath
import pytest
from sympy import Interval, Matrix, Rational, diag, log, oo, sqrt

from recipe import Recipe, Scalar, mirror
from verify import Verdict, verify
from verify.engine import outcome_of
from verify.subject import subject_of

PROVED = Verdict.PROVED
x, y = Scalar("x", domain=Interval.open(0, oo)), Scalar("y")
z, q, p = Scalar("z", domain=Interval.open(0, Rational(1, 2))), Scalar("q"), Scalar("p")
HALF = Rational(1, 2)


def sharing(shape, shared):
    """A square-root process x of this shape, and y with noise in common with it; x has the same
    drift whatever is shared."""
    H = x - (shape - 1) * log(x) + y**2 / 2
    D = Matrix([[x, shared], [shared, 1]])
    return Recipe((x, y), H, D, Matrix([[0, -shared], [shared, 0]]))


def test_the_mean_of_the_other_coordinate_is_not_kept():
    """The mean of y under exp(-H) is 0, and d/dt E[y] = E[-y - sqrt(x)] < 0 if x has shape 1/2."""
    declared = sharing(HALF, sqrt(x) / 2)
    drift = subject_of(declared).dynamics.drift
    assert drift[x].equals(HALF - x)
    assert drift[y].equals(-y - sqrt(x))
    gamma = lambda t: t ** mpmath.mpf(-0.5) * mpmath.exp(-t)  # noqa: E731
    mean_of_root = mpmath.quad(lambda t: mpmath.sqrt(t) * gamma(t), [0, 1, mpmath.inf])
    assert mean_of_root > 0.9
    assert outcome_of(declared, "stationarity").verdict is PROVED  # inside, all is well
    assert outcome_of(declared, "boundary").verdict is not PROVED
    assert verify(declared).verdict is not PROVED


def test_noise_of_its_own_and_edges_that_are_never_reached_are_proved():
    assert outcome_of(sharing(HALF, 0), "boundary").verdict is PROVED
    assert outcome_of(sharing(2, sqrt(x) / 2), "boundary").verdict is PROVED


def beside_a_heavy_edge(speed):
    """z has the density 1/(z log(z)^2), is reflected at 0, and (q, p) turns at this speed."""
    H = log(z) + 2 * log(-log(z)) + q**2 / 2 + p**2 / 2
    Q = Matrix([[0, 0, 0], [0, 0, speed], [0, -speed, 0]])
    return mirror(Recipe((z, q, p), H, diag(z, 0, 0), Q), z)


@pytest.mark.parametrize("speed", [log(z), log(z) ** 2])
def test_a_logarithm_that_is_not_integrable_is_not_bounded_in_the_mean(speed):
    """The integral of |log(z)|/(z log(z)^2) is infinite: (q, p) turns infinitely often at once."""
    assert outcome_of(beside_a_heavy_edge(speed), "boundary").verdict is not PROVED


def test_a_coordinate_with_a_heavy_edge_alone_is_proved():
    H = log(z) + 2 * log(-log(z))
    assert outcome_of(mirror(Recipe(z, H, z, 0), z), "boundary").verdict is PROVED
