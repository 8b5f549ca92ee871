"""Does the process stay inside of its domain, and does any probability flow through an edge of it?
Each finite end of the domain of each block, by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Expr

from recipe import Recipe, Update
from recipe.declare.reflection import Reflection
from recipe.language.abstract import Potential
from recipe.language.blocks import Block, Vector
from recipe.language.domain import on_simplex
from verify.decide.zero.entry import decide_zero_entry
from verify.diffusion.boundary.corners import others_stay_bounded
from verify.diffusion.boundary.edges import (
    NOT_ATTAINED,
    Edge,
    coordinate,
    edges,
    separated,
)
from verify.diffusion.boundary.energy import conditions_found, decide_by_energy, decide_by_speed
from verify.diffusion.boundary.exit import find_exit
from verify.diffusion.boundary.faces import decide_faces
from verify.diffusion.boundary.feller import decide_by_feller, has_no_current
from verify.diffusion.boundary.own_noise import decide_by_own_noise
from verify.diffusion.boundary.reflected import (
    decide_along_the_normal,
    decide_one_coordinate,
    decide_with_flips,
    has_bounded_coefficients,
    is_along_the_normal,
    turns_nothing,
)
from verify.diffusion.boundary.straightened import decide_straightened
from verify.diffusion.boundary.total import decide_by_total
from verify.diffusion.boundary.with_data import with_data_summed_up
from verify.scope import for_posteriors, narrowed
from verify.subject import Subject, subject_of
from verify.verdict import Assumption, Outcome, Verdict, Witness, conjunction, refuted, undecided

ONE_WAY = "the position is put back and its momentum is not turned"


def decide_boundary(subject: Subject) -> Outcome:
    """All edges of the domain.

    Where they are open for a potential of which nothing is known at the edge, and the potential is
    that of a posterior, the edges are those of this posterior with any data.
    """
    outcome = at_edges_of(subject.state, subject)
    written = _with_data(subject) if outcome.verdict is Verdict.UNDECIDED else None
    found = None if written is None else at_edges_of(subject.state, written)
    if found is None or found.verdict is not Verdict.PROVED:
        return outcome  # sums that refute may be those of no data
    return replace(found, scope=for_posteriors(subject.scope, subject.declared))


def _with_data(subject: Subject) -> Subject | None:
    """The same process with the potentials of posteriors written out; None if they cannot be."""
    if not isinstance(subject.declared, Recipe | Update):
        return None
    written = with_data_summed_up(subject.declared)
    return None if written is None else subject_of(written)


def at_edges_of(blocks: tuple[Block, ...], subject: Subject) -> Outcome:
    """The edges of some blocks."""
    parts = list(_parts(blocks, subject))
    found = conjunction(parts, by="; ".join(f"{name}: {outcome.by}" for name, outcome in parts))
    if found.verdict is not Verdict.PROVED:
        return found
    scope = narrowed(subject.scope, subject.declared, (o.scope for _, o in parts))
    return found if scope == subject.scope else replace(found, scope=scope)


def never_reached(blocks: tuple[Block, ...], subject: Subject) -> tuple[Assumption, ...] | None:
    """Return the assumptions of a proof that the process comes to no edge; None if an edge is not
    proved to be one that it never comes to.
    """
    found = _never_reached(blocks, subject)
    written = _with_data(subject) if found is None else None
    return found if written is None else _never_reached(blocks, written)


def _never_reached(blocks: tuple[Block, ...], subject: Subject) -> tuple[Assumption, ...] | None:
    outcomes = [outcome for _, outcome in _parts(blocks, subject)]
    if all(o.verdict is Verdict.PROVED and o.by.startswith(NOT_ATTAINED) for o in outcomes):
        return tuple(a for o in outcomes for a in o.assumed)
    return None


def _parts(blocks: tuple[Block, ...], subject: Subject) -> Iterator[tuple[str, Outcome]]:
    for block in blocks:
        if on_simplex(block):
            assert isinstance(block, Vector)
            faces = decide_faces(block, subject)
            yield from ((name, _if_others_stay(block, None, subject, o)) for name, o in faces)
        else:
            for edge in edges(block):
                outcome = _decide(edge, subject)
                open_ = outcome.verdict is Verdict.UNDECIDED
                found = (decide_by_total(edge, subject) if open_ else None) or (
                    (str(edge), outcome),
                )
                yield from ((name, _if_others_stay(block, edge, subject, o)) for name, o in found)


def is_reached(outcome: Outcome) -> bool:
    """Return True if it is proved that nothing flows through an edge that may be reached."""
    return outcome.verdict is Verdict.PROVED and not outcome.by.startswith(NOT_ATTAINED)


def _if_others_stay(block: Block, edge: Edge | None, subject: Subject, outcome: Outcome) -> Outcome:
    """Return an outcome, but no proof about an edge that is reached if drift or noise of other
    blocks may be infinite there.
    """
    if not is_reached(outcome) or others_stay_bounded(block, edge, subject):
        return outcome
    return undecided(
        f"drift and noise of all other blocks are not proved to stay bounded as {block} reaches"
        " the edge"
    )


def _decide(edge: Edge, subject: Subject) -> Outcome:
    """Never left by itself, then a reflection is harmless; kept by the reflection; left; or
    undecided.
    """
    noiseless = _has_no_noise(edge.block, subject)
    by_itself = undecided("") if noiseless else _by_itself(edge, subject)
    if by_itself.verdict is Verdict.PROVED:
        return by_itself
    never = (
        decide_by_speed(edge, subject) if noiseless else decide_by_own_noise(edge, subject)
    ) or decide_by_energy(edge, subject)
    if never is not None:
        return never
    reflection = next((r for r in subject.reflections if r.block == edge.block), None)
    if reflection is not None:
        return _reflected(edge, subject, reflection, noiseless)
    leaves = (
        by_itself if by_itself.verdict is Verdict.REFUTED else find_exit(edge, subject, noiseless)
    )
    if leaves is not None:
        return leaves
    return undecided(_why_noiseless_open(edge, subject)) if noiseless else by_itself


def _reflected(edge: Edge, subject: Subject, reflection: Reflection, noiseless: bool) -> Outcome:
    if not noiseless:
        return _alone(edge, subject, reflection) or decide_along_the_normal(
            edge, subject, reflection
        )
    if not turns_nothing(edge, subject, reflection):
        outcome = decide_with_flips(edge, subject, reflection)
        straight = decide_straightened(edge, subject, reflection)
        return straight if straight and straight.verdict is Verdict.PROVED else outcome
    leaves = find_exit(edge, subject, noiseless)
    if leaves is None or leaves.witness is None:
        return undecided(
            f"{edge.block} is put back, and no momentum turns; whether anything flows through the"
            " edge is not decided"
        )
    return refuted(
        ONE_WAY,
        Witness(leaves.witness.point, f"{leaves.witness.finding}; {_not_kept(edge, subject)}"),
        edge.repair,
    )


def _alone(edge: Edge, subject: Subject, reflection: Reflection) -> Outcome | None:
    """Feller's test of a coordinate that is reflected, where it is a diffusion by itself with a law
    of its own.
    """
    x, apart = coordinate(subject, edge.block), separated(subject.H, edge.block, subject.state)
    if (
        isinstance(x, str)
        or apart is None
        or reflection.flips
        or not is_along_the_normal(edge, subject)
    ):
        return None
    if not isinstance(subject.declared, Recipe) and not has_bounded_coefficients(edge, subject):
        return None  # a folded rule need not become the process that is reflected
    if not has_no_current(x, edge.block, apart[0]):
        return None
    return decide_one_coordinate(edge, x, apart[0], is_all=len(subject.state) == 1)


def _not_kept(edge: Edge, subject: Subject) -> str:
    """What changes: of phi = the speed, whose derivative by the position is not seen, d/dt E[phi]
    is the flux at the edge.
    """
    speed, density = subject.dynamics.drift[edge.block], f"p({edge.end})"
    flux = f"{'-' if edge.inward == 1 else ''}{density} E[({speed})^2]"
    return (
        "what flows out there does not come in again, as the speed keeps its sign: near the edge"
        f" d/dt E[{speed}] contains {flux}, with the density {density} of {edge.block} there, and"
        " no jump compensates for it"
    )


def _has_no_noise(block: Block, subject: Subject) -> bool:
    """Whether the block's row of D is proved to be zero, as in momentum methods."""
    return all(
        decide_zero_entry(entry).verdict is Verdict.PROVED
        for (row, _), entry in subject.dynamics.diffusion.items()
        if row == block
    )


