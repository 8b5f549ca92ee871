"""Metropolis tests of whole paths, and moves before a test: what is proved, what is refuted, and
that the witnesses are right.

The densities of the witnesses are computed again by scipy's quadrature and plain numpy.
"""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from helpers.outcomes import outcome_of
from scipy.integrate import quad
from scipy.stats import norm
from sympy import Matrix, Symbol, exp, sqrt

from codegen import generate
from recipe import (
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    averaged,
    bind,
    compose,
    flip,
    grad,
    metropolis,
    refresh,
    spread,
    step,
    total,
)
from recipe.kernel import MetropolisedPath
from verify import Verdict, verify
from verify.kernels.acceptance import accepted_mass, normal_exponent, total_mass
from verify.kernels.density_after_test import witness_after_test

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
h, gamma = Symbol("h", positive=True), Symbol("gamma", positive=True)
w = Noise("w", like=theta)
hmc = Recipe(
    state=(theta, r), H=U + total(r**2) / 2, D=Matrix([[0, 0], [0, 0]]), Q=Matrix([[0, -1], [1, 0]])
)
leapfrog = Update(
    step=h,
    target=hmc.H,
    rule=[(r, r - h / 2 * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))],
)
half = refresh(hmc, r, keep=exp(-gamma * h / 2))


def moving(e):
    """A part that makes r this."""
    return step(Update(step=h, target=hmc.H, rule={theta: theta, r: e}))


def metropolised(times=1, turned=True, around=None):
    return metropolis(leapfrog, times=times, flip=r, flip_on_rejection=turned, around=around)


HALF, DOUBLE, IN_PART = moving(w / sqrt(2)), moving(sqrt(2) * w), moving(r / 2 + w)
PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
KERNELS = {
    "a path, turned": ([metropolised(around=half)], PROVED),
    "a path of many steps, turned": ([metropolised(times=(1, 10), around=half)], PROVED),
    "a path, kept": ([metropolised(turned=False, around=half)], REFUTED),
    "a path, kept, then a partial refresh": (
        [metropolised(turned=False, around=half), half],
        REFUTED,
    ),
    "a path, kept and redrawn": (
        [metropolised(times=3, turned=False, around=half), refresh(hmc, r)],
        PROVED,
    ),
    "a path, kept, that begins by a full refresh": (
        [metropolised(turned=False, around=refresh(hmc, r))],
        PROVED,
    ),
    "a path around which something else is drawn": ([metropolised(around=IN_PART)], UNDECIDED),
    "a path around which a sign is turned": ([metropolised(around=flip(hmc, r))], UNDECIDED),
    "half the variance first": ([HALF, metropolised(times=10)], REFUTED),
    "half the variance before a test that keeps": ([HALF, metropolised(turned=False)], REFUTED),
    "twice the variance, a random number of steps": ([DOUBLE, metropolised(times=(1, 3))], REFUTED),
    "half the variance, and a partial refresh at the end": ([HALF, metropolised(), half], REFUTED),
    "a partial refresh of a wrong variance": ([IN_PART, metropolised(times=2)], REFUTED),
    "a partial refresh of a wrong variance, and a right one": (
        [IN_PART, metropolised(), half],
        REFUTED,
    ),
    "half the variance, redrawn before it is read": (
        [HALF, refresh(hmc, r), metropolised(times=3)],
        PROVED,
    ),
    "set to zero, redrawn before it is read": (
        [moving(0), refresh(hmc, r), metropolised(times=3)],
        PROVED,
    ),
    "two partial refreshes that make a right one": (
        [moving(r / 2 + w / 2), moving(r * 0 + w), metropolised()],
        PROVED,
    ),
    "set to zero": ([moving(0), metropolised()], UNDECIDED),
    "the right variance": ([refresh(hmc, r), metropolised(times=10)], PROVED),
}


@pytest.mark.parametrize("name", KERNELS)
def test_verdicts(name):
    parts, expected = KERNELS[name]
    outcome = outcome_of(verify(compose(*parts)), "invariance")
    assert outcome.verdict is expected, outcome.by


@pytest.mark.slow_for("parts2")
@pytest.mark.parametrize(
    "parts",
    [
        [refresh(hmc, r), metropolised(times=3)],
        [half, metropolised()],
        [half, half, metropolised(times=(1, 3))],
    ],
)
def test_no_witness_against_what_is_right(parts):
    kernel = compose(*parts)
    assert witness_after_test(kernel, kernel.parts) is None
    assert witness_after_test(kernel, kernel.parts, without=frozenset([r])) is None


