"""Prove the sign of an expression from the assumptions on its symbols, by its structure alone.

``possible_signs`` returns a set that contains the sign of the expression wherever the expression is
defined. It excludes a sign only where a rule below proves it; an unknown form may have every sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from math import factorial
from typing import Any

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Interval,
    Mul,
    Number,
    Poly,
    Pow,
    Rational,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    expand_mul,
    fraction,
    log,
    pi,
    sign,
    sin,
    sinh,
    tanh,
    together,
)
from sympy.core.function import AppliedUndef
from sympy.core.numbers import NumberSymbol

from recipe.language.assumed import assumed, cached, under
from recipe.language.calculus import abstract_atoms, freeze
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.domain import on_simplex
from recipe.language.phi import Phi
from recipe.language.symbols import GENERIC, Scalar, Vector
from recipe.language.total import Total, free_indexed, labels, relabel
from recipe.signs.conditions import signs_by_conditions, signs_of_groups
from recipe.signs.numbers import sign_of_number
from recipe.signs.sets import (
    ANY,
    NEGATIVE,
    NOT_NEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    ZERO,
    Signs,
    products,
    signs_of_sum,
)
from recipe.signs.whole_numbers import signs_at_whole_numbers

# Functions between bounds, by how a sum of them is bounded.
ONE_BY_ONE, AT_ONCE = (sin, cos, tanh), (atan, erf, exp)
TAYLOR_TERMS = 6  # of polynomials that functions are compared with

MAX_ROOTS = 3  # square roots in a sum, of which each doubles the work


def is_positive(e: Expr) -> bool:
    """Return True if the expression is proved positive wherever it is defined."""
    return possible_signs(e) == POSITIVE


def is_nonnegative(e: Expr) -> bool:
    """Return True if the expression is proved nonnegative wherever it is defined."""
    return possible_signs(e) <= NOT_NEGATIVE


def is_nonzero(e: Expr) -> bool:
    """Return True if the expression is proved to vanish nowhere."""
    return 0 not in possible_signs(e)


@cached(maxsize=16384)
def possible_signs(e: Expr) -> Signs:
    """A set, out of -1, 0 and 1, that contains the sign of the expression wherever it is defined
    and the conditions between parameters hold.
    """
    if not assumed():
        return _signs_or_number(e)
    with under(()):
        found = possible_signs(e)
    if len(found) > 1:
        # other rules for sums are not asked for each condition: they would ask for many more signs
        found &= signs_of_groups(e, possible_signs) if isinstance(e, Add) else _signs(e)
    return found if len(found) == 1 else found & signs_by_conditions(e, possible_signs)


def _signs_or_number(e: Expr) -> Signs:
    found = _signs(e)
    if found == ANY and not e.free_symbols:
        known = sign_of_number(e)
        return found if known is None else frozenset({known})
    return found


@singledispatch
def _signs(e: Expr) -> Signs:
    return ANY


@_signs.register(Number)
@_signs.register(NumberSymbol)
def _(e: Expr) -> Signs:
    if e is S.NaN:
        return ANY  # of an expression without a value
    return POSITIVE if e > 0 else NEGATIVE if e < 0 else ZERO


@_signs.register(Symbol)
@_signs.register(AppliedUndef)
def _(e: Expr) -> Signs:
    facts = (
        (e.is_zero, ZERO),
        (e.is_positive, POSITIVE),
        (e.is_negative, NEGATIVE),
        (e.is_nonnegative, NOT_NEGATIVE),
        (e.is_nonpositive, NOT_POSITIVE),
    )
    found = next((signs for fact, signs in facts if fact), ANY)
    return found - ZERO if e.is_nonzero else found


@_signs.register
def _(e: Mul) -> Signs:
    result = POSITIVE
    unknown: dict[Expr, list[Signs]] = {}
    for factor in e.args:
        signs = possible_signs(factor)
        if signs >= NEGATIVE | POSITIVE:
            turned, core = core_of(factor)
            unknown.setdefault(core, []).append(signs)
            signs = frozenset({turned})
        result = products(result, signs)
    for found in unknown.values():  # factors of one core have one sign: two of them are a square
        signs = found[0] if len(found) == 1 else frozenset[int]().union(*found)
        result = products(result, signs if len(found) % 2 else signs - NEGATIVE)
    return _sign_at_whole_numbers(e) if result == ANY else result


def core_of(e: Expr) -> tuple[int, Expr]:
    """Return 1 or -1 and an expression, whose product has the sign of ``e`` wherever ``e`` is
    defined.

    Functions with the sign of their argument are taken off, and so are odd powers and numbers.
    """
    number, e = e.as_coeff_Mul(rational=True)
    turned = -1 if number < 0 else 1
    inside = (
        e.args[0]
        if isinstance(e, sinh | tanh | atan | erf)
        else e.base
        if isinstance(e, Pow) and e.exp.is_Integer and int(e.exp) % 2
        else None
    )
    if inside is None:
        return turned, e
    sign_inside, core = core_of(inside)
    return turned * sign_inside, core


@_signs.register
def _(e: Pow) -> Signs:
    base, power = possible_signs(e.base), e.exp
    if power.is_Integer and int(power) % 2 == 0:
        return POSITIVE if 0 not in base or power < 0 else NOT_NEGATIVE
    if power.is_Integer:
        return base if power > 0 else base - ZERO
    if base == POSITIVE:
        return POSITIVE
    # a symbol that is or may be an integer: negative bases are allowed
    if power.is_integer is not False:
        return NOT_NEGATIVE if power.is_even else ANY
    # a root that is not an integer power is defined for nonnegative bases only, and is nonnegative
    return NOT_NEGATIVE


@_signs.register(exp)
@_signs.register(cosh)
@_signs.register(Phi)  # an integral of an exponential
@_signs.register(NoncentralChiSquared)  # the probability of 0 is 0, as df > 0
def _(e: Expr) -> Signs:
    return POSITIVE


@_signs.register
def _(e: Abs) -> Signs:
    return frozenset(s * s for s in possible_signs(e.args[0]))


@_signs.register(sign)
@_signs.register(sinh)
@_signs.register(tanh)
@_signs.register(atan)
@_signs.register(erf)
def _(e: Expr) -> Signs:
    return possible_signs(e.args[0])


@_signs.register
def _(e: sin) -> Signs:
    """A sine has the sign of its argument between -pi and pi."""
    a = e.args[0]
    return possible_signs(a) if is_positive(pi - a) and is_positive(pi + a) else ANY


@_signs.register
def _(e: cos) -> Signs:
    """A cosine is positive between -pi/2 and pi/2."""
    a = e.args[0]
    return POSITIVE if is_positive(pi / 2 - a) and is_positive(pi / 2 + a) else ANY


@_signs.register
def _(e: log) -> Signs:
    return possible_signs(e.args[0] - 1)


@_signs.register
def _(e: Total) -> Signs:
    return signs_of_sum([possible_signs(e.body)] * 2)  # one or more summands of the same signs


@_signs.register
def _(e: Add) -> Signs:
    signs = signs_of_sum([possible_signs(a) for a in _with_one_number(e)])
    if signs != ANY:
        return signs
    for rule in (
        sign_on_simplex,
        _sign_between_ends,
        _sign_of_quadratic,
        _sign_of_bent,
        _sign_of_exponential,
        _sign_between_bounds,
        _sign_with_logarithm,
        _sign_of_numerator,
        _sign_on_both_sides,
        _sign_from_one_on,
        _sign_with_root,
        _sign_at_whole_numbers,
        _sign_without_one,
        _sign_with_series,
    ):
        found = rule(e)
        if found != ANY:
            return found
    return ANY


def _with_one_number(e: Add) -> list[Expr]:
    """The terms of a sum, in which several numbers such as ``pi/2`` and ``-1`` are one term."""
    numbers = [a for a in e.args if not a.free_symbols]
    if not 1 < len(numbers) < len(e.args):
        return list(e.args)
    return [Add(*numbers), *(a for a in e.args if a.free_symbols)]


def _sign_with_series(e: Add) -> Signs:
    """The signs of ``slope f(u) + rest`` by Taylor's theorem, with f one of cosh, cos and exp."""
    for _, slope, part, at_part in less_taylor_polynomial(e):
        found = signs_of_sum([products(possible_signs(slope), part), possible_signs(at_part)])
        if found != ANY:
            return found
    return ANY


