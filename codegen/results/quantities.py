"""Quantities of draws: expressions of the blocks, parameters and data of a posterior, evaluated at
every draw, a few draws at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from codegen.inputs.demands import require_demands
from codegen.inputs.evaluate import Values
from codegen.inputs.lengths import Lengths, learn_given
from codegen.inputs.named_values import in_order_of_names
from codegen.inputs.posterior_data import numbers_of, resolved_arrays
from codegen.results.aligned import aligned, own_names
from codegen.system.memory import require_memory
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_quantities import Quantity, data_in, expressions_of, vector_of
from recipe.declare.label_data import one_hots
from recipe.declare.posterior import Posterior
from recipe.declare.transformations.ordered import Ordered
from recipe.language.blocks import Block, Vector
from recipe.language.data import VectorData
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers, parameters_of
from recipe.language.symbols import Indexed, Length, name_of
from recipe.language.text import listed

FLOAT_BYTES = 8
MAX_NAMED = 10  # blocks in a message
PIECE_BYTES = 2**25  # of one array while some draws are evaluated


@dataclass(frozen=True)
class AtDraws:
    """The draws of a posterior, as expressions are evaluated at them.

    Attributes:
        posterior: the posterior.
        draws: draws by block, of the shape (chains, draws) or (chains, draws, length).
        named: the values of its parameters, by name.
        arrays: the arrays of its data, by symbol; labels as labels.
        sizes: the numbers of coordinates, by length.
    """

    posterior: Posterior
    draws: Mapping[Block, np.ndarray]
    named: Mapping[str, Any]
    arrays: Mapping[Symbol, np.ndarray]
    sizes: Mapping[Length, int]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of chains and of draws."""
        first = next(iter(self.draws.values()))
        return int(first.shape[0]), int(first.shape[1])

    @property
    def rows(self) -> int:
        """The number of rows of the data of the log likelihood."""
        return next((len(self.arrays[s]) for s, _ in self.posterior.data), 1)

    def size_of(self, e: Expr) -> tuple[int, ...]:
        """Return the shape of an expression at one draw: () for a number, else the number of rows
        of its data or of coordinates.

        Raises:
            RecipeError: where its data have different numbers of rows.
        """
        rows = {len(self.arrays[s]): s for s in data_in([e])}
        if len(rows) > 1:
            said = " and ".join(f"{s} has {n}" for n, s in rows.items())
            raise RecipeError(f"{e}: its data have different numbers of rows, {said}")
        if rows:
            return (next(iter(rows)),)
        vector = vector_of(e)
        return () if vector is None else (self.sizes[vector.length],)

    def at(self, e: Expr) -> np.ndarray:
        """Return the values of an expression, of the shape (chains, draws, *size)."""
        size = self.size_of(e)
        count = int(np.prod(self.shape))
        result = np.empty((count, *size))
        for piece in pieces(count, max((1, *size, *self.sizes.values()))):
            found = self.values(piece).at(e)
            result[piece] = found.reshape(len(found), -1) if size else found.reshape(-1)
        return result.reshape(*self.shape, *size)

    def values(self, piece: slice) -> Values:
        """Return the numbers behind all symbols for some of the draws, which are counted chain by
        chain.
        """
        flat = {b: a.reshape(-1, *a.shape[2:])[piece] for b, a in self.draws.items()}
        given: dict[Symbol, np.ndarray] = {}
        for s in self.parameters:
            value = np.asarray(self.named[name_of(s)], dtype=float)
            given[s] = value.reshape(1, -1) if isinstance(s, Indexed) else value.reshape(1)
        return Values({**flat, **given}, self.arrays, self.sizes)

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The parameters of the densities and of the quantities."""
        every = [e for q in self.posterior.derived.values() for e in expressions_of(q)]
        return tuple(dict.fromkeys((*self.posterior.parameters, *parameters_of(every))))


def pieces(count: int, size: int) -> list[slice]:
    """Cut a number of draws into pieces whose numbers, ``size`` a draw, take little memory."""
    at_once = max(1, PIECE_BYTES // (FLOAT_BYTES * max(1, size)))
    return [slice(n, min(n + at_once, count)) for n in range(0, count, at_once)]


def at_draws(
    posterior: Posterior,
    draws: Mapping[str, np.ndarray],
    named: Mapping[str, Any],
    names: Mapping[str, Names] | None = None,
    last: Mapping[str, str] = MappingProxyType({}),
) -> AtDraws:
    """Return the draws of a posterior with its data, which are matched with them by name.

    Args:
        posterior: the posterior.
        draws: the draws of its blocks, by name.
        named: the values of its parameters, by name.
        names: the names of the coordinates of draws, by the name of the block; None for those that
            the posterior gives them.
        last: the names of categories that blocks on a simplex have no coordinate for, by the name
            of the block, where they are known.

    Raises:
        RecipeError: where a block has no draws or other ones than its data ask for, or a parameter
            has no value.
    """
    _require_same_model(posterior, draws)
    draws = _with_gaps(posterior, draws)
    missing = next((b for b in posterior.blocks if b.name not in draws), None)
    if missing is not None:
        raise RecipeError(
            f"there are no draws of {missing}, a block of the posterior, which has"
            f" {', '.join(b.name for b in posterior.blocks)}: keep it"
        )
    of = {b: np.asarray(draws[b.name]) for b in posterior.blocks}
    known = {b: int(a.shape[2]) for b, a in of.items() if isinstance(b, Vector)}
    lengths = Lengths()
    learn_given(lengths, known, posterior.blocks)
    require_demands(posterior)
    posterior = aligned(posterior, own_names(posterior) if names is None else names, last)
    arrays = dict(resolved_arrays(posterior, lengths))
    for s in data_in(posterior.derived.values()):
        dimensions = 2 if isinstance(s, VectorData) else 1
        arrays[s] = numbers_of(f"the data of {name_of(s)}", posterior.given[s], dimensions)
    sizes = {b.length: n for b, n in known.items()}
    for s in one_hots(e for q in posterior.derived.values() for e in expressions_of(q)):
        if s.coordinate is None:
            _require_coordinates(s, arrays[s.labels], sizes[s.length])
    found = AtDraws(posterior, of, _by_names(posterior, named, lengths), arrays, sizes)
    found = replace(found, named={**found.named, **known_numbers(found.parameters)})
    unset = next((s for s in found.parameters if name_of(s) not in found.named), None)
    if unset is not None:
        raise RecipeError(f"the parameter {unset} has no value; give it in params=")
    return found


def _require_same_model(posterior: Posterior, draws: Mapping[str, np.ndarray]) -> None:
    """Refuse draws that have no block of the posterior."""
    own = [*posterior.ordered, *posterior.blocks]
    if draws and not any(b.name in draws for b in own):
        in_ordered = {s for b in posterior.ordered for s in b.blocks}
        blocks = [b.name for b in own if b not in in_ordered]
        raise RecipeError(
            f"these are draws of another model, of {_named(list(draws))}; the posterior has"
            f" {_named(blocks)}"
        )


def _named(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    return listed(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def _by_names(posterior: Posterior, named: Mapping[str, Any], lengths: Lengths) -> dict[str, Any]:
    """Return the values of parameters, those with names in the order of the coordinates."""
    vectors = {s.name: s for s in posterior.parameters if isinstance(s, Indexed)}
    return {
        n: in_order_of_names(f"params[{n!r}]", v, vectors[n], lengths) if n in vectors else v
        for n, v in named.items()
    }


def _require_coordinates(s: VectorData, labels: np.ndarray, size: int) -> None:
    """Require that the labels of a derived quantity name coordinates of a block."""
    bad = np.flatnonzero((labels < 0) | (labels >= size) | (labels != np.floor(labels)))
    if bad.size:
        raise RecipeError(
            f"row {bad[0]} of the data of {s.labels} is {labels[bad[0]]}, and the coordinates of"
            f" {s.length.owner} are numbered from 0 to {size - 1}"
        )


def _with_gaps(posterior: Posterior, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return draws with those of the scalars of ordered blocks, of which the numbers are kept."""
    found = dict(draws)
    for block in posterior.ordered:
        if block.name in draws:
            numbers = draws[block.name]
            columns = np.diff(numbers, axis=2, prepend=np.zeros_like(numbers[..., :1]))
            found |= {s.name: columns[..., k] for k, s in enumerate(block.blocks)}
    return found


