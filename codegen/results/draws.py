"""What sampling returns."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen.files.atomic_write import whole_file
from codegen.results.diagnostics import imported_arviz
from codegen.results.write_netcdf import write_netcdf
from codegen.system.signals import Signals
from recipe.language.errors import RecipeError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OVERHEAD = 2**20  # of a file of draws, beside the draws themselves


@dataclass(frozen=True)
class Divergence:
    """A chain that stopped because a block was not finite, or not in its domain, after a step
    (counted from 0).

    ``largest_step`` is the noise budget, where the step was beyond it. ``bad_data`` says which rows
    of the data are not finite, if any are; then a chain whose Metropolis tests all rejected is here
    as well, as one that ``never_moved``.
    """

    chain: int
    step: int
    block: str
    left_domain: bool = False
    largest_step: float | None = None
    bad_data: str | None = None
    never_moved: bool = False

    def __str__(self) -> str:
        if self.bad_data is not None:
            what = f"diverged in step {self.step}: {self.block} is not finite"
            what = "stayed where it began" if self.never_moved else what
            return f"chain {self.chain} {what}; {self.bad_data}: correct it, or leave the row out"
        if self.largest_step is not None:
            return (
                f"chain {self.chain} stopped in step {self.step}: the noise of the gradient is"
                " beyond its budget, it can be made good up to the step size"
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


@dataclass(frozen=True)
class Draws:
    """Draws of each kept block.

    Attributes:
        values: by block, of the shape (chains, draws, length), or (chains, draws) for a scalar
            block. A chain that stopped early holds NaN after its last draw.
        counts: how many draws each chain has, shape (chains,).
        divergences: the chains that stopped because they were not finite or left their domain.
        interrupted: whether a signal asked to stop before the draws were returned. Where that
            stopped the run, all healthy chains are cut to the shortest of them.
        attributes: how the draws were made: recipe, scheme, step size, seed, versions, hash of the
            module, seconds of sampling.
        step_sizes: the step size of the step that each draw was made in, shape (draws,).
        warnings: what is to be said of the run, in words.
        acceptance: the share of Metropolis tests that accepted in the step that each draw was made
            in, shape (chains, draws); None where nothing is tested.
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

    @property
    def bytes(self) -> int:
        """How much memory the draws take, with their step sizes and acceptance rates; a file of
        them takes about as much.
        """
        arrays = [*self.values.values(), *([] if self.acceptance is None else [self.acceptance])]
        return sum(array.nbytes for array in arrays) + self.step_sizes.nbytes * len(self.counts)

    def to_inferencedata(self) -> Any:
        """The draws as ``arviz.InferenceData``: a posterior group with the dimensions chain, draw
        and ``<block>_dim``, and the step sizes and acceptance rates among the ``sample_stats``.
        """
        arviz = imported_arviz()
        dims = {name: [f"{name}_dim"] for name, array in self.values.items() if array.ndim == 3}
        sizes = np.broadcast_to(self.step_sizes, (len(self.counts), self.step_sizes.size)).copy()
        accepted = {} if self.acceptance is None else {"acceptance_rate": self.acceptance}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "More chains")  # than draws: many chains may be short
            data = arviz.from_dict(
                posterior=dict(self.values),
                sample_stats={"step_size": sizes, **accepted},
                dims=dims,
            )
        data.posterior.attrs.update(self.attributes)
        data.posterior.attrs["interrupted"] = int(self.interrupted)
        data.posterior.attrs["divergences"] = "; ".join(map(str, self.divergences))
        data.posterior.attrs["warnings"] = "\n".join(self.warnings)
        return data

    def save(self, path: str | Path) -> Path:
        """Write the InferenceData as netCDF; a reader sees all of it or none, and a Ctrl-C waits
        until it is there.

        Raises:
            RecipeError: where that cannot be done; what was there before is untouched.
        """
        target = Path(path)
        with Signals() as signals:
            with signals.held():
                data = self.to_inferencedata()
                with whole_file(target) as temporary:
                    refuse_full_disk(target, self.bytes)
                    write_netcdf(data, temporary)
            signals.act()
        return target


def refuse_full_disk(target: Path, size: int) -> None:
    """Say before it is written that a file of draws of so many bytes does not fit.

    Raises:
        RecipeError: with what is needed and what there is.
    """
    needed = size + OVERHEAD
    room = {
        "the disk has {:.1f} MB left": (
            shutil.disk_usage(target.parent).free if target.parent.is_dir() else needed
        )
    }
    if resource is not None:
        most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        room["a file may have {:.1f} MB (ulimit -f)"] = (
            needed if most == resource.RLIM_INFINITY else most
        )
    for said, there in room.items():
        if there < needed:
            raise RecipeError(
                f"{target} cannot be written: it needs {needed / 1e6:.1f} MB, and"
                f" {said.format(there / 1e6)}; choose another path, raise thin= or keep fewer"
                " blocks"
            )
