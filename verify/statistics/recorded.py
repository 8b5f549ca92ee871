"""Samples for pictures: the noise of steps, replicas after some sweeps, one chain, and
autocorrelations.
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
    """Return the noise of one step from each state of a battery, by the name of the noise.

    Args:
        battery: the battery.
        step: the kernel.
        rng: the source of random numbers.
        replicas: the number of steps. It is rounded up, so that each state has equally many.

    Returns:
        Arrays (replicas, length).
    """
    states = battery.experiment.states
    times = -(-replicas // len(next(iter(states.values()))))
    before = {name: np.tile(rows, (times, 1)) for name, rows in states.items()}
    return _noise(battery, before, step(before, rng))


def noise_of_chain(
    battery: Battery, advance: Advance, rng: np.random.Generator, steps: int
) -> Arrays:
    """Return the noise of successive steps of one chain, by the name of the noise.

    The chain starts at the state of the battery that is nearest to zero, and goes on while it is
    finite.

    Args:
        battery: the battery.
        advance: the program for many steps in one call.
        rng: the source of the seed.
        steps: the number of steps.

    Returns:
        Arrays (steps or fewer, length).
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
    """Return successive states of one chain, the first one included, until it stops: arrays (steps
    + 1 or fewer, length) by block.
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
    """Return replicas that started in the law of a kernel, after some sweeps, and as many exact
    draws.

    Returns:
        Two states, arrays (replicas, length) by block; None if no exact draws of the law are known.
    """
    if battery.draws is None:
        return None
    state: Arrays = battery.draws(rng, replicas)
    for _ in range(SWEEPS):
        state = step(dict(state), rng)
    return state, battery.draws(rng, replicas)


def correlation_of_noise(u: Array, lags: Iterable[int]) -> list[float]:
    """Return the autocorrelation of standard normal numbers at each lag.

    It is the mean of the products of numbers that are ``lag`` steps apart. Numbers that could not
    be recovered, which are not finite, are left out, and lags that are too long for the series are
    skipped.
    """
    # The noise of a chain that goes far out is hidden by rounding errors.
    kept = np.where(np.isfinite(u), u, np.nan)
    pairs = [kept[:-k] * kept[k:] for k in lags if k < len(kept)]
    return [float(np.nanmean(p)) if np.isfinite(p).any() else np.nan for p in pairs]


def autocorrelation(x: Array, lags: Iterable[int]) -> list[float]:
    """Return the autocorrelation of a series at each lag; 0 at all lags if the series is
    constant.
    """
    away = x - x.mean()
    size = float(away @ away) or 1.0
    return [float(away[: len(away) - k] @ away[k:]) / size for k in lags]