def numbers_of_ordered(block: Ordered, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the numbers of an ordered block, of the shape (chains, draws, length), from the draws
    of its scalars, of the shape (chains, draws), by name.
    """
    shape = draws[block.blocks[0].name].shape
    values = Values({s: draws[s.name].reshape(-1) for s in block.blocks})
    return np.stack([values.at(e).reshape(shape) for e in block], axis=-1)


def derived_draws(at: AtDraws, most: int | None = None) -> dict[str, np.ndarray]:
    """Return the derived quantities of a posterior at every draw, of the shape (chains, draws) or
    (chains, draws, size), by name; those of more than ``most`` numbers are left out.

    Raises:
        RecipeError: where there is too little memory for one of them, with its size.
    """
    found = {}
    for name, quantity in at.posterior.derived.items():
        size = _size(at, quantity)
        if most is not None and size > most:
            continue
        require_room_for(name, at.shape, size)
        values = [at.at(e) for e in expressions_of(quantity)]
        found[name] = np.stack(values, axis=-1) if isinstance(quantity, tuple) else values[0]
    return found


def require_room_for(name: str, shape: tuple[int, int], size: int) -> None:
    """Refuse numbers of every draw that do not fit into memory, before they are computed.

    Raises:
        RecipeError: with their number, the bytes that are needed, and those that are free.
    """
    chains, draws = shape
    require_memory(
        2 * FLOAT_BYTES * chains * draws * size,  # the diagnosis or a file takes as much again
        f"{name}, {size} numbers for each of {chains * draws} draws,",
        "keep fewer draws with thin=, or take fewer rows",
    )


def derived_names(posterior: Posterior, lengths: Lengths) -> dict[str, tuple[str, ...]]:
    """Return the names of the coordinates of derived quantities, where they have names."""
    vectors = {
        name: vector_of(q) for name, q in posterior.derived.items() if not isinstance(q, tuple)
    }
    named = {name: lengths.names_of(v) for name, v in vectors.items() if v is not None}
    return {name: names for name, names in named.items() if names is not None}


def _size(at: AtDraws, quantity: Quantity) -> int:
    first, *others = (at.size_of(e) for e in expressions_of(quantity))
    if isinstance(quantity, tuple) and (first or any(others)):
        raise RecipeError("a list of derived quantities holds numbers, which no data are in")
    return len(quantity) if isinstance(quantity, tuple) else int(np.prod(first))
