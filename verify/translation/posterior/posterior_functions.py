"""The names of the functions of a module that belong to a posterior, and their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import unread

KINDS = ("gradient", "potential", "controlled", "averaged", "svrg", "saga")
SHARED = ["data", "params", "gradient", "rows"]


@dataclass(frozen=True)
class PosteriorFunctions:
    """A posterior of a module, with the names of its functions.

    Attributes:
        potential: the potential that is bound to the posterior.
        posterior: the posterior.
        gradient: the function that computes the gradient from rows of the data.
        value: the function that computes the potential.
        controlled: the estimator with control variates.
        averaged: the estimator with a running variance.
        svrg, saga: the estimators around a reference that moves.
    """

    potential: Potential
    posterior: Posterior
    gradient: str
    value: str
    controlled: str
    averaged: str
    svrg: str
    saga: str

    @property
    def estimators(self) -> tuple[str, ...]:
        """All of them, the outermost first."""
        return (self.averaged, self.controlled, self.svrg, self.saga)


def densities(posteriors: Mapping[Potential, Posterior]) -> list[PosteriorFunctions]:
    """Return the names of the functions of each posterior, the same in every module."""
    return [
        PosteriorFunctions(U, p, *(f"{kind}_{U}" for kind in KINDS)) for U, p in posteriors.items()
    ]


def count_of(legend: Legend, density: PosteriorFunctions) -> str:
    """Return the expression of the number of rows of the data, as the text must have it."""
    first = next(iter(legend.data[density.potential].values()), None)
    return f"data.{first}.shape[0]" if first else "1"


def names_of(
    module: ParsedModule, density: PosteriorFunctions, name: str
) -> tuple[list[str], list[str]]:
    """Return the arguments of an estimator for the results, and those for the blocks."""
    names = [a.arg for a in module.functions[name].args.args]
    k = len(density.potential.blocks)
    if len(set(names)) != len(names) or names[2 * k :] != [*SHARED, "state"]:
        raise unread(
            module.functions[name], f"{name} takes results, blocks, {', '.join(SHARED)}, state"
        )
    return names[:k], names[k : 2 * k]
