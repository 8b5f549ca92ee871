"""Edges that are never reached, because the speed vanishes there or because H grows without bound,
yet slowly.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Interval

from recipe.language.calculus import abstract_atoms, partial, summands
from recipe.language.defined import is_continuous
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import is_nonnegative
from recipe.language.symbols import Block, Scalar
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, growth
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.edges import NOT_ATTAINED, Edge, separated
from verify.diffusion.infinity.ends import ends, is_bounded_below
from verify.generator.fokker_planck import generator
from verify.subject import Subject
from verify.verdict import Outcome, proved


def decide_by_speed(edge: Edge, subject: Subject) -> Outcome | None:
    """Prove that a coordinate without noise never reaches the edge: its speed vanishes and is
    smooth there.

    Given the paths of all others, the coordinate solves ``x' = f(x, t)`` with f locally Lipschitz
    in x. Resting on the edge is a solution, and solutions are unique, so no other solution meets
    it. Nothing flows through the edge either. None if this does not apply, which leaves the
    question open.
    """
    speed = normalised(subject.dynamics.drift[edge.block])
    if any(edge.block in blocks_in(a, subject.state) for a in abstract_atoms(speed)):
        return None  # an abstract function need not be smooth up to the edge
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
    """Prove that the edge is never reached, with H as a Lyapunov function.

    The conditions are ``H -> oo`` at the edge, H bounded below, and ``L H <= c``. Then ``H(t) - c
    t`` is a supermartingale up to the time at which H reaches n, and this time goes to infinity
    with n. None if a condition is not proved, which leaves the question open.
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
    """The sum of the terms that depend on the state."""
    return Add(*(t for t in summands(e) if blocks_in(t, state)))


def _goes_up(edge: Edge, h: Expr) -> bool:
    distance = Dummy("distance", positive=True)
    found = growth(edge.approached(h, distance), distance)
    return found.escape == 1 or (found.escape == 0 and certain_sign(found.log) == 1)
