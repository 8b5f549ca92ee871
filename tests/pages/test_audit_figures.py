"""The figures of the audits: each rule is simulated as its library has it, in plain numpy, many
chains at once.

Every estimate is a mean over independent chains, its standard error that of these, and a figure is
off where it differs by more than five of them: by chance once in two million times. Where the rule
is affine, the exact covariance is computed beside it.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad

STANDARD_ERRORS = 5


class Figure:
    """A mean over chains, with its standard error."""

    def __init__(self, by_chain):
        by_chain = np.asarray(by_chain, dtype=float)
        self.value, self.error = by_chain.mean(), by_chain.std(ddof=1) / math.sqrt(by_chain.size)

    def is_(self, expected, bias=0.0):
        """Whether it is that, up to chance and a known bias."""
        return abs(self.value - expected) < STANDARD_ERRORS * self.error + bias

    def __repr__(self):
        return f"{self.value:.4f} +- {self.error:.4f}"


# -- SGHMC with the momentum redrawn
# ----------------------------------------------------------------------------------------------


def sghmc_step(x, v, h, a, T, rng):
    """BlackJAX: both see the old state (explicit Euler), on the standard normal law."""
    return x + h * v, (1 - a * h) * v - h * x + math.sqrt(2 * a * h * T) * rng.standard_normal(
        x.shape
    )


def blackjax_sghmc(L, h, a=0.01, T=1.0, chains=20_000, sweeps=None, seed=0):
    """The mean of x^2 over the chains, after enough sweeps of L steps to forget the start."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(chains) * math.sqrt(max(L / max(L - 1, 1), 1.0))
    for _ in range(sweeps or math.ceil(8 / (h * h * L * max(L - 1, 1)))):
        v = rng.standard_normal(chains)
        for _ in range(L):
            x, v = sghmc_step(x, v, h, a, T, rng)
    return Figure(x**2)


def exact_variance(L, h, noise, variance, one_step):
    """Of x at stationarity under a redrawn momentum of some variance and L affine steps ``z := M z
    + n``.
    """
    z, C = np.array([[1.0], [0.0]]), np.diag([0.0, variance])
    for _ in range(L):
        z, C = one_step @ z, one_step @ C @ one_step.T + noise
    return C[0, 0] / (1 - z[0, 0] ** 2)


def euler(h, a, T=1.0):
    """Matrix and noise of explicit Euler SGHMC."""
    return np.array([[1, h], [-h, 1 - a * h]]), np.diag([0.0, 2 * a * h * T])


@pytest.mark.by_default(2)
@pytest.mark.parametrize(("L", "T"), [(10, 1.0), (5, 1.0), (2, 1.0), (10, 0.1)])
def test_redrawing_the_momentum_before_every_l_steps(L, T):
    h = 0.05
    matrix, noise = euler(h, 0.01, T)
    exact = exact_variance(L, h, noise, 1.0, matrix)
    assert blackjax_sghmc(L, h, T=T).is_(exact)
    assert exact == pytest.approx(
        L / (L - 1), rel=0.01
    )  # what is proved of the limit, whatever T is
    matrix, noise = euler(h / 50, 0.01, T)
    assert exact_variance(L, h / 50, noise, 1.0, matrix) == pytest.approx(L / (L - 1), rel=2e-4)


def test_one_step_never_uses_the_gradient():
    rng = np.random.default_rng(1)
    x = np.zeros(100_000)
    for _ in range(50):
        x, _v = sghmc_step(x, rng.standard_normal(x.size), 0.1, 0.01, 1.0, rng)
    assert Figure(x**2).is_(
        50 * 0.1**2
    )  # a random walk, on the standard normal law as on any other


def test_half_the_variance_in_the_package_for_r():
    h, alpha = 0.02, 0.01
    kick = np.array([[1, 0], [-h, 1 - alpha]])
    move = np.array([[1, h], [0, 1]])
    noise = move @ np.diag([0, 2 * alpha]) @ move.T
    exact = exact_variance(5, h, noise, 0.5, move @ kick)
    assert exact == pytest.approx(0.434, abs=5e-4)
    rng = np.random.default_rng(2)
    x = rng.standard_normal(10_000) * math.sqrt(exact)
    for _ in range(1000):
        v = math.sqrt(0.5) * rng.standard_normal(x.size)
        for _ in range(5):
            v = v - h * x - alpha * v + math.sqrt(2 * alpha) * rng.standard_normal(x.size)
            x = x + h * v
    assert Figure(x**2).is_(exact)


