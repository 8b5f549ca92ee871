"""``prior=mixture(...)``: the density is scipy's, and equal blocks are those of equal mixtures."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from sympy import Interval, exp, oo

from catalog.hmc import hmc_kernel
from codegen import generate, sample
from codegen.inputs.evaluate import Values
from recipe import Data, Ordered, Posterior, RecipeError, Scalar, Vector
from recipe.laws import gamma, half_normal, log_normal, logistic, mixture, normal, uniform
from recipe_cli.program.translation import translation_of
from verify.verdict import Verdict

SLAB = mixture([0.3, 0.7], [normal(-3, 1), logistic(2, 0.5)])
SLAB_OF_SCIPY = [(0.3, stats.norm(-3, 1)), (0.7, stats.logistic(2, 0.5))]
x, v, c = Scalar("x", prior=SLAB), Vector("v", prior=SLAB), Ordered("c", 2, prior=SLAB)


def of_scipy(parts, values):
    return logsumexp([np.log(w) + law.logpdf(values) for w, law in parts], axis=0)


def log_prior(block, **draws):
    y = Data("y", [0.0])
    of = block[0] if isinstance(block, Ordered) else block
    numbers = of if isinstance(of, Scalar) or block is c else None
    model = Posterior(block, log_likelihood=normal(y, 0 if numbers is None else numbers, 1))
    by_block = {b: np.array(draws[b.name]) for b in model.blocks}
    return Values(by_block).at(model.log_prior)[:, 0]


def test_the_density_of_a_number_is_that_of_scipy():
    at = np.array([-50.0, -3.1, 0.0, 2.0, 40.0])  # far out both terms are 0 in floating point
    np.testing.assert_allclose(log_prior(x, x=at), of_scipy(SLAB_OF_SCIPY, at), rtol=1e-12)


def test_each_coordinate_of_a_vector_has_the_law():
    at = np.random.default_rng(0).normal(0, 3, (4, 6))
    expected = of_scipy(SLAB_OF_SCIPY, at).sum(axis=1)
    np.testing.assert_allclose(log_prior(v, v=at), expected, rtol=1e-12)


def test_each_number_of_an_ordered_block_has_the_law():
    first, gap = np.array([-3.0, 0.5]), np.array([4.0, 1.0])
    expected = of_scipy(SLAB_OF_SCIPY, first) + of_scipy(SLAB_OF_SCIPY, first + gap)
    np.testing.assert_allclose(log_prior(c, c_0=first, c_gap_1=gap), expected, rtol=1e-12)


def test_its_support_is_the_domain_and_its_arguments_may_be_blocks():
    share, scale = Scalar("share", prior=uniform(0, 1)), Scalar("scale", prior=half_normal(1))
    law = mixture([share, 1 - share], [gamma(2, 1), log_normal(0, scale)])
    s = Scalar("s", prior=law)
    assert s.domain == Interval.open(0, oo)
    assert str(law) == "mixture([share, 1 - share], [gamma(2, 1), log_normal(0, scale)])"
    model = Posterior(log_likelihood=normal(Data("y", [0.0]), s, 1))
    assert [b.name for b in model.blocks] == ["s", "scale", "share"]
    at = {b: np.array([value]) for b, value in zip(model.blocks, (1.7, 0.6, 0.25), strict=True)}
    of_s = of_scipy([(0.25, stats.gamma(2)), (0.75, stats.lognorm(0.6))], np.array([1.7]))
    expected = of_s + stats.halfnorm.logpdf(0.6)
    np.testing.assert_allclose(Values(at).at(model.log_prior)[:, 0], expected, rtol=1e-12)


def test_blocks_are_equal_where_their_mixtures_are():
    again = Scalar("x", prior=mixture([0.3, 0.7], [normal(-3, 1), logistic(2, 0.5)]))
    assert again == x == pickle.loads(pickle.dumps(x))
    others = [
        mixture([0.3, 0.7], [logistic(-3, 1), logistic(2, 0.5)]),  # the same numbers
        mixture([0.7, 0.3], [normal(-3, 1), logistic(2, 0.5)]),
        normal(-3, 1),
    ]
    assert all(Scalar("x", prior=other) != x for other in others)
    nested = mixture([0.5, 0.5], [SLAB, normal(0, 1)])
    at = np.array([-1.0, 2.0])
    parts = [(0.15, stats.norm(-3, 1)), (0.35, stats.logistic(2, 0.5)), (0.5, stats.norm)]
    found = log_prior(Scalar("x", prior=nested), x=at)
    np.testing.assert_allclose(found, of_scipy(parts, at), rtol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: mixture([0.5, 0.5], [normal(0, 1), half_normal(1)]), "must have one support"),
        (lambda: mixture([0.5, 0.6], [normal(0, 1)] * 2), "the weights sum to 11/10"),
        (lambda: mixture([1.5, -0.5], [normal(0, 1)] * 2), "-1/2, and it must be above 0"),
        (lambda: exp(1) + SLAB, r"mixture takes \(weights, laws of x\)"),
        (lambda: Scalar("z", prior=mixture([Data("y"), 1], [SLAB] * 2)), "depends on y|sum to"),
    ],
)
def test_what_is_no_mixture_is_refused(wrong, said):
    with pytest.raises(RecipeError, match=said):
        wrong()


def test_the_text_of_a_model_with_it_is_proved():
    module = generate(hmc_kernel, Posterior(log_likelihood=normal(Data("y", [0.5]), x, 2)))
    assert translation_of(module).verdict is Verdict.PROVED


@pytest.mark.slow
def test_its_draws_have_its_mean_and_sd():
    model = Posterior(log_likelihood=normal(Data("y", [0.5]), x, 2)).prior()
    draws = sample(
        hmc_kernel, model, step_size=0.5, steps=60_000, warmup=500, chains=8, progress=False
    )
    mean = 0.3 * -3 + 0.7 * 2
    second = 0.3 * (9 + 1) + 0.7 * (4 + 0.25 * np.pi**2 / 3)
    assert draws["x"].mean() == pytest.approx(mean, abs=0.1)
    assert draws["x"].std() == pytest.approx(np.sqrt(second - mean**2), rel=0.05)
