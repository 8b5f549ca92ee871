"""Edges that are never reached: where the speed vanishes there, or where H grows without bound and
cannot grow fast.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Interval

from recipe.language.calculus import abstract_atoms, partial, summands
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import is_nonnegative
from recipe.language.symbols import Block, Scalar
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, growth
from verify.decide.definedness import is_continuous
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.edges import NOT_ATTAINED, Edge, separated
from verify.diffusion.infinity.ends import ends, is_bounded_below
from verify.generator.fokker_planck import generator
from verify.subject import Subject
from verify.verdict import Outcome, proved


def decide_by_speed(edge: Edge, subject: Subject) -> Outcome | None:
    """For a coordinate without noise: a speed that vanishes on the edge, and is smooth there, never
    leads to it.

    Given the path of all others the coordinate solves ``x' = f(x, t)`` with f locally Lipschitz in
    x. To rest on the edge is a solution, and solutions are unique, so no other one meets it. Nor
    does anything flow through it.
    """
    speed = normalised(subject.dynamics.drift[edge.block])
    if any(edge.block in blocks_in(a, subject.state) for a in abstract_atoms(speed)):
        return None  # what is not written out is not known at the edge
    domain = edge.block.domain
    closed = Scalar(edge.block.name, domain=Interval(domain.start, domain.end))
    moved = speed.xreplace({edge.block: closed})
    if not vanishes(moved.xreplace({closed: edge.end})):
        return None
    if not is_continuous(moved, partial(moved, closed)):
        return None
    return proved(
        f"{NOT_ATTAINED}: the coordinate has no noise, and its speed vanishes at the edge and is"
        " smooth there"
    )


def decide_by_energy(edge: Edge, subject: Subject) -> Outcome | None:
    """``H -> oo`` at the edge, H bounded below, and ``L H <= c``: then H stays finite, and the edge
    is not reached.

    ``H(t) - c t`` is a supermartingale up to the time at which H reaches n, which therefore goes to
    infinity with n.
    """
    apart = separated(subject.H, edge.block, subject.state)
    if apart is None:
        return None
    h, rest = apart
    try:
        if not _goes_up(edge, h):
            return None
    except NoLeadingTermError:
        return None
    if not all(is_bounded_below(h, edge.block, end) for end in ends(edge.block)):
        return None
    if not is_nonnegative(_without_constants(rest, subject.state)):
        return None
    if not is_nonnegative(
        -_without_constants(normalised(generator(subject.dynamics, subject.H)), subject.state)
    ):
        return None
    return proved(
        f"{NOT_ATTAINED}: H grows without bound at the edge, is bounded below, and L H is bounded"
        " above"
    )


def _without_constants(e: Expr, state: tuple[Block, ...]) -> Expr:
    """The summands that depend on the state."""
    return Add(*(t for t in summands(e) if blocks_in(t, state)))


def _goes_up(edge: Edge, h: Expr) -> bool:
    distance = Dummy("distance", positive=True)
    found = growth(edge.approached(h, distance), distance)
    return found.escape == 1 or (found.escape == 0 and certain_sign(found.log) == 1)
