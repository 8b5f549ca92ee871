"""Tests of the law of one step given the state, through the noise that the step must have drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from verify.statistics.null import normal
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome
from verify.statistics.null.levels import Levels
from verify.statistics.numbers.arrays import Array, Meanings, State
from verify.statistics.numbers.callables import Stepper
from verify.statistics.recover.innovations import (
    Innovations,
    carry_out,
    innovations,
    normal_numbers,
)
from verify.statistics.recover.plan import CHI_SQUARED, FOLDED, QUADRATIC, RecoveryPlan
from verify.statistics.step.coefficients import (
    ROUNDING_MULTIPLE,
    SHIFT,
    Coefficient,
    Signature,
    coefficients_of,
    moved_by,
    signature,
    weakest_signature,
)
from verify.statistics.step.design import choose_states, is_inside, is_resolvable, states_of

STATE_COUNT = 32  # states from which steps begin
POOL_STATES = 8 * STATE_COUNT  # among which they are chosen
MIN_REPLICAS = 128 * STATE_COUNT
# Steps from each state that decide whether coupled states give the same noise, and their seed.
COUPLING_STEPS, COUPLING_SEED = 16, 7
MIN_SECOND_STEP_REPLICAS = 32  # with fewer no second step is compared
MAX_RECOVERED_NUMBER = 1e100  # larger numbers are cut, so that their squares are finite
ROUNDING_UNIT = "multiples of the rounding error"


@dataclass(frozen=True)
class Experiment:
    """The design of a test, which is fixed before the kernel runs.

    Attributes:
        plan: how the noise is recovered.
        meanings: the values of the symbols of the rule.
        states: the states from which steps begin, by block, arrays (states, length).
        replicas: the number of steps, equally many from each state.
        signatures: the effect of each wrong coefficient, with the test that finds it best.
        unseen: the names of the coefficients whose error might be missed.
        level: the significance level of each line.
        levels: the significance level of all lines, the power and the factor.
        rounding: the relative precision of the kernel's arithmetic.
        coupled: whether steps from two states with the same random numbers are compared.
    """

    plan: RecoveryPlan
    meanings: Meanings
    states: State
    replicas: int
    signatures: tuple[tuple[Signature, str], ...]
    unseen: tuple[str, ...]
    level: float
    levels: Levels
    rounding: float
    coupled: bool

    @property
    def count(self) -> int:
        """The number of states."""
        return len(next(iter(self.states.values())))


def prepare_experiment(
    plan: RecoveryPlan,
    meanings: Meanings,
    scalars: tuple[str, ...],
    levels: Levels,
    rng: np.random.Generator,
    *,
    rounding: float,
    states: State | None,
    replicas: int | None,
    coupled: bool,
) -> Experiment:
    """Choose states and the number of replicas so that an error of every coefficient is found.

    Args:
        plan: how the noise is recovered.
        meanings: the values of the symbols of the rule.
        scalars: the names of the parameters that are no matrices.
        levels: level, power and factor.
        rng: the source of random numbers.
        rounding: the relative precision of the kernel's arithmetic.
        states: the states; None to choose them.
        replicas: the number of replicas; None to choose it.
        coupled: whether the kernel draws the same random numbers whatever the state is.
    """
    listed = list(coefficients_of(plan.equations, meanings, scalars, levels.factor))
    rows = states or _states(plan, meanings, listed, rng, rounding, replicas or levels.most)
    inverses = coefficients_of(plan.equations, meanings, scalars, 1 / levels.factor)
    signatures = [
        weakest_signature(*(signature(c, plan, rows, meanings, rng, rounding) for c in pair))
        for pair in zip(listed, inverses, strict=True)
    ]
    count = len(next(iter(rows.values())))
    level = levels.level / (
        8 + len(plan.recovered) + len(signatures)
    )  # of each line, by the union bound
    tests = [
        s.needed(count, level, levels.power, max(levels.most, MIN_REPLICAS)) for s in signatures
    ]
    coupled = coupled and _shows_shared_noise(plan, meanings, rows, rounding)
    exact = [s.certain or (coupled and s.apart) for s in signatures]
    needed = [
        0.0 if sure else min(t.values(), default=np.inf)
        for sure, t in zip(exact, tests, strict=True)
    ]
    used = replicas or max([MIN_REPLICAS, *(n for n in needed if np.isfinite(n))])
    used = count * max(int(np.ceil(used / count)), 8)
    unseen = tuple(
        dict.fromkeys(s.name for s, n in zip(signatures, needed, strict=True) if n > used)
    )
    best = tuple(
        (s, min(t, key=t.__getitem__)) for s, t in zip(signatures, tests, strict=True) if t
    )
    return Experiment(plan, meanings, rows, used, best, unseen, level, levels, rounding, coupled)


def _states(
    plan: RecoveryPlan,
    meanings: Meanings,
    listed: list[Coefficient],
    rng: np.random.Generator,
    rounding: float,
    replicas: int,
) -> State:
    """Choose states from which the noise can be recovered, among them those where wrong
    coefficients move it most.
    """
    pool = states_of(plan, meanings, POOL_STATES, rng, rounding=rounding, replicas=replicas)
    return choose_states(
        pool, [moved_by(c, plan, pool, meanings, rounding) for c in listed], STATE_COUNT
    )


def _shows_shared_noise(
    plan: RecoveryPlan, meanings: Meanings, rows: State, rounding: float
) -> bool:
    """Return True if the same random numbers give the same recovered noise at every state.

    They do not if the law of a draw depends on the state, or if several noises mix.
    """
    if any(op.form in (CHI_SQUARED, FOLDED, QUADRATIC) for op in plan.recovered):
        return False
    rng, seen = np.random.default_rng(COUPLING_SEED), []
    before = {name: np.tile(x, (COUPLING_STEPS, 1)) for name, x in rows.items()}
    drawn = normal_numbers(plan.equations, before, meanings, rng)
    for turn in range(2):
        start = {name: np.roll(x, turn, axis=0) for name, x in before.items()}
        with np.errstate(all="ignore"):
            after = carry_out(plan.equations, start, drawn, meanings)
            seen.append(innovations(plan, start, after, meanings, rounding=rounding))
    first, second = seen
    return all(bool((_difference(first, second, label) <= 1).all()) for label in first.noise)


def _difference(first: Innovations, second: Innovations, label: str) -> Array:
    """Return how far the numbers of two recoveries differ, in multiples of the rounding error."""
    u, v = first.noise[label], second.noise[label]
    allowed = (
        ROUNDING_MULTIPLE
        * (first.resolution[label] + second.resolution[label])[:, None]
        * (1 + np.abs(v))
    )
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.abs(v - u) / allowed, nan=1e300)


def run(experiment: Experiment, kernel: Stepper, rng: np.random.Generator) -> list[ComparisonLine]:
    """Run a kernel and compare the noise of its steps with the law that it must have.

    Args:
        experiment: the design.
        kernel: the kernel.
        rng: the source of all random numbers.

    Returns:
        A line for each comparison.
    """
    x = experiment
    before = {name: np.tile(rows, (x.replicas // x.count, 1)) for name, rows in x.states.items()}
    seed = int(rng.integers(2**63))
    after = kernel.advance(before, np.random.default_rng(seed))
    first = _read(x, before, after)
    rows, second = _second_step(x, kernel, after, rng)
    lines = _exact_lines([first] if second is None else [first, second])
    if not first.noise or lines[0].outcome is ComparisonOutcome.DIFFERS:
        return lines  # without noise, or with a NaN in it, no law can be tested
    steps = [(np.arange(x.replicas), *_columns(first, 1))]
    steps += [] if second is None else [(rows, *_columns(second, 2))]
    lines += _normal_lines(x, first, steps)
    lines += [
        (_along_shift if test == SHIFT else _variance)(x, s, first) for s, test in x.signatures
    ]
    return lines + (_coupled_lines(x, kernel, before, first, seed) if x.coupled else [])


def _read(x: Experiment, before: State, after: State) -> Innovations:
    """Return the innovations of steps of the kernel."""
    with np.errstate(all="ignore"):
        read = innovations(x.plan, before, after, x.meanings, rounding=x.rounding)
    return replace(
        read,
        noise={
            label: np.clip(u, -MAX_RECOVERED_NUMBER, MAX_RECOVERED_NUMBER)
            for label, u in read.noise.items()
        },
    )


def _columns(read: Innovations, step: int) -> tuple[Array, list[str]]:
    """Return the recovered noise of a step as one array, and the names of its columns."""
    names: list[str] = []
    for label, u in read.noise.items():
        names += [f"{piece} of step {step}" for piece in normal.column_names([label], u.shape[1])]
    return np.concatenate(list(read.noise.values()), axis=1), names


def _exact_lines(steps: list[Innovations]) -> list[ComparisonLine]:
    """Return the lines about relations that hold without noise, in both steps."""
    noise, residuals = (
        _joined([step.noise for step in steps]),
        _joined([step.residuals for step in steps]),
    )
    bad = [
        f"{np.isnan(u).sum()} values of {label}" for label, u in noise.items() if np.isnan(u).any()
    ]
    outcome = ComparisonOutcome.DIFFERS if bad else ComparisonOutcome.AGREES
    lines = [
        ComparisonLine(
            "values that the rule can have",
            "support",
            float(len(bad)),
            0.0,
            "kinds of noise",
            0.0,
            outcome,
            where="; ".join(bad),
        )
    ]
    return lines + [
        _identity(f"{label}, without noise", ratio) for label, ratio in residuals.items()
    ]


def _identity(name: str, ratio: Array) -> ComparisonLine:
    """Return the line of an identity, which differs if something is further off than rounding
    explains.
    """
    far = float(min(ratio.max(initial=0.0), 1e300))
    outcome = ComparisonOutcome.DIFFERS if far > 1 else ComparisonOutcome.AGREES
    where = f"in {(ratio > 1).any(axis=1).mean():.3g} of the steps" if far > 1 else ""
    return ComparisonLine(name, "identity", far, 1.0, ROUNDING_UNIT, 0.0, outcome, where=where)


def _joined(parts: list[Mapping[str, Array]]) -> dict[str, Array]:
    return {label: np.concatenate([part[label] for part in parts]) for label in parts[0]}


def _second_step(
    x: Experiment, kernel: Stepper, after: State, rng: np.random.Generator
) -> tuple[Array, Innovations | None]:
    """Make a step from where the first one led, and recover its noise.

    Returns:
        The indices of the replicas from whose states the noise can be recovered, and the
        innovations; None instead of these if there are too few.
    """
    good = is_inside(x.plan.equations.state, after)
    good[good] = is_resolvable(
        x.plan,
        {k: v[good] for k, v in after.items()},
        x.meanings,
        rng,
        rounding=x.rounding,
        replicas=x.replicas,
    )
    rows = np.flatnonzero(good)
    if len(rows) < MIN_SECOND_STEP_REPLICAS:
        return rows, None
    start = {name: v[rows] for name, v in after.items()}
    return rows, _read(x, start, kernel.advance(start, rng))


def _normal_lines(
    x: Experiment, first: Innovations, steps: list[normal.StepNumbers]
) -> list[ComparisonLine]:
    """Return the lines about the law of the noise: normal, independent, and drawn once."""
    level, power, reach = x.level, x.levels.power, x.levels.reach
    _, u, _ = steps[0]
    lines = [
        normal.whole_law(f"the law of {label}", first.noise[label], level, power)
        for label in first.noise
    ]
    lines.append(normal.means("the mean of each number", steps, level, reach))
    lines.append(normal.variances("the variance of each number", steps, level, power))
    lines.append(_by_state(u, x.count, level, reach))
    lines.append(
        normal.correlations(
            "numbers, coordinates, steps" if len(steps) > 1 else "numbers, coordinates",
            steps,
            level,
            reach,
        )
    )
    alone = [(rows, normal.deviates_of_absolute_values(v), labels) for rows, v, labels in steps]
    lines.append(normal.correlations("their absolute values", alone, level, reach))
    lines.append(normal.between_replicas("replicas", u, level, reach))
    lines.append(
        normal.between_replicas(
            "absolute values of replicas", normal.deviates_of_absolute_values(u), level, reach
        )
    )
    if u.shape[1] > 1:
        lines.append(normal.repetitions_line("numbers drawn twice", steps, level))
    return lines


def _by_state(u: Array, count: int, level: float, reach: float) -> ComparisonLine:
    """Test the mean of each number from each state, which shows any error of the drift."""
    each = u.reshape(-1, count, u.shape[1])
    n = len(each)
    deviates = np.sqrt(n) * each.mean(axis=0)
    places = [f"state {g + 1}, number {j + 1}" for g in range(count) for j in range(u.shape[1])]
    visible = (normal.threshold_of(level, deviates.size) + reach) / np.sqrt(n)
    return normal.family_line(
        "means by state",
        "normal",
        deviates,
        level,
        places,
        visible=visible,
        effect="a shift of sd times",
    )


def _along_shift(x: Experiment, s: Signature, read: Innovations) -> ComparisonLine:
    """Test the noise along the shift that a wrong coefficient makes: the most powerful test of it
    for normal noise.
    """
    each = x.replicas // x.count
    inner = sum(
        (shift * read.noise[label].reshape(each, x.count, -1).sum(axis=0)).sum()
        for label, shift in s.shift.items()
    )
    squared = each * sum((shift**2).sum() for shift in s.shift.values())
    deviate = inner / np.sqrt(squared)
    step = x.levels.factor - 1
    gain = s.gain * np.sqrt(each)
    visible = (
        1 + step * (normal.threshold_of(x.level, 1) + x.levels.reach * s.spread) / gain
        if gain > 0
        else np.inf
    )
    words = (
        f"as if it were {1 + step * inner / squared:.4g} times what it should be"
        if squared > 0
        else ""
    )
    return normal.family_line(
        f"coefficient {s.name}",
        "normal",
        np.array([deviate]),
        x.level,
        [s.name],
        visible=float(visible),
        effect="a factor",
        words=words,
    )


def _variance(x: Experiment, s: Signature, read: Innovations) -> ComparisonLine:
    """Test the squares of the noise that a wrong coefficient scales."""
    each = x.replicas // x.count
    total, entries = 0.0, 0
    for label in s.slope:
        where = s.scaled(label)
        squares = (read.noise[label].reshape(each, x.count, -1) ** 2).sum(axis=0)
        total, entries = total + squares[where].sum(), entries + each * int(where.sum())
    deviate = normal.chi_squared_deviates(np.array([total]), entries)
    sd = normal.visible_scale(entries, x.level, x.levels.power)
    ratio = max(s.ratio, 1 / s.ratio)
    visible = 1 + (x.levels.factor - 1) * (sd - 1) / (ratio - 1) if ratio > 1 else np.inf
    words = f"the noise is {np.sqrt(total / entries):.4g} times what it should be"
    return normal.family_line(
        f"noise coefficient {s.name}",
        "chi-squared",
        deviate,
        x.level,
        [s.name],
        visible=float(visible),
        effect="a factor",
        words=words,
    )


def _coupled_lines(
    x: Experiment, kernel: Stepper, before: State, first: Innovations, seed: int
) -> list[ComparisonLine]:
    """Return the lines about steps from other states with the same random numbers, whose noise must
    be the same.
    """
    other = {name: np.roll(rows, 1, axis=0) for name, rows in before.items()}
    read = _read(x, other, kernel.advance(other, np.random.default_rng(seed)))
    return [
        _identity(f"{label} from two states with one seed", _difference(first, read, label))
        for label in read.noise
    ]
