"""Found on 21 November 2026: a flow with a negative variance was *proved* to be an exact
transition.
"""

from sympy import Matrix

from catalog.sghmc import C, sghmc
from recipe import (
    Recipe,
    discretised,
)
from verify import Verdict, verify


def lines_of(step):
    return {line.name: line.outcome for line in verify(step).lines}


r = sghmc.state[1]


def test_there_is_no_normal_law_of_negative_variance():
    theta, r = sghmc.state
    heated = Recipe((theta, r), sghmc.H, Matrix([[0, 0], [0, -C]]), sghmc.Q.written)
    report = verify(discretised(heated, "baoab"))
    assert report.verdict is Verdict.REFUTED
    assert lines_of(discretised(heated, "baoab"))["exact-transition"].verdict is Verdict.UNDECIDED