def less_taylor_polynomial(e: Add) -> Iterator[tuple[Expr, Expr, Signs, Expr]]:
    """Yield ``(f(u) - p(u), slope, signs of f(u) - p(u), slope p(u) + rest)`` for a sum ``slope
    f(u) + rest`` with a single function f, and Taylor polynomials p of f at 0.

    By Lagrange's form of the remainder, ``cosh(u) - p(u)`` is not negative, ``exp(u) - p(u)``
    neither if the degree of p is odd, and ``cos(u) - p(u)`` has the sign of the first term left
    out: the cosine lies between each two of its Taylor polynomials that follow one another.
    """
    functions = e.atoms(cosh, cos, exp)
    if len(functions) != 1 or e.has(Total):
        return
    found = affine_at(e, t := functions.pop())
    if found is None:
        return
    (slope, rest), u, terms = found, t.args[0], list[Expr]()
    for k in range(TAYLOR_TERMS):
        degree = k if isinstance(t, exp) else 2 * k
        sign_of_term = (-1) ** k if isinstance(t, cos) else 1
        terms.append(Rational(sign_of_term, factorial(degree)) * u**degree)
        if isinstance(t, exp) and k % 2 == 0:
            continue
        part = NOT_POSITIVE if isinstance(t, cos) and k % 2 == 0 else NOT_NEGATIVE
        remainder = Add(t, *(-term for term in terms), evaluate=False)
        yield remainder, slope, part, (slope * Add(*terms) + rest).expand()


