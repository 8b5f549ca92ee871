"""The compiled step as a function of a point: of the numbers in a state that the next step depends
on, with random numbers that are chosen by the number of a step.

A call is one step of ``run``, so whatever the sampler, the scheme and the estimate of the gradient,
what is linearised later is what has run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from codegen.bias.step.unpredictable import UnpredictableError
from codegen.lowering.statements import GradientCall
from codegen.module import Module
from codegen.running.compiled import Compiled

STREAM = 2**40  # the number of the chain whose random numbers are used: that of no chain of a run


@dataclass(frozen=True, eq=False)
class StepMap:
    """One step as a function.

    A point is one array: the blocks of the state, then the gradients that the scheme keeps for the
    next step. The result of a step is the new point, followed by the draw that would be recorded.

    Attributes:
        kernel: the compiled module with its arguments.
        fields: by field of the state, the slice of a point that holds it.
        recorded: by field of a draw, the slice of a result that holds it.
        images: those fields of draws that hold the image of a block; a result has the block itself,
            as no linear step has the image.
        scratch: other numbers in a state that a step depends on, by field, such as the running
            variance of a gradient, or a thermostat; every step starts with these.
        units: the unit of each coordinate of a result, shape (results,); None where all are 1.
        entry: the machine code of ``run`` and its constant arguments, once they are looked up.
        states: a state and ``Draws`` of the module, for each kind of minibatch.
    """

    kernel: Compiled
    fields: Mapping[str, slice]
    recorded: Mapping[str, slice]
    images: frozenset[str]
    scratch: Mapping[str, np.ndarray]
    units: np.ndarray | None = None
    states: dict[tuple[int, bool], tuple[Any, Any]] = field(default_factory=dict)
    entry: list[Any] = field(default_factory=list)

    @cached_property
    def size(self) -> int:
        """The number of coordinates of a point."""
        return max((s.stop for s in self.fields.values()), default=0)

    @property
    def block_size(self) -> int:
        """The number of coordinates of the blocks, without the gradients that are kept."""
        blocks = self.kernel.module.plan.fields.values()
        return max(self.fields[f].stop for f in blocks if f in self.fields)

    @cached_property
    def judged(self) -> np.ndarray:
        """The places of the judged coordinates in a point: of the blocks that are recorded."""
        return np.concatenate([np.arange(self.size)[self.fields[f]] for f in self.recorded])

    @cached_property
    def results(self) -> int:
        """The number of coordinates of a result."""
        return max((s.stop for s in self.recorded.values()), default=self.size)

    def pack(self, state: Any) -> np.ndarray:
        """Return the point that a state of the module holds."""
        found = np.concatenate([np.ravel(getattr(state, f)) for f in self.fields])
        return found if self.units is None else found / self.units[: self.size]

    def __call__(
        self,
        point: np.ndarray,
        step: int,
        step_size: float,
        rows: int,
        distinct: bool,
        *,
        fresh: bool = False,
    ) -> np.ndarray:
        """Return the result of a step.

        Args:
            point: where the step starts, shape (size,).
            step: the number of the step, which chooses its random numbers.
            step_size: its size.
            rows: the rows of its minibatch; 0 for all of the data.
            distinct: whether these rows are drawn without replacement.
            fresh: whether the gradient at the start is evaluated, and not taken from the point.

        Raises:
            UnpredictableError: where the step leaves the domain.
        """
        raw = point if self.units is None else point * self.units[: self.size]
        kind = (rows, distinct)
        if kind not in self.states:
            self.states[kind] = self._allocated(raw, rows, distinct)
        state, draws = self.states[kind]
        for name, part in self.fields.items():
            getattr(state, name)[:] = raw[part]
        for name, values in self.scratch.items():
            getattr(state, name)[:] = values
        carried = self.kernel.module.plan.carried
        if carried is not None:
            getattr(state, carried.mark)[0] = 0.0 if fresh else step + 1.0
        run, gradient, data, params, seed = self._entry(state, draws)
        with self.kernel.apart():
            _, bad = run(
                state, draws, gradient, data, step_size, params, seed, STREAM, step, 1, step, 1
            )
        result = np.empty(self.results)
        for name, part in self.fields.items():
            result[part] = getattr(state, name)
        for name, part in self.recorded.items():
            result[part] = getattr(state, name) if name in self.images else getattr(draws, name)[0]
        if bad >= 0 or not np.isfinite(result).all():
            raise UnpredictableError(
                "a step from near the mode is not finite, or leaves the domain"
            )
        return result if self.units is None else result / self.units

    def _entry(self, state: Any, draws: Any) -> tuple[Any, ...]:
        """Return the machine code of ``run`` and those of its arguments that never change."""
        if not self.entry:
            gradient, data, params = self.kernel.arguments()
            seed = np.uint64(self.kernel.options.seed)
            given = (state, draws, gradient, data, 1.0, params, seed, STREAM, 0, 1, 0, 1)
            run = self.kernel.entry_point(self.kernel.loaded.run, given)
            self.entry.extend((run, gradient, data, params, seed))
        return tuple(self.entry)

    def _allocated(self, point: np.ndarray, rows: int, distinct: bool) -> tuple[Any, Any]:
        """Return a state for minibatches of that size, and ``Draws`` with room for one draw of what
        is recorded.
        """
        plan, loaded = self.kernel.module.plan, self.kernel.loaded
        blocks = [
            point[self.fields[f]] if f in self.fields else self.scratch[f]
            for f in plan.fields.values()
        ]
        sized = (rows, not distinct) if rows and self.kernel.module.estimators else ()
        state = loaded.allocate(*blocks, *sized)
        return state, self.room_for_draws(1)

    def room_for_draws(self, count: int) -> Any:
        """Return ``Draws`` of the module with room for so many draws of what is recorded."""
        lengths = {f: p.stop - p.start for f, p in self.recorded.items()}
        of_module = self.kernel.loaded.Draws
        return of_module(
            *(np.zeros((count * (f in lengths), lengths.get(f, 0))) for f in of_module._fields)
        )


def step_map(kernel: Compiled, state: Any, judged: Sequence[str]) -> StepMap:
    """Return the step of a run as a function.

    Args:
        kernel: the compiled module with its arguments.
        state: a state after the run, whose running variances are taken over.
        judged: the fields of the blocks whose draws are judged.
    """
    module = kernel.module
    names = [*module.plan.fields.values(), *_kept_gradients(module)]
    sizes = [getattr(state, f).size for f in names]
    fields = slices(names, sizes, 0)
    recorded = slices(judged, [getattr(state, f).size for f in judged], sum(sizes))
    averages = [f for group in module.plan.variances.values() for f in group]
    counters = [e.average.calls for e in module.estimators.values() if e.average is not None]
    scratch = {f: np.copy(getattr(state, f)) for f in (*averages, *counters)}
    images = frozenset(module.plan.fields[b] for b in module.plan.state if b.image is not None)
    return StepMap(kernel, fields, recorded, images, scratch)


def _kept_gradients(module: Module) -> list[str]:
    """Return the fields of the gradients that a step leaves to the next one."""
    carried = module.plan.carried
    calls = () if carried is None else carried.calls
    return [a.field for c in calls if isinstance(c, GradientCall) for a in c.scratch]


def slices(names: Sequence[str], sizes: Sequence[int], start: int) -> dict[str, slice]:
    """Return consecutive slices of these sizes, by name."""
    ends = start + np.cumsum(sizes, dtype=int)
    return {n: slice(int(e) - s, int(e)) for n, s, e in zip(names, sizes, ends, strict=True)}
