"""Concrete functions for the abstract ones of a step, with which more can be calculated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, S, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Field, Jet, Partial, Potential
from recipe.language.blocks import Block
from verify.discrete.weak_order.step import Step


def meanings(step: Step, shape: Callable[[Block], Expr]) -> dict[Expr, Expr]:
    """Return a meaning for every abstract atom of a step, derivatives included: a potential is the
    sum of ``shape(x)`` over its coordinates x, every other function is 1.
    """
    atoms = {
        atom
        for e in step.everything()
        for atom in e.atoms(Potential, Field, Partial, Jet, AppliedUndef)
    }
    return {atom: meaning_of(atom, shape) for atom in sorted(atoms, key=str)}


def meaning_of(atom: Expr, shape: Callable[[Block], Expr]) -> Expr:
    """Return the meaning of a potential, of another abstract function, or of a derivative of
    one.
    """
    if isinstance(atom, Potential):
        return Add(*(shape(x) for x in atom.blocks))
    if isinstance(atom, Partial) and isinstance(atom.head, Potential):
        return Add(*(shape(x) for x in atom.head.blocks)).diff(*atom.wrt)
    return S.Zero if isinstance(atom, Partial | Jet) else S.One


def unused(names: Sequence[str], step: Step) -> Symbol:
    """Return a positive parameter with the first name that the step does not use."""
    taken = {s.name for e in step.everything() for s in e.atoms(Symbol)}
    return Symbol(
        next((name for name in names if name not in taken), names[-1] + "_"), positive=True
    )
