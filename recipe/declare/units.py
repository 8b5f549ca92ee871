"""Blocks that a rule measures in units of the step: ``v = h r`` of a momentum r, as in the ``alpha,
eta`` form of SGHMC.

Such a rule has no limit as it is written, because v itself vanishes with the step. Measured in
units of h it has a limit: every v is replaced by h times the block, and the rule of v is divided by
h.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr, Symbol, expand, expand_mul

from recipe.language.blocks import Block
from recipe.language.checks.validate import read
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.total import substitute

Pairs = Sequence[tuple[Block, Expr]]
Units = tuple[tuple[Block, Expr], ...]


def read_units(units: Mapping[Block, Any] | None, pairs: Pairs, step: Symbol) -> Units:
    """Return the checked units: positive expressions of the step and of parameters, one for each
    named block.

    Raises:
        RecipeError: for a block that does not move, or a unit that is not positive, lacks the step,
            or contains a block.
    """
    if units is not None and not isinstance(units, Mapping):
        raise RecipeError(f"units={units!r} must be a dict {{v: unit}}, such as {{v: {step}}}")
    moved = dict(pairs)
    found = []
    for block, written in (units or {}).items():
        unit = read(written, f"units[{block}]")
        if block not in moved:
            raise RecipeError(f"units= names {block}, which is no block that the rule moves")
        if not unit.is_positive or step not in unit.free_symbols:
            raise RecipeError(
                f"units[{block}] = {unit} must be positive and contain the step, such as {step},"
                " declared with positive=True"
            )
        if any(s in moved for s in unit.free_symbols):
            raise RecipeError(
                f"units[{block}] = {unit} contains a block of the state; it may use the step and"
                " parameters"
            )
        found.append((block, unit))
    return tuple(found)


def in_units(pairs: Pairs, units: Units) -> list[tuple[Block, Expr]]:
    """The rule with every block measured in its unit."""
    own = dict(units)
    put = [(b, put_units(e, units, f"the rule of {b}")) for b, e in pairs]
    return [(b, expand(e / own[b]) if b in own else e) for b, e in put]


def put_units(e: Expr, units: Units, where: str) -> Expr:
    """Replace each block that has a unit by ``unit * block``."""
    try:
        return (
            expand_mul(substitute(e, {block: unit * block for block, unit in units}))
            if units
            else e
        )
    except OutsideLanguageError as error:
        raise RecipeError(f"{where}: {error}, and units= would take it there") from None
