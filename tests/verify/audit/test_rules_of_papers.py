"""Rules of other papers, right ones and ones with a slip: none is refuted that is right, none
proved that is wrong.
"""

import pytest
from helpers.outcomes import outcome_of
from sympy import Function, Interval, Rational, Symbol, cos, exp, log, oo, sqrt

from recipe import (
    Noise,
    Parameter,
    Potential,
    RecipeError,
    Scalar,
    Update,
    Vector,
    div,
    grad,
    limit_of,
    total,
)
from verify import Verdict, verify
from verify.engine import discharged
from verify.verdict import undecided

x = Vector("x")
v, s, z = (Vector(name, like=x) for name in "vsz")
xi, x1, x2 = Scalar("xi"), Scalar("x1"), Scalar("x2")
p, q = Scalar("p"), Scalar("q")
th = Scalar("th", domain=Interval.open(0, oo))
t = Vector("t")
U, V, W = Potential("U", x), Potential("V", p, q), Potential("W", p, t)
d = x.dim
h, g, a, T, M, mu, al = (
    Symbol(name, positive=True) for name in ("h", "gamma", "a", "T", "M", "mu", "alpha")
)
G = Function("G", positive=True)(x)
w, w2 = Noise("w", like=x), Noise("w2", like=x)
wp, wq, wt, wth = (
    Noise("wp", like=p),
    Noise("wq", like=q),
    Noise("wt", like=t),
    Noise("wth", like=th),
)
masses = Parameter("m", like=x, positive=True)
gU, kinetic = grad(U, x), total(v**2) / 2
c = exp(-g * h)
gamma_law = th - (al - 1) * log(th)
units = {"target": U + total(v**2) / (2 * h**2), "units": {v: h}}


def bbk(sigma):
    """Brunger, Brooks & Karplus (1984), Chemical Physics Letters 105."""
    first = (v, v * (1 - g * h / 2) - h / 2 * gU + sigma * w)
    return Update(
        h,
        [first, (x, x + h * v), (v, (v - h / 2 * gU + sigma * w2) / (1 + g * h / 2))],
        U + kinetic,
    )


def ermak(variance):
    """Ermak & Buckholz (1980), Journal of Computational Physics 35: noise of the positions of order
    h^(3/2).
    """
    spread = sqrt(2 * h / g - (3 - 4 * c + c**2) / g**2)
    moved = x + (1 - c) / g * v - (g * h - 1 + c) / g**2 * gU + spread * w
    return Update(h, {x: moved, v: c * v - (1 - c) / g * gU + sqrt(variance) * w2}, U + kinetic)


def third(sign):
    """Third-order Langevin, Mou et al. (2021), Journal of Machine Learning Research 22."""
    rule = {
        x: x + h * v,
        v: v - h * gU + h * g * z,
        z: z + sign * h * g * v - h * a * z + sqrt(2 * a * h) * w,
    }
    return Update(h, rule, U + kinetic + total(z**2) / 2)


def thermostat(drive, law, friction=xi):
    """Ding et al. (2014), NIPS."""
    return Update(
        h,
        {x: x + h * v, v: v - h * gU - h * friction * v + sqrt(2 * a * h) * w, xi: xi + h * drive},
        U + kinetic + law,
    )


def each_its_own(weight):
    """A thermostat for each coordinate, Gan et al. (2015), ICML."""
    rule = {x: x + h * v, v: v - h * gU - h * s * v + sqrt(2 * a * h) * w, s: s + h * (v**2 - 1)}
    return Update(h, rule, U + kinetic + weight * total((s - a) ** 2))


def preconditioned(gamma):
    """SGHMC with a preconditioner."""
    return Update(
        h,
        {x: x + h * G * v, v: v - h * G * gU + gamma - h * a * v + sqrt(2 * a * h) * w},
        U + kinetic,
    )


def chain(reference):
    """Two Nose-Hoover thermostats, Martyna, Klein & Tuckerman (1992), Journal of Chemical Physics
    97.
    """
    drive = {x1: x1 + h * (total(v**2) - d - x1 * x2), x2: x2 + h * (x1**2 - reference)}
    return Update(
        h, {x: x + h * v, v: v - h * gU - h * x1 * v} | drive, U + kinetic + x1**2 / 2 + x2**2 / 2
    )


def langevin(drift, variance, target=U):
    return Update(h, {x: x - h * drift + sqrt(variance * h) * w}, target)


