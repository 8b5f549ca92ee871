"""The Milstein scheme for elementwise noise, of strong order 1.

Milstein (1975), "Approximate integration of stochastic differential equations", Theory Probab.
Appl. 19(3); Kloeden & Platen (1992), "Numerical solution of stochastic differential equations",
equation 10.3.1: ``b b' ((dW)^2 - eps) / 2`` with ``b^2 = 2 D``.
"""

from __future__ import annotations

from sympy import Expr, S

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded
from recipe.declare.update import Update
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.entry import is_zero_entry
from recipe.language.errors import RecipeError
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import OTHER
from recipe.scheme.increment import diagonal_noise, increments, step_symbol


def milstein(recipe: Recipe) -> Update:
    """One step ``z' = z + eps f + sqrt(2 eps D) w + eps/2 D' (w^2 - 1)``, where D' is the
    derivative of an entry by its own coordinate.

    Raises:
        RecipeError: where D is not diagonal, or an entry depends on another coordinate that has
            noise of its own.
    """
    step = step_symbol(recipe)
    moved = increments(recipe, step)
    for block in recipe.state:
        if not is_zero_entry(recipe.D.entry(block, block)):
            slope = _slope(recipe, block, diagonal_noise(recipe, block, "milstein"))
            (w,) = moved[block].atoms(Noise, ScalarNoise)
            moved[block] += step / 2 * slope * (w**2 - 1)
    return folded(
        Update(step, moved, recipe.H, name=recipe.name, source="Milstein", where=recipe.where),
        recipe.reflections,
    )


def _slope(recipe: Recipe, block: Block, noise: Expr) -> Expr:
    """The derivative of an entry of D by its own coordinate, the only coordinate with noise that it
    may depend on.
    """
    for other in recipe.state:
        at = other.at(OTHER) if isinstance(other, Vector) else other
        across = S.Zero if at == block else partial(noise, at)
        elementwise = (
            explicit(noise, other) if isinstance(other, Vector) and other != block else S.Zero
        )
        if (across != 0 or elementwise != 0) and not is_zero_entry(recipe.D.entry(other, other)):
            raise RecipeError(
                f"{recipe.D.place(block, block)} = {noise} depends on other coordinates of {other},"
                " which have noise of their own: the Milstein scheme would need the areas between"
                " two noises; euler is a scheme for this recipe"
            )
    return explicit(noise, block) if isinstance(block, Vector) else partial(noise, block)
