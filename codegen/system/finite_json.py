"""Plain values for ``json.dumps``, which has no words for numbers that are not finite."""

from __future__ import annotations

import math
from typing import Any


def finite_only(value: Any) -> Any:
    """Return plain values in which a number that is not finite is None.

    Args:
        value: dicts and lists of strings, numbers, truth values and None.
    """
    if isinstance(value, dict):
        return {k: finite_only(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite_only(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
