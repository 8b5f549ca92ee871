"""Exact points on an edge where all coefficients are regular and the process certainly leaves.

Let H, the drift and the diffusion have finite values at a point of the edge, where they are then
continuous. With noise across the edge (``n^T D n > 0``), a process that starts nearby reaches it
with positive probability: up to a change of measure and of time its distance is a Brownian motion.
Without noise across the edge, a speed that points outwards takes the process there. In neither case
can it continue inside without a reflection: a nonnegative distance with bounded drift, no
reflecting term, and noise of a size bounded from below would be a nonnegative martingale that
starts at 0 (after a change of measure), hence 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Rational
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Field, Jet, Partial, Potential
from recipe.language.blocks import Block, Vector
from recipe.language.entry import Coupling, parts
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER
from verify.decide.points.balls import WORKING_BITS, Ball, NoValueError, at_precision, shown_ball
from verify.decide.points.point import Point
from verify.decide.zero.decide import explicit_sizes
from verify.diffusion.boundary.edges import NEEDS_REFLECTION, Edge
from verify.generator.coupling import own_diffusion
from verify.subject import Subject
from verify.verdict import Outcome, Witness, refuted

POINTS_PER_LENGTH_CHOICE = 12
ABSTRACT = (Potential, Field, Partial, Jet, AppliedUndef)


def find_exit(edge: Edge, subject: Subject, noiseless: bool) -> Outcome | None:
    """Refute that the process stays inside, by a point of the edge through which it leaves.

    ``noiseless`` is True if the row of D for this coordinate is proved to be zero. None if no such
    point was found, which leaves the question open.
    """
    if not edge.end.is_Rational or _is_unknown_there(edge, subject):
        return None
    for point in _points(edge, subject):
        try:
            speed, spread = at_precision(
                WORKING_BITS[0],
                lambda p=point: _across(edge, subject, p),  # type: ignore[misc]
            )
        except NoValueError:
            continue
        if spread > 0:
            finding = (
                f"on this edge D[{edge.block}, {edge.block}] is {shown_ball(spread)} > 0 and"
                " exp(-H) > 0"
            )
            return refuted(
                f"{NEEDS_REFLECTION}: the process leaves the domain",
                Witness(point.shown(), finding),
                edge.repair,
            )
        if noiseless and speed < 0:
            finding = (
                f"on this edge {edge.block} moves outwards at the speed {shown_ball(-speed)}, and"
                " exp(-H) > 0"
            )
            return refuted(
                f"{NEEDS_REFLECTION}: the process leaves the domain",
                Witness(point.shown(), finding),
                edge.repair,
            )
    return None


def _is_unknown_there(edge: Edge, subject: Subject) -> bool:
    """Return True if an abstract function of the block occurs and the end is not in the domain.

    Abstract functions are smooth on the domain alone.
    """
    atoms = (a for e in _written(subject) for a in e.atoms(*ABSTRACT))
    return not edge.belongs and any(edge.block in blocks_in(a, subject.state) for a in atoms)


def _written(subject: Subject) -> list[Expr]:
    return [subject.H, *subject.dynamics.coefficients()]


def _points(edge: Edge, subject: Subject) -> Iterator[Point]:
    for sizes in explicit_sizes(_written(subject)):
        for seed in range(POINTS_PER_LENGTH_CHOICE):
            point = Point(sizes, seed)
            point.put(edge.block, 0 if isinstance(edge.block, Vector) else None, Rational(edge.end))
            yield point


def _across(edge: Edge, subject: Subject, point: Point) -> tuple[Ball, Ball]:
    """The inward speed and ``n^T D n`` at a point of the edge.

    Raises:
        NoValueError: unless H, the drift and the diffusion have values there.
    """

    def everywhere(e: Expr, row: Block, column: Block | None = None) -> None:
        for i in point.coordinates(row):
            for j in (0,) if column is None else point.coordinates(column):
                point.evaluate(e, {GENERIC: i, OTHER: j})

    point.evaluate(subject.H)
    for block, e in subject.dynamics.drift.items():
        everywhere(e, block)
    for (row, column), entry in subject.dynamics.diffusion.items():
        # an entry between a vector and a scalar is written at GENERIC
        vectors = [b for b in (row, column) if isinstance(b, Vector)]
        for e in parts(entry):
            everywhere(e, *(vectors if isinstance(entry, Coupling) else [*vectors, row][:1]))
    places = {GENERIC: 0}
    speed = point.evaluate(subject.dynamics.drift[edge.block], places)
    return edge.inward * speed, point.evaluate(own_diffusion(subject.dynamics, edge.block), places)
