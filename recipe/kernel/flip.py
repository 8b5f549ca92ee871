"""``flip``: turn the sign of blocks."""

from __future__ import annotations

from sympy import S

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.part import FLIP, Move
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block
from recipe.scheme.increment import step_symbol


def flip(recipe: Recipe, *blocks: Block) -> Move:
    """``r`` becomes ``-r``; the law is kept where H does not see the difference.

    Raises:
        RecipeError: for a block that is not of the state, or whose domain is not the real line.
    """
    check_recipe(recipe, "flip")
    listed = checked_flips(blocks, recipe.state, "flip(...)")
    if not listed:
        raise RecipeError(
            "flip(...) turns no block; name those of the state"
            f" ({', '.join(b.name for b in recipe.state)}) that it does"
        )
    rule = {b: -b if b in listed else b for b in recipe.state}
    return Move(
        Update(step_symbol(recipe), rule, recipe.H, name=recipe.name, source="sign turned"), FLIP
    )


def check_recipe(recipe: object, jump: str) -> None:
    """Require the recipe that a jump belongs to, as its law says what is kept."""
    if not isinstance(recipe, Recipe):
        raise RecipeError(
            f"{jump}({recipe}, ...) needs the recipe whose law it keeps first: {jump}(recipe,"
            f" {recipe})"
        )


def checked_flips(
    blocks: tuple[Block, ...], state: tuple[Block, ...], where: str
) -> tuple[Block, ...]:
    """The blocks whose sign is turned, each once."""
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
