"""Leave out of a sweep what it does to blocks that are overwritten before anything reads them.

So "set the momentum to zero, then redraw it" becomes "redraw it". It also makes no difference
whether the sign of a rejected momentum is turned where a full refresh of the momentum follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr

from recipe.declare.update import Update
from recipe.kernel.part import MetropolisedMap, MetropolisedPath, Move, Part
from recipe.language.blocks import Block
from recipe.language.free_symbols import blocks_in

Blocks = frozenset[Block]


def without_effects_on(
    dead: Blocks, parts: Sequence[Part]
) -> tuple[tuple[Part | None, ...], Blocks]:
    """Leave out of the parts everything that only affects blocks in ``dead``, whose values do not
    matter afterwards.

    Returns:
        The parts, each at its old place and None where nothing of a part is left, and the blocks
        whose values do not matter before the first part.
    """
    kept: list[Part | None] = []
    for part in reversed(parts):
        if isinstance(part, Move):
            move, dead = _live_move(part, dead)
            kept.append(move)
        else:
            kept.append(_turning_if_dead(part, dead))
            dead = (
                frozenset()
            )  # a test reads H, and so every block; repetitions are assumed to do so too
    return tuple(reversed(kept)), dead


def _turning_if_dead(part: Part, dead: Blocks) -> Part:
    """Let a test turn signs on rejection where the blocks are dead: then it makes no difference,
    and the form that turns is the one that can be proved.
    """
    test = part.test if isinstance(part, MetropolisedPath) else part
    return turning(part) if isinstance(test, MetropolisedMap) and set(test.flips) <= dead else part


def turning(part: Part) -> Part:
    """Return the part with signs turned on rejection; parts of other kinds as they are."""
    match part:
        case MetropolisedMap():
            return replace(part, flip_on_rejection=True)
        case MetropolisedPath(test=test):
            return replace(part, test=replace(test, flip_on_rejection=True))
    return part


def _live_move(part: Move, dead: Blocks) -> tuple[Move | None, Blocks]:
    """Return the move without assignments to dead blocks, None if nothing is left; and the blocks
    that are dead before it.
    """
    update = part.update
    kept: list[tuple[Block, Expr]] = []
    for batch in reversed(_batches(update)):
        alive = [(b, e) for b, e in batch if b not in dead and e != b]
        read = frozenset().union(*(blocks_in(e, update.state) for _, e in alive))
        dead = (dead | {b for b, _ in alive}) - read
        kept[:0] = alive
    if not kept:
        return None, dead
    if len(kept) == sum(e != b for b, e in update.rule):
        return part, dead
    still = [(b, b) for b in update.state if b not in {b for b, _ in kept}]
    rule = [*still, *kept] if update.sequential else dict([*still, *kept])
    return replace(
        part,
        update=Update(
            update.step,
            rule,
            update.target,
            name=update.name,
            source=update.source,
            where=update.where,
        ),
    ), dead


def _batches(update: Update) -> list[list[tuple[Block, Expr]]]:
    """Return the assignments in groups, each carried out at once."""
    return [[pair] for pair in update.rule] if update.sequential else [list(update.rule)]
