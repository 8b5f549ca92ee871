"""The non-central chi-squared draw: its law down to the last decade of its tail, its counters, and
the code that draws it.
"""

from __future__ import annotations

import math
import re

import mpmath
import numpy as np
import pytest
from numba import njit
from oracles.slow_step import slow_step
from scipy import stats
from sympy import Interval, Rational, Symbol, exp, log, oo

from catalog.scir import scir, scir_posterior
from codegen import generate, sample
from codegen.device.chi_squared import log_mass, noncentral_chi_squared, poisson_small
from codegen.device.random import stream_key
from recipe import (
    Data,
    Noise,
    NoncentralChiSquared,
    OutsideLanguageError,
    Parameter,
    Posterior,
    Potential,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    compose,
    derive,
    discretise,
    limit_of,
    step,
    total,
)
from recipe.language.abstract import Partial
from recipe.language.expectation import expectation

u64 = np.uint64
h = Symbol("h", positive=True)
theta = Vector("theta", domain=Interval.open(0, oo))
w = Noise("w", like=theta)


@njit(error_model="numpy")
def fill(values, df, nonc, seed, purpose, chain, t):
    key = stream_key(seed, purpose, chain)
    for i in range(np.uint64(values.size)):
        values[i] = noncentral_chi_squared(df, nonc, key, t, i)


def drawn(df, nonc, size=100_000, seed=1, purpose=0, chain=0, t=0):
    values = np.empty(size)
    fill(values, float(df), float(nonc), u64(seed), u64(purpose), u64(chain), u64(t))
    return values


PARAMETERS = [
    (0.2, 1e-8), (0.2, 0.0), (0.2, 0.3), (0.2, 5.0), (0.2, 19.99), (0.2, 20.01), (0.02, 3.0),
    (0.2, 1e4), (1.0, 1.0), (2.0, 0.0), (1.9, 0.1), (3.0, 10.0), (20.0, 100.0), (100.0, 1e6),
]  # fmt: skip


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("df", "nonc"), PARAMETERS)
def test_the_distribution_function(df, nonc):
    """Kolmogorov-Smirnov: 2.2 / sqrt(n) is exceeded with probability 1e-4 under the null."""
    x = np.sort(drawn(df, nonc, size=40_000, seed=5))
    law = stats.ncx2(df, nonc) if nonc > 0 else stats.chi2(df)
    gap = np.abs(law.cdf(x) - (np.arange(x.size) + 0.5) / x.size).max()
    assert gap < 2.2 / math.sqrt(x.size)


@pytest.mark.parametrize(("df", "nonc"), PARAMETERS)
def test_mean_and_variance(df, nonc):
    x = np.concatenate([drawn(df, nonc, t=t, seed=9) for t in range(4)])
    variance, fourth = 2 * (df + 2 * nonc), 48 * (df + 4 * nonc) + 12 * (df + 2 * nonc) ** 2
    assert abs(x.mean() - df - nonc) < 4.5 * math.sqrt(variance / x.size)
    assert abs(((x - df - nonc) ** 2).mean() - variance) < 4.5 * math.sqrt(
        (fourth - variance**2) / x.size
    )


def distribution(df, nonc, x):
    """``P(X <= x)`` as a sum of gamma laws over Poisson numbers, in 50 digits: right at 1e-30 as
    well.
    """
    with mpmath.workdps(50):
        half, total = mpmath.mpf(nonc) / 2, mpmath.mpf(0)
        for n in range(40):
            gamma = mpmath.gammainc(mpmath.mpf(df) / 2 + n, 0, mpmath.mpf(x) / 2, regularized=True)
            total += mpmath.exp(-half) * half**n / mpmath.factorial(n) * gamma
        return float(total)


