"""Pairs of short runs that share all random numbers but their minibatches: what they differ by is
what minibatches do, in any number of dimensions, without a matrix.

The second run reads the data in another order, so that the same numbers choose other rows. For
additive noise the normal numbers cancel in the difference D, which obeys ``D' = M D + noise of two
minibatches``: half of its stationary covariance is what minibatches add to the covariance of the
run. Two runs that share their minibatches, too, and start at two draws come together, which says
after how many steps a start is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.bias.step.step_map import STREAM, StepMap
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.running.compiled import Compiled
from codegen.system.memory import require_memory
from recipe.language.errors import RecipeError

MAX_RECORDS = 400  # of a run
FORGOTTEN = 0.4  # standard deviations: two runs that are closer than that have come together


@dataclass(frozen=True, eq=False)
class ShortRuns:
    """Short runs of one kernel with the random numbers of one stream, which no chain of a run uses.

    Attributes:
        step: the step as a function; its kernel is what runs.
        step_size: the step size.
        steps: the number of steps of a run.
    """

    step: StepMap
    step_size: float
    steps: int

    @property
    def stride(self) -> int:
        """The steps from one record to the next."""
        return max(1, self.steps // MAX_RECORDS)

    @property
    def records(self) -> int:
        """The records of a run."""
        return self.steps // self.stride

    def positions(
        self,
        state: Any,
        records: int,
        *,
        data: Mapping[str, np.ndarray] | None = None,
        push: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the judged coordinates after each stride of a run, shape (records, k).

        Args:
            state: where it starts; it is left as it is.
            records: the number of records.
            data: the data, where they are not those of the kernel.
            push: what is added to the point in every step, shape (n,).

        Raises:
            UnpredictableError: where the run diverges.
        """
        kernel = self.step.kernel if data is None else replace(self.step.kernel, data=data)
        moving, draws = kernel.copy(state), self.step.room_for_draws(records)
        images: dict[str, list[np.ndarray]] = {f: [] for f in self.step.images}
        gradient, held, params = kernel.arguments()
        seed, units = np.uint64(kernel.options.seed), self.step.units
        raw = None if push is None else push if units is None else push * units[: self.step.size]
        for n in range(records):
            which = (STREAM, n * self.stride, self.stride, 0, self.stride)
            given = (moving, draws, gradient, held, self.step_size, params, seed, *which)
            run = kernel.entry_point(kernel.loaded.run, given)
            with kernel.apart():
                _, bad = run(*given)
            if bad >= 0:
                raise UnpredictableError("a short run from its last state diverges")
            for f, values in images.items():  # draws have the image, and the state has the block
                values.append(np.copy(getattr(moving, f)))
            if raw is not None:
                for name, part in self.step.fields.items():
                    getattr(moving, name)[:] += self.stride * raw[part]
        found = np.hstack(
            [np.array(images[f]) if f in images else getattr(draws, f) for f in self.step.recorded]
        )
        return found if units is None else found / units[self.step.size :]


def shuffled(kernel: Compiled) -> dict[str, np.ndarray]:
    """Return the data of a kernel with their rows in another order.

    Raises:
        UnpredictableError: where there is no memory for a second copy.
    """
    found = dict(kernel.data)
    random = np.random.default_rng(2)
    for estimator in kernel.module.estimators.values():
        names = list(estimator.gradient.fields.values())
        count = min(kernel.data[n].shape[0] for n in names)
        order = random.permutation(count)
        try:
            require_memory(sum(kernel.data[n].nbytes for n in names), "two copies of the data", "")
        except RecipeError:
            raise UnpredictableError("there is no memory for a second copy of its data") from None
        found |= {n: np.ascontiguousarray(kernel.data[n][order]) for n in names}
    return found


def together_after(apart: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return, for each coordinate, the record from which on two runs stay together, shape (k,); the
    number of records where they are still apart at the end.

    Args:
        apart: the differences of the two runs, shape (records, k).
        sd: the standard deviation of each coordinate, shape (k,).
    """
    far = np.abs(apart) > FORGOTTEN * sd
    return np.where(far.any(axis=0), len(apart) - np.argmax(far[::-1], axis=0), 0)
