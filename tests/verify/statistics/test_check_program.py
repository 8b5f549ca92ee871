"""`check_program` from Python: what `recipe test` does, of any program."""

from functools import partial

import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from sympy import Symbol, sqrt

from catalog.hmc import ghmc
from catalog.mala import mala
from catalog.sgld import sgld
from codegen import generate, one_step
from recipe import Noise, Potential, RecipeError, Update, Vector, discretised, grad, total
from recipe.scheme import discretise
from recipe_cli.declarations.choose import concrete_declaration
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.progress import Progress
from recipe_cli.testing.compare import compared_program
from recipe_cli.testing.compiled_gradients import COMPILED_GRADIENTS
from recipe_cli.testing.program_subject import ComparisonOptions
from verify.statistics import (
    ComparisonOutcome,
    NothingToCompareError,
    check_program,
    program_test,
    trial_of,
)
from verify.statistics.law.simulate import Runner, carry_out_sweep
from verify.statistics.sweep_battery import FREE_START_PREFIX, IN_LAW_PREFIX

theta, phi = Vector("theta"), Vector("phi")
h, C = Symbol("h", positive=True), Symbol("C", positive=True)
w, v = Noise("w", like=theta), Noise("v", like=phi)
U = Potential("U", theta)
RULE = Update(h, {theta: theta - h * C * grad(U, theta) + sqrt(2 * h * C) * w}, U, name="mine")
QUICK = {"factor": 1.5, "level": 1e-3}


def by_hand(trial, noise=1.0):
    """The rule, many chains at once."""
    size, friction = trial.step_size, trial.params["C"]

    def step(state, rng):
        x = state["theta"]
        drawn = noise * np.sqrt(2 * size * friction) * rng.standard_normal(x.shape)
        return {"theta": x - size * friction * trial.gradients["U"](x) + drawn}

    return step


def by_key(trial, forgetful=False):
    """The rule, many steps in one call: its random numbers are functions of seed, chain, step."""

    def advance(first, steps, *, seed, chain, begin):
        state = {name: x[None] for name, x in first.items()}
        for t in range(begin, begin + steps):
            key = [seed, chain, begin if forgetful else t]
            state = by_hand(trial)(state, np.random.default_rng(key))
        return {name: x[0] for name, x in state.items()}

    return advance


def test_a_step_of_ones_own():
    trial = trial_of(RULE, step_size=0.1, params={"C": 0.5}, length=2)
    assert (trial.params, trial.length, set(trial.texts)) == ({"C": 0.5}, 2, {"U"})
    right = check_program(by_hand(trial), trial, batched=True, coupled=True, seed=1, **QUICK)
    assert right.outcome is ComparisonOutcome.AGREES
    assert (right.name, right.seed, right.factor) == ("mine", 1, 1.5)
    wrong = check_program(by_hand(trial, 1.6), trial, batched=True, name="wrong", **QUICK)
    assert "the variance of each number" in {line.name for line in wrong.differing}
    assert wrong.name == "wrong"


def test_many_steps_in_one_call_are_as_many_calls():
    trial = trial_of(RULE, length=2)
    chosen = program_test(trial, batched=True, **QUICK)
    told = []
    for forgetful, outcome in (
        (False, ComparisonOutcome.AGREES),
        (True, ComparisonOutcome.DIFFERS),
    ):
        advance = by_key(trial, forgetful)
        found = chosen.check(by_hand(trial), advance=advance, on_progress=told.append)
        assert found.lines[-1].name == "12 steps in one call and one by one"
        assert found.outcome is found.lines[-1].outcome is outcome
    assert told == ["running", "comparing calls of many steps"] * 2


def test_a_chain_that_stops_in_both_is_no_difference():
    trial = trial_of(RULE, length=2)
    chosen = program_test(trial, batched=True, **QUICK)
    found = chosen.check(by_hand(trial), advance=lambda *_, **__: None)
    assert found.lines[-1].outcome is ComparisonOutcome.AGREES


def test_a_kernel_of_ones_own():
    trial = trial_of(mala, length=2)
    assert trial.law.unknown is None
    assert trial.gradients == {}
    how = {"batched": True, "factor": 1.5, "level": 1e-3}

    def right(state, rng):
        return carry_out_sweep(trial.rule, state, Runner(trial.setting.meanings, rng))

    found = check_program(right, trial, **how)
    assert found.outcome is ComparisonOutcome.AGREES
    assert {line.name.partition(":")[0] for line in found.lines} == {
        IN_LAW_PREFIX,
        FREE_START_PREFIX,
    }
    assert found.level == 1e-3
    still = check_program(lambda state, rng: state, trial, **how)
    assert {line.name.partition(":")[0] for line in still.differing} == {FREE_START_PREFIX}


@pytest.mark.slow
def test_it_finds_what_the_command_finds():
    options = ComparisonOptions(factor=1.5)
    compared = compared_program(concrete_declaration("sgld"), options, Limits(), Progress())
    trial = trial_of(discretised(sgld, "semi-implicit"))
    gradient = {U: COMPILED_GRADIENTS[potential] for U, potential in trial.potentials.items()}
    program = one_step(generate(sgld), step_size=trial.step_size, gradient=gradient)
    program.compile({"theta": np.ones(trial.length)})
    check = partial(check_program, program, trial, advance=program.advanced, name="sgld")
    found = check(factor=1.5, batched=True, coupled=True)
    assert found == compared.findings


def test_what_is_abstract_is_what_the_module_takes_the_gradient_of():
    same = []
    for name, entry in catalog_recipes().items():
        if any(not isinstance(a, Potential) for a in entry.abstract):
            continue
        try:
            rule = discretise(entry, "semi-implicit")
            module = generate(entry, scheme="semi-implicit")
            found = trial_of(rule, length=2)
        except RecipeError:
            continue
        assert tuple(found.potentials) == tuple(module.plan.potentials), name
        same.append(name)
    assert len(same) > 5


def test_what_does_not_fit_is_said():
    with pytest.raises(RecipeError, match="a Recipe is no discrete step"):
        trial_of(sgld)
    with pytest.raises(RecipeError, match="params= names D, and the rule has the parameters: C"):
        trial_of(RULE, params={"D": 1.0})
    with pytest.raises(RecipeError, match="step_size=-1"):
        program_test(trial_of(RULE, step_size=-1))
    joint = Potential("U", theta, phi)
    of_two = Update(h, {theta: theta - grad(joint, theta), phi: phi + v}, joint)
    with pytest.raises(RecipeError, match="no default for several blocks"):
        trial_of(of_two)


def test_what_cannot_be_compared_is_said():
    hidden = Update(h, {theta: theta + w**3}, total(theta**2) / 2)
    with pytest.raises(NothingToCompareError, match="cannot be recovered"):
        program_test(trial_of(hidden))
    assert trial_of(ghmc).law.remark == "a sweep is proved to leave exp(-H) invariant"
