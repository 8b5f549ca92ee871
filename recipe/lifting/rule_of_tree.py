"""The rule of a tree: the new value of each block as an expression in the user's letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from sympy import Expr

from recipe.language.blocks import Block
from recipe.language.free_symbols import UnusedNames
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic, name_of
from recipe.lifting.claims.claim import Claim
from recipe.lifting.traces import Tree, tree_of
from recipe.lifting.tracing.given import expressions_of, point_of
from recipe.lifting.tracing.trace import Front
from recipe.lifting.tree.expression import expression, with_open_squares
from recipe.lifting.tree.node import LEAF, Node, made
from recipe.lifting.tree.order import Blocks, assignments
from recipe.lifting.tree.place import Place


@dataclass(frozen=True)
class RuleOfTree:
    """What was read of a function.

    Attributes:
        pairs: each block that is assigned with its new value, in the order of the assignments.
        sequential: whether later values see new ones.
        values: the same as nodes, by the names of blocks.
        letters: the expression of every leaf.
        draws: each noise, with the numbers of its draws.
        tree: the tree.
    """

    pairs: tuple[tuple[Block, Expr], ...]
    sequential: bool
    values: tuple[tuple[str, Node], ...]
    letters: Mapping[Any, Expr]
    draws: Mapping[Noise | ScalarNoise, tuple[int, ...]]
    tree: Tree

    def written(self, options: Mapping[str, Any]) -> Any:
        """The rule as an ``Update`` with these options takes it."""
        pairs = list(self.pairs)
        if options.get("units"):
            pairs = [(block, with_open_squares(e)) for block, e in pairs]
        return pairs if self.sequential else dict(pairs)


def rule_of(front: Front, claim: Claim, target: Any) -> RuleOfTree:
    """Trace a function, and return its rule.

    Raises:
        CannotLiftError: naming what cannot be read.
    """
    tree = tree_of(front, claim)
    values, sequential = assignments(_blocks(claim, tree))
    symbols = _noise_symbols(claim, tree, target)
    letters = _letters(claim, symbols)
    pairs = tuple(
        (block_of(claim, name), expression(value, letters, tree.lengths)) for name, value in values
    )
    draws = dict(zip(symbols, tree.draws, strict=True))
    return RuleOfTree(pairs, sequential, tuple(values), letters, draws, tree)


def block_of(claim: Claim, name: str) -> Block:
    """The block of a name."""
    return next(b for b in claim.blocks if name_of(b) == name)


def _blocks(claim: Claim, tree: Tree) -> Blocks:
    """The blocks with what their new values are computed of, by names of blocks."""
    names = {argument: name_of(b) for argument, b in claim.state.items()}
    renamed = _renamed(tree.values, names)
    read_by: dict[str, tuple[str, ...]] = {n: (n,) for n in names.values()}
    for argument, e in claim.letters.items():
        atoms = {generic(s) for s in e.free_symbols}
        read_by[argument] = tuple(name_of(b) for b in claim.blocks if b in atoms)
    points = {}
    for argument, gradient in claim.gradient.items():
        for name in expressions_of(argument, gradient):
            points[name] = tuple(name_of(b) for b in point_of(gradient))
    lengths = {name_of(b): None if b.length is None else str(b.length) for b in claim.blocks}
    return Blocks(renamed, lengths, read_by, points)


def _renamed(values: Mapping[str, Node], names: Mapping[str, str]) -> dict[str, Node]:
    """The values with the arguments that are blocks called by the names of the blocks."""
    done: dict[Node, Node] = {}

    def renamed(n: Node) -> Node:
        if n not in done:
            data = (names.get(n.data[0], n.data[0]),) if n.op == LEAF else n.data
            done[n] = made(n.op, tuple(map(renamed, n.args)), data, n.place)
        return done[n]

    return {name: renamed(value) for name, value in values.items()}


def _noise_symbols(claim: Claim, tree: Tree, target: Any) -> list[Noise | ScalarNoise]:
    """The noise of each group of draws: the user's where it is an argument, else a new one."""
    written = [*claim.blocks, *claim.letters.values(), *claim.noise.values(), claim.step]
    for e in claim.gradient.values():
        written += e if isinstance(e, tuple) else (e,)
    written += [target] if isinstance(target, Expr) else []
    names = UnusedNames(written)
    found: list[Noise | ScalarNoise] = []
    fresh = 0
    for draws in tree.draws:
        draw = next(d for d in reversed(tree.trace.draws.all) if d.first <= draws[0])
        if draw.name is not None and draws[0] == draw.first:
            found.append(claim.noise[draw.name])
            continue
        fresh += 1
        name = names.fresh("w" if fresh == 1 else f"w{fresh}")
        found.append(_noise(claim, tree, name, len(draws)))
    return found


def _noise(claim: Claim, tree: Tree, name: str, count: int) -> Noise | ScalarNoise:
    if count == 1:
        return ScalarNoise(name)
    length = next(n for n, shape in tree.shapes.items() if prod(shape) == count)
    like = next(b for b in claim.blocks if str(b.length) == length)
    return Noise(name, like=like)


def _letters(claim: Claim, symbols: list[Any]) -> dict[Any, Expr]:
    """The expression of every leaf."""
    letters: dict[Any, Expr] = {("leaf", n): e for n, e in claim.letters.items()}
    for b in claim.blocks:
        letters["leaf", name_of(b)] = letters["held", name_of(b)] = b
    for k, w in enumerate(symbols):
        letters["noise", ("drawn", k)] = w
    for argument, gradient in claim.gradient.items():
        for name, e in expressions_of(argument, gradient).items():
            letters["given", name] = e
    return letters


def drawn_at(tree: Tree, which: tuple[int, ...]) -> Place | None:
    """The line that draws a noise, by the numbers of its draws; None where it is an argument."""
    draw = next(d for d in reversed(tree.trace.draws.all) if d.first <= which[0])
    return draw.place if draw.name is None else None
