"""Zero tests by identities and rules: each rule proves its identities, and none of their false
twins, in which one hypothesis of the rule fails.
"""

import random

import mpmath
import pytest
from sympy import (
    Abs,
    Expr,
    Function,
    Interval,
    Rational,
    Symbol,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    exp,
    gamma,
    lambdify,
    log,
    loggamma,
    oo,
    pi,
    polygamma,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from sympy.core.function import AppliedUndef

from recipe import Scalar, Vector, total
from recipe.declare.where import read_conditions
from recipe.language.assumed import under
from recipe.language.phi import Phi
from recipe.language.total import labels
from verify.decide.identities.algebraic_number import is_zero_number
from verify.decide.identities.gammas import rewrite_gammas
from verify.decide.zero.by_turns import count_turns
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.equal_arguments import unite_arguments
from verify.decide.zero.form import read
from verify.decide.zero.prove_by_rules import is_zero_by_identities
from verify.verdict import Verdict

R = Rational
x, y = Scalar("x"), Scalar("y")
p = Scalar("p", domain=Interval.open(0, oo))
u = Scalar("u", domain=Interval.open(0, 1))
theta = Vector("theta")
q = Vector("q", domain=Interval.open(0, oo))
d = theta.dim
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
b = Symbol("b", real=True)
off = Symbol("off", real=True, nonzero=True)
n = Symbol("n", integer=True, positive=True)
h = Function("h")
FAR = 10**4  # beyond every point that is tried

TRUE = {
    "multiple angles": sin(5 * x) - 16 * sin(x) ** 5 + 20 * sin(x) ** 3 - 5 * sin(x),
    "sum of angles": sin(x + 2 * y) - sin(x) * cos(2 * y) - 2 * cos(x) * sin(y) * cos(y),
    "half angle": tan(x / 2) * (1 + cos(x)) - sin(x),
    "thirds of a turn": sin(x) + sin(x + 2 * pi / 3) + sin(x + 4 * pi / 3),
    "sevenths of a turn": cos(x + pi / 7) * (cos(pi / 7) - cos(2 * pi / 7) + cos(3 * pi / 7))
    - cos(x) * cos(pi / 7) / 2
    + sin(x) * sin(pi / 7) / 2,
    "angle of an arctangent": cos(atan(x) / 2) ** 2 - (1 + 1 / sqrt(1 + x**2)) / 2,
    "trigonometric argument": cosh(2 * cos(2 * x)) - 1 - 2 * sinh(1 - 2 * sin(x) ** 2) ** 2,
    "asinh": sinh(3 * asinh(x)) - 4 * x**3 - 3 * x,
    "atanh": tanh(atanh(u) / 2) - u / (1 + sqrt(1 - u**2)),
    "acosh": acosh(2 * p**2 + 4 * p + 1) - 2 * acosh(p + 1),
    "asin": cos(2 * asin(u)) - 1 + 2 * u**2,
    "gamma": loggamma(a + c + 3) - loggamma(a + c) - log((a + c) * (a + c + 1) * (a + c + 2)),
    "triplication": loggamma(3 * a)
    - loggamma(a)
    - loggamma(a + R(1, 3))
    - loggamma(a + R(2, 3))
    - (3 * a - R(1, 2)) * log(3)
    + log(2 * pi),
    "digamma of twice": 2 * polygamma(0, 2 * a)
    - polygamma(0, a)
    - polygamma(0, a + R(1, 2))
    - 2 * log(2),
    "reflection": loggamma(u) + loggamma(1 - u) - log(pi) + log(sin(pi * u)),
    "tetragamma": polygamma(2, a + 2) - polygamma(2, a) - 2 / a**3 - 2 / (a + 1) ** 3,
    "a root of numbers": sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3),
    "cube roots": (20 + 14 * sqrt(2)) ** R(1, 3) + (20 - 14 * sqrt(2)) ** R(1, 3) - 4,
    "cosines of numbers": cos(pi / 7) * cos(2 * pi / 7) * cos(4 * pi / 7) + R(1, 8),
    "a coefficient": x * sqrt(3 + 2 * sqrt(2)) - x * sqrt(2) - x,
    "a root": sqrt(2 * p + 1 + 2 * sqrt(p * (p + 1))) - sqrt(p) - sqrt(p + 1),
    "roots of roots": sqrt((1 + sqrt(1 - u**2)) / 2) + sqrt((1 - sqrt(1 - u**2)) / 2) - sqrt(1 + u),
    "a root of a sine": sqrt(1 + sin(u)) - sin(u / 2) - cos(u / 2),
    "logarithms": 3 * log(1 + sqrt(2)) - log(7 + 5 * sqrt(2)),
    "logarithms with factors": b * (log(sqrt(2) + 1) + log(sqrt(2) - 1)),
    "powers": p ** log(a) - a ** log(p),
    "arctangents of numbers": 12 * atan(R(1, 18))
    + 8 * atan(R(1, 57))
    - 5 * atan(R(1, 239))
    - pi / 4,
    "arctangents of roots": 2 * atan((sqrt(5) - 1) / 2) - atan(2),
    "arctangents": atan(a / c) + atan(c / a) - pi / 2,
    "half an arctangent": 2 * atan(x / (1 + sqrt(1 + x**2))) - atan(x),
    "Gudermann": atan(sinh(x)) - 2 * atan(tanh(x / 2)),
    "arctangents in totals": total(atan(theta + 1) - atan(theta))
    + total(atan(1 + theta + theta**2))
    - d * pi / 2,
    "equal arguments": total(h(sin(theta) ** 2)) - total(h((1 - cos(2 * theta)) / 2)),
    "arguments in arguments": h(h(atan(p))) - h(h(pi / 2 - atan(1 / p))),
    "an argument without its coordinate": total(h(sin(theta) ** 2 + cos(theta) ** 2)) - d * h(1),
}

