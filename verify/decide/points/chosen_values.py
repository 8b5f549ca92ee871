"""The values of a point: each is chosen when it is first needed, by a generator with a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import flint
from sympy import Expr, Rational, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.domain import on_simplex
from recipe.language.symbols import Length
from verify.decide.points.balls import Ball, NoValueError, ball_of
from verify.decide.points.candidate_values import candidates, generic_value, is_discrete
from verify.decide.points.keys import ROOT, key_of

# A positive definite matrix is R R^T plus this multiple of the identity, so that its values are
# neither all large nor all small.
RIDGE = Rational(1, 8)


class ChosenValues:
    """A rational number for every coordinate, parameter, derivative and matrix entry.

    ``sizes`` gives every length a number; ``edge`` prefers values at the ends of domains; at the
    ``origin`` every coordinate is 0 that may be; ``generic`` values are fractions with a large
    denominator, at which a function hardly vanishes by chance.
    """

    def __init__(
        self,
        sizes: Mapping[Length, int],
        seed: int,
        *,
        edge: bool = False,
        origin: bool = False,
        generic: bool = False,
    ) -> None:
        self.sizes = dict(sizes)
        self._random = random.Random(seed)
        self._edge = edge
        self._origin = origin
        self._generic = generic
        self._values: dict[Any, Rational] = {}
        self._arguments: dict[Any, list[tuple[Any, tuple[Ball, ...]]]] = {}
        self._known: dict[tuple[Expr, int], Ball] = {}  # values of sums, by precision

    def choose(self, symbol: Symbol, k: int | None = None) -> Rational:
        """The value of coordinate k of a block, or with ``k=None`` of a plain symbol.

        Raises:
            NoValueError: if no candidate satisfies the assumptions of the symbol.
        """
        key = key_of(symbol, k)
        if key not in self._values:
            self._values[key] = self._chosen(symbol)
        return self._values[key]

    def choose_all(self, symbols: Iterable[Symbol]) -> dict[Symbol, Rational] | None:
        """The values of lengths and plain symbols, chosen in this order.

        None if no value of one of them satisfies its assumptions.
        """
        try:
            return {
                s: Rational(self.sizes[s]) if isinstance(s, Length) else self.choose(s)
                for s in symbols
            }
        except NoValueError:
            return None

    def coordinates(self, block: Block) -> range:
        """The numbers of the coordinates of a block, counted from 0; a scalar has one."""
        return range(self.sizes.get(block.length, 1) if isinstance(block, Vector) else 1)

    def put(self, symbol: Symbol, k: int | None, value: Rational) -> None:
        """Set coordinate k of a block (``k=None``: a plain symbol) before it is chosen, as on an
        edge of its domain.
        """
        self._values[key_of(symbol, k)] = value
        self._known.clear()

    def _chosen(self, symbol: Symbol) -> Rational:
        if on_simplex(symbol):
            return Rational(self._random.randint(1, 7), 8 * self.sizes[symbol.length])
        if self._generic and not is_discrete(symbol):
            value = generic_value(symbol, self._random)
            if value is None:
                raise _no_value_of(symbol)
            return value
        fitting = candidates(symbol, self._edge)
        if not fitting:
            raise _no_value_of(symbol)
        if self._origin and isinstance(symbol, Vector | Scalar) and 0 in fitting:
            return Rational(0)
        return self._random.choice(fitting)

    def free(self, key: Any, positive: bool) -> Ball:
        """The value of an atom that may be chosen freely, such as a derivative of an abstract
        function.
        """
        if key not in self._values:
            numerator = self._random.randint(1, 24) * (
                1 if positive or self._random.random() < 0.5 else -1
            )
            if self._edge and not positive and self._random.random() < 0.3:
                numerator = 0
            self._values[key] = Rational(numerator, 8)
        return ball_of(self._values[key])

    def positive_definite(self, matrix: Dense, i: int, j: int) -> Ball:
        """The entry (i, j) of a positive definite matrix ``R R^T + 1/8``, where R is chosen
        freely.
        """
        n = self.sizes[matrix.row.length]
        products = [
            self.free((ROOT, matrix, i, k), False) * self.free((ROOT, matrix, j, k), False)
            for k in range(n)
        ]
        return sum(products, ball_of(RIDGE * int(i == j)))

    def remembered(self, e: Expr, compute: Callable[[], Ball]) -> Ball:
        """The value of an expression without a free coordinate, which is computed once: the many
        equations about a model hold the same long sums.
        """
        key = e, flint.ctx.prec
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def elementwise(
        self,
        e: AppliedUndef,
        orders: tuple[int, ...],
        arguments: tuple[Ball, ...],
        written: tuple[str, ...],
    ) -> Ball:
        """The derivative of the given orders of an elementwise function: free, but equal at equal
        arguments.

        Args:
            e: the function, applied to its arguments.
            orders: the order of the derivative by each argument.
            arguments: the values of the arguments.
            written: a name of each argument, which equal arguments share.

        Raises:
            NoValueError: if two arguments of the function cannot be told apart.
        """
        known = self._arguments.setdefault(e.func, [])
        for name, balls in known:
            if all(a.overlaps(b) for a, b in zip(arguments, balls, strict=True)):
                if name != written:
                    raise NoValueError(f"two arguments of {e.func} cannot be told apart")
                break
        else:
            known.append((written, arguments))
        return self.free(
            ("function", e.func, orders, written), positive=bool(e.is_positive) and not any(orders)
        )


def _no_value_of(symbol: Symbol) -> NoValueError:
    return NoValueError(f"no value of {symbol} was found that satisfies its assumptions")
