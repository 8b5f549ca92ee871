"""The check that a step stays in the domain of every block.

A step that can leave it is refused before it is compiled, as a run would stop sooner or later.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from sympy import Dummy, Expr, S, oo

from codegen.lowering.ranges import Within
from recipe.declare.update import Update
from recipe.kernel import Kernel, Move
from recipe.kernel.part import leaves_of
from recipe.language.domain import domain_text, on_simplex
from recipe.language.errors import RecipeError
from recipe.language.fold import FOLDS, Fold, ends_of
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block

WHOLE_LINE = "and corv(...) moves it to the whole line, where there is no edge"


@singledispatch
def check_inside(moves: Update | Kernel) -> None:
    """Require that a step ends inside of the domain of every block, whatever the noise.

    A proposal of a Metropolis test may leave the domain, as the test rejects it there.

    Raises:
        RecipeError: naming the rule that may leave it.
    """
    raise TypeError(moves)


@check_inside.register
def _(moves: Update) -> None:
    # the blocks that may be outside at this place of a sequential rule, with their new values
    outside: dict[Block, Expr] = {}
    for block, e in moves.rule:
        if moves.sequential:
            _require_no_reading(block, e, outside)
        if e == block or block.domain == S.Reals:
            continue
        outside.pop(block, None)
        if not _stays_inside(e, block):
            outside[block] = e
    for block, e in outside.items():
        raise RecipeError(f"{_leaves(block, e)}; {_repair(block)}, {WHOLE_LINE}")


def _require_no_reading(block: Block, e: Expr, outside: Mapping[Block, Expr]) -> None:
    """Require that only a ``Fold`` or ``FoldSign`` reads a block that may be outside of its domain;
    all other expressions are valid inside only.
    """
    if e == block:
        return
    folds = {
        f(b, *ends): Dummy() for b in outside if (ends := ends_of(b)) is not None for f in FOLDS
    }
    guilty = next(iter(blocks_in(e.xreplace(folds), tuple(outside))), None)
    if guilty is not None:
        raise RecipeError(
            f"{_leaves(guilty, outside[guilty])}, and the rule of {block}, {e}, reads it there; "
            f"fold it first, or {_repair(guilty)}, {WHOLE_LINE}"
        )


@check_inside.register
def _(moves: Kernel) -> None:
    for leaf in (leaf for part in moves.parts for leaf in leaves_of(part)):
        if isinstance(leaf, Move):
            check_inside(leaf.update)


def _leaves(block: Block, e: Expr) -> str:
    return f"a step can take {block} out of its domain, {domain_text(block)}: its rule is {e}"


def _repair(block: Block) -> str:
    if on_simplex(block):
        return "a Metropolis test rejects such a step"
    return (
        f"mirror(recipe, {block}) reflects it at the edge, a scheme with an exact transition stays"
        " inside"
    )


def _stays_inside(e: Expr, block: Block) -> bool:
    """Return True if the value is folded into the domain, or the form of the expression shows that
    it lies there.
    """
    ends = ends_of(block)
    if ends is None:
        return False
    if isinstance(e, Fold) and e.args[1:] == ends:
        return True
    low, high = ends
    within = Within(block)
    above = S.One if low == -oo else e - low
    below = S.One if high == oo else high - e
    sides = ((above, block.domain.left_open), (below, block.domain.right_open))
    return all(
        within.is_positive(f) if is_open else f.is_nonnegative or within.is_positive(f)
        for f, is_open in sides
    )
