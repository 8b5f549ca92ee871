"""What a function computes at one length, coordinate by coordinate, and what a rule says there.

For code that cannot be the same at every length, such as a generated module, whose ``step`` takes
its noise as an argument: both sides are expressions in one symbol a coordinate, to be proved equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Expr, Function, Symbol

from recipe.declare.update import Update
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.noise import Noise
from recipe.language.symbols import GENERIC, Indexed, Length, generic, name_of
from recipe.language.total import Total
from recipe.lifting.claims.claim import Claim, read_claim
from recipe.lifting.fronts import front_of
from recipe.lifting.tracing.given import expressions_of, point_of
from recipe.lifting.tree.expression import MEANINGS
from recipe.lifting.tree.node import GIVEN, LEAF, NOISE, NUMBER, SUM, Node, one_tree
from recipe.lifting.tree.place import refuse

Values = Mapping[str, list[Expr]]


@dataclass(frozen=True)
class World:
    """One symbol for each coordinate.

    Attributes:
        sizes: the number of coordinates of each length, by its name.
    """

    sizes: Mapping[str, int]

    def symbol(self, s: Symbol, i: int | None) -> Symbol:
        """The symbol of a coordinate, or of a number."""
        return Symbol(f"{name_of(s)}_{i}", real=True) if i is not None else s

    def coordinates(self, s: Any) -> list[Expr]:
        """All coordinates of a block or a noise; a number is one of them."""
        if s.length is None:
            return [s]
        return [self.symbol(s, i) for i in range(self.sizes[str(s.length)])]

    def value(self, e: Expr, i: int | None, now: Mapping[Block, list[Expr]]) -> Expr:
        """An expression of the language at coordinate i, with blocks at their values."""
        return self._at(e, {} if i is None else {GENERIC: i}, now)

    def _at(self, e: Expr, at: Mapping[int, int], now: Mapping[Block, list[Expr]]) -> Expr:
        if isinstance(e, Length):
            return sympy.Integer(self.sizes[str(e)])
        if isinstance(e, Partial):
            if len(e.wrt) != 1 or not isinstance(e.head, Potential):
                raise OutsideLanguageError(f"{e} is not looked at coordinate by coordinate")
            block = e.wrt[0]
            point = [x for b in e.head.blocks for x in now[b]]
            i = at[block.label] if isinstance(block, Indexed) else ""
            return _function(f"d{e.head}_d{name_of(generic(block))}{i}", point)
        if isinstance(e, Potential):
            return _function(e.name, [x for b in e.blocks for x in now[b]])
        if isinstance(e, Total):
            label, size = e.index.label, self.sizes[str(e.index.length)]
            return sympy.Add(*(self._at(e.body, {**at, label: k}, now) for k in range(size)))
        if isinstance(e, Indexed):
            block = generic(e)
            i = at[e.label]
            return now[block][i] if block in now else self.symbol(block, i)
        if isinstance(e, Symbol):
            return now[e][0] if e in now else e
        return e.func(*(self._at(a, at, now) for a in e.args)) if e.args else e


def _function(name: str, point: list[Expr]) -> Expr:
    """A function of all coordinates of its point, multiplied out so that equal points are seen."""
    return Function(name, real=True)(*(sympy.expand(x) for x in point))


def coordinates_of_rule(rule: Update, world: World) -> Values:
    """The new value of every coordinate by a rule, by the name of the block."""
    now = {b: world.coordinates(b) for b in rule.state}
    new = dict(now)
    for block, e in rule.rule:
        own = [None] if block.length is None else range(world.sizes[str(block.length)])
        new[block] = [world.value(e, i, now) for i in own]
        if rule.sequential:
            now = dict(new)
    return {name_of(b): new[b] for b in rule.state}


def coordinates_of_code(
    function: Callable[..., Any],
    world: World,
    *,
    state: Mapping[str, Block],
    step: Symbol,
    arguments: Mapping[str, Any] | None = None,
    noise: Mapping[str, Noise] | None = None,
    gradient: Mapping[str, Any] | None = None,
    returns: Any = None,
    library: str | None = None,
) -> Values:
    """The new value of every coordinate by a function, by the name of the block.

    Args:
        function: the function of one step.
        world: the lengths.
        state, step, arguments, noise, gradient, returns, library: as for ``lift``; the noise is
            given by arguments.

    Raises:
        CannotLiftError: for code that has no reading.
    """
    claim = read_claim(function, state, step, arguments or {}, noise, gradient or {}, returns)
    shapes = {name: (size,) for name, size in world.sizes.items()}
    with one_tree():
        trace = front_of(claim.function, library).trace(claim, shapes)
        draws = _drawn(claim, trace, world)
        reader = _Reader(claim, world, draws)
        return {
            name: [reader.value(n) for n in nodes.reshape(-1)]
            for name, nodes in trace.outputs.items()
        }


def _drawn(claim: Claim, trace: Any, world: World) -> dict[int, Expr]:
    """The symbol of each number that was drawn."""
    found: dict[int, Expr] = {}
    for draw in trace.draws.all:
        if draw.name is None:
            refuse(f"{claim.name} draws random numbers; give it its noise", draw.place)
        for k, symbol in enumerate(world.coordinates(claim.noise[draw.name])):
            found[draw.first + k] = symbol
    return found


class _Reader:
    """Turns nodes into expressions of coordinates."""

    def __init__(self, claim: Claim, world: World, draws: Mapping[int, Expr]) -> None:
        self.claim, self.world, self.draws = claim, world, draws
        self.start = {b: world.coordinates(b) for b in claim.blocks}
        self.given = {
            name: e
            for argument, g in claim.gradient.items()
            for name, e in expressions_of(argument, g).items()
        }
        self.done: dict[Node, Expr] = {}

    def value(self, n: Node) -> Expr:
        """The expression of a node."""
        if n not in self.done:
            self.done[n] = self._read(n)
        return self.done[n]

    def _read(self, n: Node) -> Expr:
        if n.op == NUMBER:
            return n.data
        if n.op == NOISE:
            return self.draws[n.data]
        if n.op == LEAF:
            name, i = n.data
            e = self.claim.state.get(name, self.claim.letters.get(name))
            return self.world.value(e, i, self.start)
        if n.op == GIVEN:
            return self._given(n)
        args = [self.value(a) for a in n.args]
        if n.op == SUM:
            return sympy.Add(*args)
        if n.op not in MEANINGS:
            refuse(f"{n.op} has no word in the language of rules", n.place)
        return MEANINGS[n.op](*args)

    def _given(self, n: Node) -> Expr:
        e, start = self.given[n.data[0]], 0
        now = dict(self.start)
        for block, count in zip(_blocks_of(e), n.data[2:], strict=False):
            now[block] = [self.value(a) for a in n.args[start : start + abs(count)]]
            start += abs(count)
        return self.world.value(e, n.data[1], now)


def _blocks_of(e: Expr) -> list[Block]:
    return list(point_of(e))