TRUE |= {
    "a size with one sign": Abs(u - 2) + u - 2,
    "a size that is a root": Abs(cos(u / 2)) - sqrt((1 + cos(u)) / 2),
}

e_of_roots = (
    (sqrt(5 + 2 * sqrt(6)) + sqrt(2) + sqrt(3))
    * (1 + sqrt(2) + sqrt(3) + sqrt(6 + 2 * sqrt(2) + 2 * sqrt(3) + 2 * sqrt(6)))
    / (1 + sqrt(5 + 2 * sqrt(6)) + sqrt(6 + 2 * sqrt(2) + 2 * sqrt(3) + 2 * sqrt(6)))
)  # 6.29: a conjugate of its denominator is 0
side, other = sign(x), sign(FAR - x)
e_of_signs = (1 - other) * (1 + side) / (2 + side + other)  # 2 beyond FAR, else 0
H1, H2 = h(2 * atan(tanh(x / 2))), h(atan(sinh(x)))  # equal

# what a point refutes
FALSE = {
    "angle": sin(3 * x) - 3 * sin(x) + 4 * sin(x) ** 3 + R(1, 10**25) * cos(x),
    "half angle with a root": cos(x / 2) - sqrt((1 + cos(x)) / 2),
    "other thirds": sin(x) + sin(x + 2 * pi / 3) + sin(x + 5 * pi / 3),
    "half an arctangent": sin(atan(x) / 2) - sqrt((1 - 1 / sqrt(1 + x**2)) / 2),
    "asin beyond a quarter": asin(sin(3 * x)) - 3 * x,
    "step of gamma": loggamma(a + 1) - loggamma(a) - log(a + 1),
    "sign of trigamma": polygamma(1, a + 1) - polygamma(1, a) - 1 / a**2,
    "duplication": loggamma(2 * a) - loggamma(a) - loggamma(a + R(1, 2)) - (2 * a - 1) * log(2),
    "reflection": loggamma(u) + loggamma(1 - u) - log(pi) - log(sin(pi * u)),
    "other branch of a root": sqrt(3 - 2 * sqrt(2)) - 1 + sqrt(2),
    "conjugate roots": sqrt(4 + sqrt(7)) - sqrt(4 - sqrt(7)) + sqrt(2),
    "a tiny number": sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3) + R(1, 10**60),
    "the other root": sqrt(2 * p + 1 - 2 * sqrt(p * (p + 1))) - sqrt(p) + sqrt(p + 1),
    "a root of a sine": sqrt(1 + sin(x)) - sin(x / 2) - cos(x / 2),
    "logarithms": log(sqrt(2) + 1) + log(sqrt(2) - 1) - R(1, 10**40),
    "Machin": 4 * atan(R(1, 5)) - atan(R(1, 238)) - pi / 4,
    "Machin and a turn": 4 * atan(R(1, 5)) - atan(R(1, 239)) + 3 * pi / 4,
    "arctangents on the line": atan(x) + atan(1 / x) - pi / 2,
    "arctangents on both sides": atan(off) + atan(1 / off) - pi / 2,
    "one length": atan(d) - pi / 4,
    "in totals": total(atan(theta) + atan(1 / theta)) - d * pi / 2,
    "arguments": h(sin(2 * x)) - h(2 * sin(x) * cos(2 * x)),
    "arguments at two coordinates": total(h(theta)) ** 2 - total(h(theta) ** 2),
    "coordinates": total(theta * total(h(theta))) - total(theta * h(theta)),
    "roots": e_of_roots,
    **{f"{f} of roots": f(e_of_roots) for f in (atan, sin, erf)},
}

