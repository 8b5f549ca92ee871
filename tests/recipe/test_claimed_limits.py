"""The limit of a sweep with a target that is claimed for it."""

import pytest
from sympy import Symbol, sqrt

from catalog.audits.ma_chen_fox_2015 import sghmc_resampled_with_its_own_law as resampled
from recipe import (
    Noise,
    Potential,
    RecipeError,
    Scalar,
    Update,
    Vector,
    averaged,
    grad,
    repeat,
    step,
    total,
)
from recipe_sampler import sample
from verify import Verdict, verify

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
w = Noise("w", like=theta)
h = Symbol("h", positive=True)
A = Symbol("A", positive=True)
H = U + total(r**2) / 2
drawn = step(Update(h, {theta: theta, r: w}, H))
move = step(
    Update(
        h, {theta: theta + h * r, r: r - h * grad(U, theta) - h * A * r + sqrt(2 * h * A) * w}, H
    )
)
THREE_STEPS = drawn, repeat(move, 3)


def test_the_target_is_what_is_claimed():
    own, claimed = averaged(*THREE_STEPS), averaged(*THREE_STEPS, target=2 * U / 3)
    assert (own.target, claimed.target) == (U, 2 * U / 3)
    assert claimed.rule == own.rule
    assert claimed.limit_only
    assert verify(own).verdict is Verdict.REFUTED
    assert verify(claimed).verdict is Verdict.PROVED
    assert verify(averaged(*THREE_STEPS, target=U / 3)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (H, "contains r: in the limit the step vanishes, and the law is one of theta alone"),
        (2 * U * h / 3, "contains h: in the limit the step vanishes"),
        ("U", "target is the text 'U'; write it as a Python expression"),
    ],
)
def test_a_claim_about_anything_else_is_refused(target, said):
    with pytest.raises(RecipeError, match=said):
        averaged(*THREE_STEPS, target=target)


def test_no_step_of_the_audited_limit_is_carried_out():
    assert resampled.limit_only
    m = Scalar("m")
    with pytest.raises(RecipeError, match="so there is no step to carry out"):
        sample(resampled, m**2 / 2, params={"K": 3}, step_size=0.1, steps=10, seed=1, chains=1)
