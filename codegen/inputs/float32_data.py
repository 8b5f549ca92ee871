"""Data in half of the memory: float64 arrays rounded to float32. The arithmetic and the state stay
float64.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.inputs.posterior_data import is_memory_mapped, numbers_of
from codegen.module import Module
from recipe.declare.derived_data import LabelIs, OfLength
from recipe.declare.posterior import Posterior
from recipe.declare.replace_fields import with_fields
from recipe.language.data import VectorData
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of


def with_float32_data(module: Module) -> Module:
    """Return the module with rounded data: the law that it samples is the posterior of these.

    Raises:
        RecipeError: where the module has no data, or float64 data are memory-mapped, of which a
            rounded copy would not stay on disk.
    """
    estimators = {
        U: replace(e, gradient=replace(e.gradient, posterior=_rounded(e.gradient.posterior)))
        for U, e in module.estimators.items()
    }
    if not estimators:
        raise RecipeError("float32_data= needs data: bind a Posterior to the potential first")
    return replace(module, estimators=estimators)


def _rounded(p: Posterior) -> Posterior:
    data = {s: _rounded_array(s, value) for s, value in p.data}
    return with_fields(p, data=tuple(data.items()))


def _rounded_array(s: Symbol, value: Any) -> Any:
    """Return float64 data rounded to float32; all other data as they are."""
    if isinstance(value, LabelIs | OfLength):
        return value
    name, mapped = name_of(s), is_memory_mapped(value)
    if mapped and getattr(value, "dtype", None) == np.float64:
        raise RecipeError(
            f"the data of {name} is memory-mapped as float64, and float32_data= would copy all of"
            " it; write the file as float32"
        )
    dimensions = 2 if isinstance(s, VectorData) else 1
    array = np.asarray(value) if mapped else numbers_of(f"the data of {name}", value, dimensions)
    if array.dtype != np.float64:
        return value
    with np.errstate(over="ignore"):  # an infinite value is refused later, with its row
        return array.astype(np.float32)
