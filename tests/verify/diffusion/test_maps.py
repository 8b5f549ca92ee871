"""Changes of variable: what may be written, what is found, and what is proved of them."""

import itertools
from fractions import Fraction
from random import Random

import mpmath
import pytest
import sympy
from helpers.outcomes import outcome_of
from sympy import (
    Abs,
    Interval,
    Lambda,
    Poly,
    Rational,
    S,
    Symbol,
    cbrt,
    exp,
    log,
    oo,
    sin,
    sinh,
    sqrt,
)

from recipe import Potential, Recipe, RecipeError, Vector, corv, derive, grad, ito, maps, total
from recipe.declare.transformations.map import PHI, Map, as_map
from verify import verify
from verify.diffusion.change_of_variable.limits import limit_at
from verify.diffusion.change_of_variable.lipschitz import decide_lipschitz, decide_lipschitz_drift
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.onto import decide_onto
from verify.diffusion.change_of_variable.roots import range_of, roots_inside, sign_of
from verify.diffusion.change_of_variable.smooth import decide_smooth
from verify.diffusion.change_of_variable.variable import Variable, Y, fraction
from verify.verdict import Verdict

PROVED, REFUTED, UNDECIDED = Verdict
HALF_LINE, UNIT, AROUND = Interval.open(0, oo), Interval.open(0, 1), Interval.open(-1, 1)
x = Symbol("x", real=True)
a = Symbol("a", positive=True)


def given(f, inverse=None, domain=S.Reals) -> Map:
    return Map(
        "f", Lambda(PHI, f(PHI)), None if inverse is None else Lambda(PHI, inverse(PHI)), domain
    )


# name: the map, the domain of theta, sup |f'|, sup |(log f')'|, sup |(log f')''|; None where there
# is no bound
LIBRARY = {
    "exp": (maps.exp, HALF_LINE, None, 1, 0),
    "softplus": (maps.softplus, HALF_LINE, 1, 1, Rational(1, 4)),
    "sigmoid": (maps.sigmoid, UNIT, Rational(1, 4), 1, Rational(1, 2)),
    "arctan": (maps.arctan, AROUND, 2 / sympy.pi, 1, 2),
    "softsign": (maps.softsign, AROUND, 1, 2, 2),
    "tanh": (maps.tanh, AROUND, 1, 2, 2),
    "log_odds": (maps.log_odds, S.Reals, None, None, None),
    "complementary_log_log": (maps.complementary_log_log, UNIT, exp(-1), None, None),
}
MORE = {
    "affine": (as_map(lambda p: 3 - 2 * p), S.Reals, 2, 0, 0),
    "falling": (as_map(lambda p: exp(-p)), HALF_LINE, None, 1, 0),
    "sinh": (as_map(sinh), S.Reals, None, 1, 1),
    "shifted": (
        as_map(
            lambda p: 1 + a / (1 + exp(-p / 3)), inverse=lambda t: 3 * log((t - 1) / (1 + a - t))
        ),
        None,
        a / 12,
        None,
        None,
    ),
    "rational": (as_map(lambda p: p / (1 + p), domain=HALF_LINE), UNIT, 1, 2, 2),
    "twice": (given(lambda p: p + exp(p)), S.Reals, None, 1, Rational(1, 4)),
}
ALL = LIBRARY | MORE


# -- what may be written
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f", [sympy.exp, sinh, lambda p: exp(-2 * p), lambda p: 2 * p + 1, Lambda(x, log(1 + exp(x)))]
)
def test_an_inverse_is_found_and_proved(f):
    found = as_map(f)
    domain = HALF_LINE if found.inverse.expr.has(log) and f is not sinh else S.Reals
    assert decide_onto(found, domain).verdict is PROVED


@pytest.mark.parametrize(
    ("f", "words"),
    [
        ("exp(p)", "write a function of one symbol"),
        (3, "write a function of one symbol"),
        (sympy.sign, "jumps"),
        (lambda p: 3 + 0 * p, "does not depend on its variable"),
        (lambda p, q: p, "could not be called with one symbol"),
        (lambda p: Abs(p - 1), "outside the language"),
        (lambda p: p * Vector("r"), "no parameter"),
        (lambda p: p + exp(p), "no inverse of phi + exp(phi) on Reals was found; give it"),
        (lambda p: p**2, "no inverse"),
        (Lambda((x, a), x + a), "one number"),
    ],
)
def test_what_is_no_map_is_refused(f, words):
    with pytest.raises(
        RecipeError, match=words.replace("(", r"\(").replace(")", r"\)").replace("+", r"\+")
    ):
        as_map(f)


