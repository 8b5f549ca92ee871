"""A deterministic map as a sequence of shears ``block += g(other blocks)``: such a map keeps
volume, and its inverse is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from sympy import Expr, S

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.text import listed
from recipe.language.total import substitute
from verify.decide.zero.decide import decide_zero
from verify.verdict import Outcome, Verdict, conjunction, proved, undecided


@dataclass(frozen=True)
class Shear:
    """``block += g``, with g free of the block: its Jacobian is triangular with ones on the
    diagonal, and ``block -= g`` undoes it.
    """

    block: Block
    g: Expr


def shears_of(update: Update) -> tuple[Shear, ...] | str:
    """Return the shears of a map in the order in which they are carried out, or a sentence that
    says why it is not such a sequence.
    """
    moving = [(b, e) for b, e in update.rule if e != b]
    if not update.sequential and len(moving) > 1:
        names = " and ".join(str(b) for b, _ in moving)
        return (
            f"{names} move at once, each from the old value of the other: this is no sequence of"
            " shears"
        )
    found: list[Shear] = []
    for block, e in moving:
        g = (e - block).expand()
        if g.has(*NOISE):
            return f"{block} := {e} has noise"
        if block in blocks_in(g, (block,)):
            return (
                f"{block} := {e} is no shear, {block} + g with g free of {block}; its Jacobian is"
                " not known to be 1"
            )
        if found and found[-1].block == block:
            g, found = found[-1].g + g, found[:-1]
        found.append(Shear(block, g))
    return tuple(found)


def turned(e: Expr, flips: Iterable[Block]) -> Expr:
    """Return the expression at F(z), where F turns the sign of the blocks in ``flips``.

    Raises:
        OutsideLanguageError: where an abstract function depends on one of them.
    """
    return substitute(e, {b: -b for b in flips})


def decide_flip(H: Expr, flips: tuple[Block, ...]) -> Outcome:
    """Decide whether ``H(F(z)) = H(z)``, where F turns the sign of the blocks in ``flips``."""
    if not flips:
        return proved("no block is turned")
    try:
        return decide_zero(turned(H, flips) - H)
    except OutsideLanguageError:
        return undecided("H has an abstract function of a block whose sign is turned")


def decide_reversible(shears: tuple[Shear, ...], flips: tuple[Block, ...]) -> Outcome:
    """Prove that ``F Psi F`` is the inverse of Psi; undecided otherwise, never refuted.

    Counted from the two ends of the map, each shear, turned, must undo its counterpart. That is
    enough for any number of steps, as ``F Psi^n F = (F Psi F)^n``. Shears that commute are compared
    together. A map that fails this comparison may still be reversible.
    """
    nothing: dict[Block, Expr] = {}
    for near, far in zip_longest(layers_of(shears), layers_of(shears[::-1]), fillvalue=nothing):
        if near.keys() != far.keys():
            names = " and ".join(
                listed(b.name for b in layer) or "nothing" for layer in (near, far)
            )
            return undecided(f"the shears move {names} at the same place from both ends of the map")
        for block, g in near.items():
            sign = -S.One if block in flips else S.One
            try:
                left_over = sign * turned(g, flips) + far[block]
            except OutsideLanguageError:
                return undecided(
                    f"the shear of {block} has an abstract function of a block whose sign is turned"
                )
            if decide_zero(left_over).verdict is not Verdict.PROVED:
                return undecided(
                    f"turned around, {block} += {g} does not undo {block} += {far[block]}"
                )
    return proved("the shears read backwards, with turned signs, are their inverses")


def layers_of(shears: Iterable[Shear]) -> list[dict[Block, Expr]]:
    """Return the map as layers of shears that commute, each shear as early as it can be (the normal
    form of Cartier & Foata 1969).

    Two shears commute where neither reads the block that the other moves; two of one block add up.
    """
    layers: list[dict[Block, Expr]] = []
    for s in shears:
        at = next((k + 1 for k in reversed(range(len(layers))) if not _commutes(s, layers[k])), 0)
        if at == len(layers):
            layers.append({})
        layers[at][s.block] = layers[at].get(s.block, S.Zero) + s.g
    return layers


def _commutes(s: Shear, layer: dict[Block, Expr]) -> bool:
    return not blocks_in(s.g, tuple(layer)) and not any(
        blocks_in(g, (s.block,)) for g in layer.values()
    )


def decide_map(H: Expr, shears: tuple[Shear, ...], flips: tuple[Block, ...]) -> Outcome:
    """Prove the three facts that make a test with ``exp(H - H o Psi)`` leave exp(-H) invariant."""
    edged = next((s.block for s in shears if s.block.domain != S.Reals), None)
    if edged is not None:
        return undecided(f"the map may leave the domain {edged.domain} of {edged} and come back")
    facts = [
        ("H o F = H", decide_flip(H, flips)),
        ("F o Psi is its own inverse", decide_reversible(shears, flips)),
    ]
    return conjunction(
        facts,
        by=(
            "F o Psi is its own inverse, shear by shear, keeps volume (each Jacobian is 1), and H o"
            " F = H"
        ),
    )
