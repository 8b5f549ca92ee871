"""Quantities that are computed of draws: functions of blocks, parameters and data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from sympy import Expr, Symbol

from recipe.declare.transformations.ordered import Ordered
from recipe.language.blocks import Block, Vector
from recipe.language.checks.validate import check_no_matrix, check_symbols, read
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.log_density import LogDensity
from recipe.language.names import checked_name
from recipe.language.symbols import GENERIC, generic
from recipe.language.total import labels

Quantity: TypeAlias = "Expr | tuple[Expr, ...]"
DIMENSIONS = ("chain", "draw")  # of all draws, in files and in ArviZ


def derived_quantities(
    given: Any,
    ordered: Sequence[Ordered],
    blocks: tuple[Block, ...],
    parameters: Sequence[Symbol],
) -> dict[str, Quantity]:
    """Return the quantities of ``Posterior(..., derived=)``, checked, after the numbers of ordered
    blocks.

    Args:
        given: expressions, or lists of expressions of one number each, by name; or None.
        ordered: the ordered blocks.
        blocks: the blocks of the posterior.
        parameters: its parameters.

    Raises:
        RecipeError: for a name that is no identifier or that a block has, or that draws cannot have
            (a block's as well), an expression that is not one of these blocks, parameters and data,
            or one with a value for each coordinate of each datum.
    """
    if given is not None and not isinstance(given, Mapping):
        raise RecipeError("derived= must be a dict of expressions by name, {'tau': exp(log_tau)}")
    found: dict[str, Quantity] = {b.name: tuple(b) for b in ordered}
    for block in (*ordered, *blocks):
        require_name_of_draws(block.name, "the block")
    for name, value in (given or {}).items():
        where = f"derived[{name!r}]"
        require_name_of_draws(checked_name(name), "the quantity")
        if name in {b.name for b in (*blocks, *ordered)}:
            raise RecipeError(f"{where}: a block has this name; give the quantity another one")
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        read_in = tuple(_read(e, where, blocks, parameters) for e in (value if listed else [value]))
        if listed and any(GENERIC in labels(e) for e in read_in):
            raise RecipeError(f"{where} is a list, and its expressions must be one number each")
        if not read_in:
            raise RecipeError(f"{where} is an empty list; leave it out")
        found[name] = read_in if listed else read_in[0]
    return found


def require_name_of_draws(name: str, what: str) -> None:
    """Refuse a name under which no draws can be saved, before they are made.

    Args:
        name: the name of the draws.
        what: what they are draws of, in words that the name follows.

    Raises:
        RecipeError: for the name of a dimension of all draws.
    """
    if name in DIMENSIONS:
        raise RecipeError(
            f"{what} {name} has the name of a dimension of all draws, so its own could not be"
            f" saved; rename it, for instance {name}_1"
        )


def data_in(quantities: Iterable[Quantity]) -> set[Symbol]:
    """The data symbols that quantities are computed of, labels included."""
    written: set[Symbol] = set()
    for q in quantities:
        for e in expressions_of(q):
            for s in e.atoms(VectorData, ScalarData):
                of_labels = getattr(s, "labels", None)
                if of_labels is None:
                    written.add(generic(s))
                elif s.coordinate is None:
                    written.add(of_labels)
    return written


def expressions_of(q: Quantity) -> tuple[Expr, ...]:
    """The expressions of a quantity."""
    return q if isinstance(q, tuple) else (q,)


def _read(e: Any, where: str, blocks: tuple[Block, ...], parameters: Sequence[Symbol]) -> Expr:
    if isinstance(e, LogDensity):
        e = e.expression
    e = read(e, where)
    check_no_matrix(e, where)
    check_symbols([(e, where)], blocks, (VectorData, ScalarData), "blocks")
    if abstract_of([e]):
        raise RecipeError(f"{where} contains {abstract_of([e])[0]}; write it out")
    strange = [s for s in parameters_of([e]) if s not in parameters]
    if strange:
        raise RecipeError(
            f"{where} contains {strange[0]}, which is no block, no Data symbol, and no parameter of"
            " the log likelihood or the log prior"
        )
    if GENERIC in labels(e) and any(isinstance(s, VectorData | ScalarData) for s in e.free_symbols):
        raise RecipeError(
            f"{where} has a value for each coordinate of each datum; sum over the coordinates with"
            " total(...), or leave the data out"
        )
    return e


def vector_of(e: Expr) -> Vector | None:
    """The block whose coordinates an expression has a value for; None for a number."""
    if GENERIC not in labels(e):
        return None
    return next((s for s in sorted(e.atoms(Vector), key=str) if s.label == GENERIC), None)
