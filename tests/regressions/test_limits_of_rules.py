"""The limit of a rule was read off its formal Taylor coefficients, whether or not the rule is
smooth in its step and noise; densities of posteriors behind a kernel were not looked at.
"""

import mpmath
import pytest
from sympy import Matrix, Rational, Symbol, atan, exp, eye, log, pi, sin, sqrt, zeros

from recipe import (
    Noise,
    Posterior,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    bind,
    compose,
    grad,
    metropolis,
    refresh,
    total,
)
from verify import Verdict, checker, verify
from verify.certificate import certificate_of, write
from verify.diffusion import nonsmooth
from verify.diffusion.small_step import decide_expansion
from verify.engine import outcome_of
from verify.obligations.process import agrees_with_update
from verify.verdict import proved

PROVED, REFUTED, UNDECIDED = Verdict
x = Scalar("x")
eps = Symbol("epsilon", positive=True)
w = Noise("w", like=x)
theta = Vector("theta")
W = Noise("W", like=theta)
BUMP = 4 * eps ** Rational(3, 2) / ((x - 1) ** 2 + eps)
SPIKE = 4 * eps ** Rational(3, 2) / (w**2 + eps)


def rule(more):
    """The Euler step of an Ornstein-Uhlenbeck process, with a term more."""
    return Update(eps, {x: x - eps * x + more + sqrt(2 * eps) * w}, x**2 / 2)


NOT_EXPANDED = [SPIKE, 4 * eps**2 / (w**2 + eps**4), BUMP, eps**2 * exp(w**4), eps**2 * 2 ** (w**4)]
EXPANDED = [
    0,
    eps**2 * exp(w),
    eps * sqrt(eps) * sin(w),
    sqrt(1 + eps * w**2) - 1,
    eps**2 / (1 + x**2 + eps),
    eps**2 * w**4,
    x * exp(sqrt(eps) * w - eps / 2) - x,
]


def test_the_spike_moves_the_state_by_numbers():
    """E[4 s/(w^2 + s^2)] tends to 4 sqrt(pi/2), so that the drift is not -x."""
    for s in (mpmath.mpf("0.01"), mpmath.mpf("0.001")):
        mean = mpmath.quad(lambda u, s=s: 4 * s / (u**2 + s**2) * mpmath.npdf(u), [-9, -s, 0, s, 9])
        assert abs(mean - 4 * mpmath.sqrt(mpmath.pi / 2)) < 5 * s


@pytest.mark.parametrize("more", NOT_EXPANDED, ids=str)
def test_a_limit_that_is_not_the_formal_one_is_not_proved(more):
    claim = rule(more)
    assert outcome_of(claim, "stationarity").verdict is UNDECIDED
    assert verify(claim).verdict is not PROVED
    recipe = Recipe((x,), x**2 / 2, 1, 0, update=claim)
    assert outcome_of(recipe, "agrees-with-update").verdict is UNDECIDED
    assert "the limit of the rule of x is not proved" in outcome_of(claim, "uniqueness").by


@pytest.mark.parametrize(
    "more",
    [
        eps**2 * exp(total(W**4)),
        eps**2 * total(exp(W**4)),
        eps**2 / (eps + total(W**2)),
        eps**2 / (eps + total((theta - 1) ** 2)),
    ],
    ids=str,
)
def test_noise_and_state_within_sums_are_seen(more):
    rule = Update(eps, {theta: theta - eps * theta + more + sqrt(2 * eps) * W}, total(theta**2) / 2)
    assert decide_expansion(rule).verdict is UNDECIDED


@pytest.mark.parametrize("more", EXPANDED, ids=str)
def test_a_rule_that_is_smooth_in_step_and_noise_is_expanded(more):
    assert decide_expansion(rule(more)).verdict is PROVED


@pytest.mark.parametrize("more", [SPIKE, BUMP], ids=str)
def test_the_checker_asks_for_the_expansion_by_itself(more, monkeypatch):
    for room in (nonsmooth, agrees_with_update):
        monkeypatch.setattr(room, "decide_expansion", lambda _: proved(""))
    monkeypatch.setattr(write, "why_not_smooth", lambda _: None)
    claim = rule(more)
    assert verify(claim).verdict is PROVED
    found = checker.check(certificate_of(claim, verify(claim)))
    assert found.status == "not confirmed"
    (open_one,) = [f for f in found.findings if f.name == "stationarity"]
    assert "noise" in open_one.sentence or "as the step vanishes" in open_one.sentence


@pytest.mark.parametrize(
    "log_likelihood",
    [lambda z: -(z**2) + log(z - 1), lambda z: -(z**2) - 1 / (z - 1)],
    ids=["log", "pole"],
)
def test_densities_behind_a_kernel_are_looked_at(log_likelihood):
    h, z, p = Symbol("h", positive=True), Scalar("z"), Scalar("p")
    V = Potential("V", z)
    law = Recipe((z, p), V + p**2 / 2, zeros(2), zeros(2))
    kick = (p, p - h / 2 * grad(V, z))
    leap = Update(h, [kick, (z, z + h * p), kick], law.H)
    kernel = compose(refresh(law, p), metropolis(leap, flip=p, times=(1, 3)))
    good = bind(kernel, {V: Posterior(z, -(z**2), -(z**2) / 2, {})})
    assert verify(good).verdict is PROVED
    bad = bind(kernel, {V: Posterior(z, log_likelihood(z), -(z**2) / 2, {})})
    assert outcome_of(bad, "well-defined").verdict is REFUTED
    assert verify(bad).verdict is REFUTED


def test_a_jump_in_what_is_integrated_out_is_seen():
    """Derivatives by r do not show that H is quadratic in r."""
    r = Scalar("r")
    jump = atan(1 / (r - 1)) + atan(r - 1)
    H = x**2 * (2 + jump) + r**2 / 2
    recipe = Recipe((x, r), H, eye(2), Matrix([[0, -1], [1, 0]]), marginal={x: x**2 * (2 - pi / 2)})
    assert outcome_of(recipe, "marginal").verdict is UNDECIDED
