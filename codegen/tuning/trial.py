"""Trial runs of a compiled sampler, in random numbers of their own: how often its tests accept, how
many of its steps are worth a draw, and how many lead from first values that were given to the law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.results.diagnostics.convergence import convergence
from codegen.system.doing import counted
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.law.untunable import UntunableError
from codegen.tuning.prepared import Prepared

CHAIN_NUMBERS = 2**41  # the first number of the chains of a trial: no chain of a run has it
ROUNDS, THINS = 256, (1, 4, 16)  # draws of a chain, and the steps from one to the next
MAX_SWEEPS = ROUNDS * THINS[-1]
ENOUGH = 100.0  # effective draws, for autocorrelations to be known
LARGE = 50_000  # numbers of the data, from which on threads are worth their trouble
LEAST_STEPS = 1000  # that a trial may take
SETTLED_TIMES, LEAST_WARM_UP = 10, 100  # autocorrelation times after the arrival, and steps
DRAWS_COMPARED = 200  # of the pilot run, whose log densities say where its draws are
FARTHER = 1.5  # than the farthest draw of the pilot run, in each coordinate


@dataclass(frozen=True, eq=False)
class Trialled:
    """What a trial has shown.

    Attributes:
        acceptance: the mean acceptance rate; NaN without Metropolis tests.
        draws: its draws, shape (chains, draws, n).
        steps: the steps for one effective draw of the worst coordinate.
        enough: whether its effective draws are enough to know that.
    """

    acceptance: float
    draws: np.ndarray
    steps: float
    enough: bool


class Trial:
    """Chains of a compiled sampler that are moved for a while.

    Args:
        made: the sampler.
        target: the law.
        starts: the first states, shape (chains, n).
    """

    def __init__(self, made: Prepared, target: Target, starts: np.ndarray) -> None:
        self._of = made
        self._states = [made.state(target, z, c) for c, z in enumerate(starts)]
        self._done = 0
        self._stopped = False
        numbers = sum(a.size for a in made.kernel.data.values())
        self._workers = made.kernel.workers if numbers >= LARGE else 1

    @property
    def states(self) -> tuple[Any, ...]:
        """The states of all chains."""
        return tuple(self._states)

    @property
    def stopped(self) -> bool:
        """Whether a chain has left what is finite."""
        return self._stopped

    def move(self, size: float, count: int) -> float:
        """Move all chains; return the mean acceptance rate, 0 where a chain has stopped.

        Args:
            size: the step size.
            count: the number of steps.
        """
        rates = list(self._each(lambda c: self._moved(c, size, count)))
        self._done += count
        return float(np.mean(rates))

    def positions(self) -> np.ndarray:
        """Return the coordinates of all chains, shape (chains, n)."""
        return np.array(
            [np.concatenate([getattr(s, f) for f in self._of.fields]) for s in self._states]
        )

    def fields(self, names: Sequence[str]) -> np.ndarray:
        """Return the means over all chains of some fields of a state, one array a field."""
        return np.array([np.mean([getattr(s, f) for s in self._states], axis=0) for f in names])

    def judged(self, size: float, thin: int = 1) -> Trialled | None:
        """Return what a trial shows, which is made longer until enough is known; None where
        a chain stopped.

        Args:
            size: the step size.
            thin: the steps from draw to draw.
        """
        rates: list[float] = []
        seen: list[np.ndarray] = []
        for longer in THINS:
            every = THINS[1] if seen else 1  # of the draws that are there
            rates, seen = rates[every - 1 :: every], seen[every - 1 :: every]
            while len(seen) < ROUNDS:
                counted(len(seen), ROUNDS)
                rates.append(self.move(size, longer * thin))
                seen.append(self.positions())
                if self._stopped:
                    return None
            draws = np.array(seen).transpose(1, 0, 2)
            found = convergence(draws)
            smallest = float(np.nanmin(np.fmin(found.ess_bulk, found.ess_tail)))
            if smallest >= ENOUGH:
                break
        steps = longer * thin * draws.shape[0] * draws.shape[1] / max(smallest, 1.0)
        return Trialled(float(np.mean(rates)), draws, steps, smallest >= ENOUGH / 2)

    def _each(self, move: Callable[[int], float]) -> Iterable[float]:
        chains = range(len(self._states))
        if self._workers == 1:
            return map(move, chains)
        with ThreadPoolExecutor(self._workers) as pool:
            return list(pool.map(move, chains))

    def _moved(self, chain: int, size: float, count: int) -> float:
        kernel = self._of.kernel
        loaded, statistics = kernel.loaded, kernel.module.plan.statistics
        draws = loaded.Draws(
            *(np.zeros((count, 1) if f in statistics else (0, 0)) for f in loaded.Draws._fields)
        )
        gradient, data, params = kernel.arguments()
        seed, done = np.uint64(kernel.options.seed), self._done
        given: tuple[Any, ...] = (
            self._states[chain], draws, gradient, data, size, params, seed,
            CHAIN_NUMBERS + chain, done, count, done, 1,
        )  # fmt: skip
        run = kernel.entry_point(loaded.run, given)
        with kernel.apart():
            _, stopped_by = run(*given)
        self._stopped |= stopped_by >= 0
        rates = np.array([getattr(draws, f)[:, 0] for f in statistics])
        return float(np.nanmean(rates)) if rates.size and np.isfinite(rates).any() else 0.0


def from_given(
    made: Prepared,
    target: Target,
    pilot: Pilot,
    starts: np.ndarray,
    settings: dict[str, Any],
    time: float,
) -> tuple[dict[str, Any], str]:
    """Return the settings of a run with the warm-up that it needs from given first values, and a
    sentence about it.

    Args:
        made: the compiled sampler, with the minibatch of the run.
        target: the law.
        pilot: its pilot run.
        starts: the first values, shape (chains, n).
        settings: the arguments of ``sample`` for a run that begins in draws of the pilot run.
        time: the steps for one effective draw.

    Raises:
        UntunableError: where the chains do not come from there to the draws of the pilot run.
    """
    size, steps, before = settings["step_size"], settings["steps"], settings["warmup"]
    arrived = _arrival(made, target, pilot, starts, size, max(LEAST_STEPS, steps))
    settled = max(before, LEAST_WARM_UP, SETTLED_TIMES * time)
    warmup = int(float(f"{arrived + settled:.2g}"))
    said = (
        f"From the first values that were given a trial came to the pilot run in {arrived:,} steps."
    )
    return {**settings, "warmup": warmup, "steps": steps - before + warmup}, said


def _arrival(
    made: Prepared, target: Target, pilot: Pilot, starts: np.ndarray, size: float, most: int
) -> int:
    """Return the steps after which every chain of a trial has been where the draws of a pilot run
    are: no farther out in any coordinate, and with no smaller log density.
    """
    flat = pilot.draws.reshape(-1, starts.shape[1])
    far = FARTHER * np.max(np.abs(flat - pilot.mean), axis=0)
    highest = max(target.value(z) for z in flat[:: max(1, len(flat) // DRAWS_COMPARED)])
    trial = Trial(made, target, starts)
    away, done, more = set(range(len(starts))), 0, 1
    while True:
        at = trial.positions()
        away -= {
            c
            for c in away
            if np.all(np.abs(at[c] - pilot.mean) <= far) and target.value(at[c]) <= highest
        }
        if not away:
            return done
        if trial.stopped or done >= most:
            how = (
                "diverges" if trial.stopped else f"has not come to the posterior in {done:,} steps"
            )
            raise UntunableError(
                f"a chain that begins at the first values that were given {how}, with the step size"
                f" {size:g} that is best where the posterior is: begin nearer to it, or leave"
                " initial= out"
            )
        trial.move(size, more)
        done += more
        more = min(done, most)