def test_what_was_wrong_is_named_and_repaired():
    outcome = outcome_of(verify(compose(HALF, metropolised(times=10))), "invariance")
    assert (
        outcome.repair
        == "r must be redrawn from N(0, 1), its law given the rest: refresh(recipe, r)"
    )
    outcome = outcome_of(verify(compose(metropolised(turned=False, around=half))), "invariance")
    assert (
        outcome.repair == "on rejection the sign of r must turn: leave out flip_on_rejection=False"
    )


# -- the witnesses, by other means
# ----------------------------------------------------------------------------------------------


def leap(x, p, h, rounds=1):
    """Leapfrog on U = x^2/2."""
    for _ in range(rounds):
        p = p - h / 2 * x
        x = x + h * p
        p = p - h / 2 * x
    return x, p


def accepted(x, p, h, rounds=1):
    y, q = leap(x, p, h, rounds)
    return np.exp(np.minimum(0, (x * x + p * p - y * y - q * q) / 2))


def numbers_of(kernel):
    witness = outcome_of(verify(kernel), "invariance").witness
    said = float(witness.finding.split("after the test is ")[1].split(" times")[0])
    return {k: float(Fraction(v)) for k, v in witness.point.items() if k != "U"}, said


def test_the_density_after_a_path_that_is_kept():
    """What arrives comes from Psi^-1, and what is rejected stays: here the path is followed
    backwards, from its end.
    """
    at, said = numbers_of(compose(metropolised(turned=False, around=half)))
    x, p, step_size = at["theta"], at["r"], at["h"]
    c = math.exp(-at["gamma"] * step_size / 2)
    s = math.sqrt(1 - c * c)
    stays = quad(
        lambda q: norm.pdf(q, c * p, s) * (1 - accepted(x, q, step_size)), -9, 9, epsabs=1e-12
    )[0]

    def arrives(
        q,
        # the momentum after the map, before the second refresh; the first one is integrated out, it
        # leaves the law as it is
    ):
        y, b = leap(x, -q, step_size)
        ratio = math.exp((x * x + q * q - y * y - b * b) / 2)
        return (
            norm.pdf(p, c * q, s) * norm.pdf(q) / norm.pdf(p) * ratio * accepted(y, -b, step_size)
        )

    assert stays + quad(arrives, -9, 9, epsabs=1e-12)[0] == pytest.approx(said, abs=1e-9)


@pytest.mark.parametrize(("part", "variance", "rounds"), [(HALF, 0.5, 10), (DOUBLE, 2.0, 3)])
def test_the_density_after_a_wrong_refresh_and_a_test(part, variance, rounds):
    at, said = numbers_of(compose(part, metropolised(times=rounds)))
    x, step_size, s = at["theta"], at["h"], math.sqrt(variance)

    def density(p):
        y, b = leap(x, -p, step_size, rounds)  # Psi^-1, up to signs
        from_there = norm.pdf(y) * norm.pdf(b, scale=s) * accepted(y, -b, step_size, rounds)
        return from_there + norm.pdf(x) * norm.pdf(p, scale=s) * (
            1 - accepted(x, p, step_size, rounds)
        )

    assert quad(density, -14, 14, epsabs=1e-12, limit=400)[0] / norm.pdf(x) == pytest.approx(
        said, abs=1e-8
    )


KICKS_AND_MOVES = {  # a map by its shears on U = x^2/2, as (what moves, by how many h of the other)
    "leapfrog": "half kick, move, half kick",
    "a half step made whole": "kick, move, half kick",
    "a half step forgotten": "half kick, move",
    "symplectic Euler": "move, kick",
}