@pytest.mark.parametrize("nonc", [1e-8, 0.5])
def test_the_decades_of_the_lower_tail(nonc):
    """How many draws fall into each three decades down to 1e-30, against the exact law:
    chi-squared, 11 degrees, p = 1e-4.
    """
    x = np.concatenate([drawn(0.2, nonc, size=200_000, seed=3, t=t) for t in range(5)])
    ends = [0.0, *(10.0**k for k in range(-30, 3, 3))]
    mass = np.diff([0.0, *(distribution(0.2, nonc, e) for e in ends[1:]), 1.0])
    counts = np.histogram(x, bins=[*ends, np.inf])[0]
    expected = mass * x.size
    assert expected[0] > 700  # below 1e-30
    assert ((counts - expected) ** 2 / expected)[expected > 5].sum() < 37.4
    assert x.min() > 0


def test_nothing_underflows_and_nothing_outside_has_a_value():
    assert drawn(1e-3, 0.0, size=1000).min() == 1e-290
    assert drawn(1e-3, 0.0, size=1000).max() < 100
    assert np.isfinite(drawn(5.0, 1e25, size=100)).all()
    for df, nonc in (
        (0.0, 1.0),
        (-1.0, 1.0),
        (1.0, -1e-9),
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.inf, 1.0),
        (1.0, math.inf),
    ):
        assert np.isnan(drawn(df, nonc, size=3)).all()


def test_a_draw_is_a_function_of_its_counter():
    x = drawn(0.2, 3.0)
    np.testing.assert_array_equal(
        drawn(0.2, 3.0, size=100), x[:100]
    )  # whatever the number of coordinates
    for other in ({"seed": 2}, {"purpose": 1}, {"chain": 1}, {"t": 1}):
        y = drawn(0.2, 3.0, **other)
        assert not np.any(x == y)
        assert abs(np.corrcoef(stats.rankdata(x), stats.rankdata(y))[0, 1]) < 4.5 / math.sqrt(
            x.size
        )
    assert abs(np.corrcoef(stats.rankdata(x[1:]), stats.rankdata(x[:-1]))[0, 1]) < 4.5 / math.sqrt(
        x.size
    )


def slow_draw(df, nonc, words):
    """The same draw from the same words as its references write it, in 50 digits; for
    non-centralities below 20.
    """
    with mpmath.workdps(50):
        uniform = lambda word: (mpmath.mpf(int(word) & 2**52 - 1) + 0.5) / 2**52  # noqa: E731
        x, y = next(words)
        n, below = 0, 1 - mpmath.exp(-mpmath.mpf(nonc) / 2)
        mass = 1 - below
        while uniform(x) < below:
            n += 1
            mass *= mpmath.mpf(nonc) / 2 / n
            below -= mass
        shape = mpmath.mpf(df) / 2 + n
        boosted = shape if shape >= 1 else shape + 1
        d = boosted - mpmath.mpf(1) / 3
        normals: list = []
        while True:
            if not normals:
                p, q = next(words)
                angle = mpmath.pi / 2 * (((int(q) | 1) & 2**52 - 1) / mpmath.mpf(2) ** 52 - 0.5)
                angle = mpmath.pi / 2 - angle if int(q) >> 62 & 1 else angle
                r = mpmath.sqrt(-2 * mpmath.log(uniform(p))) * (-1) ** (int(p) >> 63)
                normals = [r * mpmath.cos(angle), r * mpmath.sin(angle)]
            z, u = normals.pop(0), uniform(next(words)[0])
            v = (1 + z / mpmath.sqrt(9 * d)) ** 3
            if v > 0 and mpmath.log(u) < z**2 / 2 + d * (1 - v + mpmath.log(v)):
                return float(2 * d * v * (1 if shape >= 1 else uniform(y) ** (1 / shape)))


