"""Is an algebraic number zero? A bound on how near to 0 another number of its kind can be.

The bound is that of C. Burnikel, S. Funke, K. Mehlhorn, S. Schirra & S. Schmitt, "A separation
bound for real algebraic expressions", Algorithmica 55 (2009), in its simplest form. Proof:

Every subexpression E is written as U/L, where U and L are algebraic integers of one number field K,
and u(E), l(E) are bounds of |s(U)| and |s(L)| for every embedding s of K in the complex numbers.

* A fraction p/q: U = p, L = q.
* A sum: U = U1 L2 + L1 U2, L = L1 L2. A product: U = U1 U2, L = L1 L2. A reciprocal exchanges both.
* A root of degree k: the root of U/L is w/L with ``w^k = U L^(k-1)``; w is an algebraic integer,
  its degree over the field of U and L is at most k, and ``|s(w)|^k = |s(U)| |s(L)|^(k-1)``.
* The cosine of a rational multiple of pi: U = 2 cos, a sum of two roots of unity, and L = 2. All of
  them are in the real subfield of the field of the N-th roots of unity, of degree phi(N)/2.

So K has a degree of at most D, the product of all k (each root once) and of phi(N)/2. If E is not
0, neither is U, and the norm of U is a whole number other than 0, which is a product of D' <= D
factors |s(U)| <= u, one of them |U|. So ``|U| >= u^(1 - D)``, where u >= 1, and ``|E| = |U|/|L| >=
u^(1 - D)/l``. A ball around 0 of a smaller number proves that E is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import flint
from sympy import Add, Expr, Mul, Pow, Rational, cos, pi, sin, tan, totient

MAX_BITS = 60_000  # of the precision that a bound may ask for
SPARE_BITS = 128
BOUND_BITS = 96  # of the arithmetic of bounds, which is rounded upwards
MAX_POWER = 256

T = TypeVar("T")

Ball = Any  # flint.arb
Bounds = tuple[Ball, Ball]  # u and l


class NotAlgebraicError(Exception):
    """The expression is no number for which a bound is known."""


@dataclass
class NumberField:
    """The roots and the cosines that generate a number field."""

    roots: set[tuple[Expr, int]] = field(default_factory=set)
    turns: int = 1  # N: all angles are multiples of 2 pi/N

    @property
    def degree(self) -> int:
        """A bound of its degree."""
        of_cosines = max(1, int(totient(self.turns)) // 2)
        return of_cosines * math.prod(k for _, k in self.roots)


def is_algebraic(e: Expr) -> bool:
    """Return True if the expression is a number for which a bound is known."""
    try:
        _with_bits(BOUND_BITS, lambda: _bounds(e, NumberField()))
    except NotAlgebraicError:
        return False
    return True


def is_zero_number(e: Expr) -> bool:
    """Return True if a number is proved to be 0; False proves nothing.

    False as well for what is no algebraic number, has no value, or would need too many digits.
    """
    try:
        bits = _with_bits(BOUND_BITS, lambda: _needed_bits(e))
    except NotAlgebraicError:
        return False
    # a comparison with what is not a number is False
    return bits <= MAX_BITS and _with_bits(
        bits + SPARE_BITS, lambda: bool(abs(_ball(e)) < flint.arb(2) ** -bits)
    )


def _with_bits(bits: int, compute: Callable[[], T]) -> T:
    before, flint.ctx.prec = flint.ctx.prec, bits
    try:
        return compute()
    finally:
        flint.ctx.prec = before


def _ball(e: Expr) -> Ball:
    """A ball that contains the number; not finite where it has no value."""
    if isinstance(e, Rational):
        return flint.arb(flint.fmpq(int(e.p), int(e.q)))
    if isinstance(e, Add):
        return sum((_ball(a) for a in e.args), flint.arb(0))
    if isinstance(e, Mul):
        return math.prod((_ball(a) for a in e.args), start=flint.arb(1))
    if isinstance(e, Pow):
        return _ball_of_power(_ball(e.base), int(e.exp.p), int(e.exp.q))
    part = e.args[0] / pi
    angle = flint.fmpq(int(part.p), int(part.q))
    sine, cosine = flint.arb.sin_cos_pi_fmpq(angle)
    return sine / cosine if isinstance(e, tan) else sine if isinstance(e, sin) else cosine


def _ball_of_power(base: Ball, p: int, k: int) -> Ball:
    if k == 1:
        return base**p
    return base.root(k) ** p if base >= 0 else flint.arb("nan")


def _needed_bits(e: Expr) -> int:
    """A number n so that the expression is 0 if it is less than 2^-n in size."""
    generated = NumberField()
    above, below = _bounds(e, generated)
    # log2(u) and log2(l), where u and l are made at least 1, which only lowers the bound
    sizes = [(flint.arb.max(x, flint.arb(1)).log() / flint.arb(2).log()) for x in (above, below)]
    bits = sizes[0] * (generated.degree - 1) + sizes[1]
    return int(float(bits.upper()) * 1.001) + 2 if bits < 10 * MAX_BITS else 10 * MAX_BITS


def _bounds(e: Expr, generated: NumberField) -> Bounds:
    if isinstance(e, Rational):
        return flint.arb(abs(int(e.p))), flint.arb(int(e.q))
    if isinstance(e, Add):
        above, below = flint.arb(0), flint.arb(1)
        for u, low in (_bounds(a, generated) for a in e.args):
            above, below = above * low + below * u, below * low
        return above, below
    if isinstance(e, Mul):
        parts = [_bounds(a, generated) for a in e.args]
        return (
            math.prod((u for u, _ in parts), start=flint.arb(1)),
            math.prod((low for _, low in parts), start=flint.arb(1)),
        )
    if isinstance(e, Pow):
        return _bounds_of_power(e, generated)
    if isinstance(e, sin | cos | tan):
        return _bounds_of_turn(e, generated)
    raise NotAlgebraicError


def _bounds_of_power(e: Pow, generated: NumberField) -> Bounds:
    if not e.exp.is_Rational or max(abs(int(e.exp.p)), int(e.exp.q)) > MAX_POWER:
        raise NotAlgebraicError
    p, k = int(e.exp.p), int(e.exp.q)
    above, below = _bounds(e.base, generated)
    if k > 1:
        generated.roots.add((e.base, k))
        above = (above * below ** (k - 1)).root(k)
    if p < 0:
        above, below = below, above
    return above ** abs(p), below ** abs(p)


def _bounds_of_turn(e: Expr, generated: NumberField) -> Bounds:
    part = e.args[0] / pi
    if not part.is_Rational or int(part.q) > MAX_POWER:
        raise NotAlgebraicError
    # cos(2 pi p/(2 q)); a sine is the cosine of pi/2 less the angle: multiples of 2 pi/(4 q)
    generated.turns = math.lcm(generated.turns, 4 * int(part.q))
    two = flint.arb(2)
    return two, two
