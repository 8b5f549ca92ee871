"""The changes of variable in a subject: one for each block that has an image under a map."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Interval
from sympy.core.function import AppliedUndef

from recipe.declare.transformations.map import Map
from recipe.language.abstract import is_joint, written_image
from recipe.language.blocks import Block, Vector
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, conjunction, undecided

UNKNOWN = undecided("f is an unknown function")
OF_ALL = undecided("f is a map of all coordinates together")


def has_maps(subject: Subject | KernelSubject) -> bool:
    """Return True if a block of the state has an image under a map."""
    return any(b.image is not None for b in subject.state)


def map_of(block: Block) -> Map:
    """The map from a block to its image."""
    assert block.forward is not None
    return Map(f"{block.image} = f({block})", block.forward, block.inverse, block.domain)


def for_every_map(
    subject: Subject | KernelSubject,
    decide: Callable[[Block, Map, Interval], Outcome],
    joint: Callable[[Vector], Outcome] = lambda phi: OF_ALL,
) -> Outcome:
    """The joint outcome for all maps.

    A map that is an unknown function is undecided.

    Args:
        subject: what has the blocks.
        decide: is given a block, its map and the domain of its image.
        joint: is given a block whose map is one of all coordinates together; undecided by default.
    """

    def outcome(b: Block) -> Outcome:
        if is_joint(b):
            return joint(b)  # type: ignore[arg-type]
        f = map_of(b)
        return UNKNOWN if f.forward.expr.has(AppliedUndef) else decide(b, f, b.image.domain)  # type: ignore[union-attr]

    changed = [b for b in subject.state if b.image is not None]
    found = [(f"{b.image} = {written_image(b)}", outcome(b)) for b in changed]
    return conjunction(found, by="; ".join(f"{name}: {outcome.by}" for name, outcome in found))