def _sign_at_whole_numbers(e: Expr) -> Signs:
    return signs_at_whole_numbers(e) or ANY


def _sign_without_one(e: Add) -> Signs:
    """The signs of ``c total(f) + rest`` with nonnegative c and f: it is at least ``c f + rest``
    with f at any one coordinate, as ``total(f) - f`` is the sum of f over all others.
    """
    for _, _, at_one in less_one_summand(e):
        if possible_signs(at_one) <= NOT_NEGATIVE:
            return NOT_NEGATIVE
    return ANY


def less_one_summand(e: Add) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(c, total(f) - f, c f + rest)`` of a sum ``c total(f) + rest``, with c and f
    nonnegative, c free of coordinates, and f at a free coordinate of e.
    """
    for t in e.args:
        for s in (a for a in Mul.make_args(t) if isinstance(a, Total)):
            c = t / s
            if labels(c) or not possible_signs(c) <= NOT_NEGATIVE or labels(s):
                continue
            if not possible_signs(s.body) <= NOT_NEGATIVE:
                continue
            for label in sorted(labels(e)):
                one = relabel(s.body, s.index.label, label)
                if any(x.length == s.index.length for x in free_indexed(one)):
                    minus = Mul(S.NegativeOne, one, evaluate=False)
                    yield c, Add(s, minus, evaluate=False), (e - t + c * one).expand()


def _sign_on_both_sides(e: Add) -> Signs:
    """The signs of an expression with ``|x|``, collected over x > 0, x < 0 and x = 0."""
    frozen, stands_for = freeze(e)
    size = next(
        (a for a in stands_for if isinstance(a, Abs) and isinstance(a.args[0], Symbol)), None
    )
    if size is None:
        return ANY
    x, away = size.args[0], Dummy("away", positive=True)
    back = {symbol: a for a, symbol in stands_for.items()}
    found: Signs = frozenset()
    for value in (away, -away, S.Zero):
        at = {x: value, stands_for[size]: abs(value)} | (
            {stands_for[sign(x)]: sign(value)} if sign(x) in stands_for else {}
        )
        num, den = fraction(together(frozen.xreplace(at)))
        found |= possible_signs(num.expand().xreplace(back) / den.xreplace(back))
    return found


def _sign_from_one_on(e: Add) -> Signs:
    """The signs of an expression with positive whole numbers, each of which is 1 plus a nonnegative
    one.
    """
    frozen, stands_for = freeze(e)
    whole = {s for s in frozen.free_symbols if s.is_integer and s.is_positive}
    from_one = {s: 1 + Dummy(nonnegative=True, integer=True) for s in whole}
    back = {symbol: a for a, symbol in stands_for.items()}
    return possible_signs(frozen.xreplace(from_one).expand().xreplace(back)) if whole else ANY


def sign_on_simplex(e: Add) -> Signs:
    """The signs of ``a + b s``, where s is the sum of the coordinates on the open simplex.

    As ``a + b s = (1 - s) a + s (a + b)`` and 0 < s < 1, the signs of a and a + b decide.
    """
    for _, a, b in of_sum_on_simplex(e):
        found = signs_of_sum([possible_signs(a), possible_signs(a + b)])
        if found != ANY:
            return found
    return ANY


def of_sum_on_simplex(e: Add) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(s, a, b)`` with ``e = a + b s``, where s is the sum of a block on the simplex;
    s may occur in a and b as well.
    """
    for s in sorted(e.atoms(Total), key=str):
        body = relabel(s.body, s.index.label, GENERIC)
        if on_simplex(body):
            own = [t for t in e.args if s in Mul.make_args(t)]
            if own:
                yield s, Add(*(t for t in e.args if t not in own)), Add(*(t / s for t in own))


