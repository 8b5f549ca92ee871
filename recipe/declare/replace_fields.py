"""Fields of a declaration that no check of its expressions is about; whoever sets one has checked
it.
"""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

Declared = TypeVar("Declared")


def with_fields(declared: Declared, **fields: Any) -> Declared:
    """The same declaration with other values of such fields: posteriors, the transform that it came
    from.
    """
    changed = copy(declared)
    for name, value in fields.items():
        object.__setattr__(changed, name, value)
    return changed
