"""The keys under which a point keeps its values: a plain symbol is its own key; a tuple names a
coordinate of a block, a derivative of an abstract function, or an entry of a matrix.
"""

from __future__ import annotations

from typing import Any

from sympy import Symbol

ROOT = "root"  # marks the keys of entries of R of a matrix R R^T, which are chosen and not printed


def key_of(symbol: Symbol, k: int | None) -> Any:
    """The key of coordinate k of a block, or with ``k=None`` of a plain symbol."""
    return ("coordinate", symbol, k) if k is not None else symbol


def symbol_of(key: Any) -> Symbol | None:
    """The symbol whose value a key names; None for jets and matrix entries."""
    if isinstance(key, Symbol):
        return key
    return key[1] if key[0] == "coordinate" else None
