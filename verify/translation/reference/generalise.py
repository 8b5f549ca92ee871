"""An equation between numbers, made more general: functions and sums in it become unknown numbers.

A text that repeats a function of the rule repeats it as it stands, and then the equation holds
whatever the value of that function. So it holds with a symbol in its place, and this is much easier
to prove: the canonical form of a sum of n hyperbolic tangents has 2^n terms, and that of a sum of n
symbols has n. A long sum of terms that stands there several times, as the residual of a model with
n terms does, is one unknown number: a canonical form with a generator for each of its terms would
be as long as the model, and has room for some hundreds.

Why this proves the equation: it holds for every real value of the new symbols, wherever both sides
are defined, and every occurrence of an expression gets the same symbol. The values of the
expressions are such values. Only numbers are replaced, expressions without a free coordinate: a
coordinate inside of a sum would be captured. The converse is false, ``exp(x) * exp(-x)`` is 1 for
numbers that are related, so a general equation that is not proved says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count

from sympy import Add, Expr, Function, Mul, Pow, Symbol, exp

from recipe.language.total import Total, labels
from verify.translation.reference.equal_sums import is_long_sum


def generalised(e: Expr) -> Iterator[Expr]:
    """Yield more general expressions, the most general one first, and the expression itself last.

    If one of them vanishes identically, so does the expression.
    """
    seen = set()
    apart = common_exponents_apart(e)
    repeated, scaled = _repeated_sums(e), _repeated_sums(apart)

    def is_repeated_or_function(part: Expr) -> bool:
        return part in repeated or _is_function_or_sum(part)

    def is_scaled_or_no_exponential(part: Expr) -> bool:
        return part in scaled or (_is_function_or_sum(part) and not isinstance(part, exp))

    ways: list[tuple[Expr, Callable[[Expr], bool]]] = []
    if repeated:
        ways.append((e, is_repeated_or_function))
    if apart != e and (scaled or apart == 0):
        ways.append((apart, is_scaled_or_no_exponential))
    for way, wanted in (*ways, (e, _is_function_or_sum), (e, _is_sum)):
        general = _replaced(way, wanted, {}, count(1))
        if general != e and general not in seen:
            seen.add(general)
            yield general
    yield e


@lru_cache(maxsize=65536)  # the equations about a mixture hold the same sums
def common_exponents_apart(e: Expr) -> Expr:
    """Return an equal expression in which ``exp(a + m) + exp(b + m) + ...`` is ``exp(m)*(exp(a) +
    exp(b) + ...)``.

    The text of a mixture divides its sums of exponentials by the largest term, and the rule does
    not: after this both hold the same sum.
    """
    if not (e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, Function)):
        return e
    parts = [common_exponents_apart(a) for a in e.args]
    if any(new is not old for new, old in zip(parts, e.args, strict=True)):
        e = e.func(*parts)
    return _factored(e) if isinstance(e, Add) else e


def _factored(e: Add) -> Expr:
    common = set(_exponent(e.args[0]))
    for term in e.args[1:]:
        common &= set(_exponent(term))
        if not common:
            return e
    shift = Add(*common)
    return exp(shift) * Add(*(_lowered(term, shift) for term in e.args))


def _exponent(term: Expr) -> tuple[Expr, ...]:
    """Return the terms of the exponent of an exponential that is a factor of a term."""
    factor = next((f for f in Mul.make_args(term) if isinstance(f, exp)), None)
    return () if factor is None else Add.make_args(factor.exp)


def _lowered(term: Expr, shift: Expr) -> Expr:
    """Return a term with the exponent of its first exponential less by some of its terms."""
    first = next(f for f in Mul.make_args(term) if isinstance(f, exp))
    rest = [f for f in Mul.make_args(term) if f is not first]
    return Mul(*rest, exp(first.exp - shift))


def _repeated_sums(e: Expr) -> set[Expr]:
    """Return the long sums of terms that an expression has at two places or more, where a sum of
    the negative terms counts as another place, and what is inside of a sum counts once.
    """
    places = Counter(_outermost_sums(e))
    left = list(places)
    while left:
        inside = _sums_inside(left.pop())
        left += set(inside) - places.keys()
        places.update(inside)
    return {s for s, n in places.items() if n > 1 or _negated(s) in places}


@lru_cache(maxsize=65536)
def _outermost_sums(e: Expr) -> tuple[Expr, ...]:
    """Return the long sums of an expression that stand in no other one, each at each place."""
    return (e,) if is_long_sum(e) else _sums_inside(e)


@lru_cache(maxsize=65536)
def _sums_inside(e: Expr) -> tuple[Expr, ...]:
    """Return the outermost long sums of the parts of an expression."""
    descends = e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, Function)
    return tuple(s for a in e.args for s in _outermost_sums(a)) if descends else ()


@lru_cache(maxsize=4096)
def _negated(e: Expr) -> Expr:
    return -e


def _is_sum(e: Expr) -> bool:
    return isinstance(e, Total)


def _is_function_or_sum(e: Expr) -> bool:
    """Whether this is a sum, a function that is no constant, or a power that is no whole one."""
    if isinstance(e, Total):
        return True
    if isinstance(e, Pow):
        return not e.exp.is_Integer and not e.is_number
    return isinstance(e, Function) and not e.is_number


def _replaced(
    e: Expr, wanted: Callable[[Expr], bool], symbols: dict[Expr, Symbol], numbers: Iterator[int]
) -> Expr:
    """Return an expression in which outermost numbers of a kind are symbols, one for each."""
    if e in symbols:
        return symbols[e]
    if is_long_sum(e) and _negated(e) in symbols:
        return -symbols[_negated(e)]
    if not e.args or isinstance(e, Symbol):
        return e
    if wanted(e) and not labels(e):
        symbols[e] = Symbol(f"value@{next(numbers)}", real=True)
        return symbols[e]
    if not (e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, Function)):
        return e
    return e.func(*(_replaced(a, wanted, symbols, numbers) for a in e.args))
