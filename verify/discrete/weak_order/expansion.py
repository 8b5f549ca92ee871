"""An expression as a power series in ``s = sqrt(step)``."""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Function, Integer, Mul, Pow, Rational, Symbol, factorial
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Jet
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.series import Series, composed, constant

MAX_EXTRA_POWERS = 8  # of s, which divisions may use up


def expand_in(e: Expr, s: Symbol, ring: Ring, end: int) -> Series:
    """Return the expansion of e up to the power before ``end``.

    Raises:
        OutsideLanguageError: where there is no power series, or the method does not find it.
    """
    for extra in range(0, MAX_EXTRA_POWERS + 1, 2):
        found = _series(e, s, ring, end + extra)
        if found.end >= end:
            found = found.stripped()
            if found.low < 0 <= found.end:
                raise OutsideLanguageError(
                    f"{_shown(e, s)} grows without bound as the step s^2 vanishes"
                )
            return found.cut(end)
    raise OutsideLanguageError(
        f"no expansion of {_shown(e, s)} in the square root s of the step was found"
    )


def _shown(e: Expr, s: Symbol) -> Expr:
    return e.xreplace({s: Symbol("s")})


def _series(e: Expr, s: Symbol, ring: Ring, end: int) -> Series:
    """Return the expansion of e, which may be known to a lower power than ``end`` where a division
    has used some up.
    """
    if e == s:
        return Series(ring, 1, constant(ring, ring.number(1), end - 1).coefficients)
    if not e.has(s):
        return constant(ring, ring.read(e), end)
    if isinstance(e, Add):
        first, *others = (_series(a, s, ring, end) for a in e.args)
        return sum(others, first)
    if isinstance(e, Mul):
        first, *others = (_series(a, s, ring, end) for a in e.args)
        for other in others:
            first = (first * other).cut(end)
        return first
    if isinstance(e, Pow) and isinstance(e.exp, Integer) and e.exp > 0:
        return _series(e.base, s, ring, end).power(int(e.exp)).cut(end)
    if e.has(*NOISE):
        raise OutsideLanguageError(
            f"{_shown(e, s)} is outside the language: an update must be a polynomial of its noise"
        )
    if isinstance(e, Pow) and isinstance(e.exp, Rational):
        return _series(e.base, s, ring, end).real_power(e.exp).cut(end)
    if isinstance(e, Function | Jet):
        return _function(e, s, ring, end)
    raise OutsideLanguageError(f"{_shown(e, s)} has no expansion in the square root s of the step")


def _function(e: Expr, s: Symbol, ring: Ring, end: int) -> Series:
    """Return Taylor's series of a function of one argument that depends on s."""
    applied = e.applied if isinstance(e, Jet) else e
    moving = [a for a in applied.args if a.has(s)]
    if len(moving) != 1:
        raise OutsideLanguageError(
            f"{applied.func} of several arguments that depend on the step is not expanded"
        )
    argument = _series(moving[0], s, ring, end).stripped()
    if argument.low < 0:
        raise OutsideLanguageError(
            f"{applied.func} of an argument that grows as the step vanishes has no expansion"
        )
    start = ring.expression(argument.at(0)) if argument.end > 0 else None
    if start is None:
        return Series(ring, 0, ())
    u = Series(ring, 0, (ring.zero, *(argument.at(k) for k in range(1, argument.end))))
    if isinstance(e, Jet | AppliedUndef):
        if len(applied.args) != 1:
            raise OutsideLanguageError(
                f"{applied.func} of several arguments is not expanded in the step"
            )
        here = applied.func(start)
        before = e.orders[0] if isinstance(e, Jet) else 0
        return composed(u, lambda k: ring.read(Jet(here, (before + k,)) / factorial(k)))
    t = Dummy("t", real=True)
    slopes = [e.xreplace({moving[0]: t})]

    def taylor(k: int) -> Poly:
        while len(slopes) <= k:
            slopes.append(slopes[-1].diff(t))
        return ring.read(slopes[k].xreplace({t: start}) / factorial(k))

    return composed(u, taylor)