def test_explicit_euler_between_its_two_ends():
    """Stable iff ``h k < a < 2/h + h k/2``, with ``Var x = 2 a (2 - a h + h^2 k)/(k (a - h k)(4 - 2
    a h + h^2 k))``.
    """
    h, k = 0.4, 1.7
    low, high = h * k, 2 / h + h * k / 2
    for a, stable in (
        (low * 0.99, False),
        (low * 1.01, True),
        (high * 0.99, True),
        (high * 1.01, False),
    ):
        matrix = np.array([[1, h], [-h * k, 1 - a * h]])
        assert (np.abs(np.linalg.eigvals(matrix)).max() < 1) == stable
    a, rng = 2.0, np.random.default_rng(3)
    expected = 2 * a * (2 - a * h + h**2 * k) / (k * (a - h * k) * (4 - 2 * a * h + h**2 * k))
    x = v = np.zeros(200_000)
    for _ in range(400):
        x, v = (
            x + h * v,
            (1 - a * h) * v - h * k * x + math.sqrt(2 * a * h) * rng.standard_normal(x.size),
        )
    assert Figure(x**2).is_(expected)


# -- preconditioned Langevin without Gamma
# ----------------------------------------------------------------------------------------


def psgld(h, eps, alpha, steps, chains=2_000, seed=4):
    """The mean of x^2 under SGMCMCJax's rule on N(0, 1), started from ``|x| exp(-x^2/2)``; alpha =
    0 is the limit, V = x^2.
    """
    rng = np.random.default_rng(seed)
    x = rng.rayleigh(size=chains) * rng.choice([-1, 1], chains)
    V, squares = x**2, np.zeros(chains)
    for k in range(2 * steps):
        V = alpha * V + (1 - alpha) * x**2
        G = 1 / (np.sqrt(V) + eps)
        x = x - h / 2 * G * x + np.sqrt(h * G) * rng.standard_normal(chains)
        squares += x**2 * (k >= steps)
    return Figure(squares / steps)


def over_g(eps):
    """The variance of the density ``exp(-x^2/2) / G = (|x| + eps) exp(-x^2/2)``."""
    weight = lambda x: (x + eps) * math.exp(-x * x / 2)  # noqa: E731
    return quad(lambda x: x * x * weight(x), 0, 40)[0] / quad(weight, 0, 40)[0]


def test_a_metric_without_gamma_leaves_the_density_over_g():
    assert psgld(h=0.005, eps=0.5, alpha=0, steps=4_000).is_(over_g(0.5), bias=0.01)
    assert over_g(0.5) == pytest.approx(1.615, abs=1e-3)


def test_psgld_at_its_defaults_is_on_the_way_to_twice_the_variance():
    """V is an average over 100 steps, in which x moves the less the shorter they are."""
    assert over_g(1e-5) == pytest.approx(2, abs=1e-4)
    long, short = psgld(0.005, 1e-5, 0.99, 2_000), psgld(0.001, 1e-5, 0.99, 5_000)
    assert long.is_(1.62, bias=0.02)
    assert short.is_(1.85, bias=0.02)


# -- the thermostat whose norm is not squared
# -------------------------------------------------------------------------------------


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("d", "variance"), [(1, 1.69), (2, 2.68), (5, 5.62), (20, 20.5)])
def test_badodab_has_the_wrong_temperature(d, variance):
    h, chains, steps = 0.05, 400, 8_000
    rng = np.random.default_rng(5)
    x, v, xi = (
        rng.standard_normal((chains, d)),
        rng.standard_normal((chains, d)),
        np.full(chains, 0.5),
    )
    squares = np.zeros(chains)
    for k in range(2 * steps):
        v = v - h / 2 * x
        x = x + h / 2 * v
        xi = xi + h / 2 * (np.sqrt((v * v).sum(1)) - d)
        c = np.exp(-xi * h)
        scale = np.sqrt(-np.expm1(-2 * xi * h) / (2 * xi))
        v = c[:, None] * v + scale[:, None] * rng.standard_normal(v.shape)
        xi = xi + h / 2 * (np.sqrt((v * v).sum(1)) - d)
        x = x + h / 2 * v
        v = v - h / 2 * x
        squares += (x * x).mean(1) * (k >= steps)
    assert Figure(squares / steps).is_(variance, bias=0.02 * variance)


