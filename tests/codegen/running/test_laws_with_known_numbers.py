"""Runs of posteriors whose laws have a number for each coordinate, against conjugate laws."""

import warnings

import numpy as np
import pytest
from cases.translations import Case, step
from scipy import stats

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from codegen import Density, compute_log_prior, sample, sample_posterior_predictive
from codegen.tuning.law.target import target_of
from recipe import (
    Data,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Vector,
    bind,
)
from recipe import total as summed
from recipe.laws import categorical, dirichlet, normal
from recipe.scheme import discretise
from verify.statistics.numbers.inputs import setting_of
from verify.statistics.trial.parameters import trial_parameters
from verify.verdict import Verdict

LABELS = [0, 0, 1, 2, 2, 2, 2, 0]
COUNTS = np.bincount(LABELS)
MEANS, SDS = [0, 1.5, -3], [1, 2.5, 0.5]
HOW = {"step_size": 0.2, "steps": 60, "seed": 4, "progress": False}


def shares_of(law):
    return Posterior(log_likelihood=categorical(Data("y", LABELS), Vector("w", prior=law)))


def shares(concentration):
    return shares_of(dirichlet(concentration))


def three_normal():
    """A vector of three normal numbers, and one number that is the sum of all."""
    theta = Vector("theta", prior=normal(MEANS, SDS))
    x = Data("x", np.ones((1, 3)), like=theta)
    return Posterior(log_likelihood=normal(Data("z", [0.5]), summed(x * theta), 2))


@pytest.mark.parametrize("numbers", [[2, 1, 5], [0.5, 0.3, 0.2]], ids=str)
def test_the_compiled_density_is_that_of_scipy(numbers):
    density, prior = Density(shares(numbers)), stats.dirichlet(numbers)
    for at in ([0.2, 0.3], [0.7, 0.1], [1e-9, 0.999]):
        p = np.array([*at, 1 - sum(at)])
        known = prior.logpdf(p) + COUNTS @ np.log(p)
        assert -density.potential({"w": np.array(at)}) == pytest.approx(known, rel=1e-9)
        slope = (numbers + COUNTS - 1) / p
        (found,) = density.gradient({"w": np.array(at)}).values()
        assert found == pytest.approx(slope[2] - slope[:2], rel=1e-9)


def test_the_compiled_density_of_normal_numbers_is_that_of_scipy():
    density, at = Density(three_normal()), np.array([0.3, -1, 2])
    known = stats.norm(MEANS, SDS).logpdf(at).sum() + stats.norm(at.sum(), 2).logpdf(0.5)
    assert -density.potential({"theta": at}) == pytest.approx(known)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("numbers", [[2, 1, 5], [0.5, 0.3, 0.9]], ids=str)
@pytest.mark.parametrize("with_counts", [True, False], ids=["counts", "prior"])
def test_draws_are_of_the_dirichlet_law(numbers, with_counts):
    """Means and standard deviations within five of their standard errors, by the effective size:
    each of the 24 comparisons fails with a probability of 6e-7 if the draws are right.
    """
    posterior = shares(numbers) if with_counts else shares(numbers).prior()
    draws = sample(
        hmc_kernel, posterior, step_size=0.25, steps=6000, warmup=300, seed=5, progress=False
    )
    law = stats.dirichlet(np.array(numbers) + (COUNTS if with_counts else 0))
    for k, row in enumerate(draws.summary().rows):
        sd = np.sqrt(law.var()[k])
        x = draws["w"][..., k]
        fourth = np.sqrt(np.var((x - x.mean()) ** 2)) / (2 * sd)  # of the standard deviation
        assert row.ess_bulk > 1000
        assert abs(x.mean() - law.mean()[k]) < 5 * sd / np.sqrt(row.ess_bulk)
        assert abs(x.std() - sd) < 5 * fourth / np.sqrt(min(row.ess_bulk, row.ess_tail))


def test_the_density_is_that_of_numbers_that_are_given_to_the_run():
    """As ``params=`` of a parameter, and as a parameter that carries them."""
    like = Vector("w", domain=Simplex())
    a = Parameter("a", like=like, positive=True)
    known = Parameter("known", like=like, values=[2, 1])
    at = {"w": np.array([0.2, 0.3])}
    found = {
        Density(shares_of(law), params).potential(at)
        for law, params in (
            (dirichlet([2, 1, 5]), {}),
            (dirichlet(a, last=5), {"a": [2, 1]}),
            (dirichlet(known, last=5), {}),
        )
    }
    assert len(found) == 1


