"""Semi-implicit (symplectic) Euler: blocks move one after another, and later ones see the new
values.
"""

from __future__ import annotations

from collections.abc import Sequence

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.scheme.compensation import gradient_noise
from recipe.scheme.increment import increments, step_symbol


def semi_implicit(
    recipe: Recipe, *, order: Sequence[Block | str] | None = None, compensate: bool = False
) -> Update:
    """One step in which the blocks move one after another.

    Where Q is zero there is nothing to alternate: without an ``order`` all blocks then move at
    once, with one gradient.

    Args:
        recipe: the sampler.
        order: the blocks, or their names, in the order in which they move; by default the reverse
            of the state, so that momenta move before positions.
        compensate: subtract the noise of estimated gradients from the noise that is drawn.

    Returns:
        A sequential rule, with folds where the recipe is reflected.

    Raises:
        RecipeError: where the order does not name each block once, no root of D is known, or the
            noise cannot be compensated.
    """
    step = step_symbol(recipe)
    moved = increments(recipe, step, gradient_noise(recipe) if compensate else None)
    if order is None and recipe.Q.written.is_zero_matrix:
        return folded(
            Update(
                step, moved, recipe.H, name=recipe.name, source="Euler-Maruyama", where=recipe.where
            ),
            recipe.reflections,
        )
    rule = [(block, moved[block]) for block in _order(recipe, order)]
    return folded(
        Update(
            step, rule, recipe.H, name=recipe.name, source="semi-implicit Euler", where=recipe.where
        ),
        recipe.reflections,
    )


def _order(recipe: Recipe, order: Sequence[Block | str] | None) -> list[Block]:
    """The blocks in the order in which they move."""
    if order is None:
        return list(reversed(recipe.state))
    by_name = {b.name: b for b in recipe.state}
    names = [str(b) for b in order]
    if sorted(names) != sorted(by_name):
        unknown = [n for n in names if n not in by_name]
        meant = f"; {did_you_mean(unknown[0], by_name)}".rstrip("; ") if unknown else ""
        raise RecipeError(
            f"order=({', '.join(names)}) must name each block of the state ({', '.join(by_name)})"
            f" once{meant}"
        )
    return [by_name[n] for n in names]
