"""``tune`` and ``step_size="auto"``: the law within the budget, the same numbers each time, and a
refusal before the run where nothing is known.
"""

import json

import numpy as np
import pytest
from sympy import Matrix, Symbol, diag

from catalog.hmc import ghmc, hmc_kernel
from catalog.mala import mala
from catalog.posteriors.bioassay import posterior as bioassay
from catalog.posteriors.breast_cancer import posterior as breast_cancer
from catalog.posteriors.eight_schools import posterior as eight_schools
from catalog.posteriors.linear import posterior as linear
from catalog.posteriors.mixture import posterior as mixture
from catalog.posteriors.poisson import posterior as poisson
from catalog.posteriors.pumps import posterior as pumps
from catalog.posteriors.softmax import posterior as softmax
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.third_order_langevin import third_order_langevin
from codegen import Density, UntunableError, sample, tune
from codegen.results.diagnostics.convergence import convergence
from codegen.running.compiled import Compiled
from codegen.tuning.explanation import said_of_given_steps
from codegen.tuning.parameters_of_law import require_no_parameter_of_the_law
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Scalar, Vector, total
from recipe.laws import normal

x, theta = Scalar("x"), Scalar("theta")
y = Data("y")
BUDGET, ERRORS = 0.1, 4.0
POSTERIORS = {
    "bioassay": bioassay,
    "breast_cancer": breast_cancer,
    "eight_schools": eight_schools,
    "linear": linear,
    "mixture": mixture,
    "poisson": poisson,
    "pumps": pumps,
    "softmax": softmax,
}


def exact_bioassay():
    """The means and standard deviations of a and b, by sums over a grid."""
    density = Density(bioassay)
    a, b = np.linspace(-4, 7, 221), np.linspace(-5, 45, 251)
    U = np.array([[density.potential({"a": p, "b": q}) for q in b] for p in a])
    weight = np.exp(U.min() - U)
    weight /= weight.sum()
    of_a, of_b = weight.sum(axis=1), weight.sum(axis=0)
    means = np.array([of_a @ a, of_b @ b])
    squares = np.array([of_a @ a**2, of_b @ b**2])
    return means, np.sqrt(squares - means**2)


def require_within(draws, names, mean, sd):
    found = convergence(np.stack([draws[n] for n in names], axis=-1))
    off = np.abs(found.mean - mean) / sd
    assert np.all(off <= BUDGET + ERRORS * found.mcse_mean / sd)
    assert np.all(np.abs(found.sd / sd - 1) <= BUDGET + ERRORS * found.mcse_sd / sd)


@pytest.mark.slow_for("sghmc", "mala", "ghmc")
@pytest.mark.parametrize(
    "what", [hmc_kernel, sgld, sghmc, mala, ghmc], ids=["hmc", "sgld", "sghmc", "mala", "ghmc"]
)
def test_tuned_draws_have_the_law_within_the_budget(what):
    tuning = tune(what, bioassay)
    draws = sample(**tuning.settings, progress=False)
    require_within(draws, ("a", "b"), *exact_bioassay())
    shown = convergence(np.stack([draws["a"], draws["b"]], axis=-1))
    assert np.all(shown.mcse_mean / shown.sd <= 0.05)
    assert draws.bias is None or draws.bias.judgement == "within"


def test_auto_is_tune_and_sample_for_any_threads_and_goes_on_from_a_checkpoint(tmp_path):
    words = {"seed": 5, "progress": False, "step_size": "auto"}
    tuning = tune(hmc_kernel, bioassay, seed=5)
    by_hand = sample(**tuning.settings, progress=False)
    first = sample(hmc_kernel, bioassay, **words, threads=1, checkpoint=tmp_path / "run")
    again = sample(hmc_kernel, bioassay, **words, threads=2, checkpoint=tmp_path / "run")
    for draws in (first, again):
        assert np.array_equal(draws["a"], by_hand["a"])
        assert np.array_equal(draws["b"], by_hand["b"])
    kept = json.loads(first.attributes["tuning"])
    assert kept["settings"]["step_size"] == tuning.settings["step_size"]


