"""For which values of its parameters does an identity hold, where it does not hold for all?

A factor of the residual that has parameters only makes it zero where it is zero. One that is linear in a parameter is solved for
it; the value must have the sign that was declared, and the expression with it put in is put to the zero test. That there are no
other values is not said.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Mul, Poly, PolynomialError, Pow, Symbol, fraction

from recipe.calculus import abstract_atoms
from recipe.symbols import Block, Indexed, Length
from verify.signs.sign import is_nonnegative, is_positive
from verify.zero.decide import vanishes
from verify.zero.shown import factored


def parameters_of(e: Expr, state: tuple[Block, ...]) -> tuple[tuple[Symbol, Expr], ...]:
    """Parameters with a value for which the expression is proved to vanish: one for each factor that has any."""
    found = {}
    for factor in _factors(fraction(factored(e))[0]):
        first = next(_solved(factor, e, state), None)
        if first is not None:
            found[first[0]] = first[1]
    return tuple(found.items())


def _factors(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Mul):
        for a in e.args:
            yield from _factors(a)
    else:
        yield e.base if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0 else e


def _solved(factor: Expr, e: Expr, state: tuple[Block, ...]) -> Iterator[tuple[Symbol, Expr]]:
    """A parameter with the value at which the factor is zero, and the expression with it."""
    if abstract_atoms(factor) or factor.atoms(Indexed) or factor.free_symbols & set(state):
        return
    for s in sorted(factor.free_symbols, key=str):
        try:
            slope, constant = Poly(factor, s).all_coeffs()
        except (PolynomialError, ValueError):
            continue  # it is not linear in this one
        value = (-constant / slope).factor()
        if _is_allowed(s, value) and vanishes(e.xreplace({s: value})):
            yield s, value


def _is_allowed(s: Symbol, value: Expr) -> bool:
    """Whether the value is one of those that the parameter stands for."""
    if isinstance(s, Length) or s.is_integer or s.is_negative or s.is_nonpositive:
        return False
    if s.is_positive:
        return is_positive(value)
    return is_nonnegative(value) if s.is_nonnegative else bool(s.is_real and value.is_real)
