"""Solving conditions for the step, where they are polynomials in it of low degree whose coefficients have known signs.

How many positive roots there are is counted by Descartes' rule of signs (one change of sign: exactly one), and every root that is
printed was put into its polynomial.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from sympy import Expr, Poly, Rational, Symbol, cancel, factor_terms, root, sqrt

from verify.affine.conditions import Conditions, Positive
from verify.signs.sign import NEGATIVE, NOT_NEGATIVE, POSITIVE, ZERO, possible_signs
from verify.zero.decide import vanishes


@dataclass(frozen=True)
class StepRange:
    """Every step above all of ``lower`` and below all of ``upper``, for parameters with ``when``."""

    upper: tuple[Expr, ...] = ()
    lower: tuple[Expr, ...] = ()
    when: tuple[Positive, ...] = ()

    def shown(self, step: Symbol) -> str:
        """In one line."""
        parts = [f"{e} < {step}" for e in self.lower] + [f"{step} < {e}" for e in self.upper]
        text = " and ".join(parts) or f"every {step}"
        return text + (f" if {' and '.join(map(str, self.when))}" if self.when else "")


@dataclass(frozen=True)
class _Option:
    """A range that satisfies a condition; an upper end at ``superfluous`` or beyond says nothing that it does not say."""

    range: StepRange
    superfluous: Expr | None = None


def step_ranges(conditions: Conditions, step: Symbol) -> tuple[StepRange, ...] | None:
    """The steps that satisfy all conditions, as a union of ranges; None where they are not solved for."""
    if conditions.impossible is not None:
        return ()
    simple: list[tuple[StepRange, ...]] = []
    holes: list[_Hole] = []
    for condition in conditions.remaining:
        found = _solved(condition, step)
        if found is None:
            return None
        if isinstance(found, _Hole):
            holes.append(found)
        else:
            simple.append(found)
    whole = StepRange()
    for ranges_of_one in simple:
        if not ranges_of_one:
            return ()
        whole = _both(whole, _Option(ranges_of_one[0]))
    ranges = [whole]
    for hole in holes:
        ranges = [_both(one, option) for one in ranges for option in hole.options(whole.upper)]
    return tuple(ranges)


def _both(one: StepRange, option: _Option) -> StepRange:
    other, beyond = option.range, option.superfluous
    kept = tuple(b for b in one.upper if beyond is None or not possible_signs(cancel(b - beyond)) <= NOT_NEGATIVE)
    return StepRange(_least(kept + other.upper, 1), _least(one.lower + other.lower, -1), one.when + other.when)


def _least(ends: tuple[Expr, ...], sign: int) -> tuple[Expr, ...]:
    """Without those that are proved to be no less (for sign -1: no greater) than another one."""
    kept: list[Expr] = []
    for e in dict.fromkeys(ends):
        if any(possible_signs(cancel(sign * (e - k))) <= NOT_NEGATIVE for k in kept):
            continue
        kept = [k for k in kept if not possible_signs(cancel(sign * (k - e))) <= NOT_NEGATIVE] + [e]
    return tuple(kept)


def _solved(condition: Positive, step: Symbol) -> tuple[StepRange, ...] | _Hole | None:
    """The one range, none, or all but a hole."""
    e = condition.e
    if step not in e.free_symbols:
        return (StepRange(when=(condition,)),)
    if condition.sign != ">" or not e.is_polynomial(step):
        return None
    c = Poly(e, step).all_coeffs()[::-1]
    signs = [possible_signs(x) for x in c]
    if any(s not in (POSITIVE, NEGATIVE, ZERO) for s in signs):
        return None
    known = [s for s in signs if s != ZERO]
    changes = sum(a != b for a, b in itertools.pairwise(known))
    if changes == 0:
        return (StepRange(),) if known[0] == POSITIVE else ()
    if changes == 1:
        return _one_root(e, step, c, known[0] == POSITIVE)
    if len(c) == 3 and known[0] == POSITIVE and _are_roots(e, step, _smaller(*c), _larger(*c)):
        return _Hole(*c)
    return None


@dataclass(frozen=True)
class _Hole:
    """``c0 + c1 h + c2 h^2`` with signs +, -, +: positive below the smaller root and above the larger one, where there are any."""

    c0: Expr
    c1: Expr
    c2: Expr

    def options(self, bounds: tuple[Expr, ...]) -> tuple[_Option, ...]:
        """Its ranges; the one above the larger root is left out where a bound is proved to be no larger than the middle."""
        c = (self.c0, self.c1, self.c2)
        middle = cancel(-self.c1 / (2 * self.c2))
        number, gap = factor_terms((self.c1**2 - 4 * self.c2 * self.c0).expand()).as_coeff_Mul()
        gap = (gap if number > 0 else -gap).expand()
        roots = (Positive(gap, ">="),)
        below = _Option(StepRange(upper=(_smaller(*c),), when=roots), middle)
        anywhere = _Option(StepRange(when=(Positive((-gap).expand()),)))
        if any(possible_signs(cancel(middle - b)) <= NOT_NEGATIVE for b in bounds):
            return below, anywhere
        return below, _Option(StepRange(lower=(_larger(*c),), when=roots)), anywhere


def _are_roots(e: Expr, step: Symbol, *roots: Expr) -> bool:
    return all(vanishes(e.xreplace({step: r})) for r in roots)


def _one_root(e: Expr, step: Symbol, c: list[Expr], positive_first: bool) -> tuple[StepRange, ...] | None:
    at = [k for k, x in enumerate(c) if x != 0]
    n = at[-1] - at[0]
    if len(at) == 2:
        found = root(cancel(-c[at[0]] / c[at[1]]), n)
    elif len(c) == 3:
        sign = 1 if positive_first else -1
        found = _smaller(sign * c[0], sign * c[1], sign * c[2])
    else:
        return None
    if not _are_roots(e, step, found):
        return None
    return (StepRange(upper=(found,)),) if positive_first else (StepRange(lower=(found,)),)


def _smaller(c0: Expr, c1: Expr, c2: Expr) -> Expr:
    """``2 c0 / (-c1 + sqrt(c1^2 - 4 c2 c0))``: the positive root where c2 < 0 < c0, the smaller one where c1 < 0 < c0, c2."""
    common, radical = _root_of_gap(c0, c1, c2)
    return cancel(2 * c0 / common) / (cancel(-c1 / common) + radical)


def _larger(c0: Expr, c1: Expr, c2: Expr) -> Expr:
    common, radical = _root_of_gap(c0, c1, c2)
    return (cancel(-c1 / common) + radical) / cancel(2 * c2 / common)


def _root_of_gap(c0: Expr, c1: Expr, c2: Expr) -> tuple[Expr, Expr]:
    """``sqrt(c1^2 - 4 c2 c0)`` as a rational number times a root."""
    number, inside = factor_terms((c1**2 - 4 * c2 * c0).expand()).as_coeff_Mul()
    outside = sqrt(number)
    return (outside, sqrt(inside)) if isinstance(outside, Rational) else (Rational(1), sqrt(number * inside))
