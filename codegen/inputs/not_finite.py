"""Why a log density is not finite at a state: the smallest expression in it that is not, with the
numbers in it and the row of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy
from sympy import Expr, S

from codegen.inputs.evaluate import Values
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers
from recipe.language.symbols import GENERIC, Indexed, Length, generic, name_of
from recipe.language.total import Total, labels, relabel, without_hot

MAX_SHOWN = 4  # symbols of the expression whose values are said


def why_not_finite(posterior: Posterior, values: Values) -> str | None:
    """Return a sentence about the log density at one state, with a repair; None where it is finite,
    or no part of it tells why it is not.

    Args:
        posterior: the posterior.
        values: the numbers of the state: one draw of each block, the data, the parameters.
    """
    try:
        for e in (posterior.log_prior, posterior.log_likelihood):
            found = None if e is None else next(_smallest(S(e), values), None)
            if found is not None:
                return _said(found, values, posterior.blocks)
    except RecipeError:  # an expression that numpy has no form of
        return None
    return None


def _smallest(e: Expr, values: Values) -> Iterator[Expr]:
    """Yield expressions that are not finite, and all of whose parts are."""
    if not isinstance(e, Expr) or bool(np.isfinite(values.at(e)).all()):
        return
    found = False
    for part in _parts(e):
        for smaller in _smallest(part, values):
            found = True
            yield smaller
    if not found:
        yield e


def _parts(e: Expr) -> tuple[Any, ...]:
    """Return the expressions in an expression; the summand of a sum at a generic coordinate."""
    if not isinstance(e, Total):
        return tuple(e.args)
    body, label = without_hot(e.body), e.index.label
    return (relabel(body, label, GENERIC),) if labels(body) <= {label} else ()


def _said(e: Expr, values: Values, blocks: tuple[Block, ...]) -> str:
    found = values.at(e)
    _, row, *k = (int(n) for n in np.argwhere(~np.isfinite(found))[0])
    number = found[0, row, *k]
    what = "not a number" if np.isnan(number) else "not finite"
    symbols = sorted((s for s in e.free_symbols if not isinstance(s, Length)), key=name_of)
    shown = [_shown(s, values, row, k) for s in symbols]
    with_values = f" with {', '.join(shown[:MAX_SHOWN])}" if shown else ""
    of_rows = found.shape[1] > 1 or any(s in values.data for s in map(generic, symbols))
    in_row = f"row {row}, " if of_rows else ""
    return f"the log density is {what}: {in_row}{e}{with_values}; {_repair(e, symbols, blocks)}"


def _shown(s: Any, values: Values, row: int, k: list[int]) -> str:
    """Return the value of a symbol where the expression is not finite."""
    at = values.at(s)[0]
    number = at[min(row, len(at) - 1)]
    if number.ndim:
        number = number[min(k[-1], len(number) - 1) if k else 0]
        named = f"{name_of(s)}[{k[-1] if k else 0}]"
    else:
        named = str(s)
    return f"{named} = {float(number):.3g}"


def _repair(e: Expr, symbols: list[Any], blocks: tuple[Block, ...]) -> str:
    named = {name_of(b): b for b in blocks}
    inside = [named[name_of(s)] for s in symbols if name_of(s) in named]
    if not inside:
        return "correct the data, or leave the row out"
    free = [b for b in inside if b.domain == S.Reals]
    needs_a_sign = isinstance(e, sympy.log) or (e.is_Pow and e.base is not S.Exp1)
    if needs_a_sign and free and len(inside) == 1:
        return f"declare {free[0].name} with domain=Interval.open(0, oo)"
    if needs_a_sign and free:
        return f"declare the domains of {', '.join(b.name for b in free)} (domain=)"
    return "start elsewhere (initial=), or correct the density"


def state_values(
    posterior: Posterior,
    blocks: Mapping[Any, np.ndarray],
    arrays: Mapping[Any, np.ndarray],
    named: Mapping[str, Any],
) -> Values:
    """Return the numbers of one state.

    Args:
        posterior: the posterior.
        blocks: the value of each block, of the shape (length,), or () or (1,) for a scalar.
        arrays: the arrays of the data, by symbol.
        named: the values of its parameters, by name.
    """
    draws: dict[Any, np.ndarray] = {}
    sizes = {}
    for b, v in blocks.items():
        vector = isinstance(b, Indexed)
        draws[b] = np.reshape(v, (1, -1) if vector else (1,))
        if vector:
            sizes[b.length] = draws[b].shape[1]
    named = {**named, **known_numbers(posterior.parameters)}
    for s in posterior.parameters:
        value = np.asarray(named[name_of(s)], dtype=float)
        draws[s] = value.reshape(1, -1) if isinstance(s, Indexed) else value.reshape(1)
    return Values(draws, arrays, sizes)