def test_a_map_needs_a_real_variable_and_an_interval():
    free = Symbol("p")
    with pytest.raises(RecipeError, match="must be declared real"):
        Map("f", Lambda(free, exp(free)), None, S.Reals)
    with pytest.raises(RecipeError, match="must be an Interval"):
        Map("f", Lambda(PHI, exp(PHI)), None, sympy.FiniteSet(1))
    with pytest.raises(RecipeError, match="has its inverse"):
        as_map(maps.exp, inverse=log)


# -- what is proved
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_map_is_monotone_and_onto(name):
    f, domain, *_ = ALL[name]
    assert decide_monotone(f).verdict is PROVED
    if domain is not None:
        assert decide_onto(f, domain).verdict is PROVED


@pytest.mark.parametrize("name", ALL)
def test_the_bounds_are_those_expected(name):
    f, _, slope, bend, curve = ALL[name]
    lipschitz, drift = decide_lipschitz(f), decide_lipschitz_drift(f)
    if slope is None:
        assert lipschitz.verdict is REFUTED
    elif not f.forward.expr.has(a):
        assert lipschitz.verdict is PROVED
        assert lipschitz.by == f"Lipschitz with the constant sup |f'| = {slope}"
    if f is maps.softsign:
        assert drift.verdict is REFUTED
        assert drift.witness.finding == "(log f')' goes from 2 to -2 there"
    elif f.forward.expr.has(a):
        assert lipschitz.verdict is not REFUTED
        assert drift.verdict is not REFUTED
    elif curve is None:
        assert drift.verdict is REFUTED
    else:
        assert drift.by == f"|(log f')'| <= {bend}, |(log f')''| <= {curve}"


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", [name for name in ALL if name != "shifted"])
def test_numbers_agree_with_the_bounds(name):
    """Plain differences in 40 digits at many points: none exceeds a bound, and some come close to
    it.
    """
    f, _, *bounds = ALL[name]
    value = sympy.lambdify(f.forward.variables, f.forward.expr, "mpmath")
    low, high = f.domain.start, f.domain.end
    slope, bend, curve = [], [], []
    with mpmath.workdps(60):
        for k in range(-300, 301):
            at = mpmath.mpf(k) / 12 + mpmath.mpf(1) / 1000
            p = at if low == -oo else mpmath.exp(at) if high == oo else 1 / (1 + mpmath.exp(-at))
            first, second, third = (
                mpmath.diff(value, p, n, h=mpmath.mpf(10) ** -15) for n in (1, 2, 3)
            )
            if abs(first) > 1e-12:
                slope.append(abs(first))
                bend.append(abs(second / first))
                curve.append(abs(third / first - (second / first) ** 2))
    for found, bound in zip((slope, bend, curve), bounds, strict=True):
        if bound is not None:
            assert max(found) <= float(bound) * (1 + 1e-3) + 1e-4
            assert max(found) >= float(bound) * 0.98 - 1e-4


