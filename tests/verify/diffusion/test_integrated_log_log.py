"""The candidate for ICLL: the integral of the complementary log-log, by what is proved of it and by
numbers.
"""

import mpmath
import pytest
from helpers.outcomes import outcome_of
from sympy import EulerGamma, Float, Interval, Lambda, Rational, S, Symbol, exp, expint, log, oo

from recipe import Potential, Recipe, Vector, corv, maps
from recipe.declare.transformations.map import PHI, Map
from recipe.language.phi import Ein, Phi
from recipe.signs.sign import is_positive
from verify import verify
from verify.certificate import certificate_of
from verify.decide.asymptotics.growth import leading
from verify.decide.points.balls import BALL_FUNCTIONS, ball_of
from verify.decide.zero.decide import decide_zero
from verify.diffusion.change_of_variable.lipschitz import decide_lipschitz
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.onto import decide_onto
from verify.diffusion.change_of_variable.smooth import decide_smooth
from verify.verdict import Verdict

PROVED, REFUTED, UNDECIDED = Verdict
F = maps.integrated_log_log
HALF_LINE = Interval.open(0, oo)
x, z = Symbol("x", positive=True), Symbol("z", real=True)
theta = Vector("theta", domain=HALF_LINE)
LANGEVIN = Recipe((theta,), Potential("U", theta), 1, 0)


def exact(number):
    """Gamma + log(x) + E1(x), or by the series, from mpmath."""
    with mpmath.workdps(40):
        y = mpmath.mpf(number)
        if y > 0.01:
            return mpmath.euler + mpmath.log(y) + mpmath.e1(y)
        return sum((-1) ** (k + 1) * y**k / (k * mpmath.factorial(k)) for k in range(1, 20))


def test_its_slope_is_the_complementary_log_log():
    assert F.derivative(PHI) == maps.complementary_log_log(PHI)
    assert Ein(x).diff(x) == (1 - exp(-x)) / x
    assert Ein(z).diff(z) == Phi(1, -z)
    for p in (-3.0, 0.2, 2.5):
        rise = (exact(mpmath.exp(p + 1e-6)) - exact(mpmath.exp(p - 1e-6))) / 2e-6
        assert float(F.derivative(Float(p))) == pytest.approx(float(rise), rel=1e-8)


def test_it_is_monotone_onto_lipschitz_and_smooth():
    assert decide_monotone(F).verdict is PROVED
    onto = decide_onto(F, HALF_LINE)
    assert onto.verdict is PROVED
    assert "goes to 0 and oo" in onto.by
    lipschitz = decide_lipschitz(F)
    assert lipschitz.verdict is PROVED
    assert lipschitz.by == "Lipschitz with the constant sup |f'| = 1"
    assert decide_smooth(F).verdict is PROVED


@pytest.mark.parametrize("domain", [Interval.open(0, 1), Interval.open(1, oo), S.Reals])
def test_it_goes_onto_no_other_interval(domain):
    assert decide_onto(F, domain).verdict is REFUTED


def of(f):
    return Map("f", Lambda(PHI, f), None, S.Reals)


@pytest.mark.parametrize(
    ("f", "constant"),
    [
        (Ein(exp(2 * PHI)), 2),
        (3 * Ein(exp(PHI)), 3),
        (2 * Ein(exp(PHI)) + PHI, 3),
        (-Ein(exp(-PHI)), 1),
        (PHI + Ein(exp(-PHI)), 1),  # the slope is exp(-exp(-phi))
    ],
)
def test_the_bound_of_a_slope_that_is_monotone(f, constant):
    assert decide_lipschitz(of(f)).by == f"Lipschitz with the constant sup |f'| = {constant}"


def test_a_slope_that_grows_without_a_bound_is_refuted():
    assert decide_lipschitz(of(Ein(exp(PHI)) + exp(PHI))).verdict is REFUTED


def test_corv_and_its_laws():
    moved = corv(LANGEVIN, theta, F)
    for name in ("stationarity", "monotone", "onto", "non-explosion", "uniqueness", "lipschitz"):
        assert outcome_of(verify(moved), name).verdict is PROVED, name
    wrong = Vector("share", domain=Interval.open(0, 1))
    cut = corv(Recipe((wrong,), Potential("U", wrong), 1, 0), wrong, F)
    assert outcome_of(verify(cut), "onto").verdict is REFUTED


def test_what_has_no_certificate_says_so():
    """The checker of certificates knows no such function."""
    with pytest.raises(Exception, match="Ein") as caught:
        certificate_of(corv(LANGEVIN, theta, F), verify(corv(LANGEVIN, theta, F)))
    assert "\n" not in str(caught.value)


def test_signs_limits_and_zeros():
    assert is_positive(Ein(x))
    assert is_positive(-Ein(-x))
    assert not is_positive(Ein(z))
    assert not is_positive(-Ein(z))
    t = Symbol("t", positive=True)
    assert leading(Ein(1 / t), t) == leading(1 / t, t)
    assert leading(Ein(t), t) == leading(log(t), t)
    assert leading(Ein(-t), t) is None
    assert Ein(S.Zero) == 0
    assert decide_zero(Ein(x) - Ein(x + 1)).verdict is REFUTED
    assert decide_zero(Ein(2 * x) - Ein(x + x)).verdict is PROVED
    assert decide_zero(Ein(x) - EulerGamma - log(x) - expint(1, x)).verdict is not REFUTED


@pytest.mark.parametrize("number", ["1/1000", "1/2", "1", "7/2", "40"])
def test_numbers_and_balls_are_those_of_mpmath(number):
    given = Rational(number)
    right = exact(mpmath.mpf(int(given.p)) / int(given.q))
    assert abs(float(Ein(given).evalf(30)) - float(right)) <= 1e-15 * float(right)
    ball = BALL_FUNCTIONS[Ein](ball_of(given))
    assert abs(float(ball.mid()) - float(right)) < 1e-12
    assert float(ball.rad()) < 1e-9


def test_no_ball_has_a_value_where_the_formula_has_none():
    for number in (S.Zero, Rational(-1, 2)):
        assert not BALL_FUNCTIONS[Ein](ball_of(number)).is_finite()
