"""What is left free in an expression: blocks, parameters, and abstract functions that can be given
a meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense, Field, Potential
from recipe.language.symbols import (
    Block,
    Index,
    Length,
    Noise,
    Scalar,
    ScalarData,
    ScalarNoise,
    Vector,
    VectorData,
    generic,
    name_of,
)
from recipe.language.variance import ScalarVariance, VectorVariance

VARIANCES = (VectorVariance, ScalarVariance)  # no parameters: the kernel estimates them


def parameters_of(expressions: Iterable[Expr]) -> tuple[Symbol, ...]:
    """The symbols that are neither blocks, lengths, abstract functions nor bound indices, by
    name.
    """
    others = (
        Vector,
        Scalar,
        Length,
        Potential,
        Field,
        Dense,
        Index,
        Noise,
        ScalarNoise,
        VectorData,
        ScalarData,
        *VARIANCES,
    )
    found = {generic(s) for e in expressions for s in e.atoms(Symbol)}
    return tuple(sorted((s for s in found if not isinstance(s, others)), key=str))


def blocks_in(e: Expr, state: tuple[Block, ...]) -> frozenset[Block]:
    """The blocks that an expression depends on, seen or unseen: in sums and in abstract functions
    (of their images) as well.
    """
    found = {generic(s) for s in e.free_symbols}
    return frozenset(b for b in state if b in found or b.image in found)


def abstract_of(expressions: Iterable[Expr]) -> tuple[Any, ...]:
    """The abstract functions (sympy functions as the function class, everything else as its
    symbol), by name.
    """
    found: dict[str, Any] = {}
    for e in expressions:
        for s in e.atoms(Potential, Field, Dense):
            found[name_of(s)] = generic(s)
        for applied in e.atoms(AppliedUndef):
            found[applied.func.__name__] = applied.func
    return tuple(found[name] for name in sorted(found))


class UnusedNames:
    """Hands out names that no symbol or function in the expressions has, and none of them twice."""

    def __init__(self, written: Iterable[Expr]) -> None:
        listed = list(written)
        self._taken = {name_of(s) for e in listed for s in e.atoms(Symbol)}
        self._taken |= {a.func.__name__ for e in listed for a in e.atoms(AppliedUndef)}

    def fresh(self, wish: str) -> str:
        """The wished name, lengthened until it is new."""
        while wish in self._taken:
            wish += "_"
        self._taken.add(wish)
        return wish


def unused_name(name: str, written: Iterable[Expr]) -> str:
    """The name, lengthened until no symbol or function in the expressions has it."""
    return UnusedNames(written).fresh(name)
