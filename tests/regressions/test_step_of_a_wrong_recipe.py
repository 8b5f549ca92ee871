"""Found on 21 November 2026: a step of a recipe that is wrong was *proved*, as it is consistent
with that recipe.
"""

from sympy import Matrix

from catalog.sghmc import sghmc
from recipe import (
    Recipe,
    Scalar,
    discretised,
)
from verify import Verdict, verify

x, y = Scalar("x"), Scalar("y")


def lines_of(step):
    return {line.name: line.outcome for line in verify(step).lines}


r = sghmc.state[1]


def test_a_step_is_no_better_than_what_it_is_made_from():
    theta, r = sghmc.state
    twisted = Recipe((theta, r), sghmc.H, sghmc.D.written, Matrix([[0, 1], [1, 0]]))
    for scheme in ("baoab", "euler"):
        report = verify(discretised(twisted, scheme))
        assert report.verdict is Verdict.REFUTED
        assert lines_of(discretised(twisted, scheme))["stationarity"].verdict is Verdict.REFUTED
    outwards = Recipe((x,), -(x**2) / 2, Matrix([[1]]), Matrix([[0]]))
    assert (
        verify(discretised(outwards, "euler")).verdict is Verdict.REFUTED
    )  # its law is not normalisable
