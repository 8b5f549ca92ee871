"""The edges of a domain, and a coordinate near an edge as a diffusion by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, S, Symbol

from recipe.language.abstract import Field, Partial, Potential
from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms, summands
from recipe.language.domain import finite_ends
from recipe.language.free_symbols import blocks_in
from recipe.language.total import Total
from verify.decide.zero.canonical import normalised
from verify.diffusion.infinity.separation import of_one_coordinate
from verify.generator.coupling import own_diffusion
from verify.subject import Subject


@dataclass(frozen=True)
class Edge:
    """A finite end of the domain of a coordinate.

    ``inward`` is 1 at the lower end and -1 at the upper one; ``belongs`` is True if the end is a
    point of the domain.
    """

    block: Block
    end: Expr
    inward: int
    belongs: bool

    def __str__(self) -> str:
        return f"{self.block} = {self.end}"

    @property
    def repair(self) -> str:
        """A proposal for a process that leaves through the edge, as a sentence for the report."""
        return (
            f"mirror(recipe, {self.block}) reflects it at {self.end}; or choose D and H with p D ->"
            " 0 there"
        )

    def approached(self, e: Expr, distance: Symbol) -> Expr:
        """The expression with the coordinate at this distance from the edge."""
        return e.xreplace({self.block: self.end + self.inward * distance})


# The kinds of edges, as the first words in the report: never reached; reached, and left again by
# the process itself; reached, so that the process must be reflected.
NOT_ATTAINED, SELF_REFLECTING, NEEDS_REFLECTION = (
    "unattainable",
    "self-reflecting",
    "in need of mirror",
)


def has_edge(subject: Subject) -> bool:
    """Return True if the domain of some block is not the whole line."""
    return any(b.domain != S.Reals for b in subject.state)


def edges(block: Block) -> Iterator[Edge]:
    """The finite ends of the domain of a block whose coordinates live in an interval."""
    for end in finite_ends(block.domain):
        yield Edge(block, end.at, end.inward, end.belongs)


def nonlocal_atom(e: Expr, state: tuple[Block, ...]) -> Expr | None:
    """A sum or abstract function of a whole block in the expression; None if there is none.

    Such an atom depends on other coordinates than the expression's own.
    """
    atoms = (a for a in abstract_atoms(e) if isinstance(a, Total | Potential | Field | Partial))
    return next((a for a in atoms if blocks_in(a, state)), None)


@dataclass(frozen=True)
class Coordinate:
    """A coordinate that is a diffusion by itself: its drift and diffusion depend on it and on
    parameters alone.
    """

    drift: Expr
    diffusion: Expr


def coordinate(subject: Subject, block: Block) -> Coordinate | str:
    """The coordinate as a diffusion by itself, or the reason in words why it is not one."""
    drift = normalised(subject.dynamics.drift[block])
    diffusion = normalised(own_diffusion(subject.dynamics, block))
    for e, what in ((drift, "drift"), (diffusion, "diffusion")):
        others = sorted(blocks_in(e, subject.state) - {block}, key=str)
        atom = nonlocal_atom(e, subject.state)
        if others:
            return f"the {what} of {block} depends on {others[0]}"
        if atom is not None:
            return (
                f"the {what} of {block} depends on {atom}, and so on more than its own coordinate"
            )
    return Coordinate(drift, diffusion)


def separated(H: Expr, block: Block, state: tuple[Block, ...]) -> tuple[Expr, Expr] | None:
    """``(h, rest)`` with ``H = total(h(block)) + rest``, or for a scalar block ``h + rest``.

    ``rest`` does not depend on the block. None if H cannot be split this way.
    """
    h, rest = S.Zero, S.Zero
    for term in summands(H):
        if block not in blocks_in(term, state):
            rest += term
            continue
        own = of_one_coordinate(term, block)
        if own is None or blocks_in(own, state) != {block} or nonlocal_atom(own, state) is not None:
            return None
        h += own
    return h, rest
