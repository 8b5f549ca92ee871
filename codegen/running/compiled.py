"""A compiled module with all arguments of its functions: it allocates states and moves chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from codegen.inputs.gradients.calls import Calls
from codegen.inputs.gradients.user_gradient import reason_of_numba
from codegen.inputs.options import SamplingOptions
from codegen.inputs.parameter_schedules import pieces
from codegen.inputs.schedule import Constant, step_sizes
from codegen.module import Module
from codegen.running.chains import Chain
from codegen.store.records import as_named, as_record
from codegen.system.collector import collector_paused
from recipe.language.errors import RecipeError


@dataclass(frozen=True)
class Compiled:
    """A compiled module with all arguments of its functions.

    Attributes:
        module: the generated module.
        loaded: the imported module.
        options: the options of the run.
        gradient: the argument ``gradient`` of ``run``: functions of the user, or an empty tuple.
        data: the arrays of ``Data`` by field.
        params: the values of ``Params`` by field.
        calls: the gradients that Python computes.
        entry_points: the machine code of ``run`` and ``run_schedule``, by the types of arguments.
    """

    module: Module
    loaded: Any
    options: SamplingOptions
    gradient: Any
    data: Mapping[str, np.ndarray]
    params: Mapping[str, Any]
    calls: Calls = field(default_factory=Calls)
    entry_points: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def kernel(self) -> Compiled:
        """The compiled module that moves chains one by one, which is this object."""
        return self

    @property
    def unit(self) -> str:
        """The name of the unit that is run at once."""
        return "chain"

    @property
    def workers(self) -> int:
        """The number of threads that run chains."""
        return 1 if self.calls.need_one_thread else self.options.workers

    def arguments(self) -> tuple[Any, Any, Any]:
        """Return the gradient, the data and the parameters as the module takes them."""
        data = self.loaded.Data(**self.data) if self.data else ()
        return self.gradient, data, self.loaded.Params(**self.params) if self.params else ()

    def allocate(self, blocks: Any) -> Any:
        """Return a state of the module with copies of these blocks.

        Args:
            blocks: one array a block of the shape (length,), in the order of the state.

        Raises:
            RecipeError: where a gradient of the user is to get all rows of two data sets of
                different size.
        """
        if not self.module.estimators:
            return self.loaded.allocate(*blocks)
        full = not self.options.rows
        if full and all(e.gradient.derived is not None for e in self.module.estimators.values()):
            return self.loaded.allocate(*blocks)
        # A gradient of the user gets all rows, one after another, as the minibatch without
        # replacement that has all of them.
        size = self.options.rows or self._all_rows()
        tables = (
            [self._most_rows()] if any(r.tables for r in self.module.references.values()) else []
        )
        return self.loaded.allocate(*blocks, size, self.options.replace and not full, *tables)

    def _all_rows(self) -> int:
        counts = {
            self.data[f].shape[0]
            for e in self.module.estimators.values()
            for f in e.gradient.fields.values()
        }
        if len(counts) > 1:
            raise RecipeError(
                "a gradient of your own cannot get all rows of two data sets of different size;"
                " give batch_size="
            )
        return next(iter(counts), 1)

    def _most_rows(self) -> int:
        """Return the number of rows of the largest data set."""
        fields = (f for e in self.module.estimators.values() for f in e.gradient.fields.values())
        return max(self.data[f].shape[0] for f in fields)

    def begin(self, starts: Iterator[Mapping[str, np.ndarray]]) -> list[Chain]:
        """Return chains at their first states, with arrays for their draws."""
        return [self.chain(c, first) for c, first in enumerate(starts)]

    def chain(self, number: int, first: Mapping[str, np.ndarray]) -> Chain:
        """Return a chain at its first state, with arrays for its draws.

        Args:
            number: the number of the chain.
            first: by field of the state, an array of the shape (length,).
        """
        draws = self.allocate_draws({field: array.shape for field, array in first.items()}, (1,))
        return Chain(number, self.allocate(first.values()), draws)

    def allocate_draws(
        self, shapes: Mapping[str, tuple[int, ...]], statistic: tuple[int, ...]
    ) -> Any:
        """Return arrays for draws, filled with NaN.

        Args:
            shapes: by field of the state, the shape of one draw of the block.
            statistic: the shape of one draw of a statistic, such as the acceptance rate.

        Returns:
            The ``Draws`` of the module; a block that is not kept has no draws in it.

        Raises:
            RecipeError: where there is not enough memory.
        """
        plan, options = self.module.plan, self.options
        kept = {plan.fields[b] for b in options.kept(self.module)}
        try:
            arrays = {
                f: np.full((options.draws if f in kept else 0, *shapes[f]), np.nan)
                for f in plan.fields.values()
            }
            arrays |= {f: np.full((options.draws, *statistic), np.nan) for f in plan.statistics}
        except (MemoryError, ValueError):
            raise RecipeError(
                f"{options.draws} draws a chain do not fit into memory; raise thin= or keep fewer"
                " blocks, keep=[...]"
            ) from None
        return self.loaded.Draws(**arrays)

    def chains(self, running: Sequence[Chain]) -> list[Chain]:
        """The chains that have run."""
        return list(running)

    def first_state(self, running: Sequence[Chain]) -> Any:
        """Return a copy of the state of the first chain."""
        return self.copy(running[0].state)

    def advance(
        self, state: Any, draws: Any, chain: int, begin: int, count: int
    ) -> tuple[int, int]:
        """Move one chain in place by ``count`` steps of the schedule, from step ``begin`` on.

        Returns:
            The number of steps that are done then, counted from the start of the run, and the
            number of the block that stopped the chain, or -1.
        """
        warmup = self.options.warmup
        if self.module.adapting and begin + count > warmup:
            return self._advance_past_warmup(state, draws, chain, begin, count)
        return self._advance_alike(state, draws, chain, begin, count)

    def _advance_past_warmup(
        self, state: Any, draws: Any, chain: int, begin: int, count: int
    ) -> tuple[int, int]:
        """Move one chain as ``advance`` does, with running variances of gradients that move in the
        warm-up, and stay after it.
        """
        first = max(0, self.options.warmup - begin)
        if first > 0:
            done, invalid = self._advance_alike(state, draws, chain, begin, first)
            if invalid >= 0:
                return done, invalid
        stay = replace(self, data={**self.data, **dict.fromkeys(self.module.adapting, np.zeros(1))})
        return stay._advance_alike(state, draws, chain, begin + first, count - first)

    def _advance_alike(
        self, state: Any, draws: Any, chain: int, begin: int, count: int
    ) -> tuple[int, int]:
        """Move one chain as ``advance`` does, by steps with the same data."""
        schedule = self.options.schedule
        if self.module.scheduled:
            return self._advance_by_pieces(state, draws, chain, begin, count)
        if isinstance(schedule, Constant):
            return self.move(state, draws, chain, begin, count, schedule.a)
        return self._call(
            self.loaded.run_schedule, state, draws, chain, step_sizes(schedule, begin, count), begin
        )

    def _advance_by_pieces(
        self, state: Any, draws: Any, chain: int, begin: int, count: int
    ) -> tuple[int, int]:
        """Move one chain as ``advance`` does, with parameters that have schedules."""
        found = pieces(self.module, self.options, begin, count)
        changing = (found.begins, found.values, found.anew)
        run = self.loaded.run_scheduled
        done, invalid = self._call(run, state, draws, chain, found.sizes, *changing)
        return int(done), int(invalid)

    def move(
        self, state: Any, draws: Any, chain: int, begin: int, count: int, size: float
    ) -> tuple[int, int]:
        """Move one chain in place by ``count`` steps of one size; return what ``advance`` returns.

        Steps of size 0 leave the chain where it is, and update the running variance of the
        gradient's noise.
        """
        return self._call(self.loaded.run, state, draws, chain, size, begin, count)

    def stays_finite(self, state: Any, chain: int, begin: int, count: int, size: float) -> bool:
        """Move one chain by ``count`` steps of this size; return True if no block stopped it."""
        return self.move(state, self.no_draws(), chain, begin, count, size)[1] < 0

    def _call(
        self, run: Any, state: Any, draws: Any, chain: int, sizes: Any, *steps: Any
    ) -> tuple[int, int]:
        """Call ``run`` with one step size and a number of steps, ``run_schedule`` with an array of
        step sizes, or ``run_scheduled`` with the pieces of a run.
        """
        gradient, data, params = self.arguments()
        seed, warmup, thin = np.uint64(self.options.seed), self.options.warmup, self.options.thin
        given = (state, draws, gradient, data, sizes, params, seed, chain, *steps, warmup, thin)
        moved = self.entry_point(run, given)
        with self.calls.of_chain(chain):
            return moved(*given)  # type: ignore[no-any-return]

    def apart(self) -> AbstractContextManager[None]:
        """Let machine code be called in this thread for steps that are none of the run: where a
        gradient in Python fails there, the run is not told.
        """
        return Calls(self.calls.gradients).of_chain(0)

    def entry_point(self, run: Any, given: tuple[Any, ...]) -> Any:
        """Return the machine code of ``run`` or ``run_schedule`` for arguments of these types.

        It is looked up once for each choice of types. Numba would look it up at each call, which
        takes some tenths of a millisecond where another module of the process has tuples with the
        same content, as Numba tells their classes apart slowly.

        Args:
            run: the function of the module.
            given: its arguments. The key has the types of those that can change between calls;
                gradient, data and parameters stay the same.
        """
        arrays, numbers = (*given[0], *given[1]), (given[4], *given[7:])
        key = (run, *map(type, numbers), *map(_form, arrays))
        if key not in self.entry_points:
            with collector_paused():
                self.entry_points[key] = run.compile(self._types(run, given))
        return self.entry_points[key]

    def _types(self, run: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The types for which ``run`` is compiled: the state and the draws are records where tests
        compare values from all rows of data, beside which moves of coordinates take no time.

        LLVM unrolls a loop over coordinates half as far where its arrays come out of a record, as
        it then counts their addresses as registers that are taken.
        """
        state, draws, *others = map(run.typeof_pyval, given)
        if self.module.plan.statistics and self.data:
            state, draws = as_record(state), as_record(draws)
        if (
            self.module.density is not None
        ):  # its functions are those of any module with the density
            others = list(map(as_named, others))
        return (state, draws, *others)

    def compile(self, chain: Chain) -> None:
        """Compile the module by a call with no step.

        Raises:
            RecipeError: where Numba cannot compile the gradient.
        """
        try:
            self.advance(chain.state, chain.draws, chain.number, 0, 0)
        except NumbaError as error:
            raise RecipeError(
                f"Numba cannot compile the kernel with this gradient: {reason_of_numba(error)}"
            ) from None

    def copy(self, state: Any) -> Any:
        """Return a copy of a state, whose blocks may then be changed: the first step from it
        evaluates all gradients again.
        """
        copied = type(state)(*(np.copy(array) for array in state))
        if self.module.plan.carried is not None:
            getattr(copied, self.module.plan.carried.mark)[0] = 0.0
        return copied

    def no_draws(self, dimensions: int = 2) -> Any:
        """Return ``Draws`` without room for any draw, for steps that record nothing.

        Args:
            dimensions: the number of dimensions of its arrays: 2 for a chain, 3 for a bundle.
        """
        return self.loaded.Draws(*(np.zeros((0,) * dimensions) for _ in self.loaded.Draws._fields))


def _form(array: np.ndarray) -> tuple[Any, ...]:
    """All that decides the type that Numba gives to an array."""
    flags = array.flags
    return (
        array.dtype,
        array.ndim,
        flags.c_contiguous,
        flags.f_contiguous,
        flags.writeable,
        flags.aligned,
    )
