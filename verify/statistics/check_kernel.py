"""``check_kernel``: compare any callable ``step(state, rng)`` with a declared step, by the law of
one step given the state.
"""

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

# Each use of random numbers has a key of its own beside the seed, here and in the other files of
# this room, so that no two uses draw the same numbers.
DESIGN_STREAM, RUN_STREAM, GIVEN_STATES_STREAM = 0, 1, 6


@dataclass(frozen=True)
class Battery:
    """The comparisons that were chosen for one rule: any number of kernels can be checked against
    it.

    ``battery`` makes one.

    Attributes:
        name: the name of the rule.
        experiment: the states, the number of replicas, and the coefficients whose errors must be
            found.
        batched: whether kernels move many chains in one call, see ``Stepper``.
        coupled: whether steps from two states with the same random numbers are compared.
    """

    name: str
    experiment: Experiment
    batched: bool
    coupled: bool

    @property
    def states(self) -> State:
        """The states from which steps begin, by block, arrays (states, length)."""
        return self.experiment.states

    @property
    def steps(self) -> int:
        """The number of single steps that a check takes."""
        return self.experiment.replicas * (3 if self.coupled else 2)

    def check(self, step: Step | Stepper, *, seed: int = 0, name: str | None = None) -> Findings:
        """Run a kernel and compare it; see ``check_kernel``.

        Args:
            step: the kernel.
            seed: the seed of the run; the same seed gives the same findings.
            name: the name of the kernel in the findings; by default that of the rule.

        Returns:
            A line for each comparison.

        Raises:
            RecipeError: if the kernel returns no state, or must be coupled and is not.
        """
        kernel = stepper(step, batched=self.batched, coupled=self.coupled)
        if self.coupled and not kernel.coupled:
            raise RecipeError(
                "the battery compares steps that share their noise: give Stepper(step,"
                " coupled=True), or make the battery without coupled="
            )
        lines = run(
            self.experiment, kernel, np.random.default_rng([checked_seed(seed), RUN_STREAM])
        )
        levels, called = self.experiment.levels, name or self.name
        return Findings(
            called,
            tuple(lines),
            seed,
            levels.level,
            levels.power,
            levels.factor,
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
    """Compare a kernel with a rule by the law of one step given the state.

    The noise that each step must have drawn is recovered from the states before and after it. If
    the kernel is the rule, this noise is standard normal: that is exact for every step size and
    every potential.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper`` for the shapes, ``batched``
            and ``coupled``.
        against: the rule: an ``Update``, ``discretised(recipe, scheme)``, or a ``Kernel`` of moves
            that always happen.
        seed: the seed of all random numbers; the same seed gives the same findings.
        name: the name of the kernel in the findings.
        how: the other arguments of ``battery``: the numbers of the rule, and what the tests must
            find.

    Returns:
        A line for each comparison, and the coefficients whose error might be missed.

    Raises:
        RecipeError: for numbers that do not fit, a rule whose noise cannot be recovered, or a
            kernel that returns no state.

    Example:
        >>> import numpy as np
        >>> from sympy import Symbol, sqrt
        >>> from recipe import Noise, Update, Vector, total
        >>> from verify import check_kernel
        >>> theta = Vector("theta")
        >>> h, w = Symbol("h", positive=True), Noise("w", like=theta)
        >>> langevin = Update(
        ...     step=h,
        ...     target=total(theta**2) / 2,
        ...     rule={theta: theta - h * theta + sqrt(2 * h) * w},
        ... )
        >>> def step(state, rng):
        ...     x = state["theta"]
        ...     return {"theta": x - 0.1 * x + np.sqrt(0.2) * rng.standard_normal(x.shape)}
        >>> check_kernel(step, langevin, step_size=0.1, batched=True).outcome.value
        'agrees'
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
    """Choose the states and the number of steps with which a wrong coefficient of a rule is
    found.

    Args:
        against: the rule, see ``check_kernel``.
        step_size: the step size, above 0.
        params: a value for every parameter, by name: a number, an array (length,) if it has
            coordinates, or a matrix.
        length: the number of coordinates of each vector, or a dict of them by block.
        gradients: the gradients of abstract potentials, by name: functions of the blocks of a
            potential, arrays (replicas, length), that return such arrays.
        seed: the seed by which states are chosen.
        level: the significance level of all lines together: the largest probability that a correct
            kernel differs.
        power: the probability with which a coefficient that is wrong by ``factor`` is found.
        factor: the error of a coefficient that must be found, above 1.
        batched, coupled: see ``Stepper``.
        states: states from which steps begin, by block, arrays (states, length); by default the
            battery chooses them anywhere in the domain.
        replicas: the number of steps; by default as many as ``power`` and ``factor`` need.
        most: the largest number of steps that is chosen by default.
        rounding: the relative precision of the kernel's arithmetic. The default, 1e-10, leaves room
            in float64 for another order of operations; a kernel in float32 needs 1e-6.

    Returns:
        The comparisons, which can check any number of kernels.

    Raises:
        RecipeError: for numbers that do not fit, or a rule whose noise cannot be recovered.
    """
    levels = Levels(level, power, factor, most).checked()
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
        levels,
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
    """Return the rule itself as a kernel for many chains at once.

    It evaluates the expressions of the rule in numpy, and is slow: it serves tests, and rules that
    have no compiled form.

    Args:
        against: the rule, see ``check_kernel``.
        step_size, params, length, gradients: the numbers of the rule, see ``battery``.

    Returns:
        A batched and coupled ``Stepper``.

    Raises:
        RecipeError: for numbers that do not fit, or a kernel that accepts and rejects.
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
    """Return the states that a user gave as arrays (states, length) by block, checked."""
    rows: State = {}
    for b in blocks:
        n = lengths[b.length.name] if b.length is not None else 1
        if name_of(b) not in states:
            raise RecipeError(f"states= has no rows for the block {name_of(b)}: add an array")
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
    """Check that the noise of steps from these states can be recovered.

    From other states a correct kernel could differ, and a wrong one could agree.
    """
    rng = np.random.default_rng([seed, GIVEN_STATES_STREAM])
    good = is_resolvable(plan, rows, meanings, rng, rounding=rounding, replicas=replicas)
    if not good.all():
        raise RecipeError(
            f"states=: row {int(np.argmin(good)) + 1} is outside the domain, or a step from it is"
            " not finite, or the noise of that step is hidden by rounding errors; leave the row"
            " out"
        )
