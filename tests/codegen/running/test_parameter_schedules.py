"""Parameters that change from step to step: against single steps with numbers, split anywhere."""

import dataclasses
import json

import numpy as np
import pytest
from cases.translations import LOGISTIC, recipe_called, theta
from sympy import Matrix, Symbol

from catalog.scir import scir
from codegen import Constant, Cyclical, Geometric, Polynomial, generate, sample
from codegen.inputs.options import SamplingOptions
from codegen.inputs.parameter_schedules import pieces
from codegen.running.compiled import Compiled
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Scalar, Vector, bind, total
from recipe.laws import normal
from recipe_cli.program.translation import translation_of

U = Potential("U", theta)
T = Symbol("T", positive=True)
TEMPERED = Recipe((theta,), U / T, D=Matrix([[T]]), Q=Matrix([[0]]), name="tempered")
QUADRATIC = total(theta**2) / 2
FALLING = Geometric(4, 0.25, 6)
ANNEALED = {
    "step_size": 0.1, "steps": 12, "seed": 5, "chains": 2, "initial": {theta: np.ones(3)},
    "progress": False,
}  # fmt: skip
SHORT = {"scheme": "euler", "step_size": 0.1, "steps": 12, "seed": 5, "progress": False}


def begun(kernel):
    """A state with two coordinates a block."""
    others = len(kernel.module.plan.state) - 1
    return kernel.allocate([np.array([0.5, -0.25]), *[np.zeros(2)] * others])


def blocks_of(kernel, state):
    """The numbers of all blocks of a state."""
    return np.concatenate([np.ravel(state[n]) for n in range(len(kernel.module.plan.state))])


def one_by_one(kernel, schedules, steps):
    """The states after each step, by ``run`` with one step and numbers; gradients are made anew."""
    state, found = begun(kernel), []
    for t in range(steps):
        fields, at = kernel.module.scheduled, np.array([float(t)])
        now = {fields[name]: float(s.at(at)[0]) for name, s in schedules.items()}
        alone = dataclasses.replace(kernel, params={**kernel.params, **now}, entry_points={})
        if kernel.module.plan.carried is not None:
            getattr(state, kernel.module.plan.carried.mark)[0] = 0.0
        size = float(kernel.options.schedule.at(at)[0])
        alone.move(state, kernel.no_draws(), 0, t, 1, size)
        found.append(blocks_of(kernel, state))
    return np.array(found)


def in_chunks(kernel, chunks):
    """The states after each chunk of steps of a run."""
    state, found, begin = begun(kernel), [], 0
    for count in chunks:
        assert kernel.advance(state, kernel.no_draws(), 0, begin, count) == (begin + count, -1)
        begin += count
        found.append(blocks_of(kernel, state))
    return np.array(found)


def compiled(what, schedules, scheme="euler", data=None, **options):
    """A kernel of ``what`` with these schedules."""
    given = {**options.pop("params", {}), **schedules}
    options = SamplingOptions(steps=12, params=given, scheme=scheme, seed=3, **options)
    module = generate(what, scheme=scheme, scheduled=tuple(schedules))
    settings = module.plan.settings
    numbers = {settings[s]: float(options.numbers[s.name]) for s in settings}
    return Compiled(module, module.load(), options, (), data or {}, numbers)


def test_steps_are_those_of_their_own_temperature():
    kernel = compiled(bind(TEMPERED, QUADRATIC), {"T": FALLING}, step_size=0.05)
    wanted = one_by_one(kernel, {"T": FALLING}, 12)
    assert np.array_equal(in_chunks(kernel, [1] * 12), wanted)
    for chunks in ([12], [5, 7], [6, 6], [1, 10, 1]):
        assert np.array_equal(in_chunks(kernel, chunks), wanted[np.cumsum(chunks) - 1])


