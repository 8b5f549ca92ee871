"""No probability flows across surfaces where coefficients are not smooth: roots of squares.

Let H and D be continuous, and the stationary equation hold off the surfaces ``g_k = 0``. For a
test function h, ``L h exp(-H)`` is there the divergence of ``(D grad h + v h) exp(-H)``, with the
current ``v = f + D grad H - div D``. If v extends continuously to each surface from both sides, its
integral is a sum over the surfaces: the terms with D cancel, and those with v cancel if
``v . grad g_k`` has the same limits from both sides wherever ``g_k = 0``.

Each g_k is an irreducible polynomial of the state, whose coefficients are numbers or which is
solved for one coordinate. So its singular points, and the points where two surfaces cross, make a
set of codimension 2, into which a bounded current has no flux. Where two surfaces coincide, for
some values of the parameters, the sum of their conditions says that v does not jump.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from sympy import (
    Expr,
    Mul,
    Poly,
    PolynomialError,
    Pow,
    S,
    cancel,
    expand,
    factor_list,
    rem,
    together,
)

from recipe.language.calculus import ABSTRACT_ATOMS, freeze, partial, thaw
from recipe.language.symbols import Block, generic
from recipe.language.text import listed
from recipe.signs.sign import is_nonzero
from verify.decide.smoothness import Fault, faults
from verify.decide.zero.decide import vanishes
from verify.generator.fokker_planck import current
from verify.subject import Subject
from verify.verdict import Outcome, proved

MAX_SURFACES = 3  # all combinations of their sides are looked at
Sides = dict[Expr, int]  # by surface: 1 where its polynomial is positive, -1 on the other side


def prove_no_jump(subject: Subject, found: Iterable[Fault]) -> Outcome | None:
    """Prove that the normal current is continuous across all surfaces where faults lie.

    Args:
        subject: a process whose H and D are continuous, and whose stationary equation holds where
            all operations are smooth.
        found: the faults.

    Returns:
        The proof; None if there is none.
    """
    surfaces = _surfaces(found, subject.state)
    if not surfaces or len(surfaces) > MAX_SURFACES:
        return None
    v = current(subject.dynamics, subject.gradient)
    on_sides = []
    for signs in product((1, -1), repeat=len(surfaces)):
        sides = dict(zip(surfaces, signs, strict=True))
        currents = {b: _beside(e, sides) for b, e in v.items()}
        drifts = [_beside(e, sides) for e in subject.dynamics.drift.values()]
        if not all(_is_continuous(e, subject.state) for e in (*currents.values(), *drifts)):
            return None
        on_sides.append((sides, currents))
    for g in surfaces:
        for sides, currents in on_sides:
            if sides[g] > 0:
                across = {**sides, g: -1}
                other = next(c for s, c in on_sides if s == across)
                jump = {b: currents[b] - other[b] for b in currents}
                if not _has_no_normal_part(jump, g, subject.state):
                    return None
    places = listed(f"{g} = 0" for g in surfaces)
    return proved(f"the current across {places} has no jump, and H and D are continuous there")


def _surfaces(found: Iterable[Fault], state: tuple[Block, ...]) -> list[Expr] | None:
    """Return the irreducible polynomials whose zeros are the places of faults; None if a fault lies
    elsewhere.
    """
    surfaces: dict[Expr, None] = {}
    for fault in found:
        if fault.zero.has(*ABSTRACT_ATOMS):
            return None
        try:
            constant, factors = factor_list(fault.zero)
        except PolynomialError:
            return None
        for factor in (constant, *(f for f, _ in factors)):
            if is_nonzero(factor):
                continue
            if not _is_surface(factor, state):
                return None
            surfaces[-factor if -factor in surfaces else factor] = None
    return list(surfaces)


def _is_surface(g: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if ``g = 0`` is a surface with singular points of codimension 2 at most."""
    coordinates = _coordinates(g, state)
    if not coordinates or not g.is_polynomial(*coordinates):
        return False
    return g.free_symbols == set(coordinates) or _solved(g, coordinates) is not None


def _coordinates(g: Expr, state: tuple[Block, ...]) -> list[Block]:
    return sorted((s for s in g.free_symbols if s in state), key=str)


def _solved(g: Expr, coordinates: list[Block]) -> tuple[Block, Expr] | None:
    """Return a coordinate and its value where ``g = 0``; None if g is linear in none of them."""
    for z in coordinates:
        line = Poly(g, z)
        slope = line.LC()
        if line.degree() == 1 and is_nonzero(slope) and not slope.has(*coordinates):
            return z, expand(-line.TC() / slope)
    return None


def _beside(e: Expr, sides: Sides) -> Expr:
    """Return an expression with the roots of squares written out on one side of each surface.

    What stands in a sum over coordinates stays as it is.
    """
    frozen, stands_for = freeze(e)
    written = frozen.replace(
        lambda p: isinstance(p, Pow) and p.exp.is_Rational and not p.exp.is_Integer,
        lambda p: _root_beside(p, sides),
    )
    if written == frozen:
        return e
    try:
        return thaw(cancel(together(written)), stands_for)
    except PolynomialError:
        return thaw(written, stands_for)


def _root_beside(root: Expr, sides: Sides) -> Expr:
    """Write ``(c g^n)**q`` as ``c**q (side * g)**(n q)`` for an even n and a whole n q."""
    base, q = root.args
    try:
        constant, factors = factor_list(base)
    except PolynomialError:
        return root
    rest, apart = constant, S.One
    for f, n in factors:
        side = sides.get(f, -sides.get(-f, 0))
        if side and n % 2 == 0 and (n * q).is_Integer:
            apart *= (side * f) ** (n * q)
        else:
            rest *= f**n
    return root if apart == 1 else Mul(rest**q, apart)


def _is_continuous(e: Expr, state: tuple[Block, ...]) -> bool:
    return all(fault.order >= 0 for fault in faults(e, state))


def _has_no_normal_part(jump: dict[Block, Expr], g: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if ``jump . grad g`` is proved to vanish wherever ``g = 0``."""
    coordinates = _coordinates(g, state)
    normal = sum((jump[z] * partial(g, z) for z in coordinates), S.Zero)
    if normal == 0 or vanishes(normal):
        return True
    solved = _solved(g, coordinates)
    frozen, stands_for = freeze(normal)
    if solved is not None:
        if any(generic(s) == solved[0] for a in stands_for for s in a.free_symbols):
            return False  # an abstract function is not evaluated elsewhere
        at = frozen.xreplace({solved[0]: solved[1]})
        return not at.has(S.NaN, S.ComplexInfinity) and vanishes(thaw(at, stands_for))
    try:
        above = together(frozen).as_numer_denom()[0]
        return bool(rem(above, g, *coordinates) == 0)
    except PolynomialError:
        return False
