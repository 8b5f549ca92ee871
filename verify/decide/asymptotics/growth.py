"""Asymptotic order of an expression of one variable as that variable goes to infinity.

Leading terms have the form ``c t^p log(t)^q exp(a t^s + ...)`` and are found by comparing terms,
never by guessing: where two leading terms cancel, or parameters leave open which of two is larger,
the answer is None. This is the elementary part of the theory of Hardy fields (Hardy 1910, "Orders
of infinity").

``verify.decide.asymptotics.leading`` has the scale for a distance that goes to zero, and explains
why that is another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch
from math import comb

from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    loggamma,
    pi,
    sin,
    sinh,
    tanh,
)

from recipe.language.assumed import cached
from recipe.language.phi import Ein
from recipe.signs.sets import NEGATIVE, NOT_POSITIVE, POSITIVE
from recipe.signs.sign import is_positive, possible_signs

MAX_TERMS = 10_000  # of a power of a sum that is multiplied out
Rates = tuple[tuple[Expr, Expr], ...]  # pairs (s, a) for exp(a t^s + ...), the largest s first


@dataclass(frozen=True)
class OrderOfInfinity:
    """``coefficient * t^power * log(t)^logs * exp(sum of a t^s over the rates)``, with a nonzero
    coefficient.
    """

    coefficient: Expr
    power: Expr = S.Zero
    logs: Expr = S.Zero
    rates: Rates = ()

    def times(self, other: OrderOfInfinity) -> OrderOfInfinity | None:
        """The product; None if it is open which rate of the product is the largest."""
        rates = _merged((*self.rates, *other.rates))
        if rates is None:
            return None
        return OrderOfInfinity(
            self.coefficient * other.coefficient,
            self.power + other.power,
            self.logs + other.logs,
            rates,
        )

    def to_the(self, k: Expr) -> OrderOfInfinity | None:
        """The power with exponent k; None for a power that is not an integer, unless the
        coefficient is proved positive.
        """
        base = self.coefficient
        if not is_positive(base) and k.is_even and possible_signs(base) == NEGATIVE:
            base = -base
        if not (k.is_Integer or is_positive(base)):
            return None
        return OrderOfInfinity(
            base**k, self.power * k, self.logs * k, tuple((s, a * k) for s, a in self.rates)
        )


ONE, LOGARITHM = OrderOfInfinity(S.One), OrderOfInfinity(S.One, logs=S.One)


def compare(a: OrderOfInfinity, b: OrderOfInfinity) -> int | None:
    """1, 0 or -1 if the quotient ``a/b`` goes to infinity, to a nonzero number or to zero.

    None if the signs of the differences of exponents are not proved.
    """
    rates = _merged((*a.rates, *((s, -c) for s, c in b.rates)))
    if rates is None:
        return None
    for difference in (
        *(c for _, c in rates[:1]),
        (a.power - b.power).expand(),
        (a.logs - b.logs).expand(),
    ):
        if difference == 0:
            continue
        return {POSITIVE: 1, NEGATIVE: -1}.get(possible_signs(difference))
    return 0


def _merged(pairs: Iterable[tuple[Expr, Expr]]) -> Rates | None:
    """The rates with coefficients of equal powers added, and sorted; None if the order of two
    powers is open.
    """
    collected: dict[Expr, Expr] = {}
    for s, a in pairs:
        collected[s] = (collected.get(s, S.Zero) + a).expand()
    result: list[tuple[Expr, Expr]] = []
    for s, a in collected.items():
        if a == 0:
            continue
        place = 0
        for other, _ in result:
            signs = possible_signs((other - s).expand())
            if signs not in (POSITIVE, NEGATIVE):
                return None
            place += signs == POSITIVE
        result.insert(place, (s, a))
    return tuple(result)


@cached(maxsize=4096)
def leading(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    """The order with ``e / order -> 1`` as t goes to infinity; None if it was not found."""
    if t not in e.free_symbols:
        return OrderOfInfinity(e) if 0 not in possible_signs(e) else None
    return _leading(e, t)


@cached(maxsize=4096)
def bound(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    """An order with ``|e| <= C * order`` for some C and all large t; None if none was found.

    Its coefficient has no meaning.
    """
    if t not in e.free_symbols:
        return ONE
    exact = leading(e, t)
    return (
        _bound(e, t)
        if exact is None
        else OrderOfInfinity(S.One, exact.power, exact.logs, exact.rates)
    )


def goes_to_zero(order: OrderOfInfinity | None) -> bool:
    """Return True if the order is proved to go to zero; False for None."""
    return order is not None and compare(order, ONE) == -1


def is_bounded(order: OrderOfInfinity | None) -> bool:
    """Return True if the order is proved to stay bounded; False for None."""
    return order is not None and compare(order, ONE) in (0, -1)


# -- leading terms
# --------------------------------------------------------------------------------------------------


@singledispatch
def _leading(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    return None


@_leading.register
def _(e: Symbol, t: Symbol) -> OrderOfInfinity | None:
    return OrderOfInfinity(S.One, S.One)


@_leading.register
def _(e: Mul, t: Symbol) -> OrderOfInfinity | None:
    return _product(leading(factor, t) for factor in e.args)


def _product(orders: Iterable[OrderOfInfinity | None]) -> OrderOfInfinity | None:
    result: OrderOfInfinity | None = ONE
    for order in orders:
        if order is None or result is None:
            return None
        result = result.times(order)
    return result


@_leading.register
def _(e: Pow, t: Symbol) -> OrderOfInfinity | None:
    if t not in e.exp.free_symbols:
        base = leading(e.base, t)
        return None if base is None else base.to_the(e.exp)
    return _exponential(e.exp * log(e.base), t)


@_leading.register
def _(e: exp, t: Symbol) -> OrderOfInfinity | None:
    return _exponential(e.args[0], t)


@_leading.register(sinh)
@_leading.register(cosh)
def _(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    return leading(e.rewrite(exp).expand(power_exp=False), t)


@_leading.register(tanh)
@_leading.register(erf)
@_leading.register(atan)
def _(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    inside = leading(e.args[0], t)
    if inside is None:
        return None
    size = compare(inside, ONE)
    if size == 0:
        return OrderOfInfinity(e.func(inside.coefficient))
    if size == 1 and possible_signs(inside.coefficient) in (POSITIVE, NEGATIVE):
        limit = pi / 2 if isinstance(e, atan) else S.One
        return OrderOfInfinity(limit if is_positive(inside.coefficient) else -limit)
    return None


@_leading.register
def _(e: loggamma, t: Symbol) -> OrderOfInfinity | None:
    inside = leading(e.args[0], t)
    if inside is None or not is_positive(inside.coefficient) or compare(inside, ONE) != 1:
        return None
    of_log = leading(log(e.args[0]), t)  # Stirling: loggamma(u) ~ u log u
    return None if of_log is None else inside.times(of_log)


@_leading.register
def _(e: Ein, t: Symbol) -> OrderOfInfinity | None:
    inside = leading(e.args[0], t)
    if inside is None:
        return None
    size = compare(inside, ONE)
    if size == -1:
        return inside  # Ein(u) ~ u
    if size == 0:
        return OrderOfInfinity(Ein(inside.coefficient))
    if size == 1 and is_positive(inside.coefficient):
        return leading(log(e.args[0]), t)  # Ein(u) = log u + gamma + E1(u)
    return None


@_leading.register
def _(e: log, t: Symbol) -> OrderOfInfinity | None:
    if e.args[0] == t:
        return LOGARITHM
    unfolded = unfold_logarithms(e, t)
    if unfolded != e:
        return leading(unfolded, t)
    small = (e.args[0] - 1).expand()
    order = leading(small, t)
    return order if goes_to_zero(order) else None  # log(1 + u) ~ u


@_leading.register
def _(e: Add, t: Symbol) -> OrderOfInfinity | None:
    terms = Add.make_args(unfold_logarithms(e, t))
    if len(terms) == 1:
        return leading(terms[0], t)
    bounds = [bound(a, t) for a in terms]
    if any(b is None for b in bounds):
        return None
    largest = _largest([b for b in bounds if b is not None])
    if largest is None:
        return None
    tied = [
        leading(a, t)
        for a, b in zip(terms, bounds, strict=True)
        if b is not None and compare(b, largest) == 0
    ]
    if any(o is None for o in tied):
        return None
    coefficient = Add(*(o.coefficient for o in tied if o is not None)).expand()
    if 0 in possible_signs(coefficient):
        return None
    return OrderOfInfinity(coefficient, largest.power, largest.logs, largest.rates)


def _largest(orders: list[OrderOfInfinity]) -> OrderOfInfinity | None:
    result = orders[0]
    for order in orders[1:]:
        size = compare(order, result)
        if size is None:
            return None
        if size == 1:
            result = order
    return result


def _exponential(argument: Expr, t: Symbol) -> OrderOfInfinity | None:
    """The order of ``exp`` of a sum of powers, logarithms and terms with a limit; None for other
    sums.
    """
    constant, power = S.Zero, S.Zero
    rates: list[tuple[Expr, Expr]] = []
    for term in Add.make_args(expanded(unfold_logarithms(expanded(argument), t))):
        coefficient, rest = term.as_independent(t, as_Add=False)
        base, exponent = rest.as_base_exp()
        if rest == 1:
            constant += coefficient
        elif rest == log(t):
            power += coefficient
        elif base == t and is_positive(exponent):
            rates.append((exponent, coefficient))
        elif goes_to_zero(bound(term, t)):
            continue
        else:
            order = leading(term, t)
            if order is None or compare(order, ONE) != 0:
                return None
            constant += order.coefficient
    merged = _merged(rates)
    return None if merged is None else OrderOfInfinity(exp(constant), power, S.Zero, merged)


# -- logarithms
# --------------------------------------------------------------------------------------------------


def expanded(e: Expr) -> Expr:
    """Multiply out products and powers of sums; exponentials and logarithms are left as they are,
    and so is everything where a power has more than MAX_TERMS terms.
    """
    if any(_term_count(p) > MAX_TERMS for p in e.atoms(Pow)):
        return e
    return e.expand(power_base=False, power_exp=False, log=False)


def _term_count(power: Expr) -> int:
    """Return the number of terms of a power of a sum that is multiplied out."""
    base, exponent = power.args
    if not (isinstance(base, Add) and exponent.is_Integer and exponent > 1):
        return 1
    others = len(base.args) - 1
    return comb(int(exponent) + others, others)


def unfold_logarithms(e: Expr, t: Symbol) -> Expr:
    """Expand logarithms of products into sums, and of sums around their largest term m.

    ``log(m + r)`` becomes ``log(m) + log(1 + u)``, where ``u = r / m`` goes to zero.
    """
    return Add(*(_unfolded_term(a, t) for a in Add.make_args(e))) if e.has(log) else e


def _unfolded_term(term: Expr, t: Symbol) -> Expr:
    logarithm = next(
        (f for f in Mul.make_args(term) if isinstance(f, log) and t in f.free_symbols), None
    )
    if logarithm is None or logarithm == log(t):
        return term
    unfolded = _unfolded(logarithm.args[0], t)
    return term if unfolded == logarithm else expanded(term / logarithm * unfolded)


def _unfolded(argument: Expr, t: Symbol) -> Expr:
    argument = argument.replace(
        lambda e: isinstance(e, sinh | cosh), lambda e: e.rewrite(exp).expand(power_exp=False)
    )
    if not isinstance(argument, Add):
        return _log_of_product(argument, t) or log(argument)
    terms = Add.make_args(expanded(argument))
    bounds = [bound(a, t) for a in terms]
    for main, own in zip(terms, bounds, strict=True):
        if own is None or any(
            b is None or (a is not main and compare(b, own) != -1)
            for a, b in zip(terms, bounds, strict=True)
        ):
            continue
        of_main = _log_of_product(main, t)
        if main == 1 or of_main is None:
            break
        return of_main + log(
            1 + Add(*((a / main).expand(power_exp=False) for a in terms if a is not main))
        )
    return log(argument)


def _log_of_product(e: Expr, t: Symbol) -> Expr | None:
    """``log`` of a product of positive constants, powers of t and exponentials, as a sum.

    None if there are other factors.
    """
    result: Expr = S.Zero
    for factor in Mul.make_args(e):
        base, exponent = factor.as_base_exp()
        if t not in factor.free_symbols and is_positive(factor):
            result += log(factor)
        elif isinstance(factor, exp):
            result += factor.args[0]
        elif base == t and t not in exponent.free_symbols:
            result += exponent * log(t)
        elif (
            isinstance(base, Add)
            and t not in exponent.free_symbols
            and _is_eventually_positive(base, t)
        ):
            result += exponent * _unfolded(base, t)
        else:
            return None
    return result


def _is_eventually_positive(e: Expr, t: Symbol) -> bool:
    order = leading(e, t)
    return order is not None and is_positive(order.coefficient)


# -- bounds
# --------------------------------------------------------------------------------------------------


@singledispatch
def _bound(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    return None


@_bound.register(sin)
@_bound.register(cos)
@_bound.register(tanh)
@_bound.register(erf)
@_bound.register(atan)
def _(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    return ONE


@_bound.register(log)
@_bound.register(loggamma)
def _(e: Expr, t: Symbol) -> OrderOfInfinity | None:
    inside = leading(e.args[0], t)  # both functions are continuous at a positive limit
    return (
        ONE
        if inside is not None and is_positive(inside.coefficient) and compare(inside, ONE) == 0
        else None
    )


@_bound.register
def _(e: exp, t: Symbol) -> OrderOfInfinity | None:
    argument = e.args[0]
    return (
        ONE if possible_signs(argument) <= NOT_POSITIVE or is_bounded(bound(argument, t)) else None
    )


@_bound.register
def _(e: Add, t: Symbol) -> OrderOfInfinity | None:
    bounds = [bound(a, t) for a in e.args]
    return (
        None if any(b is None for b in bounds) else _largest([b for b in bounds if b is not None])
    )


@_bound.register
def _(e: Mul, t: Symbol) -> OrderOfInfinity | None:
    return _product(bound(factor, t) for factor in e.args)


@_bound.register
def _(e: Pow, t: Symbol) -> OrderOfInfinity | None:
    base = bound(e.base, t)
    return (
        base.to_the(e.exp)
        if base is not None and isinstance(e.exp, Rational) and e.exp > 0
        else None
    )