@pytest.mark.by_default(1)
@pytest.mark.parametrize("batch", [2, None])
def test_a_gradient_that_is_left_for_the_next_step_is_made_anew(batch):
    """Of a prior whose scale changes; under ``baoab`` a step begins with the last gradient."""
    sghmc, schedules = recipe_called("sghmc"), {"k": Polynomial(2.0, 3, 1)}
    kernel = compiled(
        bind(sghmc, LOGISTIC),
        schedules,
        "baoab",
        {"x": np.arange(8.0).reshape(4, 2) / 4, "y": np.array([0.0, 1.0, 1.0, 0.0])},
        params={"C": 1.0},
        batch_size=batch,
        step_size=Polynomial(0.1, 4, 0.5),
    )
    assert kernel.module.plan.carried is not None
    wanted = one_by_one(kernel, schedules, 12)
    for chunks in ([12], [5, 7]):
        assert np.array_equal(in_chunks(kernel, chunks), wanted[np.cumsum(chunks) - 1])


@pytest.mark.slow
def test_a_gradient_at_the_last_value_of_a_parameter_gives_other_steps():
    """What the mark is taken away for."""
    schedules = {"k": Polynomial(2.0, 3, 1)}
    data = {"x": np.arange(8.0).reshape(4, 2) / 4, "y": np.array([0.0, 1.0, 1.0, 0.0])}
    sampler, options = bind(recipe_called("sghmc"), LOGISTIC), {"step_size": 0.1}
    kernel = compiled(sampler, schedules, "baoab", data, params={"C": 1.0}, **options)
    stale = kernel.module.source.replace("        if anew[piece]:", "        if False:")
    assert stale != kernel.module.source
    changed = dataclasses.replace(kernel.module, source=stale).load()
    wrong = dataclasses.replace(kernel, loaded=changed, entry_points={})
    assert not np.array_equal(in_chunks(wrong, [12]), in_chunks(kernel, [12]))


@pytest.mark.parametrize(
    "schedule", [Constant(2.0), Polynomial(3, 5, 0.5), Cyclical(2, 4), Geometric(4, 0.5, 12, 3)]
)
def test_pieces_join_steps_that_are_alike(schedule):
    module = generate(bind(TEMPERED, QUADRATIC), scheme="euler", scheduled=("T",))
    options = SamplingOptions(steps=24, step_size=0.1, params={"T": schedule})
    found = pieces(module, options, 0, 24)
    values = schedule.at(np.arange(24.0))
    assert np.array_equal(np.repeat(found.values[:, 0], np.diff(found.begins)), values)
    assert len(found.sizes) == 1 + np.count_nonzero(np.diff(values))
    assert not found.anew.any()  # the gradient of an expression is none of data


def test_the_run_is_resumed_bit_for_bit(tmp_path):
    options = {**ANNEALED, "params": {"T": FALLING}, "scheme": "euler"}
    whole = sample(TEMPERED, QUADRATIC, **options)
    folder = tmp_path / "run"
    sample(TEMPERED, QUADRATIC, **{**options, "steps": 5}, checkpoint=folder)
    resumed = sample(TEMPERED, QUADRATIC, **options, checkpoint=folder)
    assert np.array_equal(whole["theta"], resumed["theta"])
    other = {**options, "params": {"T": Geometric(4, 0.25, 8)}}
    with pytest.raises(RecipeError, match="params T"):
        sample(TEMPERED, QUADRATIC, **other, checkpoint=folder)
    constant = sample(TEMPERED, QUADRATIC, **{**options, "params": {"T": 4.0}})
    assert np.array_equal(constant["theta"][:, 0], whole["theta"][:, 0])
    assert not np.array_equal(constant["theta"][:, 1], whole["theta"][:, 1])
    assert json.loads(whole.attributes["schedules"]) == {
        "T": {"schedule": "Geometric", "a": 4.0, "last": 0.25, "steps": 6, "every": 1}
    }


def test_draws_say_of_what_law_they_are():
    falling = sample(TEMPERED, QUADRATIC, **ANNEALED, scheme="euler", params={"T": FALLING})
    said, bias = falling.warnings
    assert "T changes from 4 to 0.25 in the steps that are kept" in said
    assert "only draws with T = 1 are of exp(-" in said
    assert "no bias of the step size is predicted" in bias
    assert falling.bias is None
    warm = {**ANNEALED, "warmup": 6, "params": {"T": Geometric(4, 1, 6)}, "scheme": "euler"}
    assert not any("one law" in w for w in sample(TEMPERED, QUADRATIC, **warm).warnings)