def _by_itself(edge: Edge, subject: Subject) -> Outcome:
    """Feller's test, where the coordinate is a diffusion by itself with a law of its own."""
    x = coordinate(subject, edge.block)
    if isinstance(x, str):
        return undecided(
            f"{x}: Feller's test is about one coordinate alone" + _advice(edge, subject.H)
        )
    apart = separated(subject.H, edge.block, subject.state)
    if apart is None:
        return undecided(f"H is not written as a sum over {edge.block} plus what is free of it")
    outcome = decide_by_feller(edge, x, apart[0])
    if is_reached(outcome) and not is_along_the_normal(edge, subject):
        return undecided(
            f"the edge is reached, and the noise of {edge.block} is not proved to be its own, so"
            " that D n may be oblique and probability may flow along the edge"
        )
    return outcome


def _why_noiseless_open(edge: Edge, subject: Subject) -> str:
    found = conditions_found(edge, subject)
    if found:
        listed = ", ".join(map(str, found))
        return (
            f"it is proved that {edge.block} never reaches the edge where {listed}; declare the"
            f" recipe where=[{listed}], or the question is open"
        )
    return (
        f"{edge.block} has no noise: either its speed must vanish at the edge, or H must grow"
        " without bound there, be bounded below and have a bounded L H; neither was proved"
        + _advice(edge, subject.H)
    )


def _advice(edge: Edge, H: Expr) -> str:
    """What to give, where the law is abstract."""
    abstract = sorted((U for U in H.atoms(Potential) if edge.block in U.blocks), key=str)
    if not abstract:
        return ""
    return (
        f"; {abstract[0]} is abstract and smooth inside the domain only, so what it does at the"
        f" edge is not known: bind it to total(h({edge.block})) with a concrete h"
    )
