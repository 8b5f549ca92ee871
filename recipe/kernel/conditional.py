"""The law of a block given the others where H is quadratic in it: ``N(mean, 1 / precision)``,
coordinate by coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, S, expand
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Jet, Partial
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import explicit, partial, tidy
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import OTHER
from recipe.language.total import substitute


@dataclass(frozen=True)
class Conditional:
    """The normal law of one coordinate of a block given everything else; different coordinates are
    independent.

    Attributes:
        mean: the mean.
        precision: the reciprocal of the variance.
    """

    mean: Expr
    precision: Expr


def conditional_of(H: Expr, block: Block) -> Conditional:
    """The law of a block given the others, from the gradient of H, ``precision * (block - mean)``.

    Raises:
        RecipeError: where H is not quadratic in the block, or its precision depends on the block or
            couples coordinates.
    """
    where = f"the law of {block} given the rest under H"
    if block.domain != S.Reals:
        raise RecipeError(
            f"{where} lives on {block.domain}; refresh redraws normal blocks, on the real line"
        )
    slope = tidy(partial(H, block))
    unknown = next(
        (f for f in slope.atoms(Partial, Jet, AppliedUndef) if block in blocks_in(f, (block,))),
        None,
    )
    if unknown is not None:
        raise RecipeError(
            f"{where} is not known: H depends on {block} through {unknown}; only a normal block is"
            " redrawn"
        )
    precision = tidy(explicit(slope, block) if isinstance(block, Vector) else partial(slope, block))
    if block in blocks_in(precision, (block,)):
        raise RecipeError(
            f"{where} is not normal: its precision {precision} depends on {block}; H must be"
            " quadratic in it"
        )
    across = expand(partial(slope, block.at(OTHER))) if isinstance(block, Vector) else S.Zero
    if across != 0:
        raise RecipeError(
            f"{where} couples the coordinates of {block}: the precision has {across} at (i, j), of"
            f" whose inverse no root is known; write H in coordinates of {block} that are"
            " independent"
        )
    if precision == 0 or precision.is_positive is False:
        raise RecipeError(
            f"{where} is not normal: its precision is {precision}, and must be positive"
        )
    return Conditional(tidy(-substitute(slope, {block: S.Zero}) / precision), precision)
