"""For which lengths d does an identity hold, where it does not hold for all?

Take a point where one coordinate has the value a and all others the value b, and abstract functions
that depend on the sum of the coordinates alone. A sum of e over the coordinates is then ``e(a) + (d
- 1) e(b)``, and the residual becomes a rational function of the number d, which vanishes only at
roots of its numerator. The whole positive roots that several such points share are the lengths
left. At each of them the expression is put to the zero test.
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
from recipe.language.blocks import Scalar, Vector
from recipe.language.domain import on_simplex
from recipe.language.symbols import GENERIC, Indexed, Length
from recipe.language.total import Total
from verify.decide.zero.decide import vanishes
from verify.generator.one_dimension import at_length_one

MAX_POINTS = 8
FIRST, OTHERS = "first", "others"  # which of the two values a coordinate has
At = dict[int, str]


@dataclass(frozen=True)
class ValidLengths:
    """The expression vanishes at the lengths in ``holds`` and at no other; both are proved."""

    length: Length
    holds: tuple[int, ...]

    @property
    def others(self) -> str:
        """The lengths for which it does not hold, in words."""
        return f"every {self.length} other than {' and '.join(map(str, self.holds))}"


def lengths_of(e: Expr) -> ValidLengths | None:
    """Return the lengths at which an expression vanishes, with a proof that it vanishes at no
    other.

    None if there are no such lengths, or this was not decided.
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
    """Return the expression at length n.

    At length one a sum is its summand; otherwise the number is put in for the length.
    """
    return at_length_one(e) if n == 1 else e.xreplace({length: S(n)})


def _candidates(e: Expr, length: Length) -> set[int] | None:
    """Return the lengths at which the expression vanishes at all points that are tried; None if it
    is not a rational function of d at any of them.
    """
    left: set[int] | None = None
    for seed in range(MAX_POINTS):
        roots = _roots(e, length, seed)
        if roots is not None:
            left = roots if left is None else left & roots
        if left == set():
            break
    return left


def _roots(e: Expr, length: Length, seed: int) -> set[int] | None:
    """Return the lengths at which the expression vanishes at one random point; None if it is not a
    rational function of d there.
    """
    d = Symbol("d", positive=True, integer=True)
    try:
        value = together(_PointAtEveryLength(length, d, random.Random(seed)).value(e, {}))
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
    """There is no such point, or the expression has no number there."""


@dataclass
class _PointAtEveryLength:
    """One point for every length d at once; numbers are chosen when they are first needed."""

    length: Length
    d: Symbol
    random: random.Random
    chosen: dict[Any, Rational] = field(default_factory=dict)

    def number(self, key: Any, symbol: Any = None) -> Rational:
        """Return a rational number that satisfies the declaration of a symbol, always the same for
        one key.
        """
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
    """Return the arguments if all are numbers, which are equal or are not.

    Arguments that vary with d may coincide at some d, where jets are not free.

    Raises:
        _NoValueError: where one of them varies with d.
    """
    if not all(a.is_Rational for a in arguments):
        raise _NoValueError(arguments)
    return arguments


def _fits(x: Rational, symbol: Any) -> bool:
    """Return True if a number satisfies the assumptions of a symbol and lies inside its domain."""
    if on_simplex(symbol):
        raise _NoValueError(symbol)
    if isinstance(symbol, Vector | Scalar) and symbol.domain.interior.contains(x) is not S.true:
        return False
    facts = symbol._assumptions_orig if hasattr(symbol, "_assumptions_orig") else {}
    wanted = {k: v for k, v in facts.items() if v is not None}
    signs = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
    wanted |= {sign: True for sign in signs if getattr(symbol, f"is_{sign}")}
    return all(getattr(x, f"is_{k}", None) is v for k, v in wanted.items() if k != "commutative")