WRONG = {
    "cube": (given(lambda p: p**3, cbrt), "f' = 3*phi**2 is 0 there", {"phi": "0"}),
    "square": (given(lambda p: p**2, sqrt), "f' = 2*phi is 0 there", {"phi": "0"}),
    "wave": (given(lambda p: p + 2 * sin(p)), "is negative there, and positive at phi", None),
    "valley": (given(lambda p: exp(p) + 2 * exp(-p)), "is 0 there", {"phi": "log(sqrt(2))"}),
    "steep valley": (
        given(lambda p: exp(p) + exp(-2 * p)),
        "is negative there, and positive at phi = 1/2",
        {"phi": "0"},
    ),
    "corner": (given(lambda p: 2 * p + Abs(p)), "f' goes from 1 to 3 there", {"phi": "0"}),
    "flat": (given(lambda p: p * Abs(p)), "f' is 0 there", {"phi": "0"}),
    "high": (given(lambda p: p**5 - p - 1), "is negative there, and positive at phi", None),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_monotone_is_refuted_at_a_point(name):
    f, finding, point = WRONG[name]
    outcome = decide_monotone(f)
    assert outcome.verdict is REFUTED
    assert finding in outcome.witness.finding
    assert point is None or outcome.witness.point == point
    assert decide_onto(f, S.Reals).verdict is UNDECIDED
    assert decide_lipschitz(f).verdict is UNDECIDED


def test_a_sine_is_monotone_by_structure_and_nothing_more_is_said():
    f = given(lambda p: p + sin(p) / 2)
    assert decide_monotone(f).verdict is PROVED
    assert decide_onto(f, S.Reals).verdict is PROVED
    assert decide_lipschitz(f).verdict is UNDECIDED


def test_a_sign_that_depends_on_a_parameter_is_not_guessed():
    b = Symbol("b", real=True)
    assert decide_monotone(given(lambda p: b * p)).verdict is not PROVED
    assert decide_monotone(given(lambda p: p**3 + a * p)).verdict is not REFUTED
    assert decide_monotone(given(lambda p: p**3 - a * p)).verdict is not PROVED


@pytest.mark.parametrize(
    ("f", "domain", "finding"),
    [
        (
            maps.sigmoid,
            HALF_LINE,
            "f goes to 1 as phi goes to oo, and the domain of theta goes on to oo",
        ),
        (maps.exp, UNIT, "f goes to oo as phi goes to oo, beyond the end 1 of the domain"),
        (
            maps.exp,
            S.Reals,
            "f goes to 0 as phi goes to -oo, and the domain of theta goes on to -oo",
        ),
        (maps.tanh, UNIT, "f goes to -1 as phi goes to -oo, beyond the end 0 of the domain"),
        (
            MORE["falling"][0],
            Interval.open(1, oo),
            "f goes to 0 as phi goes to oo, beyond the end 1 of the domain",
        ),
    ],
)
def test_a_map_that_misses_the_domain_is_refuted_with_its_limit(f, domain, finding):
    outcome = decide_onto(f, domain)
    assert outcome.verdict is REFUTED
    assert outcome.witness.finding == finding


def test_an_end_that_belongs_to_the_domain_is_said_to_be_missed():
    outcome = decide_onto(maps.exp, Interval(0, oo))
    assert outcome.verdict is PROVED
    assert "but for 0, which has no probability" in outcome.by


@pytest.mark.parametrize(
    ("f", "inverse", "domain"),
    [
        (exp, lambda t: log(t) + 1, HALF_LINE),
        (exp, lambda t: 2 * log(t), HALF_LINE),
        (lambda p: 2 * sympy.atan(p) / sympy.pi, lambda t: sympy.tan(sympy.pi * t), AROUND),
        (lambda p: p / (1 + Abs(p)), lambda t: t / (1 + Abs(t)), AROUND),
    ],
)
def test_a_wrong_inverse_does_not_pass(f, inverse, domain):
    outcome = decide_onto(given(f, inverse), domain)
    assert outcome.verdict is not PROVED


def test_a_wrong_inverse_is_refuted_at_a_point():
    outcome = decide_onto(given(exp, lambda t: log(t) + 1), HALF_LINE)
    assert outcome.verdict is REFUTED
    assert outcome.witness.finding.startswith("f(g(theta)) - theta")


def test_an_inverse_with_a_hole_is_not_proved():
    assert (
        decide_onto(given(exp, lambda t: log((t**2 - t) / (t - 1))), HALF_LINE).verdict is UNDECIDED
    )


def test_an_inverse_with_a_kink_of_its_own_is_looked_at_there():
    for inverse in (
        lambda t: (t**2 + t**2 * Abs(t)) / (2 * t + 2 * t * Abs(t)),  # no value at 0
        lambda t: (t**2 + t * Abs(t)) / (2 * (t + Abs(t))),  # nor anywhere below
    ):
        assert decide_onto(given(lambda p: 2 * p, inverse), S.Reals).verdict is UNDECIDED
    whole = given(lambda p: 2 * p, lambda t: (t + t * Abs(t)) / (2 + 2 * Abs(t)))
    assert decide_onto(whole, S.Reals).verdict is PROVED


def test_a_map_with_a_corner_is_refused_by_name():
    theta = Vector("theta")
    recipe = Recipe((theta,), Potential("U", theta), 1, 0)
    for transform in (ito, corv):
        with pytest.raises(
            RecipeError,
            match=r"phi \+ Abs\(phi\)/2 is not differentiable at 0, where f' goes from 1/2 to 3/2",
        ):
            transform(recipe, theta, lambda p: p + Abs(p) / 2, inverse=lambda t: t - Abs(t) / 3)


def test_softsign_has_a_jump_in_its_second_derivative():
    outcome = decide_smooth(maps.softsign)
    assert outcome.verdict is REFUTED
    assert "f is C^1 only" in outcome.by
    assert outcome.witness.finding == "f'' goes from 2 to -2 there"
    assert (
        decide_smooth(given(lambda p: p + Abs(p) ** 3)).witness.finding
        == "f''' goes from -6 to 6 there"
    )
    assert all(
        decide_smooth(f).verdict is PROVED for f, *_ in LIBRARY.values() if f is not maps.softsign
    )


# -- steps at the boundary
# --------------------------------------------------------------------------------------------------


def transformed(name, transform):
    f, domain, *_ = ALL[name]
    theta = Vector("theta", domain=domain)
    return transform(Recipe((theta,), Potential("U", theta), 1, 0), theta, f)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", LIBRARY)
def test_one_step_of_ito_diverges_at_the_boundary_and_one_of_corv_does_not(name):
    """Against plain numbers, for U' = 1: farther and farther out drift and noise grow without
    bound, or stay as they are.
    """
    f, domain, *_ = ALL[name]
    for transform in (ito, corv):
        recipe = transformed(name, transform)
        outcome = outcome_of(verify(recipe), "boundary-step")
        if domain == S.Reals:
            assert outcome.verdict is PROVED
            assert "no finite edge" in outcome.by
            continue
        diverges = transform is ito or f is maps.complementary_log_log
        assert outcome.verdict is (REFUTED if diverges else PROVED)
        assert diverges or any("dU/dtheta" in line for line in outcome.assumptions)
        ends = [end for end, edge in ((-1, domain.start), (1, domain.end)) if edge.is_finite]
        sizes = [[size_at(recipe, f, end * at) for end in ends] for at in (4, 8, 12)]
        assert (max(sizes[2]) > 3 * max(sizes[1]) > 9 * max(sizes[0])) is diverges


def test_a_derivative_by_another_block_may_be_unbounded_at_the_edge_and_is_named():
    """U = psi^2 log(theta) has dU/dpsi -> -oo as theta goes to 0, whatever the map."""
    theta = Vector("theta", domain=HALF_LINE)
    psi = Vector("psi", like=theta)
    recipe = corv(
        Recipe((theta, psi), Potential("U", theta, psi), sympy.eye(2), sympy.zeros(2)),
        theta,
        maps.softplus,
    )
    outcome = outcome_of(verify(recipe), "boundary-step")
    assert outcome.verdict is PROVED
    assert set(outcome.assumptions) == {
        "dU/dpsi stays bounded at the edge",
        "dU/dtheta stays bounded at the edge",
    }
    concrete = Recipe(
        (theta, psi),
        total(psi**2 * log(theta) + psi**2 * (1 + theta) + theta),
        sympy.eye(2),
        sympy.zeros(2),
    )
    assert (
        outcome_of(verify(corv(concrete, theta, maps.softplus)), "boundary-step").verdict
        is not PROVED
    )


def size_at(recipe, f, at):
    """The larger of |drift| and D at a point, by plain sympy."""
    (phi,) = recipe.state
    derivation = derive(recipe).dynamics
    drift, diffusion = derivation.drift[phi], derivation.diffusion[phi, phi].diagonal
    U = Potential("U", phi.image)
    scale = (
        40
        if f in (maps.arctan, maps.softsign)
        else 1
        if f is not maps.complementary_log_log
        else Rational(2, 5)
    )
    point = {grad(U, phi.image): S.One, phi: scale * at}
    return max(abs(float(e.subs(point))) for e in (drift, diffusion))


def test_what_is_taken_of_the_law_says_in_which_coordinates():
    """On (-1, 1) every U goes to infinity at infinity; what is needed is that it does so at both
    ends.
    """
    theta = Vector("theta", domain=AROUND)
    r = Vector("r", like=theta)
    friction, canonical = sympy.Matrix([[0, 0], [0, a]]), sympy.Matrix([[0, -1], [1, 0]])
    recipe = corv(
        Recipe((theta, r), Potential("U", theta) + total(r**2) / 2, friction, canonical),
        theta,
        maps.tanh,
    )
    outcome = outcome_of(verify(recipe), "non-explosion")
    assert outcome.verdict is PROVED
    assert (
        "U goes to infinity at infinity, as a function of phi with theta = tanh(phi)"
        in outcome.assumptions
    )


# -- the derivative and the roots, by slow means
# -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f", [maps.softsign, given(lambda p: p * Abs(p) + p), given(lambda p: exp(-Abs(p)) * p)]
)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_at_a_kink_are_those_of_each_side(f, order):
    for side in (1, -1):
        branch = f.forward.expr.xreplace({Abs(PHI): side * PHI}).diff(PHI, order)
        for size in (Rational(1, 3), Rational(2)):
            assert (
                sympy.simplify(
                    f.derivative(x, order).xreplace({x: side * size})
                    - branch.xreplace({PHI: side * size})
                )
                == 0
            )


