"""Edges that are never reached, because the speed vanishes there or because H grows without bound,
yet slowly.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Dummy, Expr, Interval, Mul, S, factor_terms, log, oo

from recipe.language.assumed import ParameterCondition, assumed, under
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms, contract, partial, summands
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.language.total import total
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, growth
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.edges import NOT_ATTAINED, Edge, nonlocal_atom, separated
from verify.diffusion.infinity.dominance import Coercive, coercive, exceeding
from verify.diffusion.infinity.ends import (
    ends,
    goes_to_infinity,
    is_bounded_below,
    logarithmic_slope,
    lower_power,
)
from verify.diffusion.infinity.liouville import law_of_total
from verify.diffusion.infinity.lyapunov import bounds_growth
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
    """Prove that the edge is never reached, with an energy V as a Lyapunov function.

    The conditions are ``V -> oo`` at the edge, V bounded below, and ``L V <= c (1 + V)``. Then the
    time at which V reaches n goes to infinity with n (Khasminskii 2012, theorem 3.5). None if a
    condition is not proved for H nor for H in other coordinates, which leaves the question open.
    """
    for V, name in _energies(edge, subject):
        outcome = _by_one_energy(edge, subject, V, name)
        if outcome is not None:
            return outcome
    return None


def _energies(edge: Edge, subject: Subject) -> Iterator[tuple[Expr, str]]:
    """H, and H in the coordinate whose speed is the momentum alone.

    If the speed is ``s(theta) g`` with a function s of the coordinate, then with
    ``dphi = dtheta/s`` the law of phi is ``exp(-(H - log(s)))``.
    """
    V, name = _without_pushes(edge, subject)
    yield V, name
    own, others = factor_of_own(edge, subject)
    if own != 1 and others != 0 and is_positive(own):
        logarithm = total(log(own)) if isinstance(edge.block, Vector) else log(own)
        yield normalised(V - logarithm), f"{name} - {text(logarithm)}"


def _without_pushes(edge: Edge, subject: Subject) -> tuple[Expr, str]:
    """H without the terms of other blocks that are reflected along the normal, and its name.

    Such a block is pushed back at its edge, and a function of it grows with the push, of which L V
    says nothing. Where momenta turn, H stays as it is.

    The block of the edge itself may be pushed at its other end. As long as all other blocks stay in
    a compact set, each coordinate has coefficients there that are bounded, uniformly in all others
    (``reflected._is_regular`` asks at corners), and so a push with a finite mean. V depends on the
    coordinate by h alone, with a bounded slope there: its mean grows by a finite amount more, and
    reaches infinity at this edge with probability 0, as before. Where the coordinate is reflected
    as a diffusion by itself, this edge is a matter of its own h and coefficients, as well.
    """
    pushed = tuple(r.block for r in subject.reflections if not r.flips and r.block != edge.block)
    if not blocks_in(subject.H, pushed):
        return subject.H, "H"
    kept = Add(*(t for t in summands(subject.H) if not blocks_in(t, pushed)))
    return kept, f"({text(kept)})"


def factor_of_own(edge: Edge, subject: Subject) -> tuple[Expr, Expr]:
    """``(s, g)`` with the speed ``s g`` of a coordinate, where s depends on the coordinate alone
    and g not on it; ``(1, speed)`` if it is no such product.
    """
    speed = factor_terms(normalised(subject.dynamics.drift[edge.block]))
    own = Mul(*(f for f in Mul.make_args(speed) if blocks_in(f, subject.state) == {edge.block}))
    others = speed / own
    if nonlocal_atom(own, subject.state) is not None or edge.block in blocks_in(
        others, subject.state
    ):
        return S.One, speed
    return own, others


def _by_one_energy(edge: Edge, subject: Subject, V: Expr, name: str) -> Outcome | None:
    apart = separated(V, edge.block, subject.state)
    if apart is None:
        return _by_energy_of_total(edge, subject, V, name)
    h, rest = apart
    try:
        if not _goes_up(edge, h):
            return None
    except NoLeadingTermError:
        return None
    if not all(is_bounded_below(h, edge.block, end) for end in ends(edge.block)):
        return None
    grows_up = f"{NOT_ATTAINED}: {name} grows without bound at the edge, is bounded below, and"
    if is_nonnegative(_without_constants(rest, subject.state)) and is_nonnegative(
        -_without_constants(normalised(generator(subject.dynamics, V)), subject.state)
    ):
        return proved(f"{grows_up} L {name} is bounded above")
    assumptions = bounds_growth(subject.dynamics, V)
    if assumptions is None:
        return None
    return proved(f"{grows_up} L V <= c (1 + V) for V = {name}", *assumptions)


def _by_energy_of_total(edge: Edge, subject: Subject, V: Expr, name: str) -> Outcome | None:
    """Prove that faces and corner of the positive orthant are never reached, where V depends on the
    coordinates of the block and on their total.

    With ``V = -total(k log(theta)) + h(T) + rest``, k > 0 and T = total(theta), the part of theta
    is ``total(k log(T/theta)) + (h(T) - total(k) log(T))``. The first term is not negative and
    goes to infinity at a face away from the corner; the second one must go to infinity where T
    goes to 0 or to infinity.
    """
    block = edge.block
    if not isinstance(block, Vector) or block.domain != Interval.open(0, oo):
        return None
    own = Add(*(t for t in summands(V) if block in blocks_in(t, subject.state)))
    law = law_of_total(V, block, subject.state)
    if law is None:
        return None
    k = law.c - 1  # the density of a gamma law has the exponent shape - 1
    radial = (law.h - contract(k, block) * log(law.sum)).expand()
    _, far = ends(law.sum)
    power = lower_power(radial, law.sum, far)
    others = tuple(b for b in subject.state if b != block)
    rest = coercive(V - own, others) if others else Coercive({})
    if (
        not (is_positive(k) and is_continuous(law.h))
        or not all(goes_to_infinity(radial, law.sum, end) for end in ends(law.sum))
        or power is None
        or rest is None
    ):
        return None
    grown = Coercive({block: power, **rest.powers}, rest.assumptions)
    change = normalised(generator(subject.dynamics, V))
    if not vanishes(exceeding(change, grown, subject.state)):
        return None
    return proved(
        f"{NOT_ATTAINED}: {name} grows without bound at the faces and at the corner, is bounded"
        f" below, and L V <= c (1 + V) for V = {name}",
        *rest.assumptions,
    )


def conditions_found(edge: Edge, subject: Subject) -> tuple[ParameterCondition, ...]:
    """Conditions between parameters under which ``decide_by_energy`` proves that the edge is never
    reached; empty if none were found.

    They make the exponents of an energy positive at the faces and at the corner.
    """
    block = edge.block
    for V, name in _energies(edge, subject):
        law = law_of_total(V, block, subject.state) if edge.end == 0 else None
        if law is None:
            continue
        k = law.c - 1
        near, _ = ends(law.sum)
        slope = logarithmic_slope(law.h - contract(k, block) * log(law.sum), law.sum, near)
        found: tuple[ParameterCondition, ...] = ()
        for e in (k, slope):
            with under((*assumed(), *found)):
                needed = e is not None and not is_positive(e)
            if needed:
                found += (ParameterCondition(e, True, f"{text(e)} > 0"),)
        with under((*assumed(), *found)):
            if found and _by_one_energy(edge, subject, V, name) is not None:
                return found
    return ()


def _without_constants(e: Expr, state: tuple[Block, ...]) -> Expr:
    """The sum of the terms that depend on the state."""
    return Add(*(t for t in summands(e) if blocks_in(t, state)))


def _goes_up(edge: Edge, h: Expr) -> bool:
    distance = Dummy("distance", positive=True)
    found = growth(edge.approached(h, distance), distance)
    return found.escape == 1 or (found.escape == 0 and certain_sign(found.log) == 1)
