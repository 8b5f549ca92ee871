"""A printed or lifted rule with a posterior: the same draws as its recipe, and what is said of
them.
"""

import numpy as np
import pytest
from sympy import Symbol, sqrt

from catalog.posteriors.bioassay import posterior as bioassay
from catalog.posteriors.pumps import posterior as pumps
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import generate, read_draws, sample
from recipe import (
    Data,
    Noise,
    Posterior,
    Potential,
    RecipeError,
    Scalar,
    Update,
    Vector,
    averaged,
    bind,
    compose,
    discretise,
    grad,
    lift,
    step,
    total,
)
from recipe.laws import normal
from recipe_cli.program.translation import translation_of
from verify.discrete.weak_order.words import step_error_in_words
from verify.verdict import Verdict

theta = Vector("theta")
v = Vector("v", like=theta)
h, friction = Symbol("h", positive=True), Symbol("alpha", positive=True)
U = Potential("U", theta)
w = Noise("w", like=theta)
LANGEVIN = Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U, name="langevin")
IN_UNITS = Update(
    h,
    [
        (v, v - h**2 * grad(U, theta) - friction * h * v + sqrt(2 * friction * h**3) * w),
        (theta, theta + v),
    ],
    U + total(v**2) / (2 * h**2),
    units={v: h},
    name="sghmc",
)
QUIET = {"steps": 300, "step_size": 0.01, "chains": 2, "progress": False}


def langevin_step(x, lr, grad_u, rng):
    return x - lr * grad_u(x) + np.sqrt(2 * lr) * rng.standard_normal(x.shape)


def lifted():
    return lift(
        langevin_step,
        state={"x": theta},
        step=h,
        arguments={"lr": h},
        gradient={"grad_u": grad(U, theta)},
        noise="rng",
        target=U,
    )


@pytest.mark.parametrize(
    "law",
    [bioassay, pytest.param(pumps, marks=pytest.mark.slow)],
    ids=["several blocks", "above zero"],
)
def test_a_rule_makes_the_draws_of_its_recipe(law):
    of_recipe = sample(sgld, law, scheme="euler", **QUIET)
    for rule in (LANGEVIN, lifted()):
        draws = sample(rule, law, **QUIET)
        assert all(np.array_equal(draws[name], of_recipe[name]) for name in of_recipe)


@pytest.mark.slow
def test_minibatches_and_control_variates_are_those_of_the_recipe():
    data = {"batch_size": 2, "control_variates": True, "steps": 400, "step_size": 0.02}
    of_recipe = sample(sgld, bioassay, scheme="euler", **{**QUIET, **data})
    draws = sample(LANGEVIN, bioassay, **{**QUIET, **data})
    assert all(np.array_equal(draws[name], of_recipe[name]) for name in of_recipe)


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    whole = sample(LANGEVIN, bioassay, **QUIET)
    sample(LANGEVIN, bioassay, checkpoint=tmp_path / "run", **{**QUIET, "steps": 100})
    resumed = sample(LANGEVIN, bioassay, checkpoint=tmp_path / "run", **QUIET)
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)


def test_the_law_at_a_step_size_is_the_exact_one_of_the_linear_step():
    """Of SGHMC in its alpha, eta form: the variance that the covariance equation has."""
    a, size, k = 1.0, 0.7, 2.0
    y = Data("y")
    law = Posterior(theta, normal(y, 0, 1), -k * total(theta**2) / 2, {y: [0.0]})
    with pytest.warns(UserWarning, match="the step size makes"):
        draws = sample(
            IN_UNITS,
            law,
            step_size=size,
            params={"alpha": a},
            steps=40_000,
            chains=8,
            lengths={theta: 4},
            keep="all",
            progress=False,
        )
    # z = (theta, v in units of h): z' = M z + noise, and its covariance is M S M^T + N
    step_v = np.array([-size * k, 1 - a * size])
    M = np.array([[1, 0], [0, 0]]) + np.outer([size, 1], step_v)
    N = 2 * a * size * np.outer([size, 1], [size, 1])
    exact = np.linalg.solve(np.eye(4) - np.kron(M, M), N.ravel()).reshape(2, 2)
    theta_draws, v_draws = draws["theta"], draws["v"]
    assert np.var(theta_draws) == pytest.approx(exact[0, 0], rel=0.02)
    assert np.var(v_draws) == pytest.approx(exact[1, 1], rel=0.02)
    assert abs(exact[1, 1] - 1) > 0.2  # at which the momenta of the target would fail


