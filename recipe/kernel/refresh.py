"""``refresh``: redraw blocks from their law given the rest (Gibbs sampling), in full or in part."""

from __future__ import annotations

from typing import Any

from sympy import Expr, S, factor_terms, sqrt

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.conditional import conditional_of
from recipe.kernel.flip import check_recipe
from recipe.kernel.part import REFRESH, Move
from recipe.language.blocks import Block
from recipe.language.checks.validate import check_component, read
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.scheme.increment import step_symbol, white_noise


def refresh(recipe: Recipe, *blocks: Block, keep: Any = 0) -> Move:
    """Redraw blocks from their law under ``exp(-H)`` given all others, the normal law N(mean,
    sd^2).

    Args:
        recipe: the sampler whose H gives the law.
        *blocks: blocks of its state on the real line that are normal given the rest.
        keep: c of a partial refresh (Horowitz 1991): the new value is ``mean + c (r - mean) +
            sqrt(1 - c^2) sd w``. A number or an expression; write ``exp(-a)`` with a positive a, so
            that the root is known to be real. By default 0, a full refresh.

    Returns:
        The part of a kernel. It leaves ``exp(-H)`` invariant.

    Raises:
        RecipeError: where a block is not normal given the rest, two of them are not independent, or
            ``keep`` is not between -1 and 1.
    """
    check_recipe(recipe, "refresh")
    listed = _checked_blocks(recipe, blocks)
    c = read(keep, "keep")
    if c.is_Rational and abs(c) > 1:
        raise RecipeError(
            f"keep={keep} must be between -1 and 1: it is the part of the old value that is kept"
        )
    rule: dict[Block, Expr] = {b: b for b in recipe.state}
    unused = recipe.unused_names()
    for block in listed:
        check_component(c, block, "keep")
        rule[block] = _redrawn(recipe, block, listed, c, unused)
    return Move(
        Update(
            step_symbol(recipe),
            rule,
            recipe.H,
            name=recipe.name,
            source="redrawn from the law given the rest",
            where=recipe.where,
        ),
        REFRESH,
    )


def _redrawn(
    recipe: Recipe, block: Block, listed: tuple[Block, ...], c: Expr, unused: UnusedNames
) -> Expr:
    """The rule of a refreshed block: ``mean + c (block - mean) + sqrt(1 - c^2) sd w``."""
    law = conditional_of(recipe.H, block)
    moved = blocks_in(law.mean, listed) | blocks_in(law.precision, listed) | blocks_in(c, listed)
    if moved:
        names = ", ".join(sorted(b.name for b in moved))
        raise RecipeError(
            f"the law of {block} depends on {names}, redrawn at once; refresh one after another,"
            " compose(...)"
        )
    kept = law.mean + c * (block - law.mean) if c != 0 else law.mean
    return kept + sqrt(S.One - c**2) * sqrt(factor_terms(1 / law.precision)) * white_noise(
        block, unused
    )


def _checked_blocks(recipe: Recipe, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    names = ", ".join(b.name for b in recipe.state)
    if not blocks:
        raise RecipeError(f"refresh(...) redraws no block; name blocks of the state ({names})")
    strange = next((b for b in blocks if b not in recipe.state), None)
    if strange is not None:
        raise RecipeError(
            f"refresh(...) redraws {strange}, which is not part of the state ({names})"
        )
    return tuple(dict.fromkeys(blocks))
