"""The state along a sweep as a power series in s, the root of the step, with exact coefficients.

A coefficient is computed when it is asked for. Terms that a rule multiplies by the step are then
needed to a lower order than the rest, and high derivatives of abstract functions never occur.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import factorial, prod

from sympy import Add, Expr, Rational, S, Symbol, nan, oo, zoo

from recipe.declare.limit import in_root_of_step
from recipe.declare.update import Update
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import directional, partial
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.total import substitute

MAX_ORDER = 4  # in the root of the step, so the step squared: no sweep needs more


class RootStepSeries:
    """The coefficients of ``s^0, s^1, ...`` of a value; ``rule`` computes each of them, once."""

    def __init__(self, rule: Callable[[int], Expr]) -> None:
        self._rule = rule
        self._known: dict[int, Expr] = {}

    def at(self, n: int) -> Expr:
        """The coefficient of ``s^n``."""
        if n not in self._known:
            self._known[n] = self._rule(n)
        return self._known[n]


State = Mapping[Block, RootStepSeries]


@dataclass(frozen=True)
class Directions:
    """A symbol for the coefficient of each order of each block: derivatives are taken along the
    symbols, and values replace them afterwards.
    """

    of: Mapping[tuple[Block, int], Block]

    @staticmethod
    def for_state(state: tuple[Block, ...], names: UnusedNames) -> Directions:
        """The symbols of a state, under names that nothing else has."""
        places = [(b, n) for b in state for n in range(1, MAX_ORDER + 1)]
        return Directions({(b, n): _like(b, names.fresh(f"{b.name}_{n}")) for b, n in places})

    def along(self, e: Expr, n: int, state: tuple[Block, ...]) -> Expr:
        """The derivative of e along the coefficient of ``s^n`` of the state."""
        return directional(e, {b: self.of[b, n] for b in state})


def _like(block: Block, name: str) -> Block:
    return Vector(name, like=block) if isinstance(block, Vector) else Scalar(name)


def unmoved(state: tuple[Block, ...]) -> dict[Block, RootStepSeries]:
    """The state at the beginning of a sweep, as series."""
    return {b: RootStepSeries(lambda n, b=b: b if n == 0 else S.Zero) for b in state}  # type: ignore[misc]


def written_out(update: Update, s: Symbol) -> tuple[tuple[Block, RootStepSeries], ...]:
    """The right-hand sides as series in the s that is written in them; the blocks are left as they
    are.
    """
    return tuple(
        (b, _explicit(in_root_of_step(e, update.step, s), s, b, update.step))
        for b, e in update.rule
    )


def _explicit(e: Expr, s: Symbol, block: Block, step: Symbol) -> RootStepSeries:
    """The series of an expression in the s that is written in it."""
    slopes = [e]

    def coefficient(n: int) -> Expr:
        while len(slopes) <= n:
            slopes.append(partial(slopes[-1], s))
        value = substitute(slopes[n], {s: S.Zero}) / factorial(n)
        if value.has(nan, zoo, oo, -oo):
            raise RecipeError(
                f"the rule of {block} has no expansion in the root of {step}: it is singular at"
                f" {step} = 0, or its noise does not scale as a power of sqrt({step})"
            )
        return value

    return RootStepSeries(coefficient)


def put_in(rule: RootStepSeries, state: State, directions: Directions) -> RootStepSeries:
    """The series of a right-hand side whose blocks have the series of ``state`` (Faa di Bruno's
    formula).
    """
    blocks = tuple(state)

    def coefficient(n: int) -> Expr:
        terms = (_taylor(rule.at(k), n - k, blocks, state, directions) for k in range(n + 1))
        return Add(*terms).expand()

    return RootStepSeries(coefficient)


def _taylor(
    f: Expr, n: int, blocks: tuple[Block, ...], state: State, directions: Directions
) -> Expr:
    """The coefficient of ``s^n`` of ``f(z(s))``."""
    result: Expr = S.Zero
    for orders in _partitions(n, n):
        slope = f
        for k in orders:
            slope = directions.along(slope, k, blocks)
        if slope != 0:
            weight = Rational(1, prod(factorial(count) for count in Counter(orders).values()))
            result += weight * _at(slope, set(orders), blocks, state, directions)
    return result


def _at(
    e: Expr, orders: set[int], blocks: tuple[Block, ...], state: State, directions: Directions
) -> Expr:
    """The expression with the coefficients of the state in place of its blocks and direction
    symbols.

    Only the coefficients that occur in it are computed.
    """
    there = {s.at(0) if isinstance(s, Vector) else s for s in e.free_symbols}
    values: dict[Block, Expr] = {b: state[b].at(0) for b in blocks if state[b].at(0) != b}
    values |= {
        u: state[b].at(k) for (b, k), u in directions.of.items() if k in orders and u in there
    }
    try:
        return substitute(e, values)
    except OutsideLanguageError as error:
        raise OutsideLanguageError(
            f"{error}: it is read where a block that is redrawn in the sweep has another value"
        ) from None


def _partitions(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write n as a sum of positive numbers up to ``largest``, the largest
    first.
    """
    if n == 0:
        yield ()
    for k in range(min(n, largest), 0, -1):
        yield from ((k, *rest) for rest in _partitions(n - k, k))
