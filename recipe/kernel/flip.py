"""``flip``: turn the sign of blocks, as a part of a kernel."""

from __future__ import annotations

from sympy import S

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.part import FLIP, Move
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.scheme.increment import step_symbol


def flip(recipe: Recipe, *blocks: Block) -> Move:
    """Turn the sign of blocks: ``r`` becomes ``-r``.

    Args:
        recipe: the sampler whose H says which law must stay invariant.
        *blocks: blocks of its state on the real line. The law is kept where H is even in them.

    Returns:
        The part of a kernel.

    Raises:
        RecipeError: for no block, a block that is not in the state, or one whose domain is not the
            real line.
    """
    check_recipe(recipe, "flip")
    listed = checked_flips(blocks, recipe.state, "flip(...)")
    if not listed:
        raise RecipeError(
            "flip(...) turns no block; name blocks of the state"
            f" ({', '.join(b.name for b in recipe.state)})"
        )
    rule = {b: -b if b in listed else b for b in recipe.state}
    return Move(
        Update(
            step_symbol(recipe),
            rule,
            recipe.H,
            name=recipe.name,
            source="sign turned",
            where=recipe.where,
        ),
        FLIP,
    )


def check_recipe(recipe: object, jump: str) -> None:
    """Require that the first argument of a jump is the recipe whose law it keeps."""
    if not isinstance(recipe, Recipe):
        raise RecipeError(
            f"{jump}({recipe}, ...) needs the recipe whose law it keeps first: {jump}(recipe,"
            f" {recipe})"
        )


def checked_flips(
    blocks: tuple[Block, ...], state: tuple[Block, ...], where: str
) -> tuple[Block, ...]:
    """Return the blocks whose sign is turned, each once.

    Raises:
        RecipeError: for a block that is not in the state, or whose domain is not the real line.
    """
    for block in blocks:
        if block not in state:
            raise RecipeError(
                f"{where} turns {block}, which is not part of the state"
                f" ({', '.join(b.name for b in state)})"
            )
        if block.domain != S.Reals:
            raise RecipeError(
                f"{where} turns {block}, whose domain is {block.domain}; only a block on the real"
                " line has both signs"
            )
    return tuple(dict.fromkeys(blocks))
