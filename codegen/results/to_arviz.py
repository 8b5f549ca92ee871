"""Draws in the form that ArviZ takes.

ArviZ below 1.0 has a class of its own, ``InferenceData``; from 1.0 on it takes ``xarray.DataTree``.
Both hold a dataset of xarray for each group, and these are built here.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from codegen.results.diagnostics.groups import Group
from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing


def arviz_of(groups: Mapping[str, Group]) -> Any:
    """Return groups as ``arviz.InferenceData`` where ArviZ below 1.0 is installed, otherwise as
    ``xarray.DataTree``.

    Args:
        groups: the groups by name, such as posterior.

    Raises:
        RecipeError: where xarray is not installed, or ArviZ below 1.0 and a Python without
            docstrings come together.
    """
    try:
        import xarray
    except ImportError:
        raise RecipeError(missing("to_arviz()", "xarray")) from None
    datasets = {name: _dataset(group) for name, group in groups.items()}
    if _has_inferencedata():
        return _imported_arviz().InferenceData(**datasets)
    return xarray.DataTree.from_dict(datasets)


def _dataset(group: Group) -> Any:
    """Return a group as ``xarray.Dataset``; its arrays are not copied."""
    import xarray

    variables, coordinates = (
        {name: (v.dims, v.values, dict(v.attributes)) for name, v in these.items()}
        for these in (group.variables, group.coordinates)
    )
    return xarray.Dataset(variables, coordinates, dict(group.attributes))


def _has_inferencedata() -> bool:
    try:
        return int(version("arviz").partition(".")[0]) < 1
    except (PackageNotFoundError, ValueError):
        return False


def _imported_arviz() -> Any:
    """Import ArviZ below 1.0.

    Raises:
        RecipeError: where this Python has no docstrings, from which that ArviZ builds its own.
    """
    if sys.flags.optimize > 1:
        raise RecipeError(
            "ArviZ below 1.0 needs docstrings, which python -OO and PYTHONOPTIMIZE=2 leave out: use"
            " -O, or neither"
        )
    with _quiet():
        import arviz
    return arviz


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out that ArviZ announces its next version, and that matplotlib names a folder that it
    cannot write to.
    """
    log = logging.getLogger("matplotlib")
    level = log.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            log.setLevel(logging.ERROR)
            yield
        finally:
            log.setLevel(level)