def _sign_of_numerator(e: Add) -> Signs:
    """The signs of ``e p``, where p is a positive sum in the denominator of a term of e."""
    p = positive_denominator(e)
    return ANY if p is None else possible_signs(times_denominator(e, p))


def positive_denominator(e: Add) -> Expr | None:
    """The first sum in the denominator of a term that is proved positive, or None."""
    below = (
        f.base
        for t in e.args
        for f in Mul.make_args(t)
        if isinstance(f, Pow) and f.exp == -1 and isinstance(f.base, Add)
    )
    return next((p for p in below if is_positive(p)), None)


def times_denominator(e: Add, p: Expr) -> Expr:
    """``e p``, multiplied out in the terms where p does not cancel."""
    return Add(
        *(t * p if 1 / p in Mul.make_args(t) else expand_mul(t * p, deep=False) for t in e.args)
    )


def _sign_between_ends(e: Add) -> Signs:
    """The signs of an expression that is affine in a coordinate of an interval.

    Inside, both ends have positive weight (an infinite end counts as the slope towards it), so one
    nonzero end is enough there; an end that belongs to the interval adds its own signs.
    """
    for s in sorted(e.free_symbols, key=str):
        domain = domain_of(s)
        coefficients = (
            coefficients_of(e, s) if isinstance(domain, Interval) and domain != S.Reals else None
        )
        if coefficients is None or len(coefficients) != 2:
            continue
        slope, constant = coefficients
        ends = [
            possible_signs(slope * end + constant if end.is_finite else slope * sign(end))
            for end in (domain.start, domain.end)
        ]
        found = signs_of_sum(ends)
        if found != ANY:
            closed = (not domain.left_open, not domain.right_open)
            return found.union(
                *(signs for signs, belongs in zip(ends, closed, strict=True) if belongs)
            )
    return ANY