@pytest.mark.slow
def test_blackjax_sgnht_is_right_in_the_limit_and_explicit_euler_at_a_step():
    d, h, a, chains, steps = 10, 0.05, 0.01, 300, 15_000
    rng = np.random.default_rng(6)
    x, p, xi = (
        rng.standard_normal((chains, d)),
        rng.standard_normal((chains, d)),
        np.full(chains, a),
    )
    squares = np.zeros(chains)
    for k in range(2 * steps):
        x, p = (
            x + h * p,
            (1 - xi * h)[:, None] * p - h * x + math.sqrt(2 * a * h) * rng.standard_normal(p.shape),
        )
        xi = xi + h * ((p * p).mean(1) - 1)
        squares += (x * x).mean(1) * (k >= steps)
    assert Figure(squares / steps).is_(1.159, bias=0.01)


# -- a momentum that is kept on rejection
# -----------------------------------------------------------------------------------------


def guided(on_rejection, chains=1_000, steps=10_000, h=0.7, friction=0.1, seed=7):
    """``E[p^2]`` on U = x^4/4: half of a partial refresh, one leapfrog step with a test, another
    half; p after a rejection.
    """
    rng = np.random.default_rng(seed)
    x, p = np.zeros(chains), rng.standard_normal(chains)
    keep = math.exp(-friction * h / 2)
    fresh = math.sqrt(1 - keep * keep)
    squares = np.zeros(chains)
    for k in range(2 * steps):
        old, p = p, keep * p + fresh * rng.standard_normal(chains)
        half = p - h / 2 * x**3
        y = x + h * half
        q = half - h / 2 * y**3
        with np.errstate(over="ignore", invalid="ignore"):
            accepted = rng.random(chains) < np.exp(
                np.minimum(0, x**4 / 4 + p**2 / 2 - y**4 / 4 - q**2 / 2)
            )
        moved = keep * np.where(
            accepted, q, -p if on_rejection == "turned" else p
        ) + fresh * rng.standard_normal(chains)
        back = {"taken back": old, "taken back and turned": -old}.get(on_rejection, moved)
        x, p = np.where(accepted, y, x), np.where(accepted, moved, back)
        squares += p**2 * (k >= steps)
    return Figure(squares / steps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("on_rejection", "mean"), [("turned", 1.0), ("taken back and turned", 1.0), ("kept", 1.354)]
)
def test_the_momentum_must_be_turned_on_rejection(on_rejection, mean):
    assert guided(on_rejection).is_(mean, bias=5e-4)


@pytest.mark.slow
def test_the_libraries_also_take_back_what_was_redrawn():
    """Then fast chains stay fast where they are rejected: they forget slowly, and the mean is known
    to some percent only.
    """
    assert guided("taken back").is_(14.8, bias=0.7)


# -- Gupta, Modi & Mittal, Algorithm 1
# --------------------------------------------------------------------------------------------------


def second_moment_after_a_step(ratio, rho=0.8):
    """E x^2 after one step of Algorithm 1 from the standard normal law, with Delta = d log p/d
    theta and this logarithm of the acceptance ratio, by quadrature.
    """
    x = np.linspace(-9, 9, 1801)[:, None]
    u = np.linspace(-9, 9, 1801)[None, :]
    weights = np.exp(-(x**2 + u**2) / 2)
    weights /= weights.sum()
    new = x + rho * (u - rho * x / 2)
    v = u - rho * (x + new) / 2
    accepted = np.minimum(1, np.exp(ratio(x, u, new, v)))
    return float((weights * (accepted * new**2 + (1 - accepted) * x**2)).sum())


def test_the_printed_acceptance_does_not_keep_a_normal_law():
    """The right one, with the momentum after the step, keeps its variance."""
    printed = second_moment_after_a_step(lambda x, u, new, v: (x**2 - new**2) / 2 - u**2 / 2)
    right = second_moment_after_a_step(lambda x, u, new, v: (x**2 - new**2) / 2 + (u**2 - v**2) / 2)
    assert right == pytest.approx(1, abs=1e-6)
    assert printed < 0.9


# -- Ahn, Korattikara & Welling (2012)
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_fisher_scoring_is_made_for_normal_laws(size):
    """Of a normal law with precision N I, and a gradient with the noise N^2 I/n, the step with
    gamma = (n + N)/n has the variance 1/(N I) at every size; with gamma = N/n it has not.
    """
    N, n, I, B = 1000, 10, 0.3, 2.0  # noqa: E741

    def variance(gamma):
        scale = 2 / (gamma * N * I + 4 * B / size)
        noise = 4 * B / size + N**2 * I / n
        return scale**2 * noise / (1 - (1 - scale * N * I) ** 2)

    assert variance((n + N) / n) == pytest.approx(1 / (N * I))
    assert abs(variance(N / n) * N * I - 1) > 1e-6
