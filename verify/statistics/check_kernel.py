"""``check_kernel``: does any callable ``step(state, rng)`` sample what was proved?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recipe import RecipeError
from recipe.language.symbols import name_of
from verify.statistics.null.findings import Findings
from verify.statistics.null.levels import (
    FACTOR,
    LEVEL,
    MAX_REPLICAS,
    POWER,
    ROUNDING,
    Levels,
    check_replicas,
    checked_rounding,
    checked_seed,
)
from verify.statistics.numbers.arrays import Gradient, Meanings, State
from verify.statistics.numbers.callables import Step, Stepper, stepper
from verify.statistics.numbers.inputs import DeclaredStep, setting_of
from verify.statistics.recover.equations import equations_of
from verify.statistics.recover.innovations import carry_out, normal_numbers
from verify.statistics.recover.plan import RecoveryPlan, plan_of
from verify.statistics.step.design import is_resolvable
from verify.statistics.step.one_step import Experiment, prepare_experiment, run

DESIGN_STREAM, RUN_STREAM, GIVEN_STATES_STREAM = 0, 1, 6  # what random numbers are for


@dataclass(frozen=True)
class Battery:
    """A rule with the states, the replicas and the tests chosen for it: any number of kernels can
    be checked against it.
    """

    name: str
    experiment: Experiment
    batched: bool
    coupled: bool

    @property
    def states(self) -> State:
        """Where steps begin, a row each, by block."""
        return self.experiment.states

    @property
    def steps(self) -> int:
        """How many single steps a check takes."""
        return self.experiment.replicas * (3 if self.coupled else 2)

    def check(self, step: Step | Stepper, *, seed: int = 0, name: str | None = None) -> Findings:
        """Run a kernel, and compare: see ``check_kernel``."""
        kernel = stepper(step, batched=self.batched, coupled=self.coupled)
        if self.coupled and not kernel.coupled:
            raise RecipeError(
                "the battery counts on noise that states share: give Stepper(step, coupled=True),"
                " or leave its coupled= out"
            )
        lines = run(
            self.experiment, kernel, np.random.default_rng([checked_seed(seed), RUN_STREAM])
        )
        asked, called = self.experiment.asked, name or self.name
        return Findings(
            called,
            tuple(lines),
            seed,
            asked.level,
            asked.power,
            asked.factor,
            self.experiment.replicas,
            self.experiment.unseen,
        )


def check_kernel(
    step: Step | Stepper,
    against: DeclaredStep,
    *,
    seed: int = 0,
    name: str | None = None,
    **how: Any,
) -> Findings:
    """Compare a kernel with a rule by the law of one step given the state, which is exact for every
    step size and potential.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper`` for the shapes, ``batched``
            and ``coupled``.
        against: what it must be: an ``Update``, ``discretised(recipe, scheme)``, or a ``Kernel`` of
            moves that always happen.
        seed: reproduces everything.
        name: how it is called in the findings.
        how: the numbers of the rule, and what is wanted of the tests; the arguments of ``battery``.

    Raises:
        RecipeError: for numbers that do not fit, a rule whose noise cannot be read off, or a kernel
            that returns no state.
    """
    if isinstance(step, Stepper):
        how = {**how, "batched": step.batched, "coupled": step.coupled}
    return battery(against, seed=seed, **how).check(step, seed=seed, name=name)


def battery(
    against: DeclaredStep,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    gradients: Mapping[str, Gradient] | None = None,
    seed: int = 0,
    level: float = LEVEL,
    power: float = POWER,
    factor: float = FACTOR,
    batched: bool = False,
    coupled: bool = False,
    states: Mapping[str, Any] | None = None,
    replicas: int | None = None,
    most: int = MAX_REPLICAS,
    rounding: float = ROUNDING,
) -> Battery:
    """Choose the states and the number of steps with which a wrong coefficient is found.

    Args:
        against, seed: see ``check_kernel``. step_size, params, length: the numbers of the rule;
        ``length`` is the coordinates of its vectors, or a dict by block.
        gradients: of abstract potentials, by name: functions of their blocks, arrays (replicas,
            length), that return such arrays.
        level: the probability with which a right kernel is said to differ, at most, for all lines
        together. power, factor: with this probability a coefficient that is wrong by this factor is
        found. batched, coupled: see ``Stepper``.
        states: where to start, by block, shape (states, length); by default anywhere in the domain.
        replicas: steps; by default as many as ``power`` and ``factor`` need, and not more than
            ``most``.
        rounding: the relative precision of the kernel's arithmetic: 1e-10 leaves room in float64; a
            kernel in float32 needs 1e-6.

    Raises:
        RecipeError: for numbers that do not fit, or a rule whose noise cannot be read off.
    """
    asked = Levels(level, power, factor, most).checked()
    check_replicas(replicas, 1)
    checked_rounding(rounding)
    given = setting_of(
        against, step_size=step_size, params=params, length=length, gradients=gradients
    )
    plan = plan_of(equations_of(against))
    rows = None if states is None else _states(states, plan.equations.state, given.meanings.lengths)
    rng = np.random.default_rng([checked_seed(seed), DESIGN_STREAM])
    if rows is not None:
        _check_resolved(plan, rows, given.meanings, seed, rounding, replicas or most)
    experiment = prepare_experiment(
        plan,
        given.meanings,
        given.scalars,
        asked,
        rng,
        rounding=rounding,
        states=rows,
        replicas=replicas,
        coupled=coupled,
    )
    return Battery(given.name, experiment, batched, experiment.coupled)


def reference(
    against: DeclaredStep,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    gradients: Mapping[str, Gradient] | None = None,
) -> Stepper:
    """The rule itself as a kernel, many chains at once: a slow one, for tests and for what has no
    compiled form.
    """
    given = setting_of(
        against, step_size=step_size, params=params, length=length, gradients=gradients
    )
    equations = equations_of(against)

    def step(state: State, rng: np.random.Generator) -> State:
        drawn = normal_numbers(equations, state, given.meanings, rng)
        moved = carry_out(equations, state, drawn, given.meanings)
        return {name: np.broadcast_to(x, state[name].shape) for name, x in moved.items()}

    return Stepper(step, batched=True, coupled=True)


def _states(states: Mapping[str, Any], blocks: Any, lengths: Mapping[str, int]) -> State:
    rows: State = {}
    for b in blocks:
        n = lengths[b.length.name] if b.length is not None else 1
        if name_of(b) not in states:
            raise RecipeError(f"states= has no rows for the block {name_of(b)}")
        x = np.asarray(states[name_of(b)], dtype=float)
        if x.ndim != 2 or x.shape[1] != n or not np.isfinite(x).all():
            raise RecipeError(
                f"states['{name_of(b)}'] has the shape {x.shape} and must have (states, {n}), of"
                " finite numbers"
            )
        rows[name_of(b)] = x
    if len({len(x) for x in rows.values()}) > 1:
        raise RecipeError("states= has blocks with different numbers of rows; give one row a state")
    if not len(next(iter(rows.values()))):
        raise RecipeError("states= has no rows; give one or more, or leave it out")
    return rows


def _check_resolved(
    plan: RecoveryPlan, rows: State, meanings: Meanings, seed: int, rounding: float, replicas: int
) -> None:
    """That the noise of steps from these states is read off: elsewhere a right kernel would differ,
    and a wrong one agree.
    """
    rng = np.random.default_rng([seed, GIVEN_STATES_STREAM])
    good = is_resolvable(plan, rows, meanings, rng, rounding=rounding, replicas=replicas)
    if not good.all():
        raise RecipeError(
            f"states=: row {int(np.argmin(good)) + 1} is not in the domain, or a step from it is"
            " not finite, or its noise is not larger than the rounding errors; leave it out"
        )
