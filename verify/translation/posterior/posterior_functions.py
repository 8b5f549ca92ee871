"""A posterior of a module, and what the functions of the text are called that are about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from verify.translation.parse.interface import Legend

SHARED = ["data", "params", "gradient", "rows"]


@dataclass(frozen=True)
class PosteriorFunctions:
    """A posterior of a module: which functions of the text are about it."""

    potential: Potential
    posterior: Posterior
    gradient: str
    value: str
    controlled: str
    averaged: str


def densities(posteriors: Mapping[Potential, Posterior]) -> list[PosteriorFunctions]:
    """The functions by their names, which every module has in this form."""
    return [
        PosteriorFunctions(
            U, p, *(f"{kind}_{U}" for kind in ("gradient", "potential", "controlled", "averaged"))
        )
        for U, p in posteriors.items()
    ]


def count_of(legend: Legend, density: PosteriorFunctions) -> str:
    """The number of rows of its data, as the text must say it."""
    first = next(iter(legend.data[density.potential].values()), None)
    return f"data.{first}.shape[0]" if first else "1"