def skewed(sign):
    along_p, along_q = grad(V, p) + 3 * grad(V, q), grad(V, q) + sign * 3 * grad(V, p)
    return Update(
        h, {p: p - h * along_p + sqrt(2 * h) * wp, q: q - h * along_q + sqrt(2 * h) * wq}, V
    )


def two_blocks(variance):
    return Update(
        h,
        {
            p: p - h * grad(W, p) + sqrt(2 * h) * wp,
            t: t - a * h * grad(W, t) + sqrt(variance * h) * wt,
        },
        W,
    )


def with_masses(variance):
    rule = {x: x + h * v / masses, v: v - h * gU - h * g * v + sqrt(variance * h) * w}
    return Update(h, rule, U + total(v**2 / masses) / 2)


def heavy_ball(variance):
    return Update(
        step=h,
        rule={x: x + v, v: (1 - a * h) * v - h**2 * gU + sqrt(variance * h) * h * w},
        **units,
    )


def cox_ingersoll_ross(shape):
    return Update(h, {th: th + h * (shape - th) + sqrt(2 * h * th) * wth}, gamma_law)


def multiplicative(power):
    return Update(
        h, {th: th * exp(-h * (al * th - al) + sqrt(2 * h) * wth)}, al * th - (al - power) * log(th)
    )


RIGHT = {
    "BBK": bbk(sqrt(g * h)),
    "Ermak": ermak(1 - c**2),
    "third order": third(-1),
    "a thermostat with a mass": thermostat((total(v**2) / d - 1) / mu, mu * d * (xi - a) ** 2 / 2),
    "a thermostat a coordinate": each_its_own(Rational(1, 2)),
    "preconditioned": preconditioned(h * div(G, x)),
    "a chain of thermostats": chain(1),
    "a cycle of steps": langevin((1 + cos(a)) / 2 * gU, 1 + cos(a)),
    "numbers": langevin(gU / 2, Rational(1, 100), 100 * U),
    "a skew term": skewed(-1),
    "two blocks": two_blocks(2 * a),
    "masses": with_masses(2 * g * masses),
    "heavy ball": heavy_ball(2 * a),
    "Cox, Ingersoll & Ross": cox_ingersoll_ross(al),
    "multiplicative": multiplicative(1),
}
WRONG = {
    "BBK": bbk(sqrt(g * h / 2)),
    "Ermak": ermak(1 - c),
    "third order": third(1),
    "the sign of a thermostat": thermostat(1 - total(v**2) / d, d * (xi - a) ** 2 / 2),
    "the sign of its friction": thermostat(
        total(v**2) / d - 1, d * (xi - a) ** 2 / 2, friction=-xi
    ),
    "a thermostat a coordinate": each_its_own(1),
    "preconditioned": preconditioned(0),
    "a chain of thermostats": chain(2),
    "cold": langevin(gU, Rational(1, 5)),
    "half of the correction": langevin(G * gU - div(G, x) / 2, 2 * G),
    "a skew term": skewed(1),
    "two blocks": two_blocks(2),
    "masses": with_masses(2 * g),
    "heavy ball": heavy_ball(2),
    "Cox, Ingersoll & Ross": cox_ingersoll_ross(al - 1),
    "multiplicative": multiplicative(0),
}


def of_the_law(obligation, subject, outcomes):
    """What the verdict of an audit rests on, and the law that was found."""
    asked = obligation.required or obligation.name == "stationary-law"
    return discharged(obligation, subject, outcomes) if asked else undecided("not asked for")


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_is_proved(name):
    assert verify(RIGHT[name], discharge=of_the_law).verdict is Verdict.PROVED


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_refuted(name):
    assert verify(WRONG[name], discharge=of_the_law).verdict is Verdict.REFUTED


def test_a_repair_of_the_target_has_a_finite_mass():
    """``- d (xi - a)^2/2`` in the target would do for the residual, and its mass is infinite."""
    repair = outcome_of(
        verify(WRONG["the sign of a thermostat"], discharge=of_the_law), "stationarity"
    ).repair
    assert repair == "in the rule of xi, h - h*total(v**2)/d_x must be multiplied by -1"


def test_values_of_the_parameters_for_which_a_wrong_rule_is_right():
    facts = outcome_of(verify(WRONG["heavy ball"], discharge=of_the_law), "stationarity").facts
    assert facts == ("where a = 1 the residual is zero, and exp(-H) stationary",)
    never = Update(
        h, {x: x - h * gU * (1 + a) + sqrt(2 * h) * w}, U
    )  # right where a = 0, which is not positive
    assert outcome_of(verify(never, discharge=of_the_law), "stationarity").facts == ()


