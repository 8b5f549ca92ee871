"""Exact refutation where everything is affine and normal: mean and covariance of exp(-H), before and after a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from sympy import Expr, ImmutableDenseMatrix, Matrix, Symbol, diag, eye, hessian

from recipe import Kernel
from recipe.errors import OutsideLanguageError
from recipe.expectation import NOISE
from recipe.kernel.part import Move, Part, Repeat
from recipe.symbols import Block, generic
from recipe.update import Update
from verify.kernel.instance import Instance, instances, number
from verify.verdict import Witness

Blocks = frozenset[Block]

MOST_STEPS = 200  # rules that are followed in one sweep


class NotAffineError(Exception):
    """Something in the sweep is not affine with normal noise, or H is not quadratic."""


def moment_witness(kernel: Kernel, parts: Sequence[Part], without: Blocks = frozenset()) -> Witness | None:
    """An instance in which the moments of exp(-H), ``without`` those of some blocks, certainly change by the parts."""
    try:
        for instance in instances(kernel, powers=(2,)):
            witness = _witness(kernel, parts, instance, without)
            if witness is not None:
                return witness
    except (NotAffineError, OutsideLanguageError):
        return None
    return None


def _witness(kernel: Kernel, parts: Sequence[Part], instance: Instance, without: Blocks) -> Witness | None:
    mean, covariance = _law(instance.of(kernel.target), kernel.state)
    new_mean, new_covariance = mean, covariance
    for count, update in enumerate(_unrolled(parts)):
        if count >= MOST_STEPS:
            raise NotAffineError
        new_mean, new_covariance = _moved(update, kernel.state, instance, new_mean, new_covariance)
    compared = [k for k, b in enumerate(kernel.state) if b not in without]
    for name, before, after in _compared(kernel.state, compared, (mean, covariance), (new_mean, new_covariance)):
        value = number(after - before)
        if value is not None and not value.contains(0):
            return Witness(instance.shown(), f"{name} is {before} under exp(-H), and {after} after one sweep from it")
    return None


def _law(H: Expr, state: tuple[Block, ...]) -> tuple[Matrix, Matrix]:
    """Mean and covariance of exp(-H), where that is a normal law."""
    precision = hessian(H, state)
    if precision.free_symbols or not all(m.is_Rational and m > 0 for m in _minors(precision)):
        raise NotAffineError
    at_zero = Matrix([H.diff(b) for b in state]).xreplace(dict.fromkeys(state, 0 * H))
    covariance = precision.inv()
    return -covariance * at_zero, covariance


def _minors(m: Matrix) -> Iterator[Expr]:
    return (m[:k, :k].det() for k in range(1, m.rows + 1))


def _unrolled(parts: Sequence[Part]) -> Iterator[Update]:
    for part in parts:
        if isinstance(part, Move):
            yield part.update
        elif isinstance(part, Repeat) and isinstance(part.times, int):
            for _ in range(part.times):
                yield from _unrolled(part.parts)
        else:
            raise NotAffineError


def _moved(update: Update, state: tuple[Block, ...], instance: Instance, mean: Matrix, covariance: Matrix) -> tuple[Matrix, Matrix]:
    """Mean and covariance after one rule; its noise is part of the state meanwhile, as it may be used more than once."""
    noise = sorted({generic(s) for _, e in update.rule for s in e.atoms(*NOISE)}, key=str)
    symbols = (*state, *noise)
    mean = Matrix([*mean, *(0 for _ in noise)])
    covariance = diag(covariance, eye(len(noise))) if noise else covariance
    rows = [(state.index(b), _affine(instance.of(e), symbols)) for b, e in update.rule if e != b]
    for batch in [[row] for row in rows] if update.sequential else [rows]:
        A, shift = eye(len(symbols)).as_mutable(), Matrix([0] * len(symbols))
        for k, (slope, constant) in batch:
            A[k, :], shift[k] = slope, constant
        mean, covariance = A * mean + shift, A * covariance * A.T
    n = len(state)
    return mean[:n, :].expand(), covariance[:n, :n].expand()


def _affine(e: Expr, symbols: tuple[Symbol, ...]) -> tuple[Matrix, Expr]:
    slope = ImmutableDenseMatrix([[e.diff(s) for s in symbols]])
    constant = e.xreplace(dict.fromkeys(symbols, 0 * e))
    if slope.free_symbols or constant.free_symbols or not constant.is_finite:
        raise NotAffineError
    return slope, constant


def _compared(
    state: tuple[Block, ...], compared: list[int], before: tuple[Matrix, Matrix], after: tuple[Matrix, Matrix]
) -> Iterator[tuple[str, Expr, Expr]]:
    for i, j in combinations_with_replacement(compared, 2):
        name = f"the variance of {state[i]}" if i == j else f"the covariance of {state[i]} and {state[j]}"
        yield name, before[1][i, j], after[1][i, j]
    for i in compared:
        yield f"the mean of {state[i]}", before[0][i], after[0][i]
