"""Corners of two reflected blocks, and coordinates that move without bound where another one
reaches its edge: until 2026-11-24 each edge was looked at by itself, and these were proved.
"""

import pytest
from sympy import Interval, Matrix, Rational, Symbol, exp, eye, log, oo, sqrt, zeros

from recipe import Noise, Parameter, Recipe, Scalar, Simplex, Update, Vector, mirror, outer, total
from verify import Verdict, verify
from verify.engine import outcome_of

x, y = Scalar("x", domain=Interval.open(0, 1)), Scalar("y", domain=Interval.open(0, oo))
z = Scalar("z", domain=Interval.open(0, oo))
x0, r = Scalar("x0", domain=Interval.open(0, oo)), Scalar("r")
eps = Symbol("epsilon", positive=True)
n, m = Noise("n", like=z), Noise("m", like=y)
HALF = Rational(1, 2)


def reflected(stream, H):
    """Langevin dynamics with the current of a stream function times exp(H), between two mirrors."""
    Q = Matrix([[0, -stream], [stream, 0]])
    return mirror(Recipe((x, y), H, eye(2), Q), x, y)


def boundary(declared):
    return outcome_of(declared, "boundary").verdict


def test_a_current_from_corner_to_corner_is_no_proof():
    """The stream function is 0 on both sides and 1 below, so that a current of size 1 comes out of
    the corner (0, 0) and goes into (1, 0), although none crosses an edge."""
    left, right = x**2 / (x**2 + y**2), (1 - x) ** 2 / ((1 - x) ** 2 + y**2)
    found = verify(reflected(left * right, y**2 / 2))
    assert found.verdict is not Verdict.PROVED
    assert boundary(reflected(left * right, y**2 / 2)) is not Verdict.PROVED


def test_a_stream_function_that_vanishes_at_the_corners_is_proved():
    assert boundary(reflected(x**2 * (1 - x) ** 2 * y**2, y**2 / 2)) is Verdict.PROVED


def test_a_corner_with_an_edge_of_another_kind_is_proved():
    """log(y) depends on y alone, which never comes to 0."""
    H = x * y + y - 2 * log(y)
    declared = mirror(Recipe((x, y), H, Matrix([[1, 0], [0, y]]), zeros(2)), x)
    assert boundary(declared) is Verdict.PROVED


def square_root(shape, coefficient_of_y, noise_of_y=0):
    """z is a square-root process with this shape, and y moves beside it."""
    rule = {
        z: z + eps * (shape - z) + sqrt(2 * eps * z) * n,
        y: y + eps * coefficient_of_y + sqrt(2 * eps * noise_of_y) * m,
    }
    return Update(eps, rule, z - (shape - 1) * log(z) + y)


@pytest.mark.parametrize(
    ("shape", "speed", "is_proved"),
    [
        (HALF, -y / z, False),  # y comes to 0 with z, as the integral of dt/z is infinite
        (3 * HALF, -y / z, True),
        (HALF, -y * z, True),
        (HALF, -y / (y + z), False),  # bounded, and yet y keeps pace with z
        (HALF, -y / (1 + y + z), True),
        (HALF, y * log(z), True),
        (HALF, -y * log(z) ** 2, True),
        (HALF, -y * exp(log(z) ** 2), False),  # more than any power of 1/z
        (HALF, -y / sqrt(z), False),  # bounded in the mean, which is not proved
    ],
)
def test_speeds_beside_a_coordinate_that_reaches_its_edge(shape, speed, is_proved):
    assert (boundary(square_root(shape, speed)) is Verdict.PROVED) is is_proved


p = Vector("p", domain=Simplex())
a, last = Parameter("a", like=p, positive=True), Parameter("a_K", positive=True)


@pytest.mark.parametrize(
    ("noise", "is_proved"),
    [
        (1 + total(p) ** 2, True),
        (1 + total(p * total(p)), True),
        (total(1 / p), False),  # its integral over time is infinite where a face is reached
        (1 + total(p / (1 + p)), False),  # bounded, and no polynomial
    ],
)
def test_noise_beside_a_simplex_whose_faces_are_reached(noise, is_proved):
    H = -total((a - 1) * log(p)) - (last - 1) * log(1 - total(p)) + r**2 / 2
    D = Matrix([[p - outer(p, p), 0], [0, noise]])
    declared = Recipe((p, r), H, D, zeros(2))
    assert (boundary(declared) is Verdict.PROVED) is is_proved


def beside_a_mirror(coupling):
    """A position x0 > 0 with its momentum, and y with noise between them and a mirror."""
    H = x0 - log(x0) + r**2 / 2 + y + coupling
    Q = Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    return mirror(Recipe((x0, r, y), H, Matrix([[0, 0, 0], [0, 1, 0], [0, 0, 1 + x0]]), Q), y)


def test_an_energy_that_a_mirror_pushes_up_proves_nothing():
    """At the mirror of y the function V = H grows by the local time, which L V does not show."""
    assert boundary(beside_a_mirror(0)) is Verdict.PROVED
    assert boundary(beside_a_mirror(r**2 * y)) is not Verdict.PROVED
