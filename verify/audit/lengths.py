"""For which lengths d does an identity hold, where it does not hold for all?

At d coordinates of which one has the value a and all others the value b, and for abstract functions
that depend on the sum of the coordinates alone, a sum of e is ``e(a) + (d - 1) e(b)``: the residual
becomes a rational function of the number d, and it can vanish only at roots of the numerator. Whole
positive roots that several such points share are the lengths left; at each of them the expression
is put to the zero test.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from sympy import Expr, Poly, PolynomialError, Rational, S, Symbol, fraction, together
from sympy.core.function import AppliedUndef

from recipe.language.abstract import DenseEntry, Field, Jet, Partial
from recipe.language.domain import on_simplex
from recipe.language.symbols import GENERIC, Indexed, Length, Scalar, Vector
from recipe.language.total import Total
from verify.decide.zero.decide import vanishes
from verify.generator.one_dimension import at_length_one

TRIES = 8
FIRST, OTHERS = "first", "others"  # which of the two values a coordinate has
At = dict[int, str]


@dataclass(frozen=True)
class ValidLengths:
    """The expression vanishes at the lengths ``holds`` and at no other; both are proved."""

    length: Length
    holds: tuple[int, ...]

    @property
    def others(self) -> str:
        """Those for which it does not hold, in words."""
        return f"every {self.length} other than {' and '.join(map(str, self.holds))}"


def lengths_of(e: Expr) -> ValidLengths | None:
    """The lengths at which an expression vanishes, where there are some and all others are
    excluded; None otherwise.
    """
    found = e.atoms(Length) | {s.length for s in e.atoms(Indexed)}
    if len(found) != 1 or e.has(DenseEntry):
        return None
    (length,) = found
    left = _candidates(e, length)
    if left is None or not left or not all(vanishes(_at(e, length, n)) for n in left):
        return None
    return ValidLengths(length, tuple(sorted(left)))


def _at(e: Expr, length: Length, n: int) -> Expr:
    """The expression at one length: at length one a sum is its summand; else only the number itself
    is put in.
    """
    return at_length_one(e) if n == 1 else e.xreplace({length: S(n)})


def _candidates(e: Expr, length: Length) -> set[int] | None:
    """The lengths at which it vanishes at all points that are tried; None where it is not a
    rational function at any.
    """
    left: set[int] | None = None
    for seed in range(TRIES):
        roots = _roots(e, length, seed)
        if roots is not None:
            left = roots if left is None else left & roots
        if left == set():
            break
    return left


def _roots(e: Expr, length: Length, seed: int) -> set[int] | None:
    d = Symbol("d", positive=True, integer=True)
    try:
        value = together(_Line(length, d, random.Random(seed)).value(e, {}))
        above, below = (Poly(part, d) for part in fraction(value))
    except (PolynomialError, KeyError, TypeError, ZeroDivisionError, _NoValueError):
        return None
    if above.is_zero or not all(c.is_Rational for c in (*above.all_coeffs(), *below.all_coeffs())):
        return None
    if any(_is_length(r) for r in below.ground_roots()):
        return None
    return {int(r) for r in above.ground_roots() if _is_length(r)}


def _is_length(r: Expr) -> bool:
    return bool(r.is_Integer and r >= 1)


class _NoValueError(Exception):
    """There is no such point, or it has no number there."""


@dataclass
class _Line:
    """A point for every d at once; numbers are chosen when they are first asked for."""

    length: Length
    d: Symbol
    random: random.Random
    chosen: dict[Any, Rational] = field(default_factory=dict)

    def number(self, key: Any, symbol: Any = None) -> Rational:
        """A rational number that satisfies what was declared of a symbol."""
        if key not in self.chosen:
            candidates: Iterator[Rational] = (
                Rational(self.random.randint(-24, 24) or 1, self.random.choice((1, 2, 4)))
                for _ in range(64)
            )
            fitting = (x for x in candidates if symbol is None or _fits(x, symbol))
            found = next(fitting, None)
            if found is None:
                raise _NoValueError(key)
            self.chosen[key] = found
        return self.chosen[key]

    @singledispatchmethod
    def value(self, e: Expr, at: At) -> Expr:
        """The expression as one of d, its labels standing for one of the two values."""
        return e.func(*(self.value(a, at) for a in e.args)) if e.args else e

    @value.register
    def _(self, e: Symbol, at: At) -> Expr:
        return self.number(e, e)

    @value.register
    def _(self, e: Length, at: At) -> Expr:
        return self.d

    @value.register
    def _(self, e: Indexed, at: At) -> Expr:
        return self.number((e.at(GENERIC), at[e.label]), e.at(GENERIC))

    @value.register
    def _(self, e: Field, at: At) -> Expr:
        return self.number((e.at(GENERIC), 0), e)

    @value.register
    def _(self, e: Partial, at: At) -> Expr:
        head = e.head.at(GENERIC) if isinstance(e.head, Field) else e.head
        return self.number((head, len(e.wrt)))

    @value.register
    def _(self, e: AppliedUndef, at: At) -> Expr:
        arguments = tuple(self.value(a, at) for a in e.args)
        return self.number((e.func, (0,) * len(arguments), _told_apart(arguments)), e)

    @value.register
    def _(self, e: Jet, at: At) -> Expr:
        return self.number(
            (
                e.applied.func,
                e.orders,
                _told_apart(tuple(self.value(a, at) for a in e.applied.args)),
            )
        )

    @value.register
    def _(self, e: Total, at: At) -> Expr:
        first, others = (
            self.value(e.body, at | {e.index.label: where}) for where in (FIRST, OTHERS)
        )
        return first + (self.d - 1) * others


def _told_apart(arguments: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Numbers, which are equal or are not; arguments that vary with d may meet others at some d,
    where jets are not free.
    """
    if not all(a.is_Rational for a in arguments):
        raise _NoValueError(arguments)
    return arguments


def _fits(x: Rational, symbol: Any) -> bool:
    """Whether a number satisfies the assumptions and lies inside of the domain."""
    if on_simplex(symbol):
        raise _NoValueError(symbol)
    if isinstance(symbol, Vector | Scalar) and symbol.domain.interior.contains(x) is not S.true:
        return False
    facts = symbol._assumptions_orig if hasattr(symbol, "_assumptions_orig") else {}
    wanted = {k: v for k, v in facts.items() if v is not None}
    signs = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
    wanted |= {sign: True for sign in signs if getattr(symbol, f"is_{sign}")}
    return all(getattr(x, f"is_{k}", None) is v for k, v in wanted.items() if k != "commutative")