@pytest.mark.slow
def test_a_friction_changes_no_law():
    friction = {**ANNEALED, "params": {"C": Polynomial(4, 10, 0.5)}}
    sghmc = recipe_called("sghmc")
    assert not any("one law" in w for w in sample(sghmc, QUADRATIC, **friction).warnings)


def test_a_text_with_a_schedule_is_proved():
    for name, wanted in (("T", True), ("k", False)):
        what = bind(TEMPERED, QUADRATIC) if wanted else bind(TEMPERED, {U: LOGISTIC})
        module = generate(what, scheme="euler", scheduled=(name,))
        assert translation_of(module).verdict.value == "proved"
        for right, wrong in (
            ("values[piece, 0]", f"params.{name}"),
            ("begins[piece + 1] - begins[piece]", "begins[piece + 1] - begins[0]"),
            ("step_sizes[piece]", "step_sizes[0]"),
        ):
            text = module.source.replace(right, wrong)
            assert text != module.source
            assert (
                translation_of(dataclasses.replace(module, source=text)).verdict.value != "proved"
            )
    plain = generate(bind(TEMPERED, QUADRATIC), scheme="euler")
    assert "run_scheduled" not in plain.source
    carried = generate(bind(recipe_called("sghmc"), LOGISTIC), scheme="baoab", scheduled=("k",))
    assert translation_of(carried).verdict.value == "proved"
    mark = "        if anew[piece]:\n            state.right_for_step[0] = 0.0\n"
    assert mark in carried.source
    stale = dataclasses.replace(carried, source=carried.source.replace(mark, ""))
    assert translation_of(stale).verdict.value != "proved"


def test_a_schedule_is_for_a_number():
    from catalog.fisher_sgld import fisher_sgld

    refused = [
        ({"T": FALLING, "s": 1.0}, TEMPERED, {}, "unknown parameters: s"),
        ({"T": FALLING}, TEMPERED, {"step_size": "auto"}, "needs numbers as parameters"),
        ({"M": FALLING}, fisher_sgld, {}, "only a parameter that is one number"),
    ]
    for params, what, more, message in refused:
        with pytest.raises(RecipeError, match=message):
            sample(what, QUADRATIC, **{**ANNEALED, **more}, params=params)
    with pytest.raises(RecipeError, match="is compared with one of earlier steps"):
        sample(
            recipe_called("sgld"), LOGISTIC, step_size=0.01, steps=5, batch_size=2, svrg=3,
            params={"k": FALLING}, progress=False,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Geometric(0, 1, 10), "Geometric: a"),
        (lambda: Geometric(1, -1, 10), "Geometric: last"),
        (lambda: Geometric(1, 2, 1), "Geometric: steps"),
        (lambda: Geometric(1, 2, 10, 3), "no multiple of every=3"),
        (lambda: Geometric(1, 2, 10, 10), "Geometric: every=10 must be at most 5, half of steps"),
        (lambda: Geometric(1, 2, 10, 0), "Geometric: every=0"),
    ],
)
def test_a_geometric_schedule_has_two_stages_at_least(made, message):
    with pytest.raises(RecipeError, match=message):
        made()


def test_a_geometric_schedule_meets_both_ends():
    schedule, t = Geometric(4, 0.05, 20_000, 500), np.arange(21_000.0)
    found = schedule.at(t)
    assert found[0] == 4.0
    assert np.all(found[19_500:] == 0.05)
    assert np.allclose(found[:20_000:500], np.geomspace(4, 0.05, 40), rtol=1e-14)
    assert np.all(found.reshape(-1, 500) == found[::500, None])


