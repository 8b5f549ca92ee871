"""The non-centred form is advised only where the block stands in the law of another one."""

import numpy as np
import pytest
from sympy import Interval, oo

from codegen.results.diagnostics.hierarchy import is_of_a_hierarchy
from codegen.results.diagnostics.local_acceptance import NarrowPlace
from recipe import Data, Posterior, Scalar, Vector
from recipe.laws import half_normal, normal

TAU, MU = Scalar("tau", prior=half_normal(1)), Scalar("mu", prior=normal(0, 1))
Y, GROUP = Data("y", np.zeros(3)), Data("group", [0, 1, 1])
ETA = Vector("eta", prior=normal(0, 1))
NON_CENTRED = Posterior(log_likelihood=normal(Y, MU + TAU * ETA[GROUP], 1))
CENTRED = Posterior(log_likelihood=normal(Y, Vector("a", prior=normal(MU, TAU))[GROUP], 1))
FLAT = Scalar("s", domain=Interval.open(0, oo)), Scalar("b")
IN_ONE = Posterior(
    FLAT,
    normal(Y, FLAT[1], 1),
    half_normal(FLAT[0], 1) + normal(FLAT[1], 0, FLAT[0]),
)
M = Vector("m")
WALK = Posterior(
    log_likelihood=normal(Y, M[GROUP], MU**2 + 1) + normal(M[GROUP], 0, TAU), log_prior=0
)


@pytest.mark.parametrize(
    ("posterior", "coordinate", "is_it"),
    [
        (NON_CENTRED, "tau", False),
        (NON_CENTRED, "eta[1]", False),
        (CENTRED, "tau", True),
        (CENTRED, "a[0]", False),
        (CENTRED, "0.7*a[0] - 0.7*tau", True),
        (IN_ONE, "s", True),
        (WALK, "tau", True),
    ],
)
def test_blocks_in_the_law_of_another_one(posterior, coordinate, is_it):
    assert is_of_a_hierarchy([posterior], coordinate) is is_it


def test_the_words_follow_it():
    assert is_of_a_hierarchy([], "x")  # nothing is known
    for hierarchy in (True, False):
        place = NarrowPlace("tau", True, 0.01, 0.1, 0.2, 0.9, hierarchy)
        assert ("non-centred" in str(place)) is hierarchy
        assert "take a smaller step and compare" in str(place)
