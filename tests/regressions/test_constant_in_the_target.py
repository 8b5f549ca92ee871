"""Found on 20 November 2026: a published rule was *refuted* because its target and H differ by a
constant, the dimension.
"""

from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of

from recipe import (
    Recipe,
)
from verify import Verdict, verify
from verify.report import Report

CATALOG = catalog_recipes()
PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


def of(report: Report, name: str) -> Verdict:
    """The verdict on one obligation."""
    return outcome_of(report, name).verdict


def test_a_law_is_compared_up_to_its_constant():
    recipe = CATALOG["sgld"]
    shifted = Recipe(recipe.state, recipe.H + recipe.state[0].dim, 1, 0, update=recipe.update)
    assert of(verify(shifted), "agrees-with-update") is PROVED
