"""Blocks that are declared with a prior, and data with their values: the posterior is the one that
is written out, and no law is counted twice or left out.
"""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from itertools import product
from random import Random

import numpy as np
import pytest
import sympy
from scipy import integrate, stats
from sympy import Interval, Rational, Symbol, exp, oo

from catalog.sghmc import sghmc
from codegen import (
    compute_log_likelihood,
    generate,
    sample,
    sample_posterior_predictive,
)
from codegen.inputs.evaluate import Values
from recipe import (
    Data,
    LabelledPosterior,
    Labels,
    Ordered,
    Parameter,
    Posterior,
    Preimage,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    laws,
    total,
)
from recipe.language.log_density import Prior

POSITIVE, UNIT = Interval.open(0, oo), Interval.open(0, 1)
ROWS = [0.4, -0.3, 1.1]
GROUPS = [0, 1, 1]

mu = Scalar("mu", prior=laws.normal(0, 5))
tau = Scalar("tau", prior=laws.half_cauchy(1))
eta = Vector("eta", prior=laws.normal(0, 1))
y, group = Data("y", ROWS), Data("group", GROUPS)

plain_mu, plain_tau, plain_eta = Scalar("mu"), Scalar("tau", domain=POSITIVE), Vector("eta")
plain_y, plain_group = Data("y"), Data("group")


def parts(posterior):
    """All that is behind a posterior, so that equal ones are sampled alike."""
    return {
        "blocks": sorted(posterior.blocks, key=str),
        "log_likelihood": posterior.log_likelihood,
        "log_prior": posterior.log_prior,
        "data": {s for s, _ in posterior.data},
        "given": dict(posterior.given),
        "demands": set(posterior.demands),
        "laws": [(law.name, law.variable, law.expression) for law in posterior.laws],
        "derived": dict(posterior.derived),
    }


def short_line(x, w):
    return laws.normal(y, total(x * w), tau)


