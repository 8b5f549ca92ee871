"""What sampling returns."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen.switches import check_docstrings
from codegen.whole import whole_file
from recipe.errors import RecipeError

OVERHEAD = 2**20  # of a file of draws, beside the draws themselves


@dataclass(frozen=True)
class Divergence:
    """A chain that stopped because a block was not finite, or not in its domain, after a step (counted from 0).

    ``largest_step`` is the noise budget, where the step was beyond it.
    """

    chain: int
    step: int
    block: str
    left_domain: bool = False
    largest_step: float | None = None

    def __str__(self) -> str:
        if self.largest_step is not None:
            return (
                f"chain {self.chain} stopped in step {self.step}: the noise of the gradient is beyond its budget, it can be made "
                f"good up to the step size {self.largest_step:.4g}; take a smaller step, a larger batch or control variates"
            )
        if self.left_domain:
            return (
                f"chain {self.chain} stopped in step {self.step}: {self.block} left its domain, which this scheme does not prevent"
            )
        return f"chain {self.chain} diverged in step {self.step}: {self.block} is not finite; try a smaller step size"


@dataclass(frozen=True)
class Draws:
    """Draws of each kept block.

    Attributes:
        values: by block, of the shape (chains, draws, length), or (chains, draws) for a scalar block. A chain that stopped early
            holds NaN after its last draw.
        counts: how many draws each chain has, shape (chains,).
        divergences: the chains that stopped because they were not finite or left their domain.
        interrupted: whether the run was stopped before its end; all healthy chains are then cut to the shortest of them.
        attributes: how the draws were made: recipe, scheme, step size, seed, versions, hash of the module, seconds of sampling.
        step_sizes: the step size of the step that each draw was made in, shape (draws,).
        warnings: what is to be said of the run, in words.
        acceptance: the share of Metropolis tests that accepted in the step that each draw was made in, shape (chains, draws); None
            where nothing is tested.
    """

    values: Mapping[str, np.ndarray]
    counts: np.ndarray
    divergences: tuple[Divergence, ...]
    interrupted: bool
    attributes: Mapping[str, Any]
    step_sizes: np.ndarray
    warnings: tuple[str, ...] = ()
    acceptance: np.ndarray | None = None

    def __getitem__(self, block: Any) -> np.ndarray:
        """The draws of a block, by its symbol or name."""
        if str(block) not in self.values:
            raise RecipeError(f"there are no draws of {block}; kept were {', '.join(self.values)}")
        return self.values[str(block)]

    def to_inferencedata(self) -> Any:
        """The draws as ``arviz.InferenceData``: a posterior group with the dimensions chain, draw and ``<block>_dim``, and the
        step sizes and acceptance rates among the ``sample_stats``."""
        check_docstrings()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of arviz about its own next version
            import arviz

        dims = {name: [f"{name}_dim"] for name, array in self.values.items() if array.ndim == 3}
        sizes = np.broadcast_to(self.step_sizes, (len(self.counts), self.step_sizes.size)).copy()
        accepted = {} if self.acceptance is None else {"acceptance_rate": self.acceptance}
        data = arviz.from_dict(posterior=dict(self.values), sample_stats={"step_size": sizes, **accepted}, dims=dims)
        data.posterior.attrs.update(self.attributes)
        data.posterior.attrs["interrupted"] = int(self.interrupted)
        data.posterior.attrs["divergences"] = "; ".join(map(str, self.divergences))
        data.posterior.attrs["warnings"] = "\n".join(self.warnings)
        return data

    def save(self, path: str | Path) -> Path:
        """Write the InferenceData as netCDF; a reader sees all of it or none. Raises RecipeError if that cannot be done."""
        target = Path(path)
        data = self.to_inferencedata()
        self._refuse_full_disk(target)
        with whole_file(target) as temporary:
            data.to_netcdf(str(temporary), engine="h5netcdf")
        return target

    def _refuse_full_disk(self, target: Path) -> None:
        """HDF5 says a full disk in many lines of its own; this is said before it starts."""
        needed = sum(array.nbytes for array in self.values.values()) + OVERHEAD
        free = shutil.disk_usage(target.parent).free if target.parent.is_dir() else needed
        if free < needed:
            raise RecipeError(
                f"{target} cannot be written: it needs {needed / 1e6:.1f} MB, and the disk has {free / 1e6:.1f} MB left; "
                "choose another path"
            )
