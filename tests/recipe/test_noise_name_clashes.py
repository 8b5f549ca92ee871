"""Noises that are independent have names of their own, whatever blocks and parameters are
called.
"""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Matrix, Symbol, sqrt

from codegen import generate, sample
from recipe import (
    Noise,
    Parameter,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    discretise,
    refresh,
    spread,
    total,
)
from recipe.language.noise import ScalarNoise
from verify import Verdict, verify
from verify.discrete.linear import affine_step, stationary_covariance

x, x_ = Scalar("x"), Scalar("x_")
w_x = Parameter("w_x", positive=True)  # so that the noise of x would be called as that of x_
h = Symbol("h", positive=True)
PAIR = Recipe((x, x_), w_x * x**2 / 2 + x_**2 / 2, Matrix.eye(2), Matrix.zeros(2), name="pair")
ROOT = Recipe(
    (x, x_), PAIR.H, Matrix.eye(2), Matrix.zeros(2), noise_factor=Matrix.eye(2), name="root"
)


def noises(rule):
    return [e.atoms(Noise, ScalarNoise) for _, e in rule]


@pytest.mark.parametrize(
    ("recipe", "scheme"),
    [(PAIR, "euler"), (PAIR, "semi-implicit"), (PAIR, "milstein"), (PAIR, "O"), (ROOT, "euler")],
    ids=lambda given: getattr(given, "name", given),
)
def test_two_blocks_are_driven_by_two_noises(recipe, scheme):
    first, second = noises(discretise(recipe, scheme).rule)
    assert len(first) == len(second) == 1
    assert not first & second


@pytest.mark.slow
def test_the_proved_covariance_of_two_blocks_is_the_sampled_one():
    step = discretise(PAIR, "euler")
    proved = stationary_covariance(affine_step(step)).of_step
    assert proved[x, x_] == 0
    draws = sample(
        PAIR,
        scheme="euler",
        step_size=1.0,
        steps=20_000,
        chains=2,
        params={"w_x": 1.0},
        progress=False,
    )
    error = 1 / np.sqrt(
        draws["x"].size
    )  # both forget their past in a step, and have variance 2 / (2 - 1)
    assert abs((draws["x"] * draws["x_"]).mean()) < 5 * 2 * error
    assert (
        abs((draws["x_"] ** 2).mean() - float(proved[x_, x_].subs(step.step, 1)))
        < 5 * 2 * np.sqrt(2) * error
    )


@pytest.mark.slow
def test_what_is_recorded_of_a_block_of_that_name_has_another_noise():
    recorded = Scalar("recorded")
    recipe = Recipe(recorded, recorded**2 / 2, Matrix([[1]]), Matrix([[0]]), name="lm")
    update = discretise(recipe, "leimkuhler-matthews")
    assert not set.union(*noises(update.rule)) & set.union(*noises(update.observe))
    assert stationary_covariance(affine_step(update)).of_step[recorded, recorded] == 1
    draws = sample(
        recipe,
        scheme="leimkuhler-matthews",
        step_size=1.0,
        steps=40_400,
        warmup=400,
        thin=20,
        chains=4,
        progress=False,
    )["recorded"]
    assert abs((draws**2).mean() - 1) < 5 * np.sqrt(2 / draws.size)


def test_a_second_draw_of_a_word_is_not_called_like_a_parameter():
    q, p = Scalar("q"), Scalar("p")
    taken = Symbol("w_p_", positive=True)
    recipe = Recipe(
        (q, p), taken * q**2 / 2 + p**2 / 2, Matrix([[0, 0], [0, 1]]), Matrix([[0, -1], [1, 0]])
    )
    names = {str(w) for found in noises(discretise(recipe, "obabo").rule) for w in found}
    assert names == {"w_p", "w_p__"}


def test_blocks_that_are_redrawn_at_once_are_independent():
    first, second = noises(refresh(PAIR, x, x_).update.rule)
    assert not first & second


def test_a_root_is_proved_whatever_the_blocks_are_called():
    assert verify(ROOT).verdict is Verdict.PROVED


def test_pieces_of_a_vector_have_noises_of_their_own():
    theta = Vector("theta")
    U, w = Potential("U", theta), Noise("w", like=theta)
    taken = Parameter("w_a")
    printed = Update(h, {theta: theta - h * taken * theta + sqrt(2 * h) * w}, U)
    recipe = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), update=printed)
    a, a_ = Scalar("a"), Scalar("a_")
    first, second = noises(spread(recipe, U, (a, a_)).update.rule)
    assert not first & second


def test_a_noise_of_the_rule_is_refused_in_what_is_recorded():
    theta = Vector("theta")
    w, one = Noise("w", like=theta), Noise("w", like=x)
    with pytest.raises(
        RecipeError,
        match=(
            r"observe\[theta\] = .* has the noise w of the rule.*another name.*such as w_recorded"
        ),
    ):
        Update(h, {theta: theta / 2 + w}, total(theta**2), observe={theta: theta + total(w)})
    with pytest.raises(RecipeError, match=r"observe\[x\] = .* has the noise w of the rule"):
        Update(h, [(x, x / 2 + one)], x**2, observe={x: x + one})


def test_what_is_recorded_is_drawn_for_itself_in_the_code():
    """Even of an update that could not be declared: the plan does not lean on its check."""
    one, other = Noise("w", like=x), Noise("v", like=x)
    update = Update(h, [(x, x / 2 + one)], x**2, observe={x: x + other})
    object.__setattr__(update, "observe", ((x, x + one),))
    plan = generate(update).plan
    assert len(plan.noises) == len(plan.recorded.noises) == 1
    assert plan.noises[0].key != plan.recorded.noises[0].key
