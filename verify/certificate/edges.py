"""Evidence for the edges of a domain: the forms from which a checker reads that a coordinate never
reaches its edge, or leaves it by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Integer, S, cancel, factor

from recipe.language.domain import on_simplex
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.nonnegative.syntactic_forms import readable_form
from verify.diffusion.boundary.edges import Edge, coordinate, edges
from verify.evidence import SelfReflectingEdge, Step, UnattainableEdge
from verify.subject import Subject

MAX_POWER = 4  # of the distance that is taken out of e f - (1 - C e) D
CONSTANTS = (Integer(0), Integer(2))  # C, of which larger ones help as well


def steps_of_edges(subject: Subject) -> Iterator[Step]:
    """A step for each edge at which one is found; the checker finds out whether it holds."""
    for block in subject.state:
        if not on_simplex(block):
            for edge in edges(block):
                yield from _steps_of(edge, subject)


def _steps_of(edge: Edge, subject: Subject) -> Iterator[Step]:
    x, block = coordinate(subject, edge.block), edge.block
    if isinstance(x, str):
        return
    end, drift = "low" if edge.inward == 1 else "high", _around(edge, x.drift)
    distance, inward = edge.inward * (block - edge.end), edge.inward * x.drift
    slope = cancel(x.diffusion / distance)
    if _is_positive_at(edge, slope) and _is_positive_at(edge, inward):
        yield SelfReflectingEdge(block, end, drift, _around(edge, slope))
    for C in CONSTANTS:
        form = _form(edge, cancel(distance * inward - (1 - C * distance) * x.diffusion), distance)
        if form is not None:
            yield UnattainableEdge(block, end, drift, form[0], C, form[1])
            return


def _form(edge: Edge, gap: Expr, distance: Expr) -> tuple[Expr, int] | None:
    """(M, q) with ``gap = distance^q M`` and an M that is seen to be nonnegative near the edge."""
    for q in range(MAX_POWER + 1):
        M = cancel(gap / distance**q)
        if is_nonnegative(M):
            return readable_form(M), q
        if _is_positive_at(edge, M):
            return _around(edge, M), q
    return None


def _around(edge: Edge, e: Expr) -> Expr:
    """The expression as its value at the edge, plus the distance times a factor.

    So its value there is seen at once: ``a - (a + b) x`` at 1 is ``-b + (a + b) (1 - x)``.
    """
    distance = Dummy("distance", positive=True)
    near = cancel(edge.approached(e, distance))
    there = near.xreplace({distance: S.Zero})
    if not there.is_finite:
        return e
    return there + factor(near - there).xreplace({distance: edge.inward * (edge.block - edge.end)})


def _is_positive_at(edge: Edge, e: Expr) -> bool:
    there = cancel(e.xreplace({edge.block: edge.end}))
    return bool(there.is_finite) and is_positive(there)


__all__ = ["steps_of_edges"]
