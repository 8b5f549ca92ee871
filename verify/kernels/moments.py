"""Exact refutation where every rule is affine with normal noise: mean and covariance of exp(-H)
before and after a sweep.

Numbers are exact fractions, and balls where they are irrational.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import flint
from sympy import Expr, Matrix, Rational, Symbol, hessian

from recipe import Kernel
from recipe.declare.update import Update
from recipe.kernel.part import Move, Part, Repeat
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.symbols import generic
from verify.decide.linear_algebra.minors import leading_minors
from verify.decide.points.balls import at_precision, shown_ball
from verify.kernels.instance import Instance, instances, number
from verify.verdict import Witness

Blocks = frozenset[Block]
Number = Any  # flint.fmpq or flint.arb
Vector = list[Number]
Law = tuple[Vector, list[Vector]]  # mean and covariance

MAX_RULES = 1_000  # that are carried out in one sweep, repetitions included
WORKING_PRECISION_BITS = 512
MAX_FRACTION_CHARS = 24  # a longer fraction is printed as a decimal number


class NotAffineError(Exception):
    """A rule of the sweep is not affine with normal noise, or H is not quadratic."""


def moment_witness(
    kernel: Kernel, parts: Sequence[Part], without: Blocks = frozenset()
) -> Witness | None:
    """Return an instance in which the parts certainly change a mean or a covariance of exp(-H).

    Moments of the blocks in ``without`` are not compared. A witness refutes; None leaves the parts
    open, as laws with equal moments may differ, and rules may not be affine.
    """
    try:
        for instance in instances(kernel, powers=(2,)):
            witness = at_precision(
                WORKING_PRECISION_BITS,
                lambda at=instance: _witness(kernel, parts, at, without),  # type: ignore[misc]
            )
            if witness is not None:
                return witness
    except (NotAffineError, OutsideLanguageError):
        return None
    return None


def _witness(
    kernel: Kernel, parts: Sequence[Part], instance: Instance, without: Blocks
) -> Witness | None:
    """Return the first moment of one instance that certainly changes; None if there is none."""
    before = _law(instance.of(kernel.target), kernel.state)
    after = before
    explicit: dict[Update, list[Assignment]] = {}
    for count, update in enumerate(_unrolled(parts)):
        if count >= MAX_RULES:
            raise NotAffineError
        if update not in explicit:
            explicit[update] = _explicit(update, kernel.state, instance)
        after = _moved(update, explicit[update], after)
    compared = [k for k, b in enumerate(kernel.state) if b not in without]
    for name, old, new in _compared(kernel.state, compared, before, after):
        if not flint.arb(new - old).contains(0):
            return Witness(
                instance.shown(),
                f"{name} is {_shown(old)} under exp(-H), and {_shown(new)} after one sweep from it",
            )
    return None


def law_after(kernel: Kernel, moves: Sequence[Part], instance: Instance) -> tuple[Law, Law]:
    """Return mean and covariance of exp(-H) in an instance, before the moves and after them.

    Raises:
        NotAffineError: where exp(-H) is not normal, or a move is not affine with normal noise.
        OutsideLanguageError: where an abstract function has no meaning in the instance.
    """
    before = after = _law(instance.of(kernel.target), kernel.state)
    for update in _unrolled(moves):
        after = _moved(update, _explicit(update, kernel.state, instance), after)
    return before, after


def _law(H: Expr, state: tuple[Block, ...]) -> Law:
    """Return mean and covariance of exp(-H).

    Raises:
        NotAffineError: where H is not quadratic with a positive definite Hessian of rational
            numbers.
    """
    precision = hessian(H, state)
    if not all(e.is_Rational for e in precision) or not all(
        m > 0 for m in leading_minors(precision)
    ):
        raise NotAffineError
    at_zero = Matrix([H.diff(b) for b in state]).xreplace(dict.fromkeys(state, 0 * H))
    covariance = precision.inv()
    mean = -covariance * at_zero
    return [_number(e) for e in mean], [
        [_number(covariance[i, j]) for j in range(len(state))] for i in range(len(state))
    ]


def _unrolled(parts: Sequence[Part]) -> Iterator[Update]:
    """Yield the rules in the order in which they are carried out."""
    for part in parts:
        if isinstance(part, Move):
            yield part.update
        elif isinstance(part, Repeat) and isinstance(part.times, int):
            for _ in range(part.times):
                yield from _unrolled(part.parts)
        else:
            raise NotAffineError


Assignment = tuple[
    int, Vector, Number
]  # the index of a block; slopes and constant of its new value


def _explicit(update: Update, state: tuple[Block, ...], instance: Instance) -> list[Assignment]:
    """Return the rule in numbers; the slopes are those by the state, and then those by the noise of
    the rule.
    """
    noise = sorted({generic(s) for _, e in update.rule for s in e.atoms(*NOISE)}, key=str)
    symbols = (*state, *noise)
    return [(state.index(b), *_affine(instance.of(e), symbols)) for b, e in update.rule if e != b]


def _affine(e: Expr, symbols: tuple[Symbol, ...]) -> tuple[Vector, Number]:
    slopes = [_number(e.diff(s)) for s in symbols]
    return slopes, _number(e.xreplace(dict.fromkeys(symbols, 0 * e)))


def _number(e: Expr) -> Number:
    """Return a fraction, or a ball around a number that is not rational.

    Raises:
        NotAffineError: where the expression is not a number.
    """
    if isinstance(e, Rational):
        return flint.fmpq(int(e.p), int(e.q))
    value = None if e.free_symbols else number(e)
    if value is None:
        raise NotAffineError
    return value


def _moved(update: Update, assignments: list[Assignment], law: Law) -> Law:
    """Return mean and covariance after one rule.

    Its noise is part of the state meanwhile, as more than one assignment may use it.
    """
    mean, covariance = law
    n, size = len(mean), max((len(slopes) for _, slopes, _ in assignments), default=len(mean))
    zero, one = flint.fmpq(0), flint.fmpq(1)
    mean = [*mean, *[zero] * (size - n)]
    covariance = [[*row, *[zero] * (size - n)] for row in covariance]
    covariance += [[one if i == j else zero for j in range(size)] for i in range(n, size)]
    for batch in [[a] for a in assignments] if update.sequential else [assignments]:
        A = [[one if i == j else zero for j in range(size)] for i in range(size)]
        shift = [zero] * size
        for k, slopes, constant in batch:
            A[k], shift[k] = slopes, constant
        mean = [_dot(row, mean) + s for row, s in zip(A, shift, strict=True)]
        half = [[_dot(row, column) for column in covariance] for row in A]  # A C, as C is symmetric
        covariance = [[_dot(row, other) for other in A] for row in half]
    return mean[:n], [row[:n] for row in covariance[:n]]


def _dot(u: Vector, v: Vector) -> Number:
    return sum((a * b for a, b in zip(u, v, strict=True)), flint.fmpq(0))


def _compared(
    state: tuple[Block, ...], compared: list[int], before: Law, after: Law
) -> Iterator[tuple[str, Number, Number]]:
    """Yield each moment that is compared: its name, its value before and its value after."""
    for i, j in combinations_with_replacement(compared, 2):
        name = (
            f"the variance of {state[i]}"
            if i == j
            else f"the covariance of {state[i]} and {state[j]}"
        )
        yield name, before[1][i][j], after[1][i][j]
    for i in compared:
        yield f"the mean of {state[i]}", before[0][i], after[0][i]


def _shown(value: Number) -> str:
    short = str(value)
    return (
        short
        if isinstance(value, flint.fmpq) and len(short) <= MAX_FRACTION_CHARS
        else shown_ball(flint.arb(value))
    )