def test_what_is_given_stays():
    draws = sample(
        hmc_kernel, bioassay, step_size="auto", steps=60, warmup=10, chains=2, progress=False
    )
    assert draws["a"].shape == (2, 50)
    kept = json.loads(draws.attributes["tuning"])
    assert (kept["settings"]["steps"], kept["settings"]["warmup"]) == (60, 10)
    said = kept["explanation"][-1]
    assert said.startswith("2 chains of 60 steps, 10 of them warm-up, are run, as steps= is given")


def test_given_steps_are_said_beside_those_that_are_needed():
    """900 draws make 0.05 sd, so that 100 make three times as much."""
    assert said_of_given_steps(1, (150, 50), (1000, 100), 0.05) == (
        "1 chain of 150 steps, 50 of them warm-up, are run, as steps= is given; they make the Monte"
        " Carlo error of every mean about 0.15 sd or less, and for 0.05 sd 1,000 steps, 100 of them"
        " warm-up, are needed."
    )


def test_a_warm_up_that_is_given_is_added_to_the_steps_that_are_needed():
    how = {"step_size": "auto", "warmup": 700, "chains": 2, "progress": False}
    draws = sample(hmc_kernel, bioassay, **how)
    found = tune(hmc_kernel, bioassay, chains=2).settings
    settings = json.loads(draws.attributes["tuning"])["settings"]
    assert settings["steps"] == found["steps"] - found["warmup"] + 700
    assert draws["a"].shape == (2, (found["steps"] - found["warmup"]) // found["thin"])


def test_a_tuning_says_what_it_is():
    tuning = tune(hmc_kernel, bioassay)
    lines = repr(tuning).splitlines()
    assert 4 <= len([s for s in lines[: lines.index("")] if not s.startswith("  ")]) <= 5
    assert lines[lines.index("") + 1].split() == (
        ["sampler", "scheme", "step", "batch", "open", "parameters", "bias", "rows", "a", "draw"]
    )
    values = json.loads(json.dumps(tuning.as_json()))
    assert values["chosen"]["bias"] == 0.0
    assert set(values["settings"]["params"]) == {"scale_a", "scale_b"}


@pytest.mark.parametrize(
    ("what", "law", "says"),
    [
        (hmc_kernel, 3 * (x**2 - 4) ** 2, "several modes"),
        (hmc_kernel, -(x**2), "no finite integral"),
        (sgld, eight_schools, "nothing can be predicted.*use a kernel with Metropolis tests"),
    ],
    ids=["modes", "improper", "hierarchy"],
)
def test_what_cannot_be_tuned_is_said_before_the_run(what, law, says):
    with pytest.raises(UntunableError, match=says):
        sample(what, law, step_size="auto")


def test_mistakes_are_said_in_words():
    with pytest.raises(RecipeError, match="needs the posterior as the second argument"):
        sample(hmc_kernel, step_size="auto")
    with pytest.raises(RecipeError, match='a number above 0, a schedule, or "auto"'):
        sample(hmc_kernel, bioassay, step_size="Auto", steps=10)
    with pytest.raises(RecipeError, match="steps= is missing"):
        sample(hmc_kernel, bioassay, step_size=0.1)
    with pytest.raises(RecipeError, match="control_variates="):
        sample(sgld, bioassay, step_size="auto", control_variates=True)
    with pytest.raises(RecipeError, match="give L, gamma, xi"):
        tune(third_order_langevin, bioassay)
    with pytest.raises(RecipeError, match="no Recipe and no Kernel"):
        tune(sgld.update, bioassay)


@pytest.mark.slow
@pytest.mark.parametrize("name", POSTERIORS)
def test_the_catalog_is_sampled_within_the_budget_or_refused(name):
    """Kernels and recipes that can be tuned agree with one another."""
    reference = sample(
        hmc_kernel, POSTERIORS[name], step_size="auto", max_error=0.02, progress=False
    )

    def moments(draws):
        arrays = [draws[b.name] for b in POSTERIORS[name].blocks]
        return convergence(np.concatenate([a.reshape(*a.shape[:2], -1) for a in arrays], -1))

    exact = moments(reference)
    for what in (hmc_kernel, sghmc, sgld):
        try:
            draws = sample(what, POSTERIORS[name], step_size="auto", seed=1, progress=False)
        except UntunableError:
            assert what is not hmc_kernel
            continue
        found = moments(draws)
        errors = ERRORS * np.hypot(found.mcse_mean, exact.mcse_mean) / exact.sd
        assert np.all(np.abs(found.mean - exact.mean) / exact.sd <= BUDGET + errors)
        errors = ERRORS * np.hypot(found.mcse_sd, exact.mcse_sd) / exact.sd
        assert np.all(np.abs(found.sd / exact.sd - 1) <= BUDGET + errors)


def test_minibatches_that_a_metropolis_test_cannot_use_are_refused():
    with pytest.raises(RecipeError, match=r"batch_size=5: a Metropolis test compares"):
        tune(hmc_kernel, bioassay, batch_size=2 + 3)
    with pytest.raises(RecipeError, match=r"batch_size=500 must be .* at most 4"):
        tune(sgld, bioassay, batch_size=500)
    with pytest.raises(RecipeError, match="batch_size= needs data"):
        tune(sgld, x**2, batch_size=5)
    with pytest.raises(RecipeError, match="threads=0"):
        tune(sgld, bioassay, threads=0)


class _RefusedError(Exception):
    pass


def test_modules_are_checked_before_they_are_compiled_and_have_the_text_of_the_run():
    seen = []

    def check(module):
        seen.append(module.source)

    sample(hmc_kernel, bioassay, step_size="auto", name="mine", check=check, progress=False)
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert "mine" in seen[0]

    def refuse(module):
        raise _RefusedError(module.name)

    for what in (hmc_kernel, sgld):
        with pytest.raises(_RefusedError):
            tune(what, bioassay, check=refuse)


def test_a_step_is_compiled_once_for_all_trials(monkeypatch):
    compiled = []
    original = Compiled.entry_point

    def counting(self, run, given):
        before = len(run.overloads)
        found = original(self, run, given)
        if len(run.overloads) > before:
            compiled.append(self.module.source)
        return found

    monkeypatch.setattr(Compiled, "entry_point", counting)
    rows = Posterior(
        theta, normal(y, theta, 1), normal(theta, 0, 9), data={y: np.linspace(-1, 2, 400)}
    )
    tuning = tune(sghmc, rows, max_error=0.2)
    assert {a.batch_size for a in tuning.alternatives} >= {None, 40}
    sample(**tuning.settings, progress=False)
    assert compiled
    assert len(compiled) == len(set(compiled))


TEMPERATURE, MASS = Symbol("T", positive=True), Symbol("M", positive=True)
MOVED, MOMENTA = Vector("moved"), Vector("momenta", like=Vector("moved"))
OF_MOVED = Potential("U", MOVED)


def test_a_parameter_that_the_law_depends_on_is_not_chosen():
    """Only that of the coordinates counts: tuning may choose a mass."""
    D, Q = Matrix([[TEMPERATURE]]), Matrix([[0]])
    tempered = Recipe((MOVED,), OF_MOVED / TEMPERATURE, D=D, Q=Q, name="tempered")
    with pytest.raises(RecipeError, match="give T, T=1 for the posterior itself"):
        tune(tempered, bioassay, seed=1)
    energy = OF_MOVED + total(MOMENTA**2) / (2 * MASS)
    heavy = Recipe((MOVED, MOMENTA), energy, D=diag(0, 1), Q=Matrix([[0, -1], [1, 0]]))
    require_no_parameter_of_the_law(heavy, (MOVED,), ["M"])
    require_no_parameter_of_the_law(tempered, (MOVED,), [])
