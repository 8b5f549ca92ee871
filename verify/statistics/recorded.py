"""Numbers that a program makes, as they are drawn in pictures: the noise that is read off its
steps, replicas after some sweeps, one chain, and how a series is correlated with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from verify.statistics.check_kernel import Battery
from verify.statistics.numbers.arrays import Array, State
from verify.statistics.numbers.callables import Advance, Step
from verify.statistics.recover.innovations import innovations
from verify.statistics.sweep_battery import SWEEPS, SweepBattery

Arrays = Mapping[str, Array]


def noise_of_replicas(
    battery: Battery, step: Step, rng: np.random.Generator, replicas: int
) -> Arrays:
    """The noise of one step from the states of a battery, each as often as it takes for so many
    replicas: arrays (replicas or a few more, length) by the name of the noise.
    """
    states = battery.experiment.states
    times = -(-replicas // len(next(iter(states.values()))))
    before = {name: np.tile(rows, (times, 1)) for name, rows in states.items()}
    return _noise(battery, before, step(before, rng))


def noise_of_chain(
    battery: Battery, advance: Advance, rng: np.random.Generator, steps: int
) -> Arrays:
    """The noise of successive steps of one chain, from the least of the states of a battery, as far
    as it stays finite: arrays (steps or fewer, length) by the name of the noise.
    """
    states = battery.experiment.states
    least = int(np.argmin(sum(np.square(rows).sum(axis=1) for rows in states.values())))
    first = {name: rows[least] for name, rows in states.items()}
    whole = chain_of(advance, first, seed=int(rng.integers(2**62)), steps=steps)
    return _noise(
        battery,
        {name: x[:-1] for name, x in whole.items()},
        {name: x[1:] for name, x in whole.items()},
    )


def _noise(battery: Battery, before: Arrays, after: Arrays) -> Arrays:
    x = battery.experiment
    with np.errstate(all="ignore"):
        return innovations(x.plan, dict(before), dict(after), x.meanings, rounding=x.rounding).noise


def chain_of(advance: Advance, first: Arrays, *, seed: int, steps: int) -> State:
    """Successive states of one chain, the first among them, until it stops: arrays (steps + 1 or
    fewer, length) by block.
    """
    rows = [first]
    for t in range(steps):
        moved = advance(rows[-1], 1, seed=seed, chain=0, begin=t)
        if moved is None:
            break
        rows.append(moved)
    return {name: np.stack([row[name] for row in rows]) for name in first}


def after_sweeps(
    battery: SweepBattery, step: Step, rng: np.random.Generator, replicas: int
) -> tuple[Arrays, Arrays] | None:
    """Replicas that started in the law of a kernel, after some sweeps, and as many exact draws;
    None where replicas do not start there.
    """
    if battery.draws is None:
        return None
    state: Arrays = battery.draws(rng, replicas)
    for _ in range(SWEEPS):
        state = step(dict(state), rng)
    return state, battery.draws(rng, replicas)


def correlation_of_noise(u: Array, lags: Iterable[int]) -> list[float]:
    """The mean of the product of numbers N(0, 1) that are so many steps apart, for every lag below
    their number; noise that could not be read off is left out.
    """
    # Rounding hides the noise of a chain that goes far out.
    kept = np.where(np.isfinite(u), u, np.nan)
    pairs = [kept[:-k] * kept[k:] for k in lags if k < len(kept)]
    return [float(np.nanmean(p)) if np.isfinite(p).any() else np.nan for p in pairs]


def autocorrelation(x: Array, lags: Iterable[int]) -> list[float]:
    """The correlation of a series with itself at every lag; 0 where the series is constant."""
    away = x - x.mean()
    size = float(away @ away) or 1.0
    return [float(away[: len(away) - k] @ away[k:]) / size for k in lags]
