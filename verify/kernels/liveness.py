"""What a sweep does to blocks that are overwritten before anything reads them does not matter, and
is left out.

So "set the momentum to zero, then redraw it" is "redraw it"; and whether a rejected momentum is
turned or kept is all one where a full refresh of it follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr

from recipe.declare.update import Update
from recipe.kernel.part import MetropolisedMap, MetropolisedPath, Move, Part
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block

Blocks = frozenset[Block]


def without_effects_on(
    dead: Blocks, parts: Sequence[Part]
) -> tuple[tuple[Part | None, ...], Blocks]:
    """Parts that do the same to all other blocks, where the values of ``dead`` ones do not matter
    afterwards.

    Each is at the place of the part that it stands for; None where nothing of that is left. Also
    gives the blocks whose values do not matter before them.
    """
    kept: list[Part | None] = []
    for part in reversed(parts):
        if isinstance(part, Move):
            move, dead = _move(part, dead)
            kept.append(move)
        else:
            kept.append(_settled(part, dead))
            dead = (
                frozenset()
            )  # a test reads H, and so every block; repetitions are taken to do so too
    return tuple(reversed(kept)), dead


def _settled(part: Part, dead: Blocks) -> Part:
    """A test turns what it keeps where it makes no difference, which is how it is known to be
    right.
    """
    test = part.test if isinstance(part, MetropolisedPath) else part
    return turning(part) if isinstance(test, MetropolisedMap) and set(test.flips) <= dead else part


def turning(part: Part) -> Part:
    """The part where a rejected state is turned."""
    match part:
        case MetropolisedMap():
            return replace(part, flip_on_rejection=True)
        case MetropolisedPath(test=test):
            return replace(part, test=replace(test, flip_on_rejection=True))
    return part


def _move(part: Move, dead: Blocks) -> tuple[Move | None, Blocks]:
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
        update=Update(update.step, rule, update.target, name=update.name, source=update.source),
    ), dead


def _batches(update: Update) -> list[list[tuple[Block, Expr]]]:
    """What is assigned at once."""
    return [[pair] for pair in update.rule] if update.sequential else [list(update.rule)]