WEIGHTS, PLAIN_WEIGHTS = Vector("w", prior=laws.dirichlet(2)), Vector("w", domain=Simplex())
CUTS, PLAIN_CUTS = Ordered("c", 2, prior=laws.normal(0, 5)), Ordered("c", 2)
LOCAL = Vector("local", prior=laws.half_cauchy(1))
PLAIN_LOCAL = Vector("local", domain=POSITIVE)
LABELS = [0, 2, 1]
BOTH_FORMS = {
    "non-centred": (
        lambda: Posterior(
            log_likelihood=laws.normal(y, mu + tau * eta[group], 1),
            derived={"theta": mu + tau * eta, "scales": [tau, tau**2]},
        ),
        lambda: Posterior(
            (plain_mu, plain_tau, plain_eta),
            laws.normal(plain_y, plain_mu + plain_tau * plain_eta[plain_group], 1),
            laws.normal(plain_mu, 0, 5)
            + laws.half_cauchy(plain_tau, 1)
            + total(laws.normal(plain_eta, 0, 1)),
            {plain_y: ROWS, plain_group: GROUPS},
            derived={
                "theta": plain_mu + plain_tau * plain_eta,
                "scales": [plain_tau, plain_tau**2],
            },
        ),
    ),
    "centred, of which the likelihood names one block": (
        lambda: Posterior(
            log_likelihood=laws.normal(
                y, Vector("theta", prior=laws.normal(mu, tau))[group], Rational(1, 2)
            )
        ),
        lambda: Posterior(
            (plain_mu, plain_tau, Vector("theta")),
            laws.normal(plain_y, Vector("theta")[plain_group], Rational(1, 2)),
            laws.normal(plain_mu, 0, 5)
            + laws.half_cauchy(plain_tau, 1)
            + total(laws.normal(Vector("theta"), plain_mu, plain_tau)),
            {plain_y: ROWS, plain_group: GROUPS},
        ),
    ),
    "a scale of each coordinate": (
        lambda: Posterior(
            log_likelihood=laws.normal(
                y, Vector("b", like=LOCAL, prior=laws.normal(0, tau * LOCAL))[group], 1
            )
        ),
        lambda: Posterior(
            (Vector("b", like=PLAIN_LOCAL), PLAIN_LOCAL, plain_tau),
            laws.normal(plain_y, Vector("b", like=PLAIN_LOCAL)[plain_group], 1),
            laws.half_cauchy(plain_tau, 1)
            + total(laws.half_cauchy(PLAIN_LOCAL, 1))
            + total(laws.normal(Vector("b", like=PLAIN_LOCAL), 0, plain_tau * PLAIN_LOCAL)),
            {plain_y: ROWS, plain_group: GROUPS},
        ),
    ),
    "a simplex, and labels whose symbol stands in no expression": (
        lambda: Posterior(log_likelihood=laws.categorical(Data("k", LABELS), WEIGHTS)),
        lambda: Posterior(
            PLAIN_WEIGHTS,
            laws.categorical(Data("k"), PLAIN_WEIGHTS),
            laws.dirichlet(PLAIN_WEIGHTS, 2),
            {Data("k"): LABELS},
        ),
    ),
    "a mixture with weights by number": (
        lambda: Posterior(
            log_likelihood=laws.mixture(
                [WEIGHTS[0], 1 - total(WEIGHTS)], [laws.normal(y, mu, 1), laws.normal(y, 3, tau)]
            )
        ),
        lambda: Posterior(
            (plain_mu, plain_tau, PLAIN_WEIGHTS),
            laws.mixture(
                [PLAIN_WEIGHTS[0], 1 - total(PLAIN_WEIGHTS)],
                [laws.normal(plain_y, plain_mu, 1), laws.normal(plain_y, 3, plain_tau)],
            ),
            laws.normal(plain_mu, 0, 5)
            + laws.half_cauchy(plain_tau, 1)
            + laws.dirichlet(PLAIN_WEIGHTS, 2),
            {plain_y: ROWS},
        ),
    ),
    "an ordered block": (
        lambda: Posterior(log_likelihood=laws.ordered_logistic(Data("k", LABELS), mu, CUTS)),
        lambda: Posterior(
            (plain_mu, PLAIN_CUTS),
            laws.ordered_logistic(Data("k"), plain_mu, PLAIN_CUTS),
            laws.normal(plain_mu, 0, 5) + laws.normal(PLAIN_CUTS, 0, 5),
            {Data("k"): LABELS},
        ),
    ),
    "rows of several columns, and a block between ends": (
        lambda: Posterior(
            log_likelihood=short_line(
                Data("x", X, like=(w := Vector("b", prior=laws.uniform(-1, 2)))), w
            )
        ),
        lambda: Posterior(
            (plain_tau, w := Vector("b", domain=Interval.open(-1, 2))),
            laws.normal(plain_y, total(Data("x", like=w) * w), plain_tau),
            laws.half_cauchy(plain_tau, 1) + total(laws.uniform(w, -1, 2)),
            {plain_y: ROWS, Data("x", like=w): X},
        ),
    ),
    "trials that differ by datum": (
        lambda: Posterior(
            log_likelihood=laws.binomial(
                Data("k", LABELS), Data("trials", [3, 3, 2]), Scalar("p", prior=laws.beta(1, 2))
            )
        ),
        lambda: Posterior(
            Scalar("p", domain=UNIT),
            laws.binomial(Data("k"), Data("trials"), Scalar("p", domain=UNIT)),
            laws.beta(Scalar("p", domain=UNIT), 1, 2),
            {Data("k"): LABELS, Data("trials"): [3, 3, 2]},
        ),
    ),
    "a prior that is written besides, of another block": (
        lambda: Posterior(
            log_likelihood=laws.normal(y, mu + Scalar("b"), tau), log_prior=-Scalar("b") ** 2
        ),
        lambda: Posterior(
            (plain_mu, plain_tau, Scalar("b")),
            laws.normal(plain_y, plain_mu + Scalar("b"), plain_tau),
            -(Scalar("b") ** 2) + laws.normal(plain_mu, 0, 5) + laws.half_cauchy(plain_tau, 1),
            {plain_y: ROWS},
        ),
    ),
    "a law that is cut off at a number": (
        lambda: Posterior(
            log_likelihood=laws.normal(
                y, 0, Scalar("s", domain=POSITIVE, prior=laws.normal(1, 2))
            )
        ),
        lambda: Posterior(
            Scalar("s", domain=POSITIVE),
            laws.normal(plain_y, 0, Scalar("s", domain=POSITIVE)),
            laws.normal(Scalar("s", domain=POSITIVE), 1, 2),
            {plain_y: ROWS},
        ),
    ),
    "blocks and some data that are given": (
        lambda: Posterior(
            (tau, mu), laws.normal(plain_y, mu, tau), data={plain_y: ROWS}
        ),
        lambda: Posterior(
            (plain_mu, plain_tau),
            laws.normal(plain_y, plain_mu, plain_tau),
            laws.normal(plain_mu, 0, 5) + laws.half_cauchy(plain_tau, 1),
            {plain_y: ROWS},
        ),
    ),
}  # fmt: skip
X = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("name", BOTH_FORMS)
def test_the_short_form_is_the_one_that_is_written_out(name):
    short, written = (parts(form()) for form in BOTH_FORMS[name])
    assert short == written


