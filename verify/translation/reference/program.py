"""The rule as a list of operations: of an ``Update``, or of a composed ``Kernel`` part by part."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch

from sympy import Expr

from recipe.declare.update import Update
from recipe.kernel import (
    Kernel,
    MetropolisedMap,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
    updates_of,
)
from recipe.kernel.part import leaves_of
from recipe.language.blocks import Block


@dataclass(frozen=True)
class Moves:
    """Assign new values to some blocks, all computed from the old state.

    ``noise`` is a number that distinguishes the noises of this application of a rule from all
    others.
    """

    rule: tuple[tuple[Block, Expr], ...]
    noise: int


@dataclass(frozen=True)
class Repeated:
    """Repeat operations a number of times that is drawn uniformly from ``low`` to ``high``.

    ``moved`` are the blocks that the operations change.
    """

    low: int
    high: int
    operations: tuple[Operation, ...]
    moved: frozenset[Block]


@dataclass(frozen=True)
class Mark:
    """Remember the state, for a later test."""


@dataclass(frozen=True)
class MapTest:
    """Accept a map with the ratio of ``exp(-energy)``, or return to the marked state and negate
    ``flips``.
    """

    energy: Expr
    flips: frozenset[Block]
    moved: tuple[Block, ...]


@dataclass(frozen=True)
class ProposalTest:
    """Accept a proposal by ``cost(x, y) - cost(y, x)``, with the marked state x and the present one
    y.
    """

    cost: Expr
    partners: tuple[tuple[Block, Block], ...]
    moved: tuple[Block, ...]


Operation = Moves | Repeated | Mark | MapTest | ProposalTest

_numbers = itertools.count(1)


@singledispatch
def operations(source: Update | Kernel) -> tuple[Operation, ...]:
    """Return the operations of one step."""
    raise TypeError(f"{source!r} is not an Update or a Kernel")


@operations.register
def _(source: Update) -> tuple[Operation, ...]:
    return tuple(_moves(source))


@operations.register
def _(source: Kernel) -> tuple[Operation, ...]:
    return tuple(o for part in source.parts for o in _part(part))


def _moves(update: Update) -> Iterator[Operation]:
    number = next(_numbers)
    if not update.sequential:
        yield Moves(update.rule, number)
        return
    for block, e in update.rule:
        yield Moves(((block, e),), number)


@singledispatch
def _part(part: Part) -> Iterable[Operation]:
    raise TypeError(f"{part!r} is not a part of a kernel that is known here")


@_part.register
def _(part: Move) -> Iterable[Operation]:
    return _moves(part.update)


@_part.register
def _(part: Repeat) -> Iterable[Operation]:
    low, high = part.times if isinstance(part.times, tuple) else (part.times, part.times)
    moved = {b for u in updates_of(part) for b, e in u.rule if e != b}
    moved |= {
        b for leaf in leaves_of(part) if isinstance(leaf, MetropolisedMap) for b in leaf.flips
    }
    return [
        Repeated(
            low, high, tuple(o for inner in part.parts for o in _part(inner)), frozenset(moved)
        )
    ]


@_part.register
def _(part: MetropolisedMap) -> Iterable[Operation]:
    low, high = part.times if isinstance(part.times, tuple) else (part.times, part.times)
    moved = frozenset(b for b, e in part.map.rule if e != b)
    once = tuple(_moves(part.map))
    flips = frozenset(part.flips if part.flip_on_rejection else ())
    body = once if (low, high) == (1, 1) else (Repeated(low, high, once, moved),)
    return [Mark(), *body, MapTest(part.map.target, flips, tuple(moved | flips))]


@_part.register
def _(part: MetropolisHastings) -> Iterable[Operation]:
    moved = tuple(b for b, e in part.proposal.rule if e != b)
    return [Mark(), *_moves(part.proposal), ProposalTest(part.cost, part.partners, moved)]