def test_a_density_of_infinite_mass_is_no_law_and_it_is_said_where():
    outcome = outcome_of(
        verify(WRONG["Cox, Ingersoll & Ross"], discharge=of_the_law), "stationary-law"
    )
    assert outcome.verdict is Verdict.UNDECIDED
    (fact,) = outcome.facts
    assert fact.startswith(
        "exp(-H') is stationary, with H' = th + (2 - alpha)*log(th), and its mass is infinite where"
        " alpha = "
    )


def test_a_rule_with_another_step_than_was_named():
    with pytest.raises(RecipeError, match="the step a does not occur in it"):
        limit_of(Update(a, {x: x - h * gU + sqrt(2 * h) * w}, U))


def test_a_root_that_vanishes_faster_than_the_root_of_the_step_is_no_noise_in_the_limit():
    dynamics = limit_of(RIGHT["Ermak"])
    assert dynamics.drift[x] == v
    assert dynamics.diffusion[x, x].diagonal == 0
    with pytest.raises(RecipeError, match="the rule of x has no limit"):
        limit_of(Update(h, {x: x + sqrt(exp(-h) - 1 + h - h**2) * w}, U))  # of a negative number


real, other, nonzero = Symbol("b", real=True), Symbol("c", real=True), Symbol("c", nonzero=True)
rational, whole, free = (
    Symbol("c", rational=True),
    Symbol("K", integer=True, positive=True),
    Symbol("c"),
)
VALUES = [
    (langevin(gU * (1 + nonzero), 2), ()),  # at 0, which was excluded
    (langevin(-gU, 2 * (2 - real)), ()),  # at 3, where there is no root
    (langevin(rational * gU, 2 * sqrt(2)), ()),
    (langevin(real * other * gU, 2), ()),  # at 1/c, which may have no value
    (langevin((2 * whole - 4) * gU, 2), ()),  # at 5/2
    (langevin((whole - 2) * gU, 2), ("where K = 3 the residual is zero, and exp(-H) stationary",)),
    (langevin(free * gU, 2), ("where c = 1 the residual is zero, and exp(-H) stationary",)),
]


@pytest.mark.by_default(3)
@pytest.mark.parametrize(("update", "facts"), VALUES)
def test_only_values_that_a_parameter_stands_for_and_the_rule_is_defined_at(update, facts):
    assert outcome_of(verify(update, discharge=of_the_law), "stationarity").facts == facts


def test_a_repair_does_not_divide_by_what_may_be_zero():
    def scaled(b):
        return Update(
            h, {x: x + h * v, v: v - b * h * gU - b * a * h * v + sqrt(2 * a * h) * w}, U + kinetic
        )

    repairs = [
        outcome_of(verify(scaled(b), discharge=of_the_law), "stationarity").repair
        for b in (mu, real)
    ]
    assert "multiplied by 1/mu" in repairs[0]
    assert repairs[1] is None
    one = outcome_of(verify(langevin(real * gU, 2), discharge=of_the_law), "stationarity")
    assert (
        one.repair == "in the rule of x, -b*h*grad(U, x) must be -h*grad(U, x)"
    )  # nothing is divided there


def test_a_repair_does_not_lead_out_of_the_domain():
    """Noise that does not vanish at 0 would repair both residuals, and the process would leave."""
    q = Scalar("q", domain=Interval.open(0, 1))
    wq = Noise("wq", like=q)
    jacobi = Update(h, {q: q + h * (1 - 2 * q) + sqrt(2 * h * q * (1 - q)) * wq}, 2 * q)
    assert (
        outcome_of(verify(jacobi), "stationarity").repair
        == "the rule of q must gain - h*(-2*q**2 + 2*q)"
    )
    repaired = Update(h, {q: dict(jacobi.rule)[q] - h * (-2 * q**2 + 2 * q)}, 2 * q)
    assert verify(repaired).verdict is Verdict.PROVED
    brownian = Update(h, {th: th + h / th + sqrt(2 * h) * wth}, th**2 / 2)
    assert outcome_of(verify(brownian), "stationarity").repair is None
    reflecting = Update(
        h, {th: th - h * th + sqrt(2 * h) * wth}, th**2 / 2
    )  # the residual is zero, and it leaves
    assert verify(reflecting).verdict is Verdict.REFUTED