def test_both_forms_are_compiled_to_one_module():
    names = ["mu", "sd", "tau"]  # in this order by default
    short = Posterior(log_likelihood=laws.normal(y, mu + tau, Scalar("sd", prior=laws.gamma(2, 1))))
    plain_sd = Scalar("sd", domain=POSITIVE)
    written = Posterior(
        (plain_mu, plain_sd, plain_tau),
        laws.normal(plain_y, plain_mu + plain_tau, plain_sd),
        laws.normal(plain_mu, 0, 5) + laws.gamma(plain_sd, 2, 1) + laws.half_cauchy(plain_tau, 1),
        {plain_y: ROWS},
    )
    assert [b.name for b in short.blocks] == names
    texts = [generate(bind(sghmc, posterior)).source for posterior in (short, written)]
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_symbols_that_carry_something_are_keys_wherever_names_are(tmp_path):
    posterior = Posterior(
        log_likelihood=laws.normal(y, mu + tau * eta[group], 1),
        coords={eta: ["a", "b"]},
        derived={"theta": mu + tau * eta},
    )
    words = {"step_size": 0.05, "params": {"C": 1}, "steps": 40, "chains": 2, "progress": False}
    by_symbol = sample(sghmc, posterior, **words, initial={tau: 2.0, mu: 1.0}, lengths={eta: 2})
    by_name = sample(sghmc, posterior, **words, initial={"tau": 2.0, "mu": 1.0}, lengths={"eta": 2})
    for name in ("mu", "tau", "eta", "theta"):
        np.testing.assert_array_equal(by_symbol[name], by_name[name])
    known = compute_log_likelihood(by_symbol, posterior)
    drawn = sample_posterior_predictive(by_symbol, posterior, seed=1)
    assert known.predictions["log_likelihood"].variables["y"].values.shape == (2, 40, 3)
    assert drawn.predictions["posterior_predictive"].variables["y"].values.shape == (2, 40, 3)


# Of each law its arguments in the language and in scipy, from a mean and a scale.
LAWS = {
    "normal": (laws.normal, stats.norm),
    "cauchy": (laws.cauchy, stats.cauchy),
    "logistic": (laws.logistic, stats.logistic),
    "student_t": (lambda m, s: laws.student_t(4, m, s), lambda m, s: stats.t(4, m, s)),
    "half_normal": (lambda m, s: laws.half_normal(s), lambda m, s: stats.halfnorm(0, s)),
    "half_cauchy": (lambda m, s: laws.half_cauchy(s), lambda m, s: stats.halfcauchy(0, s)),
    "exponential": (lambda m, s: laws.exponential(s), lambda m, s: stats.expon(0, 1 / s)),
    "gamma": (lambda m, s: laws.gamma(3, s), lambda m, s: stats.gamma(3, scale=1 / s)),
    "inverse_gamma": (lambda m, s: laws.inverse_gamma(3, s), lambda m, s: stats.invgamma(3, 0, s)),
    "log_normal": (laws.log_normal, lambda m, s: stats.lognorm(s, 0, np.exp(m))),
    "weibull": (lambda m, s: laws.weibull(2, s), lambda m, s: stats.weibull_min(2, 0, s)),
    "beta": (lambda m, s: laws.beta(2, s), lambda m, s: stats.beta(2, s)),
    "uniform": (lambda m, s: laws.uniform(-1, 2), lambda m, s: stats.uniform(-1, 3)),
}


