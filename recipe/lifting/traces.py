"""The traces of one lift: at which lengths they are made, and the one tree that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from recipe.language.blocks import Vector
from recipe.language.errors import RecipeError
from recipe.language.symbols import Length, name_of
from recipe.lifting.claims.claim import Claim, length_of
from recipe.lifting.claims.kept import changed, kept
from recipe.lifting.tracing.trace import Front, Shapes, Trace
from recipe.lifting.tree.decimals import note
from recipe.lifting.tree.generic import Generic
from recipe.lifting.tree.node import Node
from recipe.lifting.tree.place import CannotLiftError, refuse
from recipe.lifting.tree.sizes import for_every_length

# The lengths of each of at most three kinds of blocks: three that fix the rule, and two that must
# follow it. Rule and code are compared at the last, which is larger than lengths that code may
# treat in a way of their own.
LENGTHS = ((3, 5, 8, 6, 23), (7, 11, 4, 10, 19), (11, 4, 13, 9, 17))
TWO_AXES = ((2, 3), (2, 5), (3, 3))


@dataclass(frozen=True)
class Tree:
    """The rule of a generic coordinate.

    Attributes:
        values: the new value of each block, by its name.
        lengths: the symbols of the lengths, by name.
        trace: the trace at the last lengths.
        shapes: the shapes of arrays there.
        draws: the numbers of the draws of each noise there, in the order of the noise.
    """

    values: Mapping[str, Node]
    lengths: Mapping[str, Length]
    trace: Trace
    shapes: Shapes
    draws: tuple[tuple[int, ...], ...]


def tree_of(front: Front, claim: Claim) -> Tree:
    """Trace a function at several lengths, and return the tree that they make.

    Raises:
        CannotLiftError: naming what cannot be read.
    """
    lengths = _lengths(claim)
    traced: list[tuple[Shapes, Trace, Mapping[str, Node], Generic]] = []
    for k in range(len(LENGTHS[0])):
        shapes: Shapes = {name: (LENGTHS[j][k],) for j, name in enumerate(lengths)}
        traced.append((shapes, *_one(front, claim, shapes)))
    _require_same_again(front, claim, traced[0][0], traced[0][1])
    sizes = [generic.sizes for *_, generic in traced]
    values = {
        b: for_every_length([roots[b] for _, _, roots, _ in traced], sizes, lengths)
        for b in traced[0][2]
    }
    if lengths:
        _note_two_axes(front, claim, lengths, traced, values)
    shapes, trace, _, generic = traced[-1]
    return Tree(values, lengths, trace, shapes, tuple(generic.draws))


def _lengths(claim: Claim) -> dict[str, Length]:
    written: list[Any] = [*claim.blocks, *claim.letters.values(), *claim.noise.values()]
    for e in claim.gradient.values():
        written += e if isinstance(e, tuple) else (e,)
    found = {str(x): x for x in map(length_of, written) if x is not None}
    if len(found) > len(LENGTHS):
        raise RecipeError(f"at most {len(LENGTHS)} lengths are read, and there are {len(found)}")
    own = {str(b.length) for b in claim.blocks if isinstance(b, Vector)}
    if set(found) - own:
        raise RecipeError(
            f"no block of state= has the length {min(set(found) - own)}; declare arguments with"
            " like="
        )
    return found


def _one(front: Front, claim: Claim, shapes: Shapes) -> tuple[Trace, Mapping[str, Node], Generic]:
    """A trace, and the generic coordinate of each of its outputs."""
    trace = front.trace(claim, shapes)
    generic = Generic({name: prod(shape) for name, shape in shapes.items()})
    roots: dict[str, Node] = {}
    for block in claim.blocks:
        name = name_of(block)
        nodes = trace.outputs[name]
        expected = shapes[str(block.length)] if block.length is not None else ()
        if nodes.size != prod(expected):
            refuse(
                f"{claim.name} returns an array of the shape {nodes.shape} for {name}, whose shape"
                f" is {expected}",
                claim.place,
            )
        roots[name] = (
            generic.scalar(nodes.reshape(-1)[0])
            if block.length is None
            else generic.vector(list(nodes.reshape(-1)), name)
        )
    return trace, roots, generic


def _require_same_again(front: Front, claim: Claim, shapes: Shapes, first: Trace) -> None:
    """Require that the function computes the same when it is called again."""
    before = kept(claim)
    again = front.trace(claim, shapes)
    for name, nodes in first.outputs.items():
        if any(a is not b for a, b in zip(nodes.flat, again.outputs[name].flat, strict=True)):
            refuse(
                f"{claim.name} computes something else for {name} when it is called again: it"
                " keeps a state of its own; give that state as an argument",
                claim.place,
            )
    what = changed(before, kept(claim))
    if what is not None:
        refuse(
            f"{claim.name} changes {what} in each call: it keeps a state of its own, and what"
            " later calls do with it is not seen; give that state as an argument",
            claim.place,
        )


def _note_two_axes(
    front: Front, claim: Claim, lengths: Mapping[str, Length], traced: Any, values: Any
) -> None:
    """Say whether the rule is the same for arrays of two axes."""
    two: Shapes = {name: TWO_AXES[j] for j, name in enumerate(lengths)}
    try:
        _, roots, generic = _one(front, claim, two)
        every = [t[2] for t in traced] + [roots]
        sizes = [t[3].sizes for t in traced] + [generic.sizes]
        same = all(
            for_every_length([roots[b] for roots in every], sizes, lengths) is values[b]
            for b in values
        )
    except CannotLiftError as error:
        note(f"read for arrays of one axis; of two axes: {error}")
        return
    except Exception as error:  # whatever the code raises where it expects one axis
        note(f"read for arrays of one axis; of two axes the code raises {type(error).__name__}")
        return
    if not same:
        note("read for arrays of one axis; of two axes the code does something else")
