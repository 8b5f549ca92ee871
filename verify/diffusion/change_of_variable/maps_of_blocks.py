"""The changes of variable in a subject: one for each block that has an image under a map."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Interval
from sympy.core.function import AppliedUndef

from recipe.declare.map import Map
from recipe.language.symbols import Block
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, conjunction, undecided

UNKNOWN = undecided("f is an unknown function")


def has_maps(subject: Subject | KernelSubject) -> bool:
    """Return True if a block of the state has an image under a map."""
    return any(b.image is not None for b in subject.state)


def map_of(block: Block) -> Map:
    """The map from a block to its image."""
    assert block.forward is not None
    return Map(f"{block.image} = f({block})", block.forward, block.inverse, block.domain)


def for_every_map(
    subject: Subject | KernelSubject, decide: Callable[[Block, Map, Interval], Outcome]
) -> Outcome:
    """The joint outcome of ``decide`` for all maps; it is given the block, its map and the domain
    of the image.

    A map that is an unknown function is undecided.
    """
    blocks = [(b, map_of(b), b.image.domain) for b in subject.state if b.image is not None]
    found = [
        (f"{b.image} = {f(b)}", UNKNOWN if f.forward.expr.has(AppliedUndef) else decide(b, f, d))
        for b, f, d in blocks
    ]
    return conjunction(found, by="; ".join(f"{name}: {outcome.by}" for name, outcome in found))
