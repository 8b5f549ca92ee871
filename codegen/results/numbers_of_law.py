"""Numbers by which two densities are compared, at a few made-up points and rows of data: one law
that is written in two ways is one law.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from sympy import Expr

from codegen.inputs.evaluate import Values
from codegen.inputs.initial_states import in_domain
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers, parameters_of
from recipe.language.symbols import Indexed, generic, name_of

POINTS, ROWS, LENGTH = 4, 3, 3  # made-up points, rows of data, and coordinates of a vector
CLOSE = 1e-11  # of the largest difference, above what the order of a sum changes
ROUNDED = 1e-12  # of the largest number, whose rounding the differences have
NO_ROWS: Mapping[str, np.ndarray] = MappingProxyType({})


@dataclass(frozen=True)
class Numbers:
    """What a density is at some points and rows of data.

    Attributes:
        differences: its values less that at the first of the points, so that constants do not
            count, by point and row; None where one is not finite.
        largest: the largest of its values, without sign, before the difference is taken.
    """

    differences: tuple[float | None, ...]
    largest: float = 0.0

    @property
    def finite(self) -> bool:
        """Whether the density can be compared anywhere."""
        return any(x is not None for x in self.differences)


def numbers_of(
    e: Expr | None, posterior: Posterior, rows: Mapping[str, np.ndarray] = NO_ROWS
) -> Numbers | None:
    """Return the numbers of a density at made-up points; None where it cannot be computed.

    Args:
        e: the density of one row, or of none; None for a gradient of one's own.
        posterior: the posterior that it is of.
        rows: rows of data, by name, in place of those that are made up: ``ROWS`` of each.
    """
    if e is None:
        return None
    try:
        found = _made_up(e, posterior, rows).at(e)
    except (RecipeError, ArithmeticError, ValueError, IndexError):
        return None
    with np.errstate(invalid="ignore"):
        differences = (found[1:] - found[:1]).ravel()
    largest = np.abs(found[np.isfinite(found)]).max(initial=0.0)
    return Numbers(
        tuple(x if math.isfinite(x) else None for x in differences.tolist()), float(largest)
    )


def are_of_two_laws(before: Numbers | None, now: Numbers | None) -> bool | None:
    """Return whether two densities differ; None where there is no point at which both are finite,
    or one of them cannot be computed.
    """
    if before is None or now is None:
        return None
    small, large = sorted((before.differences, now.differences), key=len)
    if len(small) != len(large):
        if not small or len(large) % len(small):
            return True
        # one depends on no data, so that it is one number for all rows
        small = tuple(x for x in small for _ in range(len(large) // len(small)))
    pairs = [(b, n) for b, n in zip(small, large, strict=True) if b is not None and n is not None]
    if not pairs:
        return None if large else False
    scale = max(abs(x) for pair in pairs for x in pair)
    allowed = CLOSE * scale + ROUNDED * max(before.largest, now.largest)
    return any(abs(b - n) > allowed for b, n in pairs)


def _made_up(e: Expr, posterior: Posterior, given: Mapping[str, np.ndarray]) -> Values:
    """Return points, parameters and rows of data, which depend on the names of symbols alone, but
    for the rows that are given.
    """
    data = {generic(s) for s in e.atoms(VectorData, ScalarData)}
    vectors = [s for s in data if isinstance(s, VectorData)]
    every = [s.length for s in (*posterior.blocks, *vectors) if isinstance(s, Indexed)]
    size = dict.fromkeys(every, LENGTH)
    for s in vectors:
        if s.labels is None and name_of(s) in given:
            size[s.length] = given[name_of(s)].shape[1]
        if s.coordinate is not None:
            size[s.length] = max(size[s.length], s.coordinate + 2)
    parameters = parameters_of([e])
    known = known_numbers(parameters)
    size |= {s.length: len(known[name_of(s)]) for s in parameters if name_of(s) in known}  # type: ignore[attr-defined]
    draws: dict[Any, np.ndarray] = {}
    for block in posterior.blocks:
        shape = (POINTS, size[block.length]) if isinstance(block, Vector) else (POINTS,)
        draws[block] = in_domain(block.domain, 2 * _uniform(block.name, shape) - 1)
    for s in parameters:
        if name_of(s) in known:
            draws[s] = np.array([known[name_of(s)]])
            continue
        at_once = (1, size.setdefault(s.length, LENGTH)) if isinstance(s, Indexed) else (1,)
        draws[s] = 0.5 + _uniform(name_of(s), at_once)
    rows = {s: _uniform(name_of(s), (ROWS,)) for s in data - set(vectors)}
    rows |= {s: _uniform(name_of(s), (ROWS, size[s.length])) for s in vectors if s.labels is None}
    rows |= {s: given[name_of(s)] for s in rows if name_of(s) in given}
    rows |= {s.labels: np.arange(ROWS) for s in vectors if s.labels is not None}
    return Values(draws, rows, size)


def _uniform(name: str, shape: Sequence[int]) -> np.ndarray:
    """Return numbers between 0 and 1 that are a function of a name."""
    count = math.prod(shape)
    words = (hashlib.blake2b(f"{name} {n}".encode(), digest_size=8).digest() for n in range(count))
    numbers = np.array([int.from_bytes(word, "little") for word in words]) / 2.0**64
    return numbers.reshape(shape)