@pytest.mark.parametrize(("df", "nonc"), [(0.2, 1e-8), (0.2, 3.0), (1.5, 12.0), (7.0, 0.0)])
def test_draws_agree_with_a_slow_draw_from_the_same_words(df, nonc):
    from oracles.slow_threefry import slow_key, slow_threefry

    fast = drawn(df, nonc, size=60, seed=11, purpose=2, chain=3, t=5)
    for i in range(60):
        words = (slow_threefry((5, (i << 32) + n), slow_key(11, 2, 3)) for n in range(1000))
        assert fast[i] == pytest.approx(slow_draw(df, nonc, words), rel=1e-12)


@pytest.mark.parametrize(
    ("k", "mean"),
    [(0.0, 10.0), (3.0, 40.0), (16.0, 10.0), (100.0, 97.0), (5e3, 1e3), (1e9 + 3e4, 1e9)],
)
def test_the_mass_of_a_poisson_number(k, mean):
    with mpmath.workdps(50):
        exact = float(k * mpmath.log(mean) - mpmath.mpf(mean) - mpmath.loggamma(mpmath.mpf(k) + 1))
    assert log_mass(k, mean) == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_a_small_poisson_number_is_the_inverse_of_the_distribution():
    for mean in (1e-12, 0.3, 4.0, 9.9):
        for u in (1e-16, 1e-9, 1e-3, 0.2, 0.7, 0.999999):
            n = poisson_small(mean, u)
            assert stats.poisson.sf(n, mean) <= u * (1 + 1e-9) + 2e-15
            assert n == 0 or stats.poisson.sf(n - 1, mean) >= u * (1 - 1e-9) - 2e-15


# -- in the language
# --------------------------------------------------------------------------------------------------


def rule(e, **others):
    return Update(h, {theta: e}, total(theta), **others)


X = NoncentralChiSquared(w, 2 + theta, 3 * theta)


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (lambda: NoncentralChiSquared(theta, 1, 1), "needs the noise that names the draw"),
        (lambda: NoncentralChiSquared("w", 1, 1), "needs the noise that names the draw"),
        (lambda: NoncentralChiSquared(w, "1", 1), "text is never evaluated"),
        (lambda: rule(X + w), "the noise w names the draw .* and stands elsewhere as well"),
        (lambda: rule(X + NoncentralChiSquared(w, 1, 1)), "stands elsewhere as well"),
        (
            lambda: rule(NoncentralChiSquared(w, 1, Noise("n", like=theta) ** 2)),
            "contain the noise n; its law may depend on",
        ),
        (lambda: compose(step(rule(X))), "the noise of a kernel's parts is normal"),
        (lambda: X.diff(theta), "has no derivative by theta"),
        (lambda: X.diff(w), "has no derivative by w"),
        (lambda: generate(rule(theta + total(X))), "stands inside a sum"),
        (lambda: limit_of(rule(theta + h * X**2)), "not affine in one draw"),
        (lambda: limit_of(rule(theta + h * X * Noise("n", like=theta))), "not affine in one draw"),
        (lambda: limit_of(rule(theta + X)), "has no limit: its draw leaves 4\\*theta \\+ 2"),
        (
            lambda: limit_of(rule(theta + h * NoncentralChiSquared(w, 1, 1 / h))),
            "its draw leaves 1 as h vanishes",
        ),
    ],
)
def test_what_cannot_be_written_is_one_sentence(write, sentence):
    with pytest.raises(RecipeError, match=sentence):
        write()


def test_its_moments():
    n = Noise("n", like=theta)
    assert expectation(X + n) == 4 * theta + 2
    assert (expectation(X**2) - (X.df + X.nonc) ** 2 - 2 * (X.df + 2 * X.nonc)).expand() == 0
    assert expectation(X * n) == 0
    with pytest.raises(OutsideLanguageError):
        expectation(total(X))


