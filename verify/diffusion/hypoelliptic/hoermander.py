"""Hoermander's condition: Does noise reach every direction through the drift, at every point?

The condition (Hoermander 1967, "Hypoelliptic second order differential equations") is used in its
parabolic form: the drift itself is not counted. Let D be positive definite on some blocks and zero
on the others. Then the fields d/dr_i of the noisy blocks and their brackets with the drift generate
Hoermander's Lie algebra: square roots of D, and the correction between Ito and Stratonovich, change
nothing but combinations of fields that are there already. A block is *reached* once each d/dz_i of
it is such a combination with smooth coefficients. With s reached, the brackets [d/ds_i, drift],
[d/ds_i, [d/ds_i, drift]], ... are derivatives of the drift; where their components in blocks that
are not reached form a matrix whose determinant vanishes nowhere, those blocks are reached as well.

Only matrices at a single coordinate are considered, so that the result holds for every length.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Matrix, S, factor

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.symbols import OTHER, Length
from recipe.signs.sign import is_nonnegative, is_nonzero
from verify.diffusion.hypoelliptic.definite import is_definite, is_definite_kernel
from verify.generator.coupling import connected

MAX_BRACKET_DEPTH = 3
MAX_BLOCKS = 16
MAX_MINOR_SIZE = 3


@dataclass(frozen=True)
class Fields:
    """A family of vector fields by their components: one field for each coordinate i of a block.

    With ``length`` None there is a single field. A component at a scalar block is a number that may
    depend on i. At a vector block it is ``diagonal_i`` at the coordinate i, plus ``across`` at (j,
    i), which only first brackets may have.
    """

    length: Length | None
    diagonal: dict[Block, Expr]
    across: dict[Block, Expr]

    def vanish_outside(self, blocks: tuple[Block, ...]) -> bool:
        """Return True if the components at all other blocks are zero."""
        return all(
            e == 0
            for part in (self.diagonal, self.across)
            for b, e in part.items()
            if b not in blocks
        )


@dataclass(frozen=True)
class Reached:
    """The blocks that noise reaches, and the number of rounds of brackets that it took."""

    blocks: tuple[Block, ...]
    levels: int


def reached_blocks(dynamics: Dynamics) -> Reached | None:
    """The blocks that noise is proved to reach; other blocks are left open.

    None if there are too many blocks, or D is not proved positive definite on each group of
    connected blocks.
    """
    groups = connected(dynamics.state, dynamics.diffusion)
    if len(dynamics.state) > MAX_BLOCKS or not all(is_definite(dynamics, g) for g in groups):
        return None
    reached = tuple(b for g in groups for b in g)
    for level in itertools.count():
        more = _next_blocks(dynamics, reached)
        if not more:
            return Reached(reached, level)
        reached += more
    raise AssertionError("the loop ends as every round adds a block")


def _next_blocks(dynamics: Dynamics, reached: tuple[Block, ...]) -> tuple[Block, ...]:
    """All blocks that one more round of brackets reaches."""
    rest = tuple(b for b in dynamics.state if b not in reached)
    families = list(_brackets(dynamics, reached, rest))
    found: tuple[Block, ...] = ()
    for size in range(1, min(len(rest), MAX_MINOR_SIZE) + 1):
        for targets in itertools.combinations((b for b in rest if b not in found), size):
            fitting = [f for f in families if f.vanish_outside(targets)]
            if not set(targets) & set(found) and any(
                _spans_targets(chosen, targets) for chosen in itertools.combinations(fitting, size)
            ):
                found += targets
    return found


def _brackets(
    dynamics: Dynamics, reached: tuple[Block, ...], rest: tuple[Block, ...]
) -> Iterator[Fields]:
    """Brackets of the drift with a reached block, and of these with further ones, up to
    MAX_BRACKET_DEPTH.

    Vectors come first; the order of the blocks does not change a bracket.
    """
    ordered = sorted(reached, key=lambda b: isinstance(b, Scalar))
    first = [(k, _first_bracket(dynamics, s, rest)) for k, s in enumerate(ordered)]
    current = [(k, f) for k, f in first if f is not None and not f.vanish_outside(())]
    for _ in range(MAX_BRACKET_DEPTH):
        yield from (f for _, f in current)
        longer = [
            (m, _next_bracket(f, ordered[m])) for k, f in current for m in range(k, len(ordered))
        ]
        current = [(m, f) for m, f in longer if f is not None]


def _first_bracket(dynamics: Dynamics, s: Block, rest: tuple[Block, ...]) -> Fields | None:
    diagonal, across = {}, {}
    for b in rest:
        f = dynamics.drift[b]
        if isinstance(b, Scalar):
            diagonal[b] = partial(f, s)
        elif isinstance(s, Scalar):
            if partial(f, s) != 0:
                return None  # one field with components at many coordinates
        else:
            diagonal[b], across[b] = explicit(f, s), partial(f, s.at(OTHER))
    return Fields(s.length if isinstance(s, Vector) else None, diagonal, across)


def _next_bracket(fields: Fields, s: Block) -> Fields | None:
    if any(e != 0 for e in fields.across.values()) or (
        isinstance(s, Vector) and s.length != fields.length
    ):
        return None
    vectors = [e for b, e in fields.diagonal.items() if isinstance(b, Vector)]
    if isinstance(s, Vector) and any(partial(e, s.at(OTHER)) != 0 for e in vectors):
        return None
    diagonal = {b: partial(e, s) for b, e in fields.diagonal.items()}
    return None if all(e == 0 for e in diagonal.values()) else Fields(fields.length, diagonal, {})


def _spans_targets(chosen: tuple[Fields, ...], targets: tuple[Block, ...]) -> bool:
    """Return True if the fields are proved to span all directions of the targets, with smooth
    coefficients.
    """
    vectors = [b for b in targets if isinstance(b, Vector)]
    if vectors and (
        len(vectors) != len(targets) or any(f.length != b.length for f in chosen for b in vectors)
    ):
        return False
    if len(chosen) == 1 and vectors and chosen[0].across.get(targets[0], S.Zero) != 0:
        fields, b = chosen[0], targets[0]
        return is_nonnegative(fields.diagonal[b]) and is_definite_kernel(fields.across[b])
    if any(e != 0 for f in chosen for e in f.across.values()):
        return False
    minor = Matrix([[f.diagonal.get(b, S.Zero) for b in targets] for f in chosen]).det(
        method="berkowitz"
    )
    return minor != 0 and (is_nonzero(minor) or is_nonzero(factor(minor)))