def test_draws_say_what_is_proved_at_their_step_size(tmp_path):
    draws = sample(IN_UNITS, bioassay, params={"alpha": 1.0}, **QUIET)
    said = draws.attributes["proved"]
    assert said == (
        "sghmc is proved to leave exp(-H) stationary, H = U + total(v**2)/2, as its step h"
        " vanishes; at a step size its law is off by a multiple of h (order exactly 1, of theta"
        " alone exactly 2; proved in one dimension)"
    )
    assert "note: sghmc is proved" in repr(draws)
    assert "note: sghmc is proved" in draws.summary()._repr_html_()
    draws.save(tmp_path / "draws.nc")
    assert read_draws(tmp_path / "draws.nc").summary().proved == said
    assert sample(sghmc, bioassay, params={"C": 1.0}, **QUIET).summary().proved is None


def test_a_rule_whose_order_is_not_known_says_so():
    flow = Update(h, {theta: theta - h * grad(U, theta)}, U, name="descent")
    said = step_error_in_words(flow, "descent")
    assert "of which order in h its law is off at a step size is not known: the step has no" in said


@pytest.mark.slow
def test_a_step_that_is_too_large_is_a_warning():
    with pytest.warns(UserWarning, match="the step size makes standard deviations about"):
        sample(LANGEVIN, bioassay, step_size=0.3, steps=20_000, warmup=1000, progress=False)


@pytest.mark.parametrize(
    ("rule", "law", "options"),
    [(LANGEVIN, bioassay, {}), (LANGEVIN, pumps, {}), (IN_UNITS, bioassay, {"svrg": True})],
    ids=["several blocks", "above zero", "svrg"],
)
def test_the_text_of_a_bound_rule_is_proved(rule, law, options):
    outcome = translation_of(generate(rule, law, **options))
    assert outcome.verdict is Verdict.PROVED, outcome.by


def test_a_discretised_recipe_is_bound_as_the_recipe_is():
    rule = discretise(sghmc, "baoab")
    of_recipe = generate(bind(sghmc, bioassay), scheme="baoab")
    assert bind(rule, bioassay).rule == of_recipe.moves.rule
    assert bind(LANGEVIN, bioassay).state == tuple(bioassay.blocks)


@pytest.mark.slow
def test_what_is_recorded_is_cut_with_its_noise():
    recorded = Noise("z", like=theta)
    rule = Update(
        h, dict(LANGEVIN.rule), U, observe={theta: theta + sqrt(h / 2) * recorded}, name="lm"
    )
    bound = bind(rule, bioassay)
    assert [b.name for b, _ in bound.observe] == ["a", "b"]
    plain = sample(LANGEVIN, bioassay, **QUIET)
    draws = sample(rule, bioassay, **QUIET)
    apart = draws["b"] - plain["b"]
    assert apart.std() == pytest.approx(np.sqrt(0.01 / 2), rel=0.15)


def test_a_list_that_moves_pieces_one_after_another_is_refused():
    xi = Scalar("xi")
    rest = (xi, xi - h * xi + sqrt(2 * h) * Noise("z", like=xi))
    rule = Update(h, [*LANGEVIN.rule, rest], U + xi**2 / 2)
    with pytest.raises(RecipeError, match=r"write the rule with a dict"):
        sample(rule, bioassay, **QUIET)
    as_dict = bind(Update(h, dict(rule.rule), rule.target), bioassay)
    at_once = bind(LANGEVIN, bioassay).rule
    assert as_dict.rule[:2] == at_once
    alone = bind(Update(h, list(LANGEVIN.rule), U), bioassay)  # one assignment is at once
    assert alone.rule == at_once
    assert not alone.sequential


def test_a_rule_that_stands_for_a_limit_has_no_step():
    with pytest.raises(RecipeError, match=r"limit of a sweep .* there is no step to carry out"):
        sample(averaged(step(LANGEVIN)), bioassay, **QUIET)


def test_a_rule_of_another_law_than_the_posterior_says_so():
    T = Symbol("T", positive=True)
    hot = Update(
        h, {theta: theta - h * grad(U, theta) + sqrt(2 * h * T) * w}, U / T, name="tempered"
    )
    draws = sample(hot, bioassay, params={"T": 4}, **QUIET)
    assert draws.warnings[0] == "these are draws of exp(-(U/T)) with T = 4, not of the posterior"
    assert "tempered is proved to leave exp(-H) stationary, H = U/T," in draws.attributes["proved"]


@pytest.mark.parametrize("option", [{"scheme": "euler"}, {"order": ["theta"]}])
@pytest.mark.parametrize(
    ("what", "kind"), [(LANGEVIN, "printed rule"), (compose(step(LANGEVIN)), "kernel")]
)
def test_how_a_recipe_is_discretised_is_not_asked_of_what_is_no_recipe(what, kind, option):
    (name,) = option
    with pytest.raises(RecipeError, match=f"{name}= says .* langevin is a {kind}, and a {kind} is"):
        generate(what, name="langevin", **option)
