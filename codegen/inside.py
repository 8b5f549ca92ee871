"""A step that can leave the domain is refused before it is compiled: a run would stop there, sooner or later."""

from __future__ import annotations

from functools import singledispatch

from sympy import Dummy, Expr, Mul, S, exp, factor, oo

from recipe.errors import RecipeError
from recipe.fold import Fold, ends_of
from recipe.kernel import Kernel, Move
from recipe.kernel.part import leaves_of
from recipe.symbols import Block, Simplex
from recipe.update import Update


@singledispatch
def check_inside(moves: Update | Kernel) -> None:
    """Require of every block with an edge that a step ends inside of its domain, whatever the noise.

    What is proposed to a Metropolis test may leave it, as it is rejected there.

    Raises:
        RecipeError: naming the rule that may leave it.
    """
    raise TypeError(moves)


@check_inside.register
def _(moves: Update) -> None:
    last = {block: e for block, e in moves.rule if e != block}
    for block, e in last.items():
        if block.domain != S.Reals and not _stays_inside(e, block):
            raise RecipeError(
                f"a step can take {block} out of its domain, {_domain_text(block)}: its rule is {e}; {_repair(block)}, "
                "and corv(...) moves it to the whole line, where there is no edge"
            )


@check_inside.register
def _(moves: Kernel) -> None:
    for leaf in (leaf for part in moves.parts for leaf in leaves_of(part)):
        if isinstance(leaf, Move):
            check_inside(leaf.update)


def _domain_text(block: Block) -> str:
    return "the open simplex" if isinstance(block.domain, Simplex) else str(block.domain)


def _repair(block: Block) -> str:
    if isinstance(block.domain, Simplex):
        return "a Metropolis test rejects such a step"
    return f"mirror(recipe, {block}) reflects it at the edge, a scheme with an exact transition stays inside"


def _stays_inside(e: Expr, block: Block) -> bool:
    """Whether the value is folded into the domain, or its sign is seen from the way in which it is written."""
    ends = ends_of(block)
    if ends is None:
        return False
    if isinstance(e, Fold) and e.args[1:] == ends:
        return True
    low, high = ends
    above = S.One if low == -oo else e - low
    below = S.One if high == oo else high - e
    sides = ((above, block.domain.left_open), (below, block.domain.right_open))
    return all(_is_positive(f) if is_open else f.is_nonnegative or _is_positive(f) for f, is_open in sides)


def _is_positive(f: Expr) -> bool:
    """Whether every factor is, where ``exp(-x)`` with a positive x is ``1/(1 + y)`` with a positive y: so is ``1 - exp(-step)``."""
    less = {e: 1 / (1 + Dummy(positive=True)) for e in f.atoms(exp) if e.args[0].is_negative}
    return all(g.is_positive or factor(g.xreplace(less)).is_positive for g in Mul.make_args(f))
