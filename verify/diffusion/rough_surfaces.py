"""Surfaces where coefficients are not smooth: roots of squares vanish there.

A surface ``g = 0`` is that of an irreducible polynomial of the state, whose coefficients are
numbers or which is solved for one coordinate. So its singular points, and the points where two
surfaces cross, make a set of codimension 2.
"""

from __future__ import annotations

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

from recipe.language.blocks import Block
from recipe.language.calculus import freeze, partial, thaw
from recipe.signs.sign import is_nonzero
from verify.decide.zero.decide import vanishes

Sides = dict[Expr, int]  # by surface: 1 where its polynomial is positive, -1 on the other side


def is_surface(g: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if ``g = 0`` is a surface with singular points of codimension 2 at most."""
    coordinates = coordinates_of(g, state)
    if not coordinates or not g.is_polynomial(*coordinates):
        return False
    return g.free_symbols == set(coordinates) or solved_for(g, coordinates) is not None


def coordinates_of(g: Expr, state: tuple[Block, ...]) -> list[Block]:
    """The coordinates of which a polynomial depends."""
    return sorted((s for s in g.free_symbols if s in state), key=str)


def solved_for(g: Expr, coordinates: list[Block]) -> tuple[Block, Expr] | None:
    """Return a coordinate and its value where ``g = 0``; None if g is linear in none of them."""
    for z in coordinates:
        line = Poly(g, z)
        slope = line.LC()
        if line.degree() == 1 and is_nonzero(slope) and not slope.has(*coordinates):
            return z, expand(-line.TC() / slope)
    return None


def beside(e: Expr, sides: Sides) -> Expr:
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


def has_no_normal_part(jump: dict[Block, Expr], g: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if ``jump . grad g`` is proved to vanish wherever ``g = 0``.

    Abstract functions and sums over coordinates keep the point where they stand: an identity
    between the others that holds for their values everywhere holds for those on the surface.
    """
    coordinates = coordinates_of(g, state)
    normal = sum((jump[z] * partial(g, z) for z in coordinates), S.Zero)
    if normal == 0 or vanishes(normal):
        return True
    solved = solved_for(g, coordinates)
    frozen, stands_for = freeze(normal)
    if solved is not None:
        at = frozen.xreplace({solved[0]: solved[1]})
        return not at.has(S.NaN, S.ComplexInfinity) and vanishes(thaw(at, stands_for))
    try:
        above = together(frozen).as_numer_denom()[0]
        return bool(rem(above, g, *coordinates) == 0)
    except PolynomialError:
        return False
