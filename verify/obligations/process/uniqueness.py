"""``uniqueness``: exp(-H) is the only law that the process leaves invariant."""

from __future__ import annotations

from recipe.language.blocks import Block, Vector
from recipe.language.domain import finite_ends
from verify.decide.points.balls import NoValueError
from verify.decide.points.point import Point
from verify.diffusion.boundary.decide import never_reached
from verify.diffusion.boundary.edges import has_edge
from verify.diffusion.hypoelliptic.conserved import refute_uniqueness
from verify.diffusion.hypoelliptic.spanning import decide_spanning
from verify.diffusion.vanishing import is_frozen
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import (
    Assumption,
    Outcome,
    Verdict,
    Witness,
    assuming,
    proved,
    refuted,
    undecided,
)

EDGE_NOT_REACHED = "the process does not reach the edge of its domain"
ASSUMED_IF_UNDECIDED = {
    "normalisable": Assumption("exp(-H) is normalisable", ("normalisable",)),
    "non-explosion": Assumption("the process does not explode", ("non-explosion",)),
}


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Prove that noise reaches every direction on an open connected domain, or refute it by a block
    that never moves, a quantity that is kept, or a point of rest.

    Source:
        Hoermander, "Hypoelliptic second order differential equations" (1967).
    """
    frozen = next((b for b in subject.state if is_frozen(subject, b)), None)
    if frozen is not None:
        return _refuted_by(frozen)
    spanning = _spanning(subject)
    if spanning.verdict is not Verdict.PROVED:
        return refute_uniqueness(subject.dynamics, subject.H) or spanning
    if not outcomes.proved("stationarity"):
        return undecided("exp(-H) is not proved to be stationary")
    assumed: list[Assumption | str] = []
    for name, unproved in ASSUMED_IF_UNDECIDED.items():
        outcome = outcomes[name]
        if outcome.verdict is Verdict.REFUTED:
            return undecided(f"{name} is refuted, so exp(-H) is not an invariant law")
        if outcome.verdict is Verdict.UNDECIDED and not subject.declared.abstract:
            # Only what depends on an abstract function may be assumed.
            return undecided(f"{name} is undecided")
        assumed += outcome.assumed if outcome.verdict is Verdict.PROVED else [unproved]
    inside = never_reached(subject.state, subject) if has_edge(subject) else ()
    if inside is None:
        edge = outcomes["boundary"]
        if edge.verdict is not Verdict.UNDECIDED or not subject.declared.abstract:
            return undecided(
                "it is not proved that the process never reaches the edge of its domain"
            )
        inside = assuming([EDGE_NOT_REACHED])
    assumed += inside
    return proved(spanning.by, *dict.fromkeys(assumed))


def _refuted_by(block: Block) -> Outcome:
    """Refute uniqueness by a value of a block that never moves."""
    point = Point({block.length: 1} if isinstance(block, Vector) else {}, seed=0)
    try:
        value = str(point.choose(block, 0) if isinstance(block, Vector) else point.choose(block))
    except NoValueError:
        return undecided(f"{block} never moves, and no value of it was found")
    finding = (
        f"drift and noise of {block} are zero, so it stays there for ever, and every law of {block}"
        " is kept"
    )
    return refuted(f"{block} never moves", Witness({str(block): value}, finding))


def _spanning(subject: Subject) -> Outcome:
    """Decide whether noise reaches every direction at every point."""
    if not all(_is_open(b) for b in subject.state):
        return undecided("the domain contains its edge")
    return decide_spanning(subject.dynamics, subject.H)


def _is_open(block: Block) -> bool:
    """Return True if no end of the domain of the block belongs to it."""
    return not any(end.belongs for end in finite_ends(block.domain))


UNIQUENESS = Obligation(
    name="uniqueness",
    statement="exp(-H) is the only invariant probability law of the process",
    explanation=(
        "If there were another invariant law, a chain might converge to that one. If exp(-H) is"
        " invariant and noise reaches every direction at every point, directly or through the drift"
        " (Hoermander's condition), there is no other. A block that never moves keeps whatever law"
        " it starts with, and so does a function that is conserved, such as H without noise. This"
        " says nothing about the speed of convergence."
    ),
    discharge=discharge,
    needs=("stationarity", "normalisable", "non-explosion", "boundary"),
    assumes=tuple(ASSUMED_IF_UNDECIDED.values()),
    required=False,
)