def _sign_of_quadratic(e: Add) -> Signs:
    """The signs of ``a x^2 + b x + c`` by its discriminant.

    With a > 0 it is nonnegative where ``4 a c - b^2`` is nonnegative, and positive where that is
    positive.
    """
    for s in sorted(e.free_symbols, key=str):
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 3:
            continue
        a, b, c = coefficients
        gap = possible_signs((4 * a * c - b**2).expand())
        lead = possible_signs(a)
        if lead in (POSITIVE, NEGATIVE) and gap <= NOT_NEGATIVE:
            return lead if gap == POSITIVE else lead | ZERO
    return ANY


def _sign_of_bent(e: Add) -> Signs:
    """The signs of a quadratic polynomial in a coordinate of a bounded interval, by its chord.

    Between the ends ``a x^2 + b x + c`` is above the chord where a < 0, and below it where a > 0.
    """
    for s in sorted(e.free_symbols, key=str):
        domain = domain_of(s)
        if not isinstance(domain, Interval) or not (
            domain.start.is_finite and domain.end.is_finite
        ):
            continue
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 3:
            continue
        a, b, c = coefficients
        ends = [possible_signs((a * x**2 + b * x + c).expand()) for x in (domain.start, domain.end)]
        lead = possible_signs(a)
        for bent, above, inside in (
            (NEGATIVE, NOT_NEGATIVE, POSITIVE),
            (POSITIVE, NOT_POSITIVE, NEGATIVE),
        ):
            if lead == bent and ends[0] | ends[1] <= above:
                closed = (not domain.left_open, not domain.right_open)
                return inside.union(
                    *(signs for signs, belongs in zip(ends, closed, strict=True) if belongs)
                )
    return ANY


def _sign_with_root(e: Add) -> Signs:
    """The signs of ``rest + slope sqrt(b)``: of the rest, where the slope has the same sign, and
    where it has the opposite one the sign of the rest times that of ``rest^2 - slope^2 b``.
    """
    roots = sorted((t for t in e.atoms(Pow) if t.exp == S.Half), key=str)
    for t in roots if len(roots) <= MAX_ROOTS else []:
        found = affine_at(e, t)
        if found is None:
            continue
        slope, rest = found
        side, other = possible_signs(rest), possible_signs(slope)
        if side in (POSITIVE, NEGATIVE) and other in (POSITIVE, NEGATIVE):
            if side == other:
                return side
            signs = products(side, possible_signs((rest**2 - slope**2 * t.base).expand()))
            if signs != ANY:
                return signs
    return ANY


def coefficients_of(e: Expr, s: Symbol) -> list[Expr] | None:
    """The coefficients of a polynomial in ``s`` of degree at most two, highest first; None where
    ``e`` is no such polynomial.
    """
    if any(s in atom.free_symbols for atom in abstract_atoms(e)) or not e.is_polynomial(s):
        return None
    return Poly(e, s).all_coeffs() if Poly(e, s).degree() <= 2 else None


def _sign_of_exponential(e: Add) -> Signs:
    """The signs of ``c (1 - exp(a))``, which are those of ``-c a``."""
    if len(e.args) == 2 and any(isinstance(f, exp) for t in e.args for f in Mul.make_args(t)):
        for constant, other in (e.args, e.args[::-1]):
            exponential = -other / constant
            if isinstance(exponential, exp):
                return possible_signs(-constant * exponential.args[0])
    return ANY


def _sign_between_bounds(e: Add) -> Signs:
    """The signs of ``slope t + rest``, where t is a function that lies on one side of a bound.

    It is ``(slope bound + rest) + slope (t - bound)``, and the sign of ``t - bound`` is known.
    Trigonometric functions are put at a bound one at a time, all others at once, so that a sum of
    many takes few steps.
    """
    for t, slope, rest in affine_in(e, *ONE_BY_ONE):
        for bound, side in bounds_of(t):
            away = products(possible_signs(slope), side)
            if away != ANY:
                found = signs_of_sum([possible_signs((rest + slope * bound).expand()), away])
                if found != ANY:
                    return found
    for wanted in (NOT_NEGATIVE, NOT_POSITIVE):
        at_bound, away = at_bounds(e, wanted)
        if at_bound != e:
            found = signs_of_sum([possible_signs(at_bound), away])
            if found <= wanted:
                return found
    return ANY


