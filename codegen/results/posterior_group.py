"""The posterior group of whatever holds draws: ours, those of a file, or those of ArviZ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.results.diagnosed import Diagnosed
from codegen.results.diagnostics.groups import Group, Variable
from recipe.language.errors import RecipeError


def posterior_group(data: Any) -> Group:
    """Return the draws in ``data`` as a group of variables with named dimensions.

    Args:
        data: ``Draws``, ``SavedDraws``, or an object with a ``posterior`` as ArviZ has it, which
            may come from another sampler: ``arviz.InferenceData`` or ``xarray.DataTree``.

    Raises:
        RecipeError: where there is no posterior group in it.
    """
    if isinstance(data, Diagnosed):
        return data.posterior_group()
    posterior: Any = getattr(data, "posterior", None)
    if not all(hasattr(posterior, name) for name in ("data_vars", "coords", "attrs")):
        raise RecipeError(
            f"the {type(data).__name__} has no posterior group; give Draws, the result of"
            " read_draws, or an InferenceData or DataTree of ArviZ"
        )
    return Group(
        _variables(posterior.data_vars), _variables(posterior.coords), dict(posterior.attrs)
    )


def _variables(arrays: Any) -> Mapping[str, Variable]:
    return {
        str(name): Variable(tuple(map(str, array.dims)), array.to_numpy())
        for name, array in arrays.items()
    }
