"""Parameters that tuning may not choose: those that the law of the target depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Add, expand

from codegen.inputs.parameter_schedules import energy_of, is_temperature
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in, parameters_of
from recipe.language.symbols import name_of


def require_no_parameter_of_the_law(
    what: Recipe | Update | Kernel, target: Sequence[Block], names: Iterable[str]
) -> None:
    """Refuse to choose a parameter by which the law of the coordinates of a target changes.

    A parameter that stands beside momenta and thermostats alone, such as a mass, changes their law
    and not that of the target.

    Args:
        what: the sampler, bound to its posterior.
        target: the blocks of its state that hold the coordinates of the target.
        names: the names of the parameters that no value was given for.

    Raises:
        RecipeError: naming the first such parameter, and the value that leaves the posterior as it
            is, if it is a temperature.
    """
    energy = energy_of(what)
    changing = _changing(expand(energy), what.state, target)
    for name in names:
        if name in changing:
            own = f", {name}=1 for the posterior itself" if is_temperature(energy, name) else ""
            raise RecipeError(
                f"{name} changes the law, so tuning does not choose it; give {name}{own}"
            )


def _changing(energy: Any, state: tuple[Block, ...], target: Sequence[Block]) -> set[str]:
    """Return the names of the parameters of the terms that a block of the target occurs in."""
    return {
        name_of(s)
        for term in Add.make_args(energy)
        if blocks_in(term, state) & set(target)
        for s in parameters_of([term])
    }
