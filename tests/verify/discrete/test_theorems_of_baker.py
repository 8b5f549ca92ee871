"""Theorems 2.1 and 3.1 of Baker, Fearnhead, Fox & Nemeth (2018): what is proved, where it ends, and
what is printed in another order.
"""

import mpmath
import numpy as np
import pytest
import sympy
from helpers.outcomes import outcome_of
from sympy import Interval, Lambda, Matrix, Symbol, log, oo

from catalog.scir import a, scir, theta
from recipe import Recipe, Vector, derive, discretise, ito, total
from recipe.declare.transformations.map import PHI, THETA, Map
from recipe.language.data import Parameter
from verify import Verdict, verify
from verify.decide.zero.decide import vanishes
from verify.discrete.exact.law import law_of
from verify.discrete.exact.many_steps import many_steps

PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED
QUARTER = Map(
    "a quarter of the square",
    Lambda(PHI, PHI**2 / 4),
    Lambda(THETA, 2 * sympy.sqrt(THETA)),
    Interval.open(0, oo),
)


def langevin(**more):
    """Of the law of 2 sqrt(theta), where theta is gamma with shape a: a generalised gamma law."""
    phi = Vector("phi", domain=Interval.open(0, oo))
    shape = Parameter("a", like=phi, positive=True)
    H = total(phi**2 / 4 - (2 * shape - 1) * log(phi))
    where = [shape >= 1] if more.get("far_from_the_edge") else []
    return Recipe((phi,), H, Matrix([[1]]), Matrix([[0]]), where=where)


def test_twice_the_root_of_the_square_root_process_is_a_langevin_diffusion():
    """Theorem 2.1: Ito's formula gives D = 1 and the drift of that Langevin diffusion."""
    image = ito(scir, theta, QUARTER)
    (phi,) = image.state
    assert image.D.written == Matrix([[1]])
    drift = derive(image).dynamics.drift[phi]
    wanted = -phi / 2 + (2 * a - 1) / phi
    assert vanishes(drift - wanted.xreplace({a: image.parameters[0]}))


def test_theorem_2_1_holds_where_the_edge_is_not_reached():
    report = verify(langevin(far_from_the_edge=True))
    assert report.verdict is PROVED
    assert outcome_of(report, "boundary").verdict is PROVED


def test_theorem_2_1_needs_a_mirror_at_one_half():
    outcome = outcome_of(verify(langevin()), "boundary")
    assert outcome.verdict is REFUTED
    assert "mirror" in outcome.repair
    assert outcome.witness.point["a"] == "1/2"


# -- Theorem 3.1
# --------------------------------------------------------------------------------------------------


def one_step(s, shape, x, r):
    """E exp(s x') by the transform of a non-central chi-squared number."""
    scale, df = (1 - r) / 2, 2 * shape
    nonc = x * r / scale
    t = s * scale
    return mpmath.exp(nonc * t / (1 - 2 * t)) / (1 - 2 * t) ** (df / 2)


def theorem(s, shapes, x, r, *, reversed_order):
    """The formula that is proved, or the printed one."""
    found = many_steps(law_of(dict(discretise(scir, "exact").rule)[theta], theta), theta, H_STEP)
    N, T = (sympy.lambdify((found.s, found.R), e, "mpmath") for e in (found.N, found.T))
    ordered = shapes[::-1] if reversed_order else shapes
    product = mpmath.mpf(1)
    for m, shape in enumerate(ordered, start=1):
        product *= (N(s, r**m) / N(s, r ** (m - 1))) ** -shape
    return product * mpmath.exp(T(s, r ** len(shapes)) * x)


H_STEP = discretise(scir, "exact").step
SHAPES = [mpmath.mpf(v) for v in (0.3, 2.0, 5.0, 1.1)]


def composed(s, shapes, x, r):
    """The transform after all steps, one step after another from the last one back: each turns
    exp(t x) into a constant times exp(t' x).
    """
    constant, t = mpmath.mpf(1), s
    for shape in reversed(shapes):
        constant *= one_step(t, shape, mpmath.mpf(0), r)
        t = mpmath.log(one_step(t, shape, mpmath.mpf(1), r) / one_step(t, shape, mpmath.mpf(0), r))
    return constant * mpmath.exp(t * x)


@pytest.mark.parametrize("s", [-0.1, -1.0, -7.0])
def test_theorem_3_1_with_the_order_of_the_estimates_put_right(s):
    with mpmath.workdps(30):
        s, x, r = mpmath.mpf(s), mpmath.mpf(3), mpmath.exp(mpmath.mpf(-1) / 3)
        wanted = composed(s, SHAPES, x, r)
        right = theorem(s, SHAPES, x, r, reversed_order=True)
        printed = theorem(s, SHAPES, x, r, reversed_order=False)
        assert abs(right / wanted - 1) < 1e-25
        assert abs(printed / wanted - 1) > 1e-2


def test_theorem_3_1_against_draws():
    """200,000 chains of four steps: five standard errors."""
    rng, r, s = np.random.default_rng(0), np.exp(-1 / 3), -0.7
    x = np.full(200_000, 3.0)
    scale = (1 - r) / 2
    for shape in map(float, SHAPES):
        x = scale * rng.noncentral_chisquare(2 * shape, x * r / scale)
    values = np.exp(s * x)
    found = float(theorem(s, SHAPES, mpmath.mpf(3), mpmath.mpf(r), reversed_order=True))
    assert abs(values.mean() - found) < 5 * values.std() / np.sqrt(values.size)


def test_a_law_of_another_form_has_no_such_transform():
    draw = dict(discretise(scir, "exact").rule)[theta]
    assert many_steps(law_of(draw, theta), theta, H_STEP) is not None
    assert many_steps(law_of(2 * draw, theta), theta, H_STEP) is None
    assert many_steps(law_of(draw, theta), theta, Symbol("other", positive=True)) is not None
