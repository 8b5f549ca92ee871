"""What some chosen rows of the data add to a step: the step is made with these rows as its data.

Where the result of a step is affine in the gradient, ``b + K (sum of the gradients of the rows)``,
results of steps with few rows say what each row does, and those of rows that no minibatch has drawn
are seen as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from codegen.bias.step.step_map import StepMap
from codegen.module import Module
from codegen.running.compiled import Compiled

DRAWN = r"draw_rows\(state\.rows, .*stream_key\(seed, (\d+), chain\)"


@dataclass(frozen=True, eq=False)
class RowSums:
    """A step whose data are chosen rows.

    Attributes:
        step: the step as a function.
        names: the fields of the data that have a number or a vector for each row.
        rows: the number of rows N of the data.
        number: the number of the step, which chooses its random numbers.
        made: by number of rows, the step for so many rows, and the arrays that these are put into.
    """

    step: StepMap
    names: tuple[str, ...]
    rows: int
    number: int
    made: dict[int, tuple[StepMap, dict[str, np.ndarray]]] = field(default_factory=dict)

    @property
    def row_bytes(self) -> int:
        """The bytes of a row of the data."""
        data = self.step.kernel.data
        return sum(data[n].nbytes // max(1, data[n].shape[0]) for n in self.names)

    def at(self, rows: np.ndarray, points: Sequence[np.ndarray], step_size: float) -> np.ndarray:
        """Return the results of steps with these rows, shape (points, m).

        Args:
            rows: the numbers of the rows.
            points: where the steps start, each of the shape (n,).
            step_size: the step size.
        """
        count = len(rows)
        if count not in self.made:
            self.made[count] = self._with_room(count)
        step, arrays = self.made[count]
        for name, array in arrays.items():
            # "clip" as numpy would make a copy to "raise"
            np.take(self.step.kernel.data[name], rows, axis=0, out=array, mode="clip")
        return np.array([step(p, self.number, step_size, count, True) for p in points])

    def _with_room(self, count: int) -> tuple[StepMap, dict[str, np.ndarray]]:
        kernel = self.step.kernel
        arrays = {n: _like(kernel.data[n], count) for n in self.names}
        seen = {n: as_readable(a, kernel.data[n]) for n, a in arrays.items()}
        moved = replace(kernel, data={**kernel.data, **seen})
        return replace(self.step, kernel=moved, states={}, entry=[]), arrays


def row_sums(step: StepMap, number: int) -> RowSums | None:
    """Return a step whose data are chosen rows; None where rows cannot be chosen, or where the
    result of a step is no sum over rows.

    Args:
        step: the step as a function.
        number: the number of the step, which chooses its random numbers.
    """
    kernel = step.kernel
    estimators = kernel.module.estimators.values()
    names = tuple(f for e in estimators for f in e.gradient.fields.values())
    counts = {kernel.data[n].shape[0] for n in names}
    if len(counts) != 1 or draws_several_minibatches(kernel.module) or _divides(kernel):
        return None
    if any(_form(_like(kernel.data[n], 1)) != _form(kernel.data[n]) for n in names):
        return None  # machine code is for one layout, and one row of columns has another one
    return RowSums(step, names, counts.pop(), number)


def draws_several_minibatches(module: Module) -> bool:
    """Return whether a step draws more than one minibatch."""
    text = module.source[module.source.index("\ndef run(") :]
    return len(set(re.findall(DRAWN, text[: text.find("\n@")]))) > 1


def as_readable(array: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Return a view that may be written as little as another array, for which code is compiled."""
    view = array.view()
    view.flags.writeable = like.flags.writeable
    return view


def _divides(kernel: Compiled) -> bool:
    """Return whether a step divides by what it estimates of the gradient's noise."""
    averages = [e.average for e in kernel.module.estimators.values()]
    return bool(kernel.module.plan.variances) or any(a is not None for a in averages)


def _like(array: np.ndarray, count: int) -> np.ndarray:
    columns = array.flags.f_contiguous and not array.flags.c_contiguous
    return np.empty((count, *array.shape[1:]), array.dtype, order="F" if columns else "C")


def _form(array: np.ndarray) -> tuple[object, ...]:
    """What machine code depends on, but for whether an array may be written."""
    flags = array.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return array.dtype, array.ndim, layout, flags.aligned
