"""Which draws of a group can be judged: its blocks, and its chains up to the first gap."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.results.diagnostics.convergence import MIN_DRAWS
from codegen.results.diagnostics.groups import Group
from recipe.language.errors import RecipeError


@dataclass(frozen=True)
class RunOfDraws:
    """The chains, the number of draws and the attributes of the posterior group."""

    numbers: list[Any]
    draws: int
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class BlockOfDraws:
    """The draws of one block, of the shape (chains, draws, coordinates)."""

    name: str
    labels: list[str]
    values: np.ndarray

    def chosen(self, positions: np.ndarray, kept: int) -> np.ndarray:
        """Return the first draws of some chains, as a view where all chains are chosen, as draws
        may fill the memory.
        """
        whole = len(positions) == len(self.values)
        return (self.values if whole else self.values[positions])[:, :kept]


def run_of(posterior: Group) -> RunOfDraws:
    """Return the chains, the number of draws and the attributes of a group."""
    numbers = posterior.points("chain")
    if len(set(numbers)) < len(numbers):  # runs that were joined
        numbers = list(range(len(numbers)))
    attributes = {str(k): _plain(v) for k, v in posterior.attributes.items()}
    return RunOfDraws(numbers, posterior.sizes["draw"], attributes)


def blocks_of(posterior: Group) -> list[BlockOfDraws]:
    """Return the draws of each variable of the posterior group, with the names of its
    coordinates.
    """
    blocks = []
    for name, variable in posterior.variables.items():
        dims = variable.dims
        if not {"chain", "draw"} <= set(dims) or variable.values.dtype.kind not in "fiub":
            raise RecipeError(
                f"{name} in the posterior group is not numbers by chain and draw; leave it out"
            )
        others = [d for d in dims if d not in ("chain", "draw")]
        labels = [
            f"{name}[{', '.join(map(str, c))}]" if c else name
            for c in itertools.product(*map(posterior.points, others))
        ]
        ordered = variable.values.transpose([dims.index(d) for d in ("chain", "draw", *others)])
        values = ordered.astype(np.float64, copy=False)
        blocks.append(BlockOfDraws(name, labels, values.reshape(*values.shape[:2], len(labels))))
    if not any(block.labels for block in blocks):
        raise RecipeError("the posterior group holds no variable; keep a block when you sample")
    return blocks


def finite_draws(blocks: Sequence[BlockOfDraws], chains: int, draws: int) -> np.ndarray:
    """Return how many draws each chain has before the first that is not finite in some
    coordinate.
    """
    good = np.ones((chains, draws + 1), dtype=bool)
    good[:, -1] = False
    for block in blocks:
        good[:, :-1] &= np.isfinite(block.values).all(axis=2)
    return np.argmin(good, axis=1)


def usable(finite: np.ndarray, draws: int) -> tuple[np.ndarray, int]:
    """Return the chains (by position) and the number of draws to judge.

    A chain that diverged is left out, and not cut: its last draws before the end are on their way
    out.
    """
    whole = np.flatnonzero(finite == draws)
    if whole.size:
        return whole, draws
    started = np.flatnonzero(finite >= MIN_DRAWS)
    return started, int(finite[started].min()) if started.size else 0


def _plain(value: Any) -> Any:
    """Return an attribute, as netCDF gives it back, as plain Python."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
