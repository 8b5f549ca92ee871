"""Maps onto the simplex: what is proved of them, and that a wrong one is not proved."""

from dataclasses import dataclass

import pytest
from helpers.outcomes import outcome_of
from sympy import Tuple, exp, log

from catalog.sghmc import sghmc
from codegen.generate import generate
from recipe import Data, Posterior, Simplex, Vector, bind, total
from recipe.declare.transformations.joint_map import JointMap
from recipe.declare.transformations.onto_simplex import preimage_of_simplex
from recipe.language.blocks import preimage_of
from recipe.laws import dirichlet
from recipe_cli.program.translation import plain_translation_of
from verify import verify
from verify.diffusion.change_of_variable.joint import decide_invertible, decide_reaches_simplex
from verify.verdict import Verdict

P = Vector("p", domain=Simplex())
GOOD = preimage_of_simplex("phi", P)


@dataclass(frozen=True)
class Parts:
    forward: object
    slope: object
    inverse: object


def changed(**parts):
    """The map with some of its parts replaced by wrong ones."""
    kept = {name: parts.get(name, getattr(GOOD, name)) for name in ("forward", "slope", "inverse")}
    return preimage_of(P, "phi", kept["forward"], kept["slope"], kept["inverse"], GOOD.domain)


X = Vector("phi", like=P)
ADDITIVE = JointMap(X, exp(X) / (1 + total(exp(X))))


def test_the_map_is_proved_for_every_length():
    assert decide_invertible(GOOD).verdict is Verdict.PROVED
    assert decide_reaches_simplex(GOOD).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "wrong",
    [
        changed(inverse=JointMap(P, log(P) - log(1 - total(P)))),
        changed(slope=Tuple(*GOOD.slope.args[:2], JointMap(X, -ADDITIVE(X)), GOOD.slope.args[3])),
        changed(slope=Tuple(*GOOD.slope.args[:3], ADDITIVE)),
        changed(forward=ADDITIVE),
        # right in all but its determinant, which the law of phi is not written with
        changed(
            forward=ADDITIVE,
            slope=Tuple(
                ADDITIVE,
                ADDITIVE,
                JointMap(X, -ADDITIVE(X)),
                JointMap(X, 1 / (1 + total(exp(X)))),
            ),
            inverse=JointMap(P, log(P) - log(1 - total(P))),
        ),
    ],
    ids=["inverse", "derivative", "factor", "forward", "determinant"],
)
def test_a_wrong_part_is_not_proved(wrong):
    assert decide_invertible(wrong).verdict is Verdict.UNDECIDED


def test_a_map_that_leaves_the_simplex_is_not_proved():
    assert decide_reaches_simplex(changed(forward=JointMap(X, exp(X)))).verdict is Verdict.UNDECIDED


def test_the_bound_sampler_is_proved_and_so_is_its_text():
    y = Data("y")
    bound = bind(sghmc, Posterior(P, log(P[y]), dirichlet(P, 2), {y: [0, 1, 1]}))
    report = verify(bound)
    assert report.verdict is Verdict.PROVED
    for name in ("monotone", "onto", "well-defined"):
        assert outcome_of(report, name).verdict is Verdict.PROVED
    assert plain_translation_of(generate(bound)).verdict is Verdict.PROVED
