"""Find the free symbols of an expression: blocks, parameters, and abstract functions that ``bind``
can replace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense, Field, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.data import ScalarData, VectorData, VectorParameter
from recipe.language.names import fitting_name
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Index, Length, generic, name_of
from recipe.language.variance import ScalarVariance, VectorVariance

VARIANCES = (VectorVariance, ScalarVariance)  # not parameters: the kernel estimates them


def parameters_of(expressions: Iterable[Expr]) -> tuple[Symbol, ...]:
    """The parameters in some expressions, sorted by name.

    These are the symbols that are neither blocks, lengths, noise, data, abstract functions,
    estimated variances nor bound indices.
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


def known_numbers(parameters: Iterable[Symbol]) -> dict[str, tuple[float, ...]]:
    """The numbers of the parameters that were declared with them, by name.

    Args:
        parameters: parameters; those without numbers are left out.
    """
    found = ((name_of(s), s.known) for s in parameters if isinstance(s, VectorParameter))
    return {name: known.numbers for name, known in found if known is not None}


def names_to_give(parameters: Iterable[Symbol]) -> tuple[str, ...]:
    """The names of the parameters whose numbers a run is given; all others carry theirs."""
    listed = tuple(parameters)
    known = known_numbers(listed)
    return tuple(name_of(s) for s in listed if name_of(s) not in known)


def blocks_in(e: Expr, state: tuple[Block, ...]) -> frozenset[Block]:
    """The blocks of the state that an expression depends on.

    Blocks count that occur in a sum, as arguments of an abstract function, or as the preimage of
    such an argument.
    """
    found = {generic(s) for s in e.free_symbols}
    return frozenset(b for b in state if b in found or b.image in found)


def abstract_of(expressions: Iterable[Expr]) -> tuple[Any, ...]:
    """The abstract functions and constant matrices in some expressions, sorted by name.

    An elementwise function is returned as its sympy function class, everything else as its symbol.
    """
    found: dict[str, Any] = {}
    for e in expressions:
        for s in e.atoms(Potential, Field, Dense):
            found[name_of(s)] = generic(s)
        for applied in e.atoms(AppliedUndef):
            found[applied.func.__name__] = applied.func
    return tuple(found[name] for name in sorted(found))


class UnusedNames:
    """Names that no symbol or function in some expressions has; each name is given out once."""

    def __init__(self, written: Iterable[Expr]) -> None:
        listed = list(written)
        self._taken = {name_of(s) for e in listed for s in e.atoms(Symbol)}
        self._taken |= {a.func.__name__ for e in listed for a in e.atoms(AppliedUndef)}

    def fresh(self, wish: str) -> str:
        """The wished name, with underscores appended until nobody has it."""
        wish = fitting_name(wish)
        while wish in self._taken:
            wish += "_"
        self._taken.add(wish)
        return wish


def unused_name(name: str, written: Iterable[Expr]) -> str:
    """The name, with underscores appended until no symbol or function in the expressions has it."""
    return UnusedNames(written).fresh(name)
