"""Read the conditions between parameters that a recipe is declared under: ``where=``."""

from __future__ import annotations

from typing import Any

from sympy import Function, Ge, Gt, Le, Lt, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from recipe.language.abstract import Dense
from recipe.language.assumed import ParameterCondition
from recipe.language.calculus import abstract_atoms
from recipe.language.checks.validate import read
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import Index, Length, generic
from recipe.language.total import Total, free_indexed


def read_conditions(where: Any) -> tuple[ParameterCondition, ...]:
    """Return the conditions that a user wrote as a list of relations of sympy.

    A condition that the assumptions of its symbols imply is left out.

    Raises:
        RecipeError: for anything but ``>=``, ``>``, ``<=`` and ``<`` between expressions of
            parameters, and for a condition that holds nowhere.
    """
    if isinstance(where, BooleanAtom | bool | str | ParameterCondition | Relational):
        raise RecipeError(f"where={where} must be a list of conditions, [n + alpha >= 1]")
    conditions = (_read(condition) for condition in where or ())
    return tuple(dict.fromkeys(c for c in conditions if c is not None))


def _read(condition: Any) -> ParameterCondition | None:
    if isinstance(condition, ParameterCondition):
        return condition
    if isinstance(condition, BooleanAtom | bool):
        if condition:
            return None
        raise RecipeError("a condition in where= holds for no values of the parameters")
    if not isinstance(condition, (Ge, Gt, Le, Lt)):
        raise RecipeError(
            f"where= contains {condition!r}; write relations between parameters with >=, >, <= or"
            " <, such as n + alpha >= 1"
        )
    e = read(condition.gts - condition.lts, "where")
    symbols = {generic(s) for s in e.atoms(Symbol) - e.atoms(Length, Index)}
    if (
        symbols - set(parameters_of([e]))
        or e.has(Dense)
        or any(not isinstance(a, Total) for a in abstract_atoms(e))
    ):
        raise RecipeError(
            f"where= contains {condition}, which is about more than parameters and lengths; a"
            " condition of the state belongs in domain="
        )
    lengths = {s.length for s in free_indexed(e)}
    if len(lengths) > 1:
        raise RecipeError(
            f"where= contains {condition}, which mixes the lengths"
            f" {', '.join(sorted(map(str, lengths)))}; write one condition for each"
        )
    if e.atoms(Function):
        raise RecipeError(f"where= contains {condition}; write it with +, -, *, / and powers alone")
    return ParameterCondition(e, isinstance(condition, Gt | Lt), str(condition))