# false where no point is tried, or without a value
FALSE_UNSEEN = {
    "a root beyond its kink": sqrt(x**2 - 2 * FAR * x + FAR**2) - FAR + x,
    "arctangents far away": atan(x - FAR) + atan(1 / (x - FAR)) + pi / 2,
    "twice an arctangent": 2 * atan(p / FAR) - atan(2 * FAR * p / (FAR**2 - p**2)),
    "whole numbers": atan(n - FAR - R(1, 2)) + atan(1 / (n - FAR - R(1, 2))) + pi / 2,
    "lengths": atan(d - FAR - R(1, 2)) + atan(1 / (d - FAR - R(1, 2))) + pi / 2,
    "sides": sign(x + FAR) - 1,
    "a kink": Abs(x - FAR) + x - FAR,
    "in totals far away": total(atan(q / FAR - 1) + atan(1 / (q / FAR - 1))) + d * pi / 2,
    "arguments far away": h(atan(x - FAR) + atan(1 / (x - FAR))) - h(-pi / 2),
    "signs": e_of_signs,
    "signs in a total": total(e_of_signs.xreplace({x: theta})),
    "factors of signs": total(
        ((1 + side) * (1 - other) / (2 + side + other) - (1 + side - other - side * other) / 4)
        .xreplace({x: FAR - theta})
        .xreplace({theta: 2 * FAR - theta})
    ),
    "log of signs": log(1 + e_of_signs),
    "exp of signs": exp(e_of_signs) - 1,
    "root of signs": sqrt(1 + e_of_signs) - 1,
    "gamma of signs": loggamma(2 + e_of_signs),
    "no value": Phi(1, x) * atan(e_of_roots),
    "equal functions": (1 + (H1 - H2) ** 2) * atan(e_of_roots),
    **{f"{f} of signs": f(e_of_signs) for f in (atan, sin, erf)},
}


@pytest.mark.parametrize("name", TRUE)
def test_an_identity_is_proved(name):
    assert decide_zero(TRUE[name]).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", FALSE)
def test_a_false_twin_is_refuted(name):
    assert decide_zero(FALSE[name]).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", FALSE_UNSEEN)
def test_a_false_twin_is_not_proved_where_no_point_refutes_it(name):
    assert decide_zero(FALSE_UNSEEN[name]).verdict is not Verdict.PROVED


def test_a_domain_that_conditions_part_is_not_connected():
    e = atan(b) + atan(1 / b) - pi / 2
    with under(read_conditions([b**2 >= FAR**2])):
        assert decide_zero(e).verdict is not Verdict.PROVED


# -- single rules, which is_zero_in_general_position guards otherwise
# --------------------------------------------------------------------------------------------------


def test_a_sum_of_arctangents_may_be_another_multiple_of_pi():
    machin = 4 * atan(R(1, 5)) - atan(R(1, 239)) - pi / 4
    assert count_turns(read(machin), is_zero_by_identities)
    for turns in (-1, 1, 2):
        assert not count_turns(read(machin + turns * pi), is_zero_by_identities)
        assert not is_zero_by_identities(machin + turns * pi)


def test_a_reflected_gamma_stays_where_its_coordinate_is_bound():
    """The other argument is ``1 - x`` at every coordinate, but does not look so."""
    e = gamma(x) + total(gamma(sin(theta) ** 2 + cos(theta) ** 2 - x))
    assert labels(rewrite_gammas(e, normalised)) == set()


def test_an_argument_stays_where_its_coordinate_is_bound():
    one = sqrt(2 + 2 * sqrt(3 - 2 * sqrt(2)) - 2 * sqrt(2) + 3) / sqrt(3)  # longer than the next
    e = total(h(sin(theta) ** 2 + cos(theta) ** 2)) - d * h(one)
    assert labels(unite_arguments(e, (AppliedUndef,), lambda _: True)) == set()
    assert decide_zero(e).verdict is Verdict.PROVED


def test_what_has_no_value_in_general_position_is_not_proved():
    e = Phi(1, x) - Phi(1, x + sin(2 * x) - 2 * sin(x) * cos(x))
    assert not is_zero_by_identities(e)


