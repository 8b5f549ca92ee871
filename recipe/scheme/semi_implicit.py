"""Semi-implicit (symplectic) Euler: blocks move one after another, later ones see the new
values.
"""

from __future__ import annotations

from collections.abc import Sequence

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded
from recipe.declare.update import Update
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block
from recipe.scheme.compensation import gradient_noise
from recipe.scheme.increment import increments, step_symbol


def semi_implicit(
    recipe: Recipe, *, order: Sequence[Block | str] | None = None, compensate: bool = False
) -> Update:
    """Update the blocks in ``order``; by default in the reverse of the state, so that momenta move
    before positions.

    Where Q is zero there is nothing to alternate: all blocks then move at once, with one gradient,
    unless an order is given.
    """
    step = step_symbol(recipe)
    moved = increments(recipe, step, gradient_noise(recipe) if compensate else None)
    if order is None and recipe.Q.written.is_zero_matrix:
        return folded(
            Update(step, moved, recipe.H, name=recipe.name, source="Euler-Maruyama"),
            recipe.reflections,
        )
    rule = [(block, moved[block]) for block in _order(recipe, order)]
    return folded(
        Update(step, rule, recipe.H, name=recipe.name, source="semi-implicit Euler"),
        recipe.reflections,
    )


def _order(recipe: Recipe, order: Sequence[Block | str] | None) -> list[Block]:
    if order is None:
        return list(reversed(recipe.state))
    by_name = {b.name: b for b in recipe.state}
    names = [str(b) for b in order]
    if sorted(names) != sorted(by_name):
        raise RecipeError(
            f"order=({', '.join(names)}) must name each block of the state ({', '.join(by_name)})"
            " once"
        )
    return [by_name[n] for n in names]
