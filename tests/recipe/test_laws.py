"""Laws by name: their densities are those of scipy, and their supports are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sympy import Float, Interval, Rational, Symbol, exp, oo

from recipe import Data, Parameter, Posterior, Recipe, RecipeError, Scalar, Simplex, Vector, laws
from recipe import total as summed
from recipe.language.log_density import LogDensity
from recipe.language.total import Total

x, p = Scalar("x"), Scalar("p", domain=Interval.open(0, oo))
u = Scalar("u", domain=Interval.open(0, 1))
a, b, c = Scalar("a"), Scalar("b"), Scalar("c")
y, n = Data("y"), Data("n")
third = Rational(1, 3)

DENSITIES = {
    "normal": (laws.normal(x, 1, 2), stats.norm(1, 2)),
    "student_t": (laws.student_t(x, 3, 1, 2), stats.t(3, 1, 2)),
    "cauchy": (laws.cauchy(x, 1, 2), stats.cauchy(1, 2)),
    "laplace": (laws.laplace(x, 1, 2), stats.laplace(1, 2)),
    "logistic": (laws.logistic(x, 1, 2), stats.logistic(1, 2)),
    "half_normal": (laws.half_normal(p, 2), stats.halfnorm(0, 2)),
    "half_cauchy": (laws.half_cauchy(p, 2), stats.halfcauchy(0, 2)),
    "exponential": (laws.exponential(p, 2), stats.expon(0, 0.5)),
    "gamma": (laws.gamma(p, 3, 2), stats.gamma(3, scale=0.5)),
    "inverse_gamma": (laws.inverse_gamma(p, 3, 2), stats.invgamma(3, scale=2)),
    "log_normal": (laws.log_normal(p, 1, 2), stats.lognorm(2, scale=np.e)),
    "weibull": (laws.weibull(p, 3, 2), stats.weibull_min(3, scale=2)),
    "beta": (laws.beta(u, 3, 2), stats.beta(3, 2)),
    "uniform": (laws.uniform(u, 0, 1), stats.uniform(0, 1)),
}
PROBABILITIES = {
    "bernoulli": (laws.bernoulli(y, third), stats.bernoulli(1 / 3)),
    "bernoulli_logit": (laws.bernoulli_logit(y, 2), stats.bernoulli(1 / (1 + np.exp(-2)))),
    "binomial": (laws.binomial(y, 5, third), stats.binom(5, 1 / 3)),
    "binomial_logit": (laws.binomial_logit(y, 5, 2), stats.binom(5, 1 / (1 + np.exp(-2)))),
    "poisson": (laws.poisson(y, 3), stats.poisson(3)),
    "poisson_log": (laws.poisson_log(y, 1), stats.poisson(np.e)),
    "negative_binomial": (laws.negative_binomial(y, 3, 4), stats.nbinom(4, 4 / 7)),
    "negative_binomial_log": (
        laws.negative_binomial_log(y, 1, 4),
        stats.nbinom(4, 4 / (4 + np.e)),
    ),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_densities_are_those_of_scipy(name):
    law, known = DENSITIES[name]
    variable = next((s for s in law.expression.free_symbols), x)
    for value in (0.3, 0.7):
        found = float(law.expression.subs(variable, Float(value, 30)))
        assert found == pytest.approx(known.logpdf(value), abs=1e-12)


@pytest.mark.parametrize("name", PROBABILITIES)
def test_probabilities_are_those_of_scipy(name):
    law, known = PROBABILITIES[name]
    for value in (0, 1):
        assert float(law.expression.subs(y, value)) == pytest.approx(known.logpmf(value), abs=1e-12)


def test_half_student_t_is_twice_student_t():
    law = laws.half_student_t(p, 3, 2).expression
    twice = np.log(2) + stats.t(3, 0, 2).logpdf(0.3)
    assert float(law.subs(p, Float("0.3", 30))) == pytest.approx(twice, abs=1e-12)


@pytest.mark.parametrize("label", range(3))
def test_laws_of_labels_are_their_definitions(label):
    at = {a: 0.4, b: -1.1, c: 0.3, p: 0.8}

    def value(law):
        indicators = {i.data: int(i.value == label) for i in law.indicators}
        return float(law.expression.subs({**at, **indicators}))

    scores = np.exp([0, 0.4, -1.1])
    found = value(laws.categorical_logit(y, [0, a, b]))
    assert found == pytest.approx(np.log(scores[label] / scores.sum()))
    below = 1 / (1 + np.exp(0.4 - np.array([0.3, 1.1])))  # P(label <= k) for k = 0, 1
    each = np.diff([0, *below, 1])
    found = value(laws.ordered_logistic(y, a, [c, c + p]))
    assert found == pytest.approx(np.log(each[label]))


def test_dirichlet_is_that_of_scipy():
    theta = Vector("theta", domain=Simplex())
    density = laws.dirichlet(theta, 3).expression.subs(theta.dim, 2)
    values = [Rational(1, 5), Rational(1, 2)]
    sums = {
        t: sum(t.body.xreplace({theta.at(t.index.label): v}) for v in values)
        for t in density.atoms(Total)
    }
    known = stats.dirichlet([3, 3, 3]).logpdf([0.2, 0.5, 0.3])
    assert float(density.xreplace(sums)) == pytest.approx(known)


def test_a_mixture_is_the_logarithm_of_a_weighted_sum():
    law = laws.mixture([third, 2 * third], [laws.normal(y, a, 1), laws.normal(y, b, p)])
    found = float(law.expression.subs({y: 0.5, a: 0.4, b: -1.1, p: 0.8}))
    both = stats.norm(0.4, 1).pdf(0.5) / 3 + 2 * stats.norm(-1.1, 0.8).pdf(0.5) / 3
    assert found == pytest.approx(np.log(both))


def test_log_densities_add_up_and_keep_their_demands():
    s = Data("s")
    law = 2 * laws.normal(y, a, s) - a**2 + laws.bernoulli_logit(n, a) / 2
    assert isinstance(law, LogDensity)
    assert {d.data for d in law.demands} == {s, n}
    theta = Vector("theta")
    assert summed(laws.normal(theta, 0, s)).demands == laws.normal(theta, 0, s).demands
    v = Vector("v", domain=Interval.open(0, 4))
    assert summed(laws.uniform(v, 0, 4)).expression == v.dim * laws.uniform(v, 0, 4).expression


REFUSED = {
    "a scale on the real line": (
        lambda: laws.normal(x, 0, a),
        "the sd of normal is a, which lives",
    ),
    "a scale of unknown sign": (lambda: laws.normal(x, 0, Symbol("s")), "declare Parameter"),
    "a scale below 0": (lambda: laws.cauchy(x, 0, -1), "it must be above 0"),
    "a block that may be negative": (lambda: laws.half_cauchy(a, 1), "declare a = Scalar"),
    "a moving constant": (lambda: laws.normal(p, a, 1), "normalising constant depends on a"),
    "a continuous label": (lambda: laws.bernoulli_logit(a, 1), "is a law of the labels 0 and 1"),
    "half a trial": (lambda: laws.binomial(y, Rational(5, 2), u), "must be a whole number above 0"),
    "a probability above 1": (lambda: laws.bernoulli(y, p), "between 0 and 1"),
    "cutpoints in no order": (lambda: laws.ordered_logistic(y, a, [b, c]), "not seen to be above"),
    "ends in the wrong order": (lambda: laws.uniform(x, 1, 0), "low < high"),
    "a vector that is no simplex": (lambda: laws.dirichlet(Vector("v"), 1), "on the simplex"),
    "a law where an expression belongs": (
        lambda: Recipe(x, laws.normal(x, 0, 1), 1, 0),
        "laws are for the log_likelihood",
    ),
    "one logit": (lambda: laws.categorical_logit(y, [a]), "a list of at least 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_law_is_one_sentence(name):
    make, said = REFUSED[name]
    with pytest.raises(RecipeError, match=said):
        make()


def test_a_cut_law_whose_constant_does_not_move_is_taken():
    s = Parameter("s", positive=True)
    assert laws.normal(p, 0, s).demands == ()


def test_an_array_with_the_name_of_an_indicator_is_refused():
    a, y, other = Scalar("a"), Data("y"), Data("y_is_1")
    law = laws.categorical_logit(y, [0, a]) + laws.normal(other, a, 1)
    with pytest.raises(RecipeError, match=r"array for y_is_1, and a law makes .* from y;"):
        Posterior(a, law, -(a**2), {y: [0, 1], other: [5.0, 6.0]})


def test_a_mixture_of_constants_is_summed_over_its_block():
    u = Vector("u", domain=Interval.open(0, 2))
    mixed = laws.mixture([Rational(1, 2)] * 2, [laws.uniform(u, 0, 2)] * 2)
    assert summed(mixed).expression.equals(summed(laws.uniform(u, 0, 2)).expression)


def test_labels_become_indicators():
    law = laws.categorical_logit(y, [0, a, b])
    model = Posterior((a, b), law, laws.normal(a, 0, 1) + laws.normal(b, 0, 1), {y: [2, 0, 1]})
    assert [s.name for s, _ in model.data] == ["y_is_1", "y_is_2"]
    assert [np.asarray(v).tolist() for _, v in model.data] == [
        [False, False, True],
        [True, False, False],
    ]
    with pytest.raises(RecipeError, match="no array for it; add y"):
        Posterior((a, b), law, -(a**2) - b**2, {})


@pytest.mark.parametrize("given", [[10, 1], (10, 1), np.ones(2)], ids=str)
def test_a_list_in_a_law_is_refused_with_what_to_declare(given):
    with pytest.raises(RecipeError, match=r"the sd of normal .* Data .* Parameter\('s', like"):
        laws.normal(Data("w"), 0, given)


V = Scalar("v", domain=Interval.open(0, 1))
POSITIVE = Parameter("P", positive=True)


@pytest.mark.parametrize(
    "weights",
    [
        [u, V],
        [0.3, 0.6],
        [u, (1 - u) * V, (1 - u) ** 2],
        [exp(a), exp(b)],
        [POSITIVE / (1 + POSITIVE), 1 / (2 + POSITIVE)],
    ],
)
def test_weights_that_do_not_sum_to_one_are_refused(weights):
    parts = [laws.normal(x, k, 1) for k in range(len(weights))]
    with pytest.raises(RecipeError, match=r"the weights sum to .*, which is not 1"):
        laws.mixture(weights, parts)


@pytest.mark.parametrize(
    "weights",
    [
        [u, 1 - u],
        [u, (1 - u) * V, (1 - u) * (1 - V)],
        [1 / 3, 1 / 3, 1 / 3],
        [1 / (1 + exp(-a)), 1 / (1 + exp(a))],
        [exp(a) / (exp(a) + exp(b)), exp(b) / (exp(a) + exp(b))],
        [POSITIVE / (1 + POSITIVE), 1 / (1 + POSITIVE)],
    ],
)
def test_weights_that_sum_to_one_are_taken(weights):
    laws.mixture(weights, [laws.normal(x, k, 1) for k in range(len(weights))])


def test_a_prior_that_lacks_an_argument_is_one_sentence():
    with pytest.raises(RecipeError, match="normal needs mean, sd"):
        laws.normal(0)
