"""What all draws of ours have in common: they diagnose themselves, once, and show it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from codegen.results.diagnostics.diagnose import diagnosis_of
from codegen.results.diagnostics.diagnosis import Diagnosis
from codegen.results.diagnostics.groups import Group
from codegen.results.plots import Plots, plots_of


class Diagnosed(ABC):
    """Draws that show their diagnosis at a prompt and in a notebook, and never their arrays."""

    @abstractmethod
    def posterior_group(self) -> Group:
        """Return the draws as variables with the dimensions chain, draw and coordinate."""

    def keys(self) -> list[str]:
        """Return the names of the blocks and derived quantities that there are draws of."""
        return list(self.posterior_group().variables)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return str(name) in self.keys()

    @cached_property
    def _diagnosis(self) -> Diagnosis:
        return diagnosis_of(self.posterior_group())

    def summary(self) -> Diagnosis:
        """Return the table of the draws: mean, standard deviation, quantiles, Monte Carlo errors,
        effective sample sizes and R-hat of each coordinate, and warnings in words.

        It is computed once, so that later changes of the arrays do not show.

        Raises:
            RecipeError: where there is too little memory.
        """
        return self._diagnosis

    def plot(self, folder: str | Path | None = None, names: Sequence[str] | None = None) -> Plots:
        """Plot traces and ranks of the coordinates that look worst, at most twelve.

        Args:
            folder: where ``trace.png`` and ``rank.png`` are written; None to write nothing.
            names: blocks or coordinates to choose from, as for ``codegen.plot``.

        Returns:
            The figures, which a notebook shows.

        Raises:
            RecipeError: as ``codegen.plot``.
        """
        plots = plots_of(self.posterior_group(), self.summary(), names)
        if folder is not None:
            plots.write(folder)
        return plots

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()
