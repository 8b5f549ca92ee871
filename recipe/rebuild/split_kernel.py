"""Cut the parts of a kernel into pieces: every piece of a block moves as the block did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sympy import Expr

from recipe.declare.update import Update
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)
from recipe.kernel.partner import partners_of
from recipe.language.blocks import Block
from recipe.language.total import substitute

Seconds = dict[Block, tuple[Block, ...]]


@dataclass(frozen=True)
class Cut:
    """How a state is cut into pieces.

    Attributes:
        update: cuts a rule.
        pieces: the pieces of a block.
        put: cuts an expression; one of two states also needs the pieces of the blocks of the second
            state.
    """

    update: Callable[[Update], Update]
    pieces: Callable[[Block], tuple[Block, ...]]
    put: Callable[[Expr, Seconds], Expr]


def part_in_pieces(part: Part, cut: Cut) -> Part:
    """The part with its rules, its flipped blocks, and its acceptance probability cut into
    pieces.
    """
    match part:
        case Move():
            return _move(part, cut)
        case MetropolisHastings():
            return _proposal(part, cut)
        case MetropolisedMap():
            return _map(part, cut)
        case MetropolisedPath(around=around, test=test):
            return MetropolisedPath(_move(around, cut), _map(test, cut))
        case Repeat(parts=parts):
            return replace(part, parts=tuple(part_in_pieces(p, cut) for p in parts))


def _move(part: Move, cut: Cut) -> Move:
    return replace(part, update=cut.update(part.update))


def _map(part: MetropolisedMap, cut: Cut) -> MetropolisedMap:
    return replace(
        part, map=cut.update(part.map), flips=tuple(p for b in part.flips for p in cut.pieces(b))
    )


def _proposal(part: MetropolisHastings, cut: Cut) -> MetropolisHastings:
    """Cut a Metropolis-Hastings part; its log ratio is a sum over coordinates, and so one over the
    pieces.
    """
    proposal = cut.update(part.proposal)
    partners = partners_of(proposal)
    second = dict(partners)
    of_cut = {
        b_new: tuple(second[p] for p in cut.pieces(b))
        for b, b_new in part.partners
        if cut.pieces(b) != (b,)
    }
    renamed = {b_new: second[b] for b, b_new in part.partners if cut.pieces(b) == (b,)}
    return MetropolisHastings(proposal, partners, substitute(cut.put(part.cost, of_cut), renamed))