def sturm(coefficients, low, high):
    """Different real roots between two numbers that are none, by Sturm's chain of remainders in
    plain fractions.
    """

    def trimmed(p):
        while p and p[0] == 0:
            p = p[1:]
        return p

    def remainder(p, q):
        p = p[:]
        while len(p) >= len(q):
            factor = p[0] / q[0]
            p = [c - factor * (q[k] if k < len(q) else 0) for k, c in enumerate(p)][1:]
        return trimmed(p)

    def value(p, at):
        total = Fraction(0)
        for c in p:
            total = total * at + c
        return total

    def changes(at):
        signs = [v for v in (value(p, at) for p in chain) if v != 0]
        return sum(u * v < 0 for u, v in itertools.pairwise(signs))

    p = trimmed([Fraction(c) for c in coefficients])
    n = len(p) - 1
    chain = [p, trimmed([c * (n - k) for k, c in enumerate(p[:-1])])]
    while chain[-1]:
        chain.append([-c for c in remainder(chain[-2], chain[-1])])
    chain.pop()
    return changes(Fraction(low)) - changes(Fraction(high))


def test_roots_are_counted_as_sturm_does():
    random = Random(5)
    for _ in range(150):
        roots = [random.randint(-3, 3) for _ in range(random.randint(0, 3))]
        irrational = Poly(
            random.choice([1, -2, Y**2 + 1, Y**3 - Y - 1, 3 * Y**2 - 1]), Y, domain="QQ"
        )
        p = irrational
        for root in roots:
            p *= Poly(Y - root, Y, domain="QQ")
        low, high = sorted(random.sample(range(-4, 5), 2))
        for ends in ((low, high), (-100, 100)):
            inside = {root for root in roots if ends[0] < root < ends[1]}
            expected = len(inside) + (
                sturm([int(c) for c in irrational.all_coeffs()], *ends)
                if irrational.degree()
                else 0
            )
            assert (
                roots_inside(p, *((-oo, oo) if ends == (-100, 100) else map(S, ends))) == expected
            ), (p, ends)


def test_a_pole_inside_leaves_signs_and_ranges_open():
    line = Variable(x, None, -oo, oo)
    for e in (1 / (Y - 1) ** 2, 1 / (Y - 1)):
        assert sign_of(fraction(e), line) is None
        assert range_of(e, fraction(e).derivative(), line) is None
    assert sign_of(fraction(1 / (1 + Y**2)), line) == 1


@pytest.mark.parametrize(
    "e",
    [
        1 / (Y - 1),
        1 / (1 - Y),
        1 / (Y - 1) ** 2,
        -2 / Y,
        1 / Y**2,
        (Y - 3) / (Y * (Y - 1)),
        (Y - 3) / Y**3,
    ],
)
def test_limits_at_a_pole_have_the_sign_that_numbers_have(e):
    y = Variable(x, None, S.Zero, S.One)
    for upper, near in ((False, Rational(1, 10**6)), (True, 1 - Rational(1, 10**6))):
        value = e.subs(Y, near)
        limit = limit_at(e, y, upper)
        assert limit == (oo * sympy.sign(value) if abs(value) > 10**4 else e.subs(Y, int(upper)))
