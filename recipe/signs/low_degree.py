"""A sum as a polynomial of low degree in a coordinate, or in a function that stands in it."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Poly, Symbol

from recipe.language.calculus import abstract_atoms


def coefficients_of(e: Expr, s: Symbol) -> list[Expr] | None:
    """The coefficients of a polynomial in ``s`` of degree at most two, highest first; None where
    ``e`` is no such polynomial.
    """
    if any(s in atom.free_symbols for atom in abstract_atoms(e)) or not e.is_polynomial(s):
        return None
    return Poly(e, s).all_coeffs() if Poly(e, s).degree() <= 2 else None


def affine_in(e: Expr, *kinds: type[Expr]) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(t, slope, rest)`` with ``e = slope t + rest``, where t is a function of one of
    ``kinds`` that occurs in neither slope nor rest.
    """
    for t in sorted(e.atoms(*kinds), key=str):
        found = affine_at(e, t)
        if found is not None:
            yield t, *found


def affine_at(e: Expr, t: Expr) -> tuple[Expr, Expr] | None:
    """Return ``(slope, rest)`` with ``e = slope t + rest``, where t occurs in neither; None where e
    is not affine in t.
    """
    stand_in = Dummy(real=True)  # a symbol with a name could be one of e
    opened = e.xreplace({t: stand_in})
    if any(a.has(t) for a in abstract_atoms(e)) or not opened.is_polynomial(stand_in):
        return None
    coefficients = Poly(opened, stand_in).all_coeffs()
    return (coefficients[0], coefficients[1]) if len(coefficients) == 2 else None
