"""Prove the sign of an expression from the assumptions on its symbols, by its structure alone.

``possible_signs`` returns a set that contains the sign of the expression wherever the expression is
defined. It excludes a sign only where a rule below proves it; an unknown form may have every sign.
"""

from __future__ import annotations

from functools import singledispatch

from sympy import (
    Abs,
    Add,
    Expr,
    Mul,
    Number,
    Pow,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    tanh,
)
from sympy.core.function import AppliedUndef
from sympy.core.numbers import NumberSymbol

from recipe.language.assumed import assumed, cached, under
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.phi import Ein, Phi
from recipe.language.total import Total, without_hot
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
from recipe.signs.sums import signs_by_rules
from recipe.signs.whole_numbers import sign_at_whole_numbers


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
    return sign_at_whole_numbers(e, possible_signs) if result == ANY else result


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


@_signs.register(Ein)  # it increases, and is 0 at 0
def _(e: Ein) -> Signs:
    return possible_signs(e.args[0])


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
    rest = without_hot(e.body)
    if rest != e.body:  # one coordinate of it
        return possible_signs(rest)
    return signs_of_sum([possible_signs(e.body)] * 2)  # one or more summands of the same signs


@_signs.register
def _(e: Add) -> Signs:
    signs = signs_of_sum([possible_signs(a) for a in _with_one_number(e)])
    return signs if signs != ANY else signs_by_rules(e, possible_signs)


def _with_one_number(e: Add) -> list[Expr]:
    """The terms of a sum, in which several numbers such as ``pi/2`` and ``-1`` are one term."""
    numbers = [a for a in e.args if not a.free_symbols]
    if not 1 < len(numbers) < len(e.args):
        return list(e.args)
    return [Add(*numbers), *(a for a in e.args if a.free_symbols)]
