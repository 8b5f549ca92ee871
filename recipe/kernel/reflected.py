"""A normal proposal that is reflected at one end of its domain: ``y = edge + |m + r w - edge|``,
coordinate by coordinate.

A point inside is the image of two points, itself and its mirror image, so its density is the sum of
two (Leone, Nelson & Nottingham 1961, Technometrics 3: the folded normal law).
"""

from __future__ import annotations

from sympy import Expr, exp, log

from recipe.declare.reflect_update import unfolded
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.calculus import contract
from recipe.language.domain import finite_ends
from recipe.language.errors import RecipeError


def edges_of(update: Update) -> tuple[Update, dict[Block, Expr]]:
    """Return the rule without its folds, and the end at which each reflected block is folded.

    Raises:
        RecipeError: where a block is folded at two ends, or a momentum turns.
    """
    found = unfolded(update)
    edges: dict[Block, Expr] = {}
    for reflection in found.reflections:
        ends = [end.at for end in finite_ends(reflection.block.domain)]
        if len(ends) != 1 or reflection.flips:
            raise RecipeError(
                f"the proposal of {reflection.block} is reflected at {len(ends)}"
                f" ends{' and a momentum turns' if reflection.flips else ''}; its density is known"
                " for a reflection at one end, of a block with noise of its own; without"
                " mirror(...) a proposal that leaves the domain is rejected"
            )
        edges[reflection.block] = ends[0]
    return found.update, edges


def minus_log_of_image(new: Expr, mean: Expr, root: Expr, edge: Expr, block: Block) -> Expr:
    """The term of ``-log q`` that the mirror image brings.

    With the distances u and m of the new value and of the mean from the edge it is ``-log(1 +
    exp(-2 u m / r^2))``, summed over the coordinates.
    """
    return -contract(log(1 + exp(-2 * (new - edge) * (mean - edge) / root**2)), block)