def random_model(number):
    """A hierarchy of up to six blocks; the posterior, a point, and scipy's value there."""
    rng = Random(number)
    blocks, point, known, predictor = [], {}, 0.0, 0

    def chosen(positive):
        """A number, or a block that was declared before, with its value."""
        fitting = [b for b in blocks if b.is_positive or not positive]
        if not fitting or rng.random() < 0.4:
            number = Rational(rng.randint(1, 40), 10)
            return number, float(number)
        block = rng.choice(fitting)
        return block, point[block.name]

    for k in range(rng.randint(1, 6)):
        law, in_scipy = LAWS[rng.choice(list(LAWS))]
        (mean, mean_value), (scale, scale_value) = chosen(False), chosen(True)
        vector = rng.random() < 0.3
        kind = Vector if vector else Scalar
        block = kind(f"b{k}", prior=law(mean, scale))
        value = np.array([rng.uniform(0.1, 0.9) for _ in range(3 if vector else 1)])
        known += in_scipy(mean_value, scale_value).logpdf(value).sum()
        point[block.name] = value if vector else value[0]
        if not vector:
            blocks.append(block)
        predictor += block[group] if vector else block
    return Posterior(log_likelihood=laws.normal(y, predictor, 1)), point, known


@pytest.mark.parametrize("number", range(60))
def test_the_priors_of_random_models_are_those_of_scipy(number):
    posterior, point, known = random_model(number)
    draws = {b: np.asarray(point[b.name], dtype=float)[None] for b in posterior.blocks}
    found = Values(draws).at(posterior.log_prior)
    assert float(found.reshape(())) == pytest.approx(known, rel=1e-9, abs=1e-9)
    assert {b.name for b in posterior.blocks} == set(point)


def a(**more):
    return Scalar("a", **more)