@pytest.mark.parametrize("recipe", [scir, scir_posterior])
def test_the_limit_by_difference_quotients(recipe):
    """Mean and variance of one published step of 1e-20, in 60 digits, against drift and diffusion
    of the recipe.
    """
    ((block, e),) = recipe.update.rule
    (x,) = e.atoms(NoncentralChiSquared)
    values = {
        s: Rational(n + 3, 7)
        for n, s in enumerate(sorted(e.free_symbols | e.atoms(Partial), key=str))
    }
    values[recipe.update.step] = small = Rational(1, 10**20)
    scale, df, nonc, at = (f.xreplace(values).evalf(60) for f in (e / x, x.df, x.nonc, block))
    dynamics = derive(recipe).dynamics
    drift, D = (
        f.xreplace(values).evalf(60)
        for f in (dynamics.drift[block], dynamics.diffusion[block, block].diagonal)
    )
    assert abs((scale * (df + nonc) - at) / small - drift) < 1e-15
    assert abs(2 * scale**2 * (df + 2 * nonc) / small - 2 * D) < 1e-15


def test_a_step_takes_the_draws_and_carries_out_the_rule():
    """Against 50 digits, with a scalar and a vector draw in one simultaneous rule."""
    b = Scalar("b", domain=Interval.open(0, oo))
    m = Noise("m", like=b)
    both = Update(
        h,
        {
            theta: theta / 2 + h * b * NoncentralChiSquared(w, theta, total(theta)),
            b: h * NoncentralChiSquared(m, 1 + b, h),
        },
        total(theta) + b,
    )

    def value(e, values):
        return e.xreplace({d: d.noise for d in e.atoms(NoncentralChiSquared)})

    module = generate(both)
    loaded = module.load()
    state, out = (loaded.allocate(np.array([0.3, 1.5]), np.array([0.7])) for _ in range(2))
    given = (np.array([0.2, 3.0]), np.array([1.1]))
    loaded.step(out, state, (), 0.25, (), given)
    plain = Update(h, {block: value(e, None) for block, e in both.rule}, both.target)
    slow = slow_step(
        plain, {"theta": [0.3, 1.5], "b": [0.7], "w": given[0], "m": given[1], "h": 0.25}
    )
    np.testing.assert_allclose(out.theta, slow["theta"], rtol=1e-14)
    np.testing.assert_allclose(out.b, slow["b"], rtol=1e-14)
    np.testing.assert_array_equal(out.w_df, [0.3, 1.5])
    np.testing.assert_allclose(out.w_nonc, [1.8, 1.8])
    np.testing.assert_array_equal(out.m_df, [1.7])


def test_a_draw_waits_for_the_block_that_moves_before_it():
    """The law of the draw is found in a loop of its own, which reads what the loop before it has
    written.
    """
    v = Vector("v", domain=Interval.open(0, oo), like=theta)
    n, m = Noise("n", like=theta), Noise("m", like=theta)
    rule = [
        (theta, theta * exp(h * n)),
        (v, NoncentralChiSquared(m, 1 + theta, v * theta) / 4),
        (theta, theta / (1 + v)),
    ]
    loaded = generate(Update(h, rule, total(theta) + total(v))).load()
    t, y = np.array([0.3, 1.5]), np.array([0.7, 2.0])
    out, state = (loaded.allocate(t, y) for _ in range(2))
    normal, drawn = np.array([0.2, -1.0]), np.array([1.1, 0.4])
    loaded.step(out, state, (), 0.25, (), (normal, drawn))
    moved = t * np.exp(0.25 * normal)
    np.testing.assert_allclose(out.m_df, 1 + moved, rtol=1e-14)
    np.testing.assert_allclose(out.m_nonc, y * moved, rtol=1e-14)
    np.testing.assert_allclose(out.v, drawn / 4, rtol=1e-14)
    np.testing.assert_allclose(out.theta, moved / (1 + drawn / 4), rtol=1e-14)