# -- numbers
# --------------------------------------------------------------------------------------------------


def random_number(chance: random.Random, depth: int) -> Expr:
    """A positive number with roots."""
    if depth == 0:
        return R(chance.randint(1, 6), chance.randint(1, 4))
    some, more = (random_number(chance, depth - 1) for _ in range(2))
    return chance.choice(
        (some + more, some * more, some / more, some ** R(1, chance.randint(2, 3)))
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_number_is_zero_where_its_powers_are_multiplied_out(seed):
    """``root(r^k) - r`` with r written out is zero, and no other such number is."""
    chance = random.Random(seed)
    r, k = random_number(chance, 2) + sqrt(chance.randint(2, 7)), chance.randint(2, 3)
    e = (r**k).expand() ** R(1, k) - r
    assert is_zero_number(e)
    tiny = R(1, 10 ** chance.randint(20, 90))
    assert not is_zero_number(e + tiny)
    assert not is_zero_number(e * 10**80 + r)


@pytest.mark.parametrize("e", [pi - pi.evalf(40), exp(1) - 2, x - x**2, log(2), sqrt(pi) - 1])
def test_what_is_no_algebraic_number_is_not_judged(e):
    assert not is_zero_number(e)


# -- random identities and near misses, against high precision arithmetic
# --------------------------------------------------------------------------------------------------

CASES_PER_SEED = 4
DIGITS = 60


def random_argument(chance: random.Random) -> Expr:
    k, m = chance.randint(1, 3), chance.randint(1, 2)
    return chance.choice((k * x, x / k, m * x + k * y, sin(x) * k, exp(x / k), tanh(x) + m))


def random_case(chance: random.Random) -> Expr:
    """An identity in a random argument, with one of its numbers changed in half of all cases."""
    t, k = random_argument(chance), chance.choice((1, 2))
    wrong = chance.choice((1, 1, 2, -1))
    v = 1 + t**2
    return chance.choice(
        (
            sin(2 * k * t) - wrong * 2 * sin(k * t) * cos(k * t),
            tan(k * t) * (1 + cos(2 * k * t)) - wrong * sin(2 * k * t),
            cos(2 * atan(t)) - (1 - wrong * t**2) / v,
            atan(v / k) + wrong * atan(k / v) - pi / 2,
            2 * atan(t) - wrong * atan(2 * t / (1 - t**2)),
            atan(t) + atan(wrong / t) - pi / 2,
            2 * atan(t / (1 + sqrt(v))) - wrong * atan(t),
            sqrt(2 * v + 2 * sqrt(v**2 - wrong**2)) - sqrt(v + 1) - sqrt(v - 1),
            sqrt(v + 2 * t) - wrong * (1 + t),
            sqrt(v**2 + 1 + 2 * v) - wrong * (1 + v),
            log(v + sqrt(v**2 - 1)) + wrong * log(v - sqrt(v**2 - 1)),
            asinh(t) + asinh(-wrong * t),
            loggamma(v + k) - loggamma(v + k - 1) - wrong * log(v + k - 1),
            polygamma(1, v + k) - polygamma(1, v + k - 1) + wrong / (v + k - 1) ** 2,
            sqrt((cosh(t) + wrong) / 2) - cosh(t / 2),
        )
    )


def values(e: Expr, chance: random.Random) -> list[mpmath.mpf]:
    """Values at random points, where the expression has a real one, near and far from 0."""
    found = []
    f = lambdify((x, y), e, modules="mpmath")
    with mpmath.workdps(DIGITS):
        for _ in range(40):
            size = 10 ** chance.uniform(-2, 1.5)
            at = [mpmath.mpf(chance.uniform(-size, size)) for _ in range(2)]
            try:
                value = mpmath.mpmathify(f(*at))
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            if value.imag == 0 and abs(value.real) < mpmath.mpf(10) ** 20:
                found.append(value.real)
    return found


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(k, marks=pytest.mark.slow) for k in range(8, 60))]
)
def test_what_is_proved_is_zero_in_many_digits(seed):
    chance = random.Random(seed)
    for _ in range(CASES_PER_SEED):
        e = random_case(chance)
        seen = values(e, chance)
        if decide_zero(e).verdict is Verdict.PROVED:
            assert seen
            assert max(map(abs, seen)) < mpmath.mpf(10) ** -20, e
        elif seen and decide_zero(e).verdict is Verdict.REFUTED:
            assert max(map(abs, seen)) > mpmath.mpf(10) ** -40, e
