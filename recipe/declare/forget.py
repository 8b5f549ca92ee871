"""Let go of large arrays that remembered expressions hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sympy.core.cache import clear_cache

from recipe.language.derivatives import symbols_in
from recipe.language.symbols import at_label
from recipe.language.total import free_indexed
from recipe.signs.sign import possible_signs

LARGE = 20_000  # numbers; all that is remembered with fewer fits into memory many times


def forget_arrays(arrays: Iterable[Any]) -> None:
    """Forget all expressions that sympy and the language remember, where arrays that ``Data``
    symbols carry are large: an expression that is remembered keeps its arrays in memory.

    Args:
        arrays: the arrays that symbols carry.
    """
    if sum(_size(a) for a in arrays) < LARGE:
        return
    clear_cache()
    for function in (at_label, free_indexed, symbols_in, possible_signs):
        function.cache_clear()  # type: ignore[union-attr]


def _size(array: Any) -> int:
    """How many numbers an array has; the number of rows where it does not say."""
    shape = getattr(array, "shape", None)
    return math.prod(shape) if shape else len(array)
