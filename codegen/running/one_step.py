"""One step of a compiled module, as a function of states and a random number generator.

Each replica of a state is one call of the module's ``run`` with one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from codegen.inputs.gradients.user_gradient import gradient_argument, python_calls, user_gradients
from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions, require_options_that_fit
from codegen.inputs.parameters import require_conditions, resolved_params
from codegen.inputs.schedule import Constant, schedule_of
from codegen.module import Module
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Vector
from recipe.language.errors import RecipeError
from recipe.language.symbols import Length, name_of

CHAINS_PER_STEP = 64  # replicas that share a seed and the number of a step
STEPS_PER_SEED = 32
MAX_FIRST_STEP = 2**40  # beyond the last step of any real run
REPLICAS_PER_REPORT = 512

State = Mapping[str, np.ndarray]


def _quiet(_: int) -> None:
    """Ignore the number of replicas that have moved."""


@dataclass(frozen=True)
class OneStep:
    """The kernel ``step(state, rng)`` of a module: one step of every replica of a state.

    A state has one array of the shape (replicas, length) for each block, by its name. All random
    numbers are those of the module; ``rng`` chooses its seed and the number of the first step.
    Neighbouring replicas are neighbouring chains, then neighbouring steps, then neighbouring seeds.
    So a module that ignores one of the three uses the same numbers for several replicas, which a
    statistical test notices.

    Attributes:
        compiled: the compiled module with its arguments.
        size: the step size.
        on_progress: called now and then with the number of replicas that have moved since the last
            call.
        where: conditions on parameters that depend on the length of a block, which a state shows.
        params: the value of every parameter, by symbol or name, as it was given.
    """

    compiled: Compiled
    size: float
    on_progress: Callable[[int], None] = _quiet
    where: tuple[ParameterCondition, ...] = ()
    params: Mapping[Any, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"OneStep of size {self.size:g} of {self.compiled.module.name}: step(state, rng)"

    def __call__(self, state: State, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Return the states after the step.

        A block that left its domain is returned with the value at which the run stopped.

        Args:
            state: by name of a block, an array of the shape (replicas, length).
            rng: the generator that chooses the seed and the number of the first step.

        Returns:
            By name of a block, an array of the shape (replicas, length).
        """
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
        """Return the state of one chain after some steps in one call of ``run``; None if the run
        stopped before their end.

        Args:
            first: the state from which the chain starts, arrays of the shape (length,) by name.
            steps: the number of steps.
            seed, chain, begin: the seed, the number of the chain and the number of its first step,
                which determine the random numbers.

        Returns:
            By name of a block, an array of the shape (length,); None if the run stopped.
        """
        running = self._begun(first)
        if not self._run(running, self.compiled.no_draws(), (seed, chain, begin), steps):
            return None
        return {name: np.copy(getattr(running, field)) for field, name in self._fields}

    def compile(self, first: State) -> None:
        """Compile the module by a call with no step.

        Args:
            first: a state, arrays of the shape (length,) by name of a block.

        Raises:
            RecipeError: where Numba cannot compile the gradient.
        """
        self.compiled.compile(Chain(0, self._begun(first), self.compiled.no_draws()))

    @cached_property
    def _fields(self) -> list[tuple[str, str]]:
        """The field of each block in the state of the module, and the name of the block."""
        return [(field, name_of(b)) for b, field in self.compiled.module.plan.fields.items()]

    def _begun(self, first: State) -> Any:
        """Return a state of the module with these blocks, arrays of the shape (length,)."""
        if self.where:
            self._check_conditions(first)
        return self.compiled.allocate(
            [np.array(first[name], dtype=float) for _, name in self._fields]
        )

    def _check_conditions(self, first: State) -> None:
        """Require that parameters meet the conditions, with the lengths of a state."""
        lengths = Lengths()
        for b in self.compiled.module.plan.fields:
            if isinstance(b, Vector):
                lengths.learn(b.length, len(first[name_of(b)]), f"the state of {b}")
        require_conditions(self.where, self.params, lengths)

    def _put(self, running: Any, row: State) -> None:
        """Copy the blocks of one replica into the state of the module."""
        for attribute, name in self._fields:
            getattr(running, attribute)[:] = row[name]
        carried = self.compiled.module.plan.carried
        if carried is not None:  # the gradient in the state belongs to another replica
            getattr(running, carried.mark)[0] = 0.0

    def _run(self, running: Any, draws: Any, stream: tuple[int, int, int], steps: int) -> bool:
        """Run some steps in place; return True if no block stopped the run."""
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
        moved = self.compiled.entry_point(self.compiled.loaded.run, given)
        with self.compiled.calls.of_chain(chain):
            _, bad = moved(*given)
        self.compiled.calls.require_no_fault()
        return bool(bad < 0)


def one_step(
    module: Module,
    *,
    step_size: float,
    params: Mapping[Any, Any] | None = None,
    gradient: Any = None,
    optional: Iterable[Any] = (),
    on_progress: Callable[[int], None] = _quiet,
) -> OneStep:
    """Return the kernel of a generated module, to be compared with its rule:
    ``verify.check_kernel(one_step(...), rule, batched=True)``.

    Args:
        module: the module as ``generate`` returned it; its text is compiled.
        step_size: a number above 0.
        params: the value of every parameter, as for ``sample``.
        gradient: the gradient of potentials without data, as for ``sample``.
        optional: parameters that may be given although the module does not use them.
        on_progress: called now and then with the number of replicas that have moved since the last
            call.

    Returns:
        The kernel, a callable ``step(state, rng)``; the module is compiled at its first call.

    Raises:
        RecipeError: for a number or a function that is missing or does not fit, for numbers that
            break a condition between parameters, and for a module that needs data.
    """
    if module.estimators:
        named = ", ".join(map(str, module.estimators))
        raise RecipeError(
            f"{named} is bound to data, and one step is compared only for a potential that is a"
            " function; leave it unbound"
        )
    options = SamplingOptions(steps=1, step_size=schedule_of(step_size), chains=1, threads=1)
    require_options_that_fit(options, module, None)
    assert isinstance(options.schedule, Constant)
    lengths, moves = Lengths(), module.moves
    values = resolved_params(module, params, (*optional, *moves.parameters), lengths)
    known, later = _by_known_lengths(moves.where, lengths)
    require_conditions(known, params, lengths)
    users = user_gradients(module, gradient)
    argument, calls = gradient_argument(module, users), python_calls(module, users)
    return OneStep(
        Compiled(module, module.load(), options, argument, {}, values, calls),
        options.schedule.a,
        on_progress,
        later,
        dict(params or {}),
    )


def _by_known_lengths(
    where: Iterable[ParameterCondition], lengths: Lengths
) -> tuple[list[ParameterCondition], tuple[ParameterCondition, ...]]:
    """Return the conditions without a length that only a state shows, and the others."""
    known = [c for c in where if all(lengths.known(s) is not None for s in c.e.atoms(Length))]
    return known, tuple(c for c in where if c not in known)