@pytest.mark.slow
def test_a_run_draws_by_its_own_counters():
    module = generate(discretise(scir, "exact"))
    loaded = module.load()
    (params,) = ([0.1, 2.0, 5.0],)
    state = loaded.allocate(np.array([1.0, 1.0, 1.0]))
    draws = loaded.Draws(np.zeros((3, 3)))
    loaded.run(state, draws, (), (), 0.5, loaded.Params(np.array(params)), u64(4), 1, 0, 3, 0, 1)
    purpose = int(re.search(r"key_w_theta = stream_key\(seed, (\d+), chain\)", module.source)[1])
    at, scale = np.ones(3), (1 - math.exp(-0.5)) / 2
    for t in range(3):
        x = [np.nan] * 3
        for i in range(3):
            values = np.empty(3)
            fill(
                values,
                2 * params[i],
                at[i] * math.exp(-0.5) / scale,
                u64(4),
                u64(purpose),
                u64(1),
                u64(t),
            )
            x[i] = scale * values[i]
        np.testing.assert_allclose(draws.theta[t], x, rtol=1e-12)
        at = draws.theta[t]


@pytest.mark.slow
def test_long_runs_have_the_gamma_law():
    shapes = np.array([0.1, 0.5, 3.0])
    found = sample(
        scir,
        scheme="exact",
        steps=12_000,
        warmup=100,
        thin=10,
        step_size=1.0,
        params={"a": shapes},
        chains=2,
        progress=False,
    )["theta"]
    for n, shape in enumerate(shapes):
        x = found[..., n].ravel()
        assert stats.kstest(x, stats.gamma(shape).cdf).pvalue > 1e-4
    assert found.min() > 0


(U,) = scir_posterior.H.atoms(Potential)
T = scir_posterior.state[0]


@pytest.mark.slow
def test_counts_with_minibatches_have_the_moments_that_were_derived():
    """Mean and variance of theta after many steps: a and a + (1 - r)/(1 + r) Var[a_hat], for
    minibatches of 5 of 40 rows.
    """
    counts = np.eye(3)[np.repeat([0, 1], [30, 10])]
    z, alpha = Data("z", like=T), Parameter("alpha", positive=True)
    posterior = Posterior(T, total(z * log(T)), total((alpha - 1) * log(T) - T), {z: counts})
    found = sample(
        bind(scir_posterior, {U: posterior}),
        scheme="exact",
        steps=40_000,
        warmup=200,
        step_size=1.0,
        params={"alpha": 0.5},
        chains=2,
        batch_size=5,
        progress=False,
    )["theta"]
    a = counts.sum(0) + 0.5
    share = counts.mean(0)
    noise = (
        40**2 / 5 * share * (1 - share)
    )  # of a sum estimated from 5 of 40 rows, drawn with replacement
    r = math.exp(-1.0)
    x = found.reshape(-1, 3)
    wanted = a + (1 - r) / (1 + r) * noise
    effective = x.shape[0] * (1 - r) / (1 + r)
    assert np.all(np.abs(x.mean(0) - a) < 4.5 * np.sqrt(wanted / effective))
    np.testing.assert_allclose(x.var(0), wanted, rtol=0.05)


@pytest.mark.slow
def test_values_near_1e_minus_26_are_sampled_from_data():
    """A coordinate that was never counted, alpha = 0.1: the gradient is 1e26 there, and the number
    that it estimates is 0.1.
    """
    counts = np.eye(3)[np.repeat([0, 1], [30, 10])]
    z, alpha = Data("z", like=T), Parameter("alpha", positive=True)
    posterior = Posterior(T, total(z * log(T)), total((alpha - 1) * log(T) - T), {z: counts})
    draws = sample(
        bind(scir_posterior, {U: posterior}),
        scheme="exact",
        steps=30_000,
        warmup=100,
        thin=10,
        step_size=1.0,
        params={"alpha": 0.1},
        chains=2,
        batch_size=7,
        progress=False,
    )
    x = draws["theta"][..., 2].ravel()
    assert draws.divergences == ()
    assert 0 < x.min() < 1e-26
    assert stats.kstest(np.log(x), lambda t: stats.gamma(0.1).cdf(np.exp(t))).pvalue > 1e-4
