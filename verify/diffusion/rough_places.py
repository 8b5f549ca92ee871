"""No probability flows through the places where coefficients are not smooth: roots of squares.

Let H and D be continuous, and the stationary equation hold off some surfaces ``g_k = 0`` and off a
set S of codimension m >= 2. For a test function h, ``L h exp(-H)`` is there the divergence of
``(D grad h + v h) exp(-H)``, with the current ``v = f + D grad H - div D``. Its integral vanishes,
and f is integrable, if

* off S, f and v extend continuously to each surface from both sides. Then the integral is a sum
  over the surfaces: the terms with D cancel, and those with v cancel if ``v . grad g_k`` has the
  same limits from both sides wherever ``g_k = 0``;
* near S, f and v are at most of an order above ``-(m - 1)`` in the distance, on all sides of the
  surfaces, so that there is no flux into S.

Singular points of a surface, and points where two surfaces cross, make a set of codimension 2, into
which a bounded current has no flux; near S the bound on its order is the same there. Where two
surfaces coincide, for some values of the parameters, the sum of their conditions says that v does
not jump.

A surface may have a generic coordinate in it: ``theta[i] - 1 = 0`` is one surface for each i, and a
root in a sum over coordinates lies on these. The sum ``sum_j b_j`` jumps there by the jump of b_i
alone, and the others are one number, the same on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from sympy import Dummy, Expr, PolynomialError, factor_list

from recipe.language.blocks import Block
from recipe.language.calculus import ABSTRACT_ATOMS, freeze
from recipe.language.symbols import GENERIC
from recipe.language.text import listed
from recipe.language.total import Total, labels, opened, relabel
from recipe.signs.sign import is_nonzero
from verify.decide.smoothness import Fault, faults
from verify.diffusion.rough_points import Form, are_apart, form_of, has_no_source, is_multiple
from verify.diffusion.rough_surfaces import Sides, beside, has_no_normal_part, is_surface
from verify.generator.fokker_planck import current
from verify.subject import Subject
from verify.verdict import Outcome, proved

MAX_SURFACES = 3  # all combinations of their sides are looked at
Flow = dict[Block, Expr]


@dataclass(frozen=True)
class Places:
    """Where coefficients are not smooth.

    Attributes:
        surfaces: polynomials that vanish on surfaces, at the generic coordinate.
        forms: quadratic forms, each of which vanishes on a set of codimension 2 or more, apart from
            those of all others.
        state: the state of the process.
    """

    surfaces: tuple[Expr, ...]
    forms: tuple[Form, ...]
    state: tuple[Block, ...]

    def __str__(self) -> str:
        return listed(f"{g} = 0" for g in (*self.surfaces, *(form.b for form in self.forms)))


@dataclass(frozen=True)
class Opened:
    """A vector field, with the generic terms of its sums written out.

    Attributes:
        flow: its components.
        terms: the generic terms of the sums that may jump.
    """

    flow: Flow
    terms: tuple[Expr, ...]


def prove_no_flow(subject: Subject, found: Iterable[Fault]) -> Outcome | None:
    """Prove that no probability flows across or into the places where faults lie.

    Args:
        subject: a process whose H and D are continuous, and whose stationary equation holds where
            all operations are smooth.
        found: the faults.

    Returns:
        The proof; None if there is none.
    """
    places = _places(found, subject.state)
    if places is None or len(places.surfaces) > MAX_SURFACES:
        return None
    v = _open(current(subject.dynamics, subject.gradient), places)
    f = _open(subject.dynamics.drift, places)
    if v is None or f is None:
        return None
    on_sides = []
    for signs in product((1, -1), repeat=len(places.surfaces)):
        sides = dict(zip(places.surfaces, signs, strict=True))
        currents = _on_side(v, sides, places)
        if currents is None or _on_side(f, sides, places) is None:
            return None
        on_sides.append((sides, currents))
    if not all(_has_no_jump(g, on_sides, places.state) for g in places.surfaces):
        return None
    return proved(_reason(places))


def _reason(places: Places) -> str:
    surfaces, points = Places(places.surfaces, (), ()), Places((), places.forms, ())
    across = f"the current across {surfaces} has no jump, and H and D are continuous there"
    if not places.forms:
        return across
    codimension = min(form.codimension for form in places.forms)
    into = (
        f"no probability flows into {points}, a set of codimension {codimension} or more: H and D"
        " are continuous, and the current grows less than the area around it shrinks"
    )
    return f"{across}; {into}" if places.surfaces else into


# -- places


def _places(found: Iterable[Fault], state: tuple[Block, ...]) -> Places | None:
    """Return the surfaces and the set of codimension 2 or more on which faults lie; None if a fault
    lies elsewhere.
    """
    surfaces: dict[Expr, None] = {}
    forms: list[Form] = []
    for fault in found:
        for factor in _factors(fault.zero):
            if is_nonzero(factor) or any(is_multiple(factor, form) for form in forms):
                continue
            form = form_of(factor, state)
            if form is not None:
                if not all(are_apart(form, other) for other in forms):
                    return None
                forms.append(form)
                continue
            at = _surface(factor, state)
            if at is None:
                return None
            surfaces[-at if -at in surfaces else at] = None
    return Places(tuple(surfaces), tuple(forms), state)


def _factors(zero: Expr) -> Iterator[Expr]:
    if zero.has(*ABSTRACT_ATOMS):
        yield zero
        return
    try:
        constant, factors = factor_list(zero)
    except PolynomialError:
        yield zero
        return
    yield from (constant, *(f for f, _ in factors))


def _generic(zero: Expr) -> Expr | None:
    """Return an expression of one coordinate at the generic index, and of numbers; None if it is
    none.
    """
    if zero.has(*ABSTRACT_ATOMS) or len(labels(zero)) > 1:
        return None
    return relabel(zero, label, GENERIC) if (label := next(iter(labels(zero)), 0)) else zero


def _surface(factor: Expr, state: tuple[Block, ...]) -> Expr | None:
    """The factor at the generic index, if it vanishes on a surface; otherwise None."""
    at = _generic(factor)
    return at if at is not None and is_surface(at, state) else None


def surfaces_of(zero: Expr, state: tuple[Block, ...]) -> tuple[Expr, ...] | None:
    """The surfaces on which an expression vanishes, as polynomials at the generic coordinate; None
    if it is not proved to vanish on surfaces alone.
    """
    found = []
    for factor in _factors(zero):
        if is_nonzero(factor):
            continue
        at = _surface(factor, state)
        if at is None:
            return None
        found.append(at)
    return tuple(found)


# -- sides


def _open(flow: Flow, places: Places) -> Opened | None:
    """Return a vector field with the term of the generic coordinate taken out of each sum that may
    jump; None if the other terms may jump with it.

    A symbol stands for the sum of the others, which is bounded where the terms are. The field is a
    polynomial of it, and so it is as continuous as its other parts.
    """
    terms: dict[Expr, None] = {}
    others: dict[Expr, Expr] = {}
    found = {}
    for block, e in flow.items():
        for t in (t for t in freeze(e)[1] if isinstance(t, Total)):
            body, label = opened(t)
            rough = [f for f in faults(body, places.state) if f.order < 0]
            if any(labels(f.zero) != {label} for f in rough) or (rough and body.has(Total)):
                return None
            if rough:
                term = relabel(body, label, GENERIC)
                terms[term] = None
                others[t] = others.get(t, Dummy("others", real=True) + term)
        found[block] = e.xreplace(others)
    symbols = {s for e in others.values() for s in e.atoms(Dummy)}
    if symbols and not all(e.is_polynomial(*symbols) for e in found.values()):
        return None
    return Opened(found, tuple(terms))


def _on_side(field: Opened, sides: Sides, places: Places) -> Flow | None:
    """Return a vector field on one side of each surface; None if it is not proved to extend
    continuously to the surfaces there, and to have no source.
    """
    bounded = Places(places.surfaces, (), places.state)
    if not all(_is_continuous(beside(term, sides), bounded) for term in field.terms):
        return None
    found = {block: beside(e, sides) for block, e in field.flow.items()}
    if not all(_is_continuous(e, places) for e in found.values()):
        return None
    for form in places.forms:
        elsewhere = [other for other in places.forms if other is not form]
        if not all(has_no_source(e, form, elsewhere) for e in found.values()):
            return None
    return found


def _is_continuous(e: Expr, places: Places) -> bool:
    """Return True if an expression is proved to be continuous, but where a form vanishes."""
    rough = (fault for fault in faults(e, places.state) if fault.order < 0)
    return all(any(is_multiple(fault.zero, form) for form in places.forms) for fault in rough)


def _has_no_jump(g: Expr, on_sides: list[tuple[Sides, Flow]], state: tuple[Block, ...]) -> bool:
    """Return True if the normal current across a surface is proved to have no jump, on all sides of
    the other surfaces.
    """
    for sides, currents in on_sides:
        if sides[g] < 0:
            continue
        across = {**sides, g: -1}
        other = next(c for s, c in on_sides if s == across)
        jump = {b: currents[b] - other[b] for b in currents}
        if not has_no_normal_part(jump, g, state):
            return False
    return True