LINE = laws.normal(y, mu, tau)
MINE = laws.normal(y, a(prior=laws.normal(0, 1)), 1)
REFUSED = {
    "a law twice, by name": (
        lambda: Posterior(log_likelihood=LINE, log_prior=laws.normal(mu, 0, 5)),
        "log_prior contains mu, which is declared with the prior normal(0, 5): that is added to"
        " log_prior, and would be counted twice",
    ),
    "a law twice, written out": (
        lambda: Posterior((mu, tau), LINE, -(mu**2) / 50),
        "log_prior contains mu, which is declared with the prior",
    ),
    "a law that depends on such a block": (
        lambda: Posterior(
            log_likelihood=LINE + laws.normal(y, a(), 1), log_prior=-((a() - mu) ** 2)
        ),
        "declare blocks whose laws depend on it with theirs",
    ),
    "a law of an ordered block twice": (
        lambda: Posterior(
            log_likelihood=laws.ordered_logistic(Data("k", LABELS), 0, CUTS),
            log_prior=laws.normal(CUTS, 0, 5),
        ),
        "log_prior contains c, which is declared with the prior",
    ),
    "a law in the likelihood": (
        lambda: Posterior(log_likelihood=LINE + laws.normal(mu, 0, 5)),
        "log_likelihood contains a law of mu, which is declared with the prior normal(0, 5); the"
        " log likelihood is added once for each datum",
    ),
    "a scaled law in the likelihood": (
        lambda: Posterior(log_likelihood=LINE + laws.normal(mu, 0, 5) / 3),
        "log_likelihood contains a law of mu",
    ),
    "a law of coordinates in the likelihood": (
        lambda: Posterior(
            log_likelihood=laws.normal(y, eta[group], 1) + total(laws.normal(eta, 0, 1))
        ),
        "log_likelihood contains a law of eta",
    ),
    "no law": (
        lambda: Posterior(log_likelihood=laws.normal(y, mu + a(), tau)),
        "a has no prior: declare it with one, as in Scalar('a', ..., prior=normal(0, 1)), or give"
        " log_prior= (0 for a flat one)",
    ),
    "no law between two ends": (
        lambda: Posterior(log_likelihood=laws.normal(y, a(domain=UNIT), 1)),
        "a has no prior",
    ),
    "no law of an ordered block": (
        lambda: Posterior(
            (PLAIN_CUTS,), laws.ordered_logistic(Data("k", LABELS), 0, PLAIN_CUTS)
        ),
        "c has no prior",
    ),
    "a parent that is not there": (
        lambda: Posterior(
            (a(prior=laws.normal(mu, 1)),), laws.normal(y, a(prior=laws.normal(mu, 1)), 1)
        ),
        "the prior of a, normal(mu, 1), has mu, which is not in blocks=(a); add it there",
    ),
    "another prior": (
        lambda: Posterior(log_likelihood=MINE + laws.normal(y, a(prior=laws.normal(0, 2)), 1)),
        "the name a has two meanings: a Scalar on Reals with the prior normal(0, 1) and a Scalar on"
        " Reals with the prior normal(0, 2); use one symbol everywhere",
    ),
    "the same block without its prior": (
        lambda: Posterior(a(prior=laws.normal(0, 1)), laws.normal(y, a(), 1)),
        "a Scalar on Reals with the prior normal(0, 1) and a Scalar on Reals without a prior",
    ),
    "the same block without its prior, in a quantity": (
        lambda: Posterior(log_likelihood=MINE, derived={"q": exp(a())}),
        "the name a has two meanings",
    ),
    "the same block without its prior, in another prior": (
        lambda: Posterior(log_likelihood=MINE * Scalar("b", prior=laws.normal(a(), 1))),
        "the name a has two meanings",
    ),
    "values twice": (
        lambda: Posterior(log_likelihood=LINE, data={y: ROWS}),
        "y is declared with its values, and data= has an array for it as well",
    ),
    "values and data of that name": (
        lambda: Posterior(log_likelihood=LINE, data={plain_y: ROWS}),
        "the name y has two meanings: data without an array and data with an array",
    ),
    "two arrays of one name": (
        lambda: Posterior(log_likelihood=LINE + laws.normal(Data("y", list(ROWS)), mu, 1)),
        "the name y has two meanings: data with an array and data with an array",
    ),
    "data in a prior": (
        lambda: a(prior=laws.normal(y, 1)),
        "the prior normal(y, 1) of a depends on y, which is data",
    ),
    "labels in a prior": (
        lambda: a(prior=laws.normal(eta[group], 1)),
        "depends on group, which is data",
    ),
    "a coordinate by its number in a prior": (
        lambda: a(prior=laws.normal(eta[0], 1)),
        " of a has eta[0]: a coordinate by its number stands in a log likelihood only",
    ),
    "a domain that cuts off a moving law": (
        lambda: a(domain=POSITIVE, prior=laws.normal(mu, 1)),
        "its normalising constant depends on mu",
    ),
    "a domain that is wider than the law": (
        lambda: a(domain=Interval(-1, oo), prior=laws.half_normal(1)),
        "is a law on Interval.open(0, oo), and a lives on",
    ),
    "a vector as an argument of one number": (
        lambda: a(prior=laws.normal(eta, 1)),
        "the prior normal(eta, 1) of a is of vectors, and a is one number",
    ),
    "a vector of another length": (
        lambda: Vector("b", prior=laws.normal(eta, 1)),
        "eta has another length than b; declare b with like=eta, or sum eta",
    ),
    "a scale that may be negative": (lambda: a(prior=laws.normal(0, mu)), "the sd of normal is mu"),
    "a law with its variable": (
        lambda: a(prior=laws.normal(a(), 0, 1)),
        "the prior of a is a log density; leave out its variable, as in Scalar('a', prior=normal",
    ),
    "a law without its arguments": (lambda: a(prior=laws.normal), "the prior of a is a function"),
    "a tuple": (lambda: a(prior=(laws.normal, 0, 1)), "the prior of a is tuple"),
    "a law of one number on a simplex": (
        lambda: Vector("w", domain=Simplex(), prior=laws.normal(0, 1)),
        "use dirichlet",
    ),
    "one number on a simplex": (lambda: a(prior=laws.dirichlet(1)), "a domain of a Vector"),
    "ends in the wrong order": (lambda: laws.uniform(1, 0), "low < high"),
    "a positive law of an ordered block": (
        lambda: Ordered("c", 2, prior=laws.half_normal(1)),
        "half_normal",
    ),
    "a law without its variable in a sum": (
        lambda: LINE + laws.normal(mu, 5),
        "normal(mu, 5) is a law without its variable, and normal takes (x, mean, sd)",
    ),
    "such a law in a product": (lambda: 2 * laws.normal(mu, 5), "a law without its variable"),
    "such a law less something": (lambda: mu - laws.normal(mu, 5), "a law without its variable"),
    "such a law as a likelihood": (
        lambda: Posterior(log_likelihood=laws.normal(y, mu)),
        "log_likelihood: normal(y, mu) is a law without its variable",
    ),
    "such laws in a mixture": (
        lambda: laws.mixture([Rational(1, 2)] * 2, [laws.normal(0, 1), laws.normal(mu, 0, 1)]),
        "mixture: normal(0, 1) is a law without its variable",
    ),
    "a density in the place of blocks": (
        lambda: Posterior(LINE),
        "write Posterior(log_likelihood=...)",
    ),
    "a gradient without blocks": (
        lambda: Posterior(log_likelihood=LINE, gradient=print),
        "give blocks=(...)",
    ),
    "a gradient without an order of data": (
        lambda: Posterior((mu, tau), LINE, gradient=print),
        "declare y without its values, and give data={y: ...}",
    ),
    "nothing": (Posterior, "needs gradient="),
    "a block as values": (lambda: Data("x", eta), "write Data('x', like=eta)"),
    "text as values": (lambda: Data("x", "1, 2"), "must be an array"),
    "a number as values": (lambda: Data("x", 3), "must be an array"),
    "a dict as values": (lambda: Data("x", {"x": 1}), "must be an array"),
    "a block of a sampler": (
        lambda: Recipe(tau, tau**2, 1, 0),
        "tau in state= is declared with the prior half_cauchy(1), which only a Posterior reads",
    ),
    "a block of a rule": (
        lambda: Update(Symbol("h", positive=True), {mu: mu / 2}, target=mu**2),
        "mu in ",
    ),
    "a block that another one stands for": (
        lambda: Recipe(Preimage("phi", tau, exp), Symbol("phi") ** 2, 1, 0),
        "only a Posterior reads",
    ),
    "a block of a model with labels": (
        lambda: LabelledPosterior(
            LOCAL, z := Labels("z", like=LOCAL), z.sum(total(z.counts * LOCAL)), 0
        ),
        "local in blocks= is declared with the prior",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_refused_with_its_repair(name):
    wrong, said = REFUSED[name]
    with pytest.raises(RecipeError) as refused:
        wrong()
    assert said in str(refused.value)


# Each guard, and what nothing else refuses: without it there would be a posterior, of another law.
GUARDS = {
    "_check_one_law": (
        "a law twice, by name",
        "a law twice, written out",
        "a law that depends on such a block",
        "a law of an ordered block twice",
        "a law in the likelihood",
        "a scaled law in the likelihood",
        "a law of coordinates in the likelihood",
        "no law between two ends",
    ),
    "_check_meanings": (
        "the same block without its prior",
        "values and data of that name",
        "two arrays of one name",
    ),
}


@pytest.mark.parametrize(
    ("guard", "name"), [(guard, name) for guard, names in GUARDS.items() for name in names]
)
def test_a_guard_is_all_that_refuses_a_posterior_of_another_law(guard, name, monkeypatch):
    monkeypatch.setattr(f"recipe.declare.declared.{guard}", lambda *_: None)
    assert isinstance(REFUSED[name][0](), Posterior)


def test_an_expression_in_the_place_of_a_posterior_has_no_priors():
    with pytest.raises(RecipeError, match="only a Posterior reads"):
        bind(sghmc, mu**2 + eta**2)


def test_blocks_are_equal_where_their_priors_are():
    same = [Scalar("mu", prior=laws.normal(0, 5)), Scalar("mu", prior=laws.normal(0, sd=5.0))]
    assert all(b == mu and hash(b) == hash(mu) for b in same)
    others = [
        plain_mu,
        Scalar("mu", prior=laws.normal(0, 4)),
        Scalar("mu", prior=laws.cauchy(0, 5)),
        Scalar("mu", domain=POSITIVE, prior=laws.normal(0, 5)),
    ]
    assert all(mu != b for b in others)
    assert eta != plain_eta
    assert eta == Vector("eta", prior=laws.normal(0, 1))
    assert set((mu + plain_mu).args) == {mu, plain_mu}


def test_data_are_equal_where_their_array_is_the_same_one():
    x = Data("x", X, like=eta)
    assert y == Data("y", ROWS)
    assert hash(y) == hash(Data("y", ROWS))
    assert y not in (Data("y", list(ROWS)), plain_y)
    assert x == Data("x", X, like=eta)
    assert x not in (Data("x", X.copy(), like=eta), Data("x", like=eta))


@pytest.mark.parametrize("symbol", [mu, tau, eta, WEIGHTS, CUTS.blocks[1]], ids=str)
def test_a_copy_of_a_block_is_equal_to_it(symbol):
    for other in (pickle.loads(pickle.dumps(symbol)), copy.deepcopy(symbol)):
        assert other == symbol
        assert str(other.prior) == str(symbol.prior)


def test_data_that_are_pickled_together_have_one_array():
    one, both = pickle.loads(pickle.dumps((y, y * mu)))
    assert one.values == ROWS
    assert one in both.free_symbols


def test_a_number_of_an_ordered_block_may_stand_in_a_prior():
    child = Scalar("a", prior=laws.normal(CUTS[1], 1))
    posterior = Posterior(log_likelihood=laws.normal(y, child, 1))
    assert [b.name for b in posterior.blocks] == ["a", "c_0", "c_gap_1"]
    known = laws.normal(Scalar("a"), PLAIN_CUTS[1], 1) + laws.normal(PLAIN_CUTS, 0, 5)
    assert posterior.log_prior == known.expression


def test_an_ordered_block_is_whole_wherever_one_of_its_numbers_is():
    posterior = Posterior(log_likelihood=laws.normal(y, CUTS[0], 1))
    assert [b.name for b in posterior.blocks] == ["c_0", "c_gap_1"]
    assert posterior.derived["c"] == tuple(PLAIN_CUTS)
    assert posterior.log_prior == laws.normal(PLAIN_CUTS, 0, 5).expression
    by_scalars = Posterior(CUTS.blocks, laws.normal(y, CUTS[0], 1))
    assert parts(by_scalars) == parts(posterior)
    assert dict(posterior.priors) == {"c": "normal(0, 5)"}
    assert "log prior" not in repr(posterior)


def test_the_domain_is_the_support_of_the_law():
    assert tau.domain == POSITIVE
    assert tau.is_positive
    assert mu.domain == plain_mu.domain
    assert Scalar("p", prior=laws.beta(1, 2)).domain == UNIT
    assert Scalar("p", prior=laws.uniform(-1, 0)).domain == Interval.open(-1, 0)
    assert Scalar("p", prior=laws.uniform(-1, 0)).is_negative
    assert isinstance(WEIGHTS.domain, Simplex)


def test_blocks_stand_by_name_and_numbers_as_numbers():
    names = ["b10", "b9", "a", "b"]
    means = sum(Scalar(n, prior=laws.normal(0, 1)) for n in names)
    posterior = Posterior(log_likelihood=laws.normal(y, means, 1))
    assert [b.name for b in posterior.blocks] == ["a", "b", "b9", "b10"]


def test_data_that_are_given_come_before_those_that_symbols_carry():
    given = Data("z")
    posterior = Posterior(log_likelihood=laws.normal(y, mu * given, tau), data={given: ROWS})
    assert [s.name for s, _ in posterior.data] == ["z", "y"]


def test_a_posterior_says_its_priors():
    posterior = Posterior(log_likelihood=laws.normal(y, mu + eta[group], tau))
    assert dict(posterior.priors) == {
        "eta": "normal(0, 1)",
        "mu": "normal(0, 5)",
        "tau": "half_cauchy(1)",
    }
    shown = repr(posterior)
    assert "prior: eta ~ normal(0, 1), mu ~ normal(0, 5), tau ~ half_cauchy(1)" in shown
    assert "log prior" not in shown
    mixed = Posterior(log_likelihood=laws.normal(y, mu + a(), 1), log_prior=-(a() ** 2))
    assert "prior: mu ~ normal(0, 5)" in repr(mixed)
    assert "log prior: -a**2" in repr(mixed)


def test_a_block_that_only_a_quantity_uses_has_its_prior():
    posterior = Posterior(log_likelihood=LINE, derived={"q": mu * a(prior=laws.normal(0, 3))})
    assert "a" in posterior.priors
    assert posterior.log_prior.has(Scalar("a"))


def test_parameters_may_stand_in_a_prior():
    s = Parameter("s", positive=True)
    posterior = Posterior(log_likelihood=laws.normal(y, a(prior=laws.normal(0, s)), 1))
    assert posterior.parameters == (s,)


@pytest.mark.parametrize(
    ("given", "named"), list(product([(0, 5), (0,), ()], [{}, {"sd": 5}, {"mean": 0, "sd": 5}]))
)
def test_a_law_without_its_variable_takes_all_its_other_arguments(given, named):
    names = [*(("mean", "sd")[: len(given)]), *named]
    if sorted(names) == ["mean", "sd"]:
        assert isinstance(laws.normal(*given, **named), Prior)
    elif len(names) < 2:
        with pytest.raises((TypeError, RecipeError)):
            laws.normal(*given, **named)


def large():
    return np.linspace(0.5, 1, 30_000)


KEPT = {
    "a predictor": lambda x, z: laws.normal(x, mu + tau * z, 1),
    "a scale of data": lambda x, z: laws.normal(x, mu, tau * z),
    "a scale whose sign is asked for": lambda x, z: laws.normal(x, mu, tau + z**2 + exp(mu * z)),
    "labels": lambda x, z: laws.normal(x, eta[z], tau),
    "a simplex": lambda x, z: laws.categorical(z, WEIGHTS) + laws.normal(x, mu, 1),
    "a row": lambda x, z: laws.normal(z, total(eta * Data("r", large()[:, None], like=eta)) + x, 1),
}


@pytest.mark.parametrize("name", KEPT)
def test_no_array_outlives_the_posteriors_that_took_it(name):
    """sympy and the language remember expressions, and their symbols carry the arrays."""
    arrays = [large(), large()]
    alive = [weakref.ref(a) for a in arrays]
    posterior = Posterior(
        log_likelihood=KEPT[name](Data("x", arrays[0]), Data("z", arrays[1])),
        derived={"q": mu**2},
    )
    assert all(a() is not None for a in alive)
    del arrays, posterior
    gc.collect()
    assert all(a() is None for a in alive)


def test_an_expression_keeps_the_array_of_a_symbol_that_is_gone():
    def likelihood():
        return laws.normal(Data("x", large()), mu, tau)

    kept = likelihood()
    Posterior(log_likelihood=laws.normal(Data("z", large()), mu, tau))  # it forgets
    gc.collect()
    (array,) = Posterior(log_likelihood=kept).given.values()
    assert array.shape == (30_000,)


@pytest.mark.parametrize("kind", [Scalar, Vector])
def test_a_laplace_prior_is_refused_with_the_same_law_by_smooth_blocks(kind):
    words = rf"1 \+ 2 \* sqrt\(2 \* v\) \* z, with {kind.__name__}\('v', prior=exponential\(1\)\)"
    with pytest.raises(RecipeError, match=words):
        kind("b", prior=laws.laplace(1, 2))


def test_the_smooth_blocks_have_the_law_of_laplace():
    """The density of b at fixed v is that of z times dz/db; v is integrated out by numbers."""
    v, z = Scalar("v", prior=laws.exponential(1)), Scalar("z", prior=laws.normal(0, 1))
    y = Data("y", [1.0, 2.0])
    posterior = Posterior(log_likelihood=laws.normal(y, 1 + 2 * sympy.sqrt(2 * v) * z, 1))
    at_v, at_z = (next(b for b in posterior.blocks if b.name == n) for n in ("v", "z"))
    joint = sympy.lambdify((at_v, at_z), sympy.exp(posterior.log_prior))
    for b in (-3.0, 0.5, 2.5):

        def of_root(t, b=b):  # with v = t^2 the density has no pole
            slope = 2 * np.sqrt(2) * t
            return joint(t**2, (b - 1) / slope) / slope * 2 * t

        found, _ = integrate.quad(of_root, 0, np.inf)
        assert found == pytest.approx(stats.laplace(1, 2).pdf(b), rel=1e-7)