def test_minibatches_control_variates_and_several_blocks():
    theta, s = Vector("theta", prior=normal(MEANS, SDS)), Scalar("s", prior=normal(0, 1))
    x = Data("x", np.eye(3), like=theta)
    posterior = Posterior(log_likelihood=normal(Data("z", [1, 2, 3]), summed(x * theta) + s, 1e6))
    how = HOW | {"steps": 4000, "warmup": 500, "params": {"C": 1}, "batch_size": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draws = sample(sghmc, posterior, **how, control_variates=True)
    assert np.allclose(draws["theta"].mean(axis=(0, 1)), MEANS, atol=0.4 * np.array(SDS))


@pytest.mark.parametrize("made", [lambda: shares([2, 0.5, 5]), three_normal], ids=["w", "theta"])
@pytest.mark.parametrize("sampler", [hmc_kernel, sghmc], ids=["kernel", "recipe"])
def test_the_text_is_proved_to_be_the_rule(sampler, made):
    """For all numbers: the text is that of every other concentration of the coordinates."""
    bound = bind(sampler, made())
    outcome = (Case(bound) if sampler is hmc_kernel else step(bound, "baoab")).outcome()
    assert outcome.verdict is Verdict.PROVED, outcome.by


def test_other_numbers_need_no_other_text():
    texts = {Case(bind(hmc_kernel, shares([a, 1, 5]))).text for a in (2, 0.25)}
    assert len(texts) == 1


def test_another_list_goes_on_from_no_checkpoint(tmp_path):
    sample(hmc_kernel, shares([2, 1, 5]), checkpoint=tmp_path, **HOW)
    sample(hmc_kernel, shares([2, 1, 5]), checkpoint=tmp_path, **HOW)
    with pytest.raises(RecipeError, match=r"of another run.*concentration_of_w"):
        sample(hmc_kernel, shares([3, 1, 5]), checkpoint=tmp_path, **HOW)


def test_draws_remember_the_numbers_and_are_read_with_them():
    draws = sample(hmc_kernel, shares([2, 1, 5]), **HOW)
    found = (
        compute_log_prior(draws, shares([2, 1, 5])).predictions["log_prior"].variables["w"].values
    )
    p = np.concatenate([draws["w"], 1 - draws["w"].sum(axis=-1, keepdims=True)], axis=-1)
    assert np.allclose(found, np.apply_along_axis(stats.dirichlet([2, 1, 5]).logpdf, -1, p))
    with pytest.raises(RecipeError, match=r"the prior dirichlet\(\[2, 1, 5\]\) of w, and this"):
        sample_posterior_predictive(draws, shares([2, 4, 5]))


def test_the_list_says_how_many_probabilities_there_are():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a category without a row, which is listed
        assert Density(shares([2, 1, 5, 1])).sizes == [3]
    assert target_of(shares([2, 1, 5]), {}, {}).density.sizes == [2]


@pytest.mark.parametrize(
    ("numbers", "options", "said"),
    [
        ([2, 1], {}, "row 3 of the data of y is 2, and its categories are numbered from 0 to 1"),
        (
            [2, 1, 5],
            {"lengths": {"w": 4}},
            r"the concentration \[2, 1, 5\] of dirichlet, of 3 probabilities, makes the length",
        ),
        (
            [2, 1, 5],
            {"params": {"concentration_of_w": [1, 1]}},
            "params= has concentration_of_w, which the model was declared with; leave it out",
        ),
    ],
)
def test_what_contradicts_the_list(numbers, options, said):
    with pytest.raises(RecipeError, match=said):
        sample(hmc_kernel, shares(numbers), **HOW, **options)


THETA = Vector("theta")
OPEN = Parameter("speed", like=THETA, positive=True)
SPEED = Parameter("speed", like=THETA, values=[1, 4, 0.25])
FAST = Recipe(THETA, H=Potential("U", THETA), D=SPEED, Q=0)


def test_numbers_of_a_sampler_stay_with_the_vector_of_a_model():
    draws = [
        sample(bind(what, three_normal()), params=params, **HOW)["theta"]
        for what, params in (
            (FAST, {}),
            (Recipe(THETA, H=Potential("U", THETA), D=OPEN, Q=0), {"speed": [1, 4, 0.25]}),
        )
    ]
    assert np.array_equal(*draws)
    posterior = Posterior(log_likelihood=normal(Data("z", [1]), Scalar("s", prior=normal(0, 1)), 1))
    with pytest.raises(RecipeError, match="speed carries a number for each coordinate, and s is"):
        bind(FAST, posterior)


def test_a_trial_of_numbers_of_its_own_refuses_them():
    rule = discretise(FAST, "euler")
    with pytest.raises(RecipeError, match="speed carries its numbers, and a test chooses"):
        trial_parameters(rule, {}, 3)
    setting = setting_of(rule, step_size=0.1, length=3, gradients={"U": lambda theta: theta})
    assert setting.meanings.values["speed"].tolist() == [1, 4, 0.25]