def test_a_long_vector_of_chains_is_not_run_in_bundles():
    many = sample(
        TEMPERED, QUADRATIC, **{**ANNEALED, "chains": 70}, scheme="euler", params={"T": FALLING}
    )
    few = sample(TEMPERED, QUADRATIC, **ANNEALED, scheme="euler", params={"T": FALLING})
    assert np.array_equal(many["theta"][:2], few["theta"])


@pytest.mark.parametrize("value", [4.0, Geometric(2, 4, 4), 1.0, Geometric(2, 1, 4)])
def test_a_temperature_that_stays_and_is_not_1_is_said(value):
    """In the steps that are kept; of a number and of a schedule that has come to its end."""
    options = {**ANNEALED, "params": {"T": value}, "scheme": "euler", "warmup": 6}
    said = sample(TEMPERED, QUADRATIC, **options).warnings
    wanted = "these are draws of exp(-(total(theta**2)/(2*T))) with T = 4, not of "
    last = value.last if isinstance(value, Geometric) else value
    assert any(w.startswith(wanted) for w in said) == (last == 4)


def test_a_temperature_is_said_of_a_posterior():
    x = Scalar("x", prior=normal(0, 1))
    law = Posterior(log_likelihood=normal(Data("y", [1.0, 2.0]), x, 1))
    said = sample(TEMPERED, law, **{**SHORT, "params": {"T": 4}}).warnings
    assert "these are draws of exp(-(U/T)) with T = 4, not of the posterior" in said


def test_a_variance_of_a_law_that_is_written_out_is_no_temperature():
    gauss = Recipe((theta,), QUADRATIC / T, D=Matrix([[1]]), Q=Matrix([[0]]), name="gauss")
    options = {**ANNEALED, "params": {"T": 4}, "scheme": "euler"}
    assert not any("draws of" in w for w in sample(gauss, **options).warnings)


def test_a_parameter_that_is_an_array_is_no_temperature():
    draws = sample(scir, **{**SHORT, "scheme": "exact", "params": {"a": [0.5, 2.0]}})
    assert draws["theta"].shape == (4, 12, 2)
    assert not any("draws of" in w for w in draws.warnings)


MOMENTA, BETA = Vector("r", like=theta), Symbol("beta", positive=True)
ROTATION, KINETIC = Matrix([[0, -1], [1, 0]]), total(MOMENTA**2) / 2
UNDERDAMPED = Recipe((theta, MOMENTA), U / T + KINETIC, D=Matrix([[0, 0], [0, 1]]), Q=ROTATION)
NAMES = ["temperature", "schedule", "inverse", "factor"]
OTHER_LAWS = [
    (UNDERDAMPED, {"T": 4.0}, "exp(-(U/T)) with T = 4"),
    (UNDERDAMPED, {"T": Geometric(2, 4, 4)}, "exp(-(U/T)) with T = 4"),
    (
        Recipe((theta,), BETA * U, D=1 / BETA, Q=0),
        {"beta": 0.25},
        "exp(-(U*beta)) with beta = 0.25",
    ),
    (Recipe((theta,), 2 * U, D=1, Q=0), {}, "exp(-(2*U))"),
]


@pytest.mark.slow_for("schedule", "inverse", "factor")
@pytest.mark.parametrize(("what", "params", "law"), OTHER_LAWS, ids=NAMES)
def test_a_factor_at_the_potential_is_said_whatever_else_the_energy_is(what, params, law):
    """Of a posterior, and of an expression; not where it is 1."""
    x = Scalar("x", prior=normal(0, 1))
    posterior = Posterior(log_likelihood=normal(Data("y", [1.0, 2.0]), x, 1))
    how = {**SHORT, "scheme": "euler" if len(what.state) == 1 else "semi-implicit", "warmup": 6}
    said = sample(what, posterior, **how, params=params).warnings
    assert f"these are draws of {law}, not of the posterior" in said
    given = {**how, "lengths": {theta: 2}}
    said = sample(what, QUADRATIC, **given, params=params).warnings
    assert f"these are draws of {law}, not of exp(-U) with the U that is given" in said
    if params:
        said = sample(what, posterior, **how, params=dict.fromkeys(params, 1.0)).warnings
        assert not any("draws of" in w for w in said)
