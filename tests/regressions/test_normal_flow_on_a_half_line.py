"""Found on 21 November 2026: an Ornstein-Uhlenbeck flow was *proved* to be the exact transition of
a coordinate on a half line, which it leaves.
"""

from sympy import Interval, Matrix, oo

from catalog.sghmc import sghmc
from recipe import (
    Recipe,
    Scalar,
    discretised,
)
from verify import Verdict, verify


def lines_of(step):
    return {line.name: line.outcome for line in verify(step).lines}


r = sghmc.state[1]


def test_a_normal_law_leaves_a_half_line():
    a, r = Scalar("a"), Scalar("r", domain=Interval.open(0, oo))
    half = Recipe((a, r), a**2 / 2 + r**2 / 2, Matrix([[0, 0], [0, 1]]), Matrix([[0, -1], [1, 0]]))
    lines = lines_of(discretised(half, "baoab"))
    assert lines["exact-transition"].verdict is Verdict.UNDECIDED
    assert "r lives on Interval.open(0, oo)" in lines["exact-transition"].by
    assert (
        "law of a: order at least 2 (as the joint law)" in lines["invariant-order"].facts
    )  # odd powers of r do not integrate to 0
