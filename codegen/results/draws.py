"""The result of sampling: draws, divergences, and how they become a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from codegen.bias.prediction import Prediction
from codegen.results.diagnosed import Diagnosed
from codegen.results.diagnostics.groups import NEVER_MOVED, Group, Variable, coordinate_of
from codegen.results.save_groups import save_groups
from codegen.results.to_arviz import arviz_of
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError

MAX_WARNED = 3  # chains that Python's warning names; ``Draws.divergences`` has all of them


class DivergenceWarning(UserWarning):
    """Chains of a run stopped early, or never moved; their draws end in NaN, or are of no law."""


@dataclass(frozen=True)
class Divergence:
    """A chain that stopped because a block was not finite, or not in its domain, after a step.
    ``str()`` of it is a sentence with the repair.

    Attributes:
        chain: the number of the chain.
        step: the number of the step, counted from 0.
        block: the name of the block.
        left_domain: whether the block was finite, but outside its domain.
        largest_step: the largest step size that the noise budget allows, where the step was larger;
            None otherwise.
        bad_data: which rows of the data are not finite; None where all are, or where the block left
            its domain.
        fault: why the gradient of the user failed, or why the log density is not finite, where that
            is so.
        never_moved: whether the chain did not stop, but rejected at every Metropolis test, because
            of ``bad_data`` or of ``fault``.
    """

    chain: int
    step: int
    block: str
    left_domain: bool = False
    largest_step: float | None = None
    bad_data: str | None = None
    never_moved: bool = False
    fault: str | None = None

    def __repr__(self) -> str:
        return f"Divergence: {self}"

    def __str__(self) -> str:
        if self.fault is not None and self.never_moved:
            return f"chain {self.chain} {NEVER_MOVED}: {self.fault}"
        if self.fault is not None:
            return f"chain {self.chain} stopped in step {self.step}: {self.fault}"
        if self.bad_data is not None:
            what = f"diverged in step {self.step}: {self.block} is not finite"
            what = NEVER_MOVED if self.never_moved else what
            return f"chain {self.chain} {what}; {self.bad_data}: correct it, or leave the row out"
        if self.largest_step is not None:
            return (
                f"chain {self.chain} stopped in step {self.step}: the noise of the gradient is"
                " beyond its budget, which allows step sizes up to"
                f" {self.largest_step:.4g}; take a smaller step, a larger batch or control variates"
            )
        if self.left_domain:
            return (
                f"chain {self.chain} stopped in step {self.step}: {self.block} left its domain,"
                " which this scheme does not prevent"
            )
        return (
            f"chain {self.chain} diverged in step {self.step}: {self.block} is not finite; try a"
            " smaller step size"
        )


@dataclass(frozen=True, repr=False)
class Draws(Diagnosed):
    """Draws of each kept block; ``draws["theta"]`` are those of the block theta. At a prompt and in
    a notebook they show their diagnosis, which ``summary()`` returns.

    Attributes:
        values: by name of a block, an array of the shape (chains, draws, length), or (chains,
            draws) for a scalar block. A chain that stopped early holds NaN after its last draw.
        counts: how many draws each chain has, shape (chains,).
        divergences: the chains that stopped because a block was not finite or left its domain, or
            that never moved because data are not finite.
        interrupted: whether a signal asked to stop before the draws were returned. Where that
            stopped the run, all healthy chains are cut to the shortest of them.
        attributes: how the draws were made: recipe, scheme, step size, seed, versions, hash of the
            module, seconds of sampling.
        step_sizes: the step size of the step that each draw was made in, shape (draws,).
        warnings: sentences about the run that a user should read, among them those of
            ``divergences``.
        acceptance: the share of Metropolis tests that accepted in the step that each draw was made
            in, shape (chains, draws); None where the sampler has no test.
        coords: the names of the coordinates of blocks, by name of the block; blocks whose
            coordinates are numbered are not in it.
        bias: what is predicted of the bias by step size and minibatches; None where nothing was to
            be predicted.
        predictions: further groups, by name, that ``compute_log_likelihood`` and
            ``sample_posterior_predictive`` add.
    """

    values: Mapping[str, np.ndarray]
    counts: np.ndarray
    divergences: tuple[Divergence, ...]
    interrupted: bool
    attributes: Mapping[str, Any]
    step_sizes: np.ndarray
    warnings: tuple[str, ...] = ()
    acceptance: np.ndarray | None = None
    coords: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bias: Prediction | None = None
    predictions: Mapping[str, Group] = field(default_factory=dict)

    def __getitem__(self, block: Any) -> np.ndarray:
        """Return the draws of a block, by its symbol or name, in the shape given under ``values``.

        Raises:
            RecipeError: where the block was not kept.
        """
        if str(block) not in self.values:
            raise RecipeError(
                f"there are no draws of {block}; "
                + (
                    coordinate_of(str(block), self.posterior_group())
                    or f"{did_you_mean(block, self.values)}kept were {', '.join(self.values)}"
                )
            )
        return self.values[str(block)]

    @property
    def lost(self) -> str | None:
        """What Python warns of where chains stopped early or never moved: the first of them, and
        where the others are; None where no chain did.
        """
        if not self.divergences:
            return None
        said = "; ".join(map(str, self.divergences[:MAX_WARNED]))
        more = len(self.divergences) - MAX_WARNED
        rest = f"; and {more} chains more, in draws.divergences" if more > 0 else ""
        return (
            f"{len(self.divergences)} of {len(self.counts)} chains stopped early, or never moved:"
            f" {said}{rest}"
        )

    @property
    def bytes(self) -> int:
        """The bytes of memory that the draws take, with their step sizes and acceptance rates; a
        file of them takes about as much.
        """
        arrays = [*self.values.values(), *([] if self.acceptance is None else [self.acceptance])]
        arrays += [
            v.values for group in self.predictions.values() for v in group.variables.values()
        ]
        return sum(array.nbytes for array in arrays) + self.step_sizes.nbytes * len(self.counts)

    def groups(self) -> dict[str, Group]:
        """Return the draws as groups of variables, as they are saved.

        The group posterior has the dimensions chain, draw and ``<block>_dim``, whose points have
        the names in ``coords``. Its attributes are those of the draws with interruption,
        divergences and warnings. The group sample_stats has the step sizes, and the acceptance
        rates where there are any. Those of ``predictions`` follow.
        """
        shape = len(self.counts), self.step_sizes.size
        statistics = {"step_size": np.broadcast_to(self.step_sizes, shape)}
        if self.acceptance is not None:
            statistics["acceptance_rate"] = self.acceptance
        how = {
            **self.attributes,
            "interrupted": int(self.interrupted),
            "divergences": "; ".join(map(str, self.divergences)),
            "warnings": "\n".join(self.warnings),
            **({} if self.bias is None else {"predicted_bias": json.dumps(self.bias.as_json())}),
        }
        return {
            "posterior": _group(self.values, how, self.coords),
            "sample_stats": _group(statistics, {}),
            **self.predictions,
        }

    def posterior_group(self) -> Group:
        """Return the group posterior of ``groups()``."""
        return self.groups()["posterior"]

    def to_arviz(self) -> Any:
        """Return the draws for ArviZ: ``arviz.InferenceData`` with ArviZ below 1.0, otherwise
        ``xarray.DataTree``, with the groups posterior, sample_stats and those of ``predictions``.

        Raises:
            RecipeError: where xarray is not installed.
        """
        return arviz_of(self.groups())

    def save(self, path: str | Path) -> Path:
        """Write the draws as netCDF, for ``read_draws`` and for ArviZ. A reader of the file sees
        all of it or none, and Ctrl-C waits until it is complete.

        Args:
            path: the file, which is replaced if it exists.

        Returns:
            The path.

        Raises:
            RecipeError: where the file cannot be written; an old file is then unchanged.
        """
        return save_groups(self.groups(), Path(path))


def _group(
    arrays: Mapping[str, np.ndarray],
    attributes: Mapping[str, Any],
    coords: Mapping[str, Sequence[str]] | None = None,
) -> Group:
    """Return arrays by chain, draw and perhaps coordinate as a group whose points are numbered, or
    have the names in ``coords``, by array.
    """
    variables = {
        name: Variable(("chain", "draw", _dimension_of(name, arrays))[: array.ndim], array)
        for name, array in arrays.items()
    }
    sizes = Group(variables).sizes
    points = {dim: Variable((dim,), np.arange(size)) for dim, size in sizes.items()}
    for name, names in (coords or {}).items():
        dim = _dimension_of(name, arrays)
        points[dim] = Variable((dim,), np.array(names, dtype=object))
    return Group(variables, points, attributes)


def _dimension_of(name: str, arrays: Mapping[str, np.ndarray]) -> str:
    """Return the name of the dimension of a block's coordinates, which no block has."""
    dimension = f"{name}_dim"
    while dimension in arrays:
        dimension += "_"
    return dimension