@pytest.mark.by_default(2)
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("name", KICKS_AND_MOVES)
def test_the_law_after_a_full_refresh_and_a_map_that_is_not_reversible(name, rounds):
    """The density of the positions against quadrature, and their second moment, followed forwards:
    what is refuted does change.
    """
    rules = {
        "kick": (r, r - h * grad(U, theta)),
        "half kick": (r, r - h / 2 * grad(U, theta)),
        "move": (theta, theta + h * r),
    }
    shears = {
        "kick": [[1, 0], [-0.5, 1]],
        "half kick": [[1, 0], [-0.25, 1]],
        "move": [[1, 0.5], [0, 1]],
    }  # at h = 1/2
    words = KICKS_AND_MOVES[name].split(", ")
    M = np.linalg.multi_dot(
        [np.eye(2), np.eye(2), *([np.array(shears[word]) for word in words[::-1]] * rounds)]
    )
    kernel = compose(
        refresh(hmc, r),
        metropolis(Update(h, [rules[word] for word in words], hmc.H), times=rounds, flip=r),
    )

    nodes, weights = np.polynomial.hermite_e.hermegauss(160)
    x, p = (g.ravel() for g in np.meshgrid(nodes, nodes))
    y, q = M @ np.stack([x, p])
    a = np.exp(np.minimum(0, (x * x + p * p - y * y - q * q) / 2))
    gain = np.outer(weights, weights).ravel() @ ((y * y - x * x) * a) / (2 * math.pi)
    if name == "leapfrog":
        assert abs(gain) < 2e-3  # a kink, which this quadrature rounds off
        assert witness_after_test(kernel, kernel.parts, without=frozenset([r])) is None
        return
    assert abs(gain) > 8e-3
    at, said = numbers_of(kernel)
    assert at["h"] == 0.5

    grid = np.linspace(-12, 12, 1_000_001)  # kinks and all
    z, near = (np.stack([np.full_like(grid, at["theta"]), sign * grid]) for sign in (1, -1))
    far, gone = np.linalg.solve(M, z), M @ near
    enters, leaves = (
        np.exp(np.minimum(0, ((u * u).sum(0) - (v * v).sum(0)) / 2))
        for u, v in ((far, z), (near, gone))
    )
    density = norm.pdf(far).prod(axis=0) * enters + norm.pdf(z).prod(axis=0) * (1 - leaves)
    assert np.trapezoid(density, grid) / norm.pdf(at["theta"]) == pytest.approx(said, abs=1e-9)


def test_the_density_after_a_wrong_refresh_and_a_test_is_simulated():
    """How many chains are near the point of the witness after one sweep from the law."""
    step_size, rng = 0.5, np.random.default_rng(0)
    x, p = rng.standard_normal(400_000), rng.standard_normal(400_000) * math.sqrt(0.5)
    y, _ = leap(x, p, step_size, 10)
    after = np.where(rng.random(x.size) < accepted(x, p, step_size, 10), y, x)
    near = np.abs(after - 0.5) < 0.1
    expected = 1.204  # of the density at 1/2, by the test above
    share = near.mean() / (norm.cdf(0.6) - norm.cdf(0.4))
    assert abs(share - expected) < 0.03


def test_accepted_mass_encloses_what_quadrature_finds():
    mass = accepted_mass(
        normal_exponent(*map(flint.arb, (0.3, 0.7))), [flint.arb(c) for c in (0.1, -1.0, 0.2, -0.5)]
    )
    found = quad(
        lambda u: (
            norm.pdf(u, 0.3, math.sqrt(0.7)) * math.exp(min(0, 0.1 - u + 0.2 * u**2 - 0.5 * u**3))
        ),
        -12,
        12,
    )[0]
    assert float(mass.mid()) == pytest.approx(found, abs=1e-7)
    assert float(mass.rad()) < 1e-9
    assert total_mass(normal_exponent(*map(flint.arb, (0.3, 0.7)))).contains(1)


# -- the language
# --------------------------------------------------------------------------------------------------


def test_a_path_is_a_part_like_others():
    kernel = compose(metropolised(times=3, around=half))
    assert "refresh, before and after each, taken back if rejected:" in str(kernel)
    assert kernel.parameters == (gamma,)
    assert kernel.has_metropolis()
    assert verify(bind(kernel, {U: total(theta**4) / 4})).verdict is PROVED
    mu, eta = Scalar("mu"), Vector("eta")
    pieces = spread(kernel, U, (mu, eta))
    (part,) = pieces.parts
    assert isinstance(part, MetropolisedPath)
    assert {b.name for b, e in part.around.update.rule if e != b} == {
        b.name for b in part.test.flips
    }
    assert verify(pieces).verdict is PROVED


def test_what_cannot_be_done_with_a_path_is_one_sentence():
    with pytest.raises(
        RecipeError, match=r"metropolis\(\.\.\., around=\.\.\.\) has no compiled form"
    ):
        generate(bind(compose(metropolised(around=half)), {U: total(theta**2) / 2}))
    with pytest.raises(RecipeError, match="around=r\\): a part without a test of its own"):
        metropolis(leapfrog, flip=r, around=r)
    with pytest.raises(RecipeError, match="around= belong to a rule without noise"):
        metropolis(Recipe((theta,), U, Matrix([[1]]), Matrix([[0]])), "euler", around=half)
    with pytest.raises(RecipeError, match="a Metropolis test has no such expansion"):
        averaged(refresh(hmc, r), metropolised(around=half))