def at_bounds(e: Expr, wanted: Signs) -> tuple[Expr, Signs]:
    """Put functions that are bounded on one side at those bounds from which e can only grow, or
    only fall.

    Args:
        e: an expression.
        wanted: ``NOT_NEGATIVE`` to bound e from below, ``NOT_POSITIVE`` from above.

    Returns:
        The expression with the functions at their bounds, and the signs of e minus that.
    """
    away: Signs = ZERO
    for t in sorted(e.atoms(*AT_ONCE), key=str):
        found = affine_at(e, t)  # of what is left: other functions stand at their bounds already
        if found is None:
            continue
        slope, rest = found
        for bound, side in bounds_of(t):
            step = products(possible_signs(slope), side)
            if step <= wanted:
                e, away = (rest + slope * bound).expand(), signs_of_sum([away, step])
                break
    return e, away


def bounds_of(t: Expr) -> list[tuple[Expr, Signs]]:
    """Bounds of a function at real numbers, each with the signs of ``t - bound``.

    ``-1 <= sin, cos <= 1``, ``-1 < tanh, erf < 1``, ``-pi/2 < atan < pi/2``; and ``exp(a) - 1`` has
    the sign of a.
    """
    if isinstance(t, exp):
        side = possible_signs(t.args[0])
        return [] if side == ANY else [(S.One, side)]
    if isinstance(t, sin | cos):
        return [(S.NegativeOne, NOT_NEGATIVE), (S.One, NOT_POSITIVE)]
    size = pi / 2 if isinstance(t, atan) else S.One
    return [(-size, POSITIVE), (size, NEGATIVE)]


def _sign_with_logarithm(e: Add) -> Signs:
    """The signs of ``slope log(p) + c``, by the bounds ``u/(1 + u) <= log(1 + u) <= u``.

    The sum is at least ``c + slope (p - 1)`` where the slope is not positive, and at least ``c +
    slope (1 - 1/p)`` where it is not negative.
    """
    for t, slope, rest in affine_in(e, log):
        p, lead = t.args[0], possible_signs(slope)
        if lead <= NOT_POSITIVE:
            bound = rest + slope * (p - 1)
        elif lead <= NOT_NEGATIVE:
            bound = rest + slope * (1 - 1 / p)
        else:
            continue
        if possible_signs(bound.expand()) <= NOT_NEGATIVE:
            return NOT_NEGATIVE
    return ANY


def affine_in(e: Expr, *kinds: type[Expr]) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(t, slope, rest)`` with ``e = slope t + rest``, where t is a function of one of
    ``kinds`` that occurs in neither slope nor rest.
    """
    for t in sorted(e.atoms(*kinds), key=str):
        found = affine_at(e, t)
        if found is not None:
            yield t, *found


def affine_at(e: Expr, t: Expr) -> tuple[Expr, Expr] | None:
    """Return ``(slope, rest)`` with ``e = slope t + rest``, where t occurs in neither; None where e
    is not affine in t.
    """
    stand_in = Dummy(real=True)  # a symbol with a name could be one of e
    opened = e.xreplace({t: stand_in})
    if any(a.has(t) for a in abstract_atoms(e)) or not opened.is_polynomial(stand_in):
        return None
    coefficients = Poly(opened, stand_in).all_coeffs()
    return (coefficients[0], coefficients[1]) if len(coefficients) == 2 else None


def domain_of(s: Symbol) -> Any:
    """The domain of a block's coordinate; None for any other symbol."""
    return s.domain if isinstance(s, Vector | Scalar) else None
