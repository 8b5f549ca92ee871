"""``sqrt(x**2 - 2*x + 1)`` is |x - 1|. Its derivative by the rules of calculus has a jump that the
residual does not show, and stationarity was said to be proved.
"""

import mpmath
import pytest
from sympy import Matrix, Pow, Rational, Symbol, atan, exp, eye, log, sqrt, zeros

from recipe import (
    Noise,
    OutsideLanguageError,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    total,
)
from verify import Verdict, checker, verify
from verify.certificate import certificate_of, write
from verify.engine import outcome_of

PROVED, REFUTED, UNDECIDED = Verdict
x, y = Scalar("x"), Scalar("y")
theta = Vector("theta")
eps = Symbol("epsilon", positive=True)
w = Noise("w", like=x)
SQUARE = x**2 - 2 * x + 1
UNEVALUATED = Pow(Pow(x - 1, 2, evaluate=False), Rational(1, 2), evaluate=False)

# D = |x - 1| exp(H) and no drift: the current is -sign(x - 1), and its divergence is 0 off x = 1.
CLAIM = Update(eps, {x: x + sqrt(2 * eps * sqrt(SQUARE) * exp(x**2 / 2)) * w}, x**2 / 2)


def langevin(H, state=(x,)):
    return Recipe(state, H, eye(len(state)) if len(state) > 1 else 1, zeros(len(state)) or 0)


def test_the_claim_is_not_stationary_by_numbers():
    """L g exp(-H) = |x - 1| g'', whose integral is 2 g(1) and not 0; here for a bump g around 1."""
    with mpmath.workdps(30):
        bump = lambda t: mpmath.exp(-1 / (1 - t**2)) if abs(t) < 1 else mpmath.mpf(0)  # noqa: E731
        flow = mpmath.quad(lambda t: abs(t) * mpmath.diff(bump, t, 2), [-0.99, 0, 0.99])
    assert abs(flow - 2 * mpmath.exp(-1)) < 1e-3


def test_a_jump_of_the_current_is_no_longer_proved_away():
    report = verify(CLAIM)
    assert outcome_of(CLAIM, "stationarity").verdict is UNDECIDED
    assert report.verdict is not PROVED
    assert "where x - 1 = 0" in outcome_of(CLAIM, "stationarity").by


@pytest.mark.parametrize(
    "H",
    [
        SQUARE ** Rational(1, 4) + x**2,
        log(SQUARE) + x**2,
        atan(1 / x) + x**2,
        log(x) + x**2,
    ],
    ids=str,
)
def test_stationarity_by_itself_asks_for_derivatives(H):
    assert outcome_of(langevin(H), "stationarity").verdict is UNDECIDED


@pytest.mark.parametrize(
    ("H", "verdict"),
    [(sqrt(x**2 + y**2), PROVED), (log(x**2 + y**2) + x**2 + y**2, UNDECIDED)],
    ids=str,
)
def test_a_point_of_the_plane_is_found(H, verdict):
    """A bounded current has no flux into it, and a density that is infinite there is another
    matter.
    """
    recipe = langevin(H, (x, y))
    assert outcome_of(recipe, "stationarity").verdict is verdict
    refuted = outcome_of(recipe, "well-defined")
    assert refuted.verdict is REFUTED
    assert refuted.witness.point == {"x": "0", "y": "0"}


def test_a_harmless_power_stays_proved_and_has_no_certificate():
    recipe = langevin(SQUARE ** Rational(3, 2) + x**2)
    assert outcome_of(recipe, "stationarity").verdict is PROVED
    assert outcome_of(recipe, "uniqueness").verdict is UNDECIDED
    with pytest.raises(RecipeError, match="smooth samplers alone"):
        certificate_of(recipe, verify(recipe))


def test_the_checker_asks_by_itself(monkeypatch):
    """A certificate that somebody else wrote has all derivatives by the rules of calculus."""
    monkeypatch.setattr(write, "why_not_smooth", lambda _: None)
    smooth, rough = (langevin(H + x**2) for H in (sqrt(1 + x**2), SQUARE ** Rational(3, 2)))
    found = {r.H: checker.check(certificate_of(r, verify(r))) for r in (smooth, rough)}
    assert found[smooth.H].status == "confirmed"
    assert found[rough.H].status == "not confirmed"
    (open_one,) = [f for f in found[rough.H].findings if f.name == "stationarity"]
    assert "a derivative is taken of what may have none" in open_one.sentence


def test_what_sympy_holds_unevaluated_is_evaluated():
    with pytest.raises(OutsideLanguageError, match=r"Abs\(x - 1\) is outside the language"):
        langevin(UNEVALUATED + x**2)


def test_what_is_bound_to_an_abstract_potential_is_looked_at():
    V = Potential("V", theta)
    recipe = Recipe(theta, V, 1, 0)
    assert outcome_of(recipe, "stationarity").verdict is PROVED
    kinked = bind(recipe, {V: total(sqrt(theta**2 - 2 * theta + 1))})
    assert "the current across theta - 1 = 0" in outcome_of(kinked, "stationarity").facts[0]
    steep = bind(recipe, {V: total((theta**2 - 2 * theta + 1) ** Rational(1, 4))})
    assert outcome_of(steep, "stationarity").verdict is UNDECIDED


def test_a_target_that_differs_by_a_jump_is_another_target():
    """``atan(1/x)`` and ``-atan(x)`` have one derivative and differ by pi on the other side of
    0.
    """
    rule = Update(
        eps, {x: x - eps * (2 * x - 1 / (1 + x**2)) + sqrt(2 * eps) * w}, x**2 + atan(1 / x)
    )
    recipe = Recipe((x,), x**2 - atan(x), 1, 0, update=rule)
    assert outcome_of(recipe, "agrees-with-update").verdict is UNDECIDED


def test_a_marginal_with_a_jump_is_not_proved():
    r = Scalar("r")
    H = x**2 + r**2 + atan(1 / x) + atan(x)
    recipe = Recipe((x, r), H, eye(2), Matrix([[0, -1], [1, 0]]), marginal={x: x**2})
    assert outcome_of(recipe, "marginal").verdict is not PROVED
