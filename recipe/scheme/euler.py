"""Euler-Maruyama: every block moves from the same old state.

Ma, Chen & Fox 2015, equations 6 and 9, with the sign of Gamma as in their equation 3.
"""

from __future__ import annotations

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded
from recipe.declare.update import Update
from recipe.scheme.compensation import gradient_noise
from recipe.scheme.increment import increments, step_symbol


def euler(recipe: Recipe, *, compensate: bool = False) -> Update:
    """One step ``z' = z + eps f(z) + sqrt(2 eps) B(z) w``, with ``B B^T = D``.

    Args:
        recipe: the sampler.
        compensate: subtract the noise of estimated gradients from the noise that is drawn.

    Returns:
        A simultaneous rule, with folds where the recipe is reflected.

    Raises:
        RecipeError: where no root B of D is known, or the noise cannot be compensated.
    """
    step = step_symbol(recipe)
    moved = increments(recipe, step, gradient_noise(recipe) if compensate else None)
    return folded(
        Update(
            step, moved, recipe.H, name=recipe.name, source="Euler-Maruyama", where=recipe.where
        ),
        recipe.reflections,
    )
