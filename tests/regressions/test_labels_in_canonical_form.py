"""The canonical form of an argument inside of a sum bound the label of that sum.

``(A (A theta)^2)_i`` is a double sum with the index i free. Its canonical form is a triple sum,
whose third label was that of i: the argument lost its coordinate, and two different sums looked
alike. Only points showed the difference, if there were any.
"""

import pytest
from sympy import Symbol, cos, loggamma, sin, sqrt

from recipe import Dense, Parameter, Recipe, Scalar, Vector, dot, total
from recipe.language.symbols import OTHER
from recipe.language.total import Total, labels, relabel
from verify import Verdict
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero
from verify.engine import outcome_of

FAR = 10**4  # beyond every point that is tried
theta = Vector("theta")
A = Dense("A", theta, theta)
b = Parameter("b")
beyond = sqrt(((b - FAR) ** 2).expand()) + b - FAR  # 0 for b < FAR
coordinate = dot(A, dot(A, theta) ** 2)


def two_sums(f):
    """0 if f has the same value at all coordinates."""
    return total(theta**2 * f) * total(theta) - total(theta**2) * total(theta * f)


@pytest.mark.parametrize("h", [sin, cos, loggamma])
def test_an_argument_keeps_its_coordinate(h):
    e = two_sums(h(coordinate))
    assert decide_zero(beyond * e).verdict is not Verdict.PROVED


@pytest.mark.parametrize("label", [*range(1, 6), 0, OTHER])
def test_the_canonical_form_has_the_same_free_labels(label):
    for e in (coordinate, coordinate * theta, coordinate + total(sin(coordinate))):
        moved = relabel(e, 0, 7)
        moved = relabel(moved, 7, label) if label not in bound(e) else moved
        assert labels(normalised(moved)) == labels(moved)
        assert decide_zero(relabel(normalised(moved) - moved, *labels(moved), 0)).verdict is (
            Verdict.PROVED
        )


def bound(e):
    return {t.index.label for t in e.atoms(Total)}


def test_a_recipe_with_such_sums_is_not_skew():
    x, y = Scalar("x"), Scalar("y")
    entry = beyond * two_sums(cos(coordinate))
    declared = Recipe(
        (theta, x, y),
        total(theta**2) / 2 + x**2 / 2 + y**2 / 2,
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 0, 0], [0, 0, entry], [0, 0, 0]],
    )
    assert outcome_of(declared, "curl-skew").verdict is not Verdict.PROVED


def test_what_is_equal_is_still_proved():
    e = total(theta * cos(2 * coordinate)) - total(theta * (2 * cos(coordinate) ** 2 - 1))
    assert decide_zero(e).verdict is Verdict.PROVED
    assert decide_zero(e + Symbol("a", positive=True)).verdict is Verdict.REFUTED
