"""A step that has the same rows of the data whatever its random numbers.

Where all rows are too many, some stand for them. The rows of a minibatch depend on the number of a
step as its noise does, so that steps with different noise would differ in their rows as well, and
rows would be taken for noise that depends on the state. Here a step finds the same rows wherever it
looks for its own.
"""

from __future__ import annotations

import mmap
import sys
from dataclasses import dataclass, field, replace

import numpy as np

from codegen.bias.step.row_sums import as_readable, draws_several_minibatches
from codegen.bias.step.step_map import StepMap

FIRST = 0  # the number of the step whose rows all steps get
# Linux gives pages of memory back that no other process has.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if sys.platform == "linux" else {}


@dataclass(frozen=True, eq=False)
class SameRows:
    """A step that has the same rows whatever its number.

    Attributes:
        step: the step as a function.
        moved: the same step, whose data are ``data``.
        data: by field, an array of the shape of the data that holds the chosen rows where the step
            looks for them, and what has its memory.
        chosen: by field, the chosen rows, once a step was made.
        rows: their number.
        placed: the number of the step for which they are placed.
    """

    step: StepMap
    moved: StepMap
    data: dict[str, tuple[np.ndarray, mmap.mmap]]
    rows: int
    chosen: dict[str, np.ndarray] = field(default_factory=dict)
    placed: list[int] = field(default_factory=list)

    def __call__(self, point: np.ndarray, number: int, step_size: float) -> np.ndarray:
        """Return the result of a step; arguments as for ``StepMap``."""
        if not self.chosen:
            own = self._rows_of(point, FIRST)
            self.chosen.update({n: np.array(self.step.kernel.data[n][own]) for n in self.data})
        if self.placed != [number]:
            rows = self._rows_of(point, number)
            for name, (array, memory) in self.data.items():
                _give_back(memory)
                array[rows] = self.chosen[name]
            self.placed[:] = [number]
        return self.moved(point, number, step_size, self.rows, True)

    def _rows_of(self, point: np.ndarray, number: int) -> np.ndarray:
        """Return the rows of the minibatch of a step, shape (rows,)."""
        self.step(point, number, 0.0, self.rows, True)
        return np.copy(self.step.states[(self.rows, True)][0].rows)


def same_rows(step: StepMap, rows: int) -> SameRows | None:
    """Return a step that has the same rows whatever its number; None where it has all of them, or
    draws several minibatches.

    Args:
        step: the step as a function.
        rows: their number; 0 for all.
    """
    data = step.kernel.data
    names = [f for e in step.kernel.module.estimators.values() for f in e.gradient.fields.values()]
    if not rows or not names or draws_several_minibatches(step.kernel.module):
        return None
    if rows >= min(data[n].shape[0] for n in names):
        return None
    arrays = {n: _empty_like(data[n]) for n in names}
    seen = {n: as_readable(arrays[n][0], data[n]) for n in names}
    kernel = replace(step.kernel, data={**data, **seen})
    return SameRows(step, replace(step, kernel=kernel, states={}, entry=[]), arrays, rows)


def _empty_like(array: np.ndarray) -> tuple[np.ndarray, mmap.mmap]:
    """Return an array of the shape of another one, of which pages of memory are taken where it is
    written, and what has its memory.
    """
    memory = mmap.mmap(-1, max(1, array.nbytes), **PRIVATE)
    columns = array.flags.f_contiguous and not array.flags.c_contiguous
    empty: np.ndarray = np.ndarray(
        array.shape, array.dtype, buffer=memory, order="F" if columns else "C"
    )
    return empty, memory


def _give_back(memory: mmap.mmap) -> None:
    """Give back all pages of an array, whose numbers are no longer needed: with the rows of some
    hundred steps it would be as large as the data, which may not fit into memory.
    """
    if PRIVATE:  # elsewhere they stay, with rows that nobody looks for
        memory.madvise(mmap.MADV_DONTNEED)
