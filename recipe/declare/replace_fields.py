"""Replace fields of a declaration without running its checks again."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

Declared = TypeVar("Declared")


def with_fields(declared: Declared, **fields: Any) -> Declared:
    """Return a copy of the declaration with other values in some fields, unchecked.

    It is for fields that no check of expressions is about, such as the posteriors or the transform
    that a recipe came from. The caller has checked the new values.
    """
    changed = copy(declared)
    for name, value in fields.items():
        object.__setattr__(changed, name, value)
    return changed
