"""The check that a step stays in the domain of every block.

A step that can leave it is refused before it is compiled, as a run would stop sooner or later.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from sympy import Dummy, Expr, Interval, S, factor, oo

from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.kernel.part import Move, leaves_of
from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.domain import domain_text, finite_ends, on_simplex
from recipe.language.errors import RecipeError
from recipe.language.fold import FOLDS, Fold, ends_of
from recipe.language.free_symbols import blocks_in
from recipe.signs.defined import NONNEGATIVE, POSITIVE, PROVERS, Condition, conditions


@singledispatch
def check_inside(moves: Update | Kernel) -> None:
    """Require that a step ends inside of the domain of every block, whatever the noise.

    A proposal of a Metropolis test may leave the domain, as the test rejects it there.

    Args:
        moves: the rule of a step, or a kernel, whose moves are checked one by one.

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
        raise RecipeError(f"{_leaves(block, e)}; {_repair(block)}")


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
            f"fold it first, or {_repair(guilty)}"
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
        " inside, and corv(...) moves it to the whole line, where there is no edge"
    )


def _stays_inside(e: Expr, block: Block) -> bool:
    """Return True if the value is folded into the domain, or signs prove that it is a number there.

    Every operation of the value must be defined as well: a step that is no number has left its
    domain. A random number is taken to have a law.
    """
    ends = ends_of(block)
    if ends is None:
        return False
    e = e.xreplace({draw: Dummy(positive=True) for draw in e.atoms(NoncentralChiSquared)})
    folded = isinstance(e, Fold) and e.args[1:] == ends
    inside = [
        Condition(end.gap(e), NONNEGATIVE if end.belongs else POSITIVE)
        for end in finite_ends(block.domain)
        if not folded
    ]
    return all(_holds(condition, block) for condition in [*conditions(e), *inside])


def _holds(condition: Condition, block: Block) -> bool:
    """Return True if signs prove a condition, of the expression as it is written or of its factors
    in terms of a positive number.

    An abstract function of the block, such as a gradient, can have any value that it is declared to
    have.
    """
    proves = PROVERS[condition.sign]
    if proves(condition.e):
        return True
    any_value = {a: Dummy(real=True, positive=a.is_positive) for a in abstract_atoms(condition.e)}
    return proves(factor(condition.e.xreplace(any_value).xreplace({block: _stand_in(block)})))


def _stand_in(block: Block) -> Expr:
    """The block in terms of a positive number; the block itself where its interval is not open."""
    low, high = block.domain.start, block.domain.end
    if block.domain != Interval.open(low, high):
        return block
    p = Dummy(positive=True)
    if high == oo:
        return low + p
    return high - p if low == -oo else low + (high - low) * p / (1 + p)
