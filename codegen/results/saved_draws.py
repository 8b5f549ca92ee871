"""Draws that were read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from codegen.results.diagnosed import Diagnosed
from codegen.results.diagnostics.groups import Group, coordinate_of
from codegen.results.diagnostics.words import sentences
from codegen.results.save_groups import save_groups
from codegen.results.to_arviz import arviz_of
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError


@dataclass(frozen=True, repr=False)
class SavedDraws(Diagnosed):
    """The draws of a file; ``saved["theta"]`` are those of the block theta. At a prompt and in a
    notebook they show their diagnosis.

    Attributes:
        posterior: the variables of the file with their dimensions, the names of points along these,
            and how the draws were made.
        predictions: further groups, by name: those of the file, such as sample_stats, and those
            that ``compute_log_likelihood`` and ``sample_posterior_predictive`` add.
    """

    posterior: Group
    predictions: Mapping[str, Group] = field(default_factory=dict)

    def __getitem__(self, block: Any) -> np.ndarray:
        """Return the draws of a block, by its symbol or name, shape (chains, draws, ...).

        Raises:
            RecipeError: where the file has none of it.
        """
        variables = self.posterior.variables
        if str(block) not in variables:
            raise RecipeError(
                f"there are no draws of {block}; "
                + (
                    coordinate_of(str(block), self.posterior)
                    or f"{did_you_mean(block, variables)}the file has {', '.join(variables)}"
                )
            )
        return variables[str(block)].values

    def posterior_group(self) -> Group:
        """Return the variables of the file."""
        return self.posterior

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about the run that a user should read, as they were saved."""
        return sentences(self.attributes.get("warnings", ""))

    @property
    def attributes(self) -> Mapping[str, Any]:
        """How the draws were made, as it was saved."""
        return self.posterior.attributes

    def save(self, path: str | Path) -> Path:
        """Write the group posterior and those of ``predictions`` as netCDF: all that was read.

        Args:
            path: the file, which is replaced if it exists.

        Returns:
            The path.

        Raises:
            RecipeError: where the disk has no room.
        """
        groups = {"posterior": self.posterior, **self.predictions}
        return save_groups(groups, Path(path))

    def to_arviz(self) -> Any:
        """Return the draws for ArviZ: ``arviz.InferenceData`` with ArviZ below 1.0, otherwise
        ``xarray.DataTree``, with the group posterior and those of ``predictions``.

        Raises:
            RecipeError: where xarray is not installed.
        """
        return arviz_of({"posterior": self.posterior, **self.predictions})
