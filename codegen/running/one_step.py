"""A compiled module as a function of states and random numbers: one call of its ``run`` for each
replica, with one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from codegen.generate import Module
from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions, require_options_that_fit
from codegen.inputs.parameters import resolved_params
from codegen.inputs.schedule import Constant, schedule_of
from codegen.inputs.user_gradient import gradient_argument, user_gradients
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

CHAINS_PER_STEP, STEPS_PER_SEED = (
    64,
    32,
)  # replicas that share a seed and a step, and steps that share a seed
MAX_FIRST_STEP = 2**40  # a step that no chain reaches
REPLICAS_PER_REPORT = 512  # replicas between two reports

State = Mapping[str, np.ndarray]


def _quiet(_: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class OneStep:
    """``step(state, rng)``: one step of every replica, arrays (replicas, length) by the name of the
    block.

    All randomness is that of the module. Its seed and the number of the first step are drawn from
    ``rng``; neighbouring replicas are neighbouring chains, then neighbouring steps, then
    neighbouring seeds: a module that leaves one of the three out of account uses numbers twice.
    ``told`` is called with the number of replicas that have moved since it was called last.
    """

    compiled: Compiled
    size: float
    on_progress: Callable[[int], None] = _quiet
    _entries: list[Callable[..., Any]] = field(default_factory=list, compare=False, repr=False)

    def __call__(self, state: State, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """The states after the step; what left its domain is returned as it was left."""
        seed, begin = int(rng.integers(2**62)), int(rng.integers(MAX_FIRST_STEP))
        moved = {name: np.array(x, dtype=float) for name, x in state.items()}
        count = len(next(iter(moved.values())))
        running, no_draws = (
            self._begun({name: x[0] for name, x in moved.items()}),
            self.compiled.no_draws(),
        )
        for n in range(count):
            at, rest = divmod(n, CHAINS_PER_STEP * STEPS_PER_SEED)
            later, chain = divmod(rest, CHAINS_PER_STEP)
            self._put(running, {name: x[n] for name, x in moved.items()})
            self._run(running, no_draws, (seed + at, chain, begin + later), 1)
            for attribute, name in self._fields:
                moved[name][n] = getattr(running, attribute)
            if (n + 1) % REPLICAS_PER_REPORT == 0:
                self.on_progress(REPLICAS_PER_REPORT)
        return moved

    def advanced(
        self, first: State, steps: int, *, seed: int, chain: int, begin: int
    ) -> dict[str, np.ndarray] | None:
        """The state of one chain after so many steps in one call of ``run``; None where the run has
        stopped.
        """
        running = self._begun(first)
        if not self._run(running, self.compiled.no_draws(), (seed, chain, begin), steps):
            return None
        return {name: np.copy(getattr(running, field)) for field, name in self._fields}

    def compile(self, first: State) -> None:
        """Compile with no step.

        Raises:
            RecipeError: where Numba refuses the gradient.
        """
        self.compiled.compile(Chain(0, self._begun(first), self.compiled.no_draws()))

    @cached_property
    def _fields(self) -> list[tuple[str, str]]:
        """The field of each block in the state of the module, with the name of the block."""
        return [(field, name_of(b)) for b, field in self.compiled.module.plan.fields.items()]

    def _begun(self, first: State) -> Any:
        return self.compiled.allocate(
            [np.array(first[name], dtype=float) for _, name in self._fields]
        )

    def _put(self, running: Any, row: State) -> None:
        for attribute, name in self._fields:
            getattr(running, attribute)[:] = row[name]
        carried = self.compiled.module.plan.carried
        if carried is not None:  # the gradient that is kept is that of another replica
            getattr(running, carried.mark)[0] = 0.0

    def _run(self, running: Any, draws: Any, stream: tuple[int, int, int], steps: int) -> bool:
        """Whether it went through."""
        gradient, data, params = self.compiled.arguments()
        seed, chain, begin = stream
        given = (
            running,
            draws,
            gradient,
            data,
            self.size,
            params,
            np.uint64(seed),
            chain,
            begin,
            steps,
            begin,
            1,
        )
        _, bad = self._entry(given)(*given)
        return bool(bad < 0)

    def _entry(self, given: tuple[Any, ...]) -> Callable[..., Any]:
        """The machine code of ``run`` for arguments of these types, which all calls have.

        Numba's own look-up takes the states of a second module in a process for those of the first,
        and then a search of half a millisecond for each call, of which there are some 100,000.
        """
        if not self._entries:
            run = self.compiled.loaded.run
            self._entries.append(run.compile(tuple(map(run.typeof_pyval, given))))
        return self._entries[0]


def one_step(
    module: Module,
    *,
    step_size: float,
    params: Mapping[Any, Any] | None = None,
    gradient: Any = None,
    optional: Iterable[Any] = (),
    on_progress: Callable[[int], None] = _quiet,
) -> OneStep:
    """The kernel of a generated module, to be compared with its rule:
    ``verify.check_kernel(one_step(...), rule, batched=True)``.

    Args:
        module: as ``generate`` returned it; its text is what is compiled.
        step_size: above 0.
        params: the value of every parameter, as for ``sample``; those of ``optional`` may be given
            and are not needed.
        gradient: of potentials without data, as for ``sample``.
        told: called now and then with the number of replicas that have moved since.

    Raises:
        RecipeError: for numbers or functions that are missing or do not fit, and for modules that
            need data.
    """
    if module.estimators:
        named = ", ".join(map(str, module.estimators))
        raise RecipeError(
            f"{named} is bound to data, and one step is compared for a potential that is a"
            " function: leave it unbound"
        )
    options = SamplingOptions(steps=1, step_size=schedule_of(step_size), chains=1, threads=1)
    require_options_that_fit(options, module, None)
    assert isinstance(options.schedule, Constant)
    values = resolved_params(module, params, optional, Lengths())
    argument = gradient_argument(module, user_gradients(module, gradient))
    return OneStep(
        Compiled(module, module.load(), options, argument, {}, values),
        options.schedule.a,
        on_progress,
    )
