"""The ends of a domain, on which side of them it lies, and which of them belong to it."""

import pytest
from sympy import Interval, Rational, S, oo, sqrt

from recipe import Scalar, Simplex, Vector
from recipe.language.domain import domain_text, finite_ends, on_simplex


@pytest.mark.parametrize(
    ("domain", "ends"),
    [
        (S.Reals, []),
        (Simplex(), []),
        (Interval(0, oo), [(0, 1, True)]),
        (Interval.open(-oo, sqrt(2)), [(sqrt(2), -1, False)]),
        (Interval.Ropen(-1, 3), [(-1, 1, True), (3, -1, False)]),
    ],
)
def test_the_finite_ends_of_a_domain(domain, ends):
    assert [(end.at, end.inward, end.belongs) for end in finite_ends(domain)] == ends


def test_a_gap_is_positive_inside_of_both_ends():
    lower, upper = finite_ends(Interval(1, 2))
    assert (lower.gap(Rational(5, 4)), upper.gap(Rational(5, 4))) == (
        Rational(1, 4),
        Rational(3, 4),
    )
    assert lower.gap(S.Zero) < 0 < lower.gap(S(3))
    assert upper.gap(S(3)) < 0 < upper.gap(S.Zero)


def test_a_block_on_the_simplex_is_known_and_named():
    weights, number = Vector("w", domain=Simplex()), Scalar("x", domain=Interval.open(0, 1))
    assert [on_simplex(s) for s in (weights, number, S.One, None)] == [True, False, False, False]
    assert domain_text(weights) == "the open simplex"
    assert domain_text(number) == "Interval.open(0, 1)"


def test_a_scalar_has_no_length():
    assert Scalar("x").length is None
