"""Trial runs of a compiled sampler, in random numbers of their own: how often its tests accept, and
how many of its steps are worth a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.results.diagnostics.convergence import convergence
from codegen.system.doing import counted
from codegen.tuning.prepared import Prepared
from codegen.tuning.target import Target

CHAIN_NUMBERS = 2**41  # the first number of the chains of a trial: no chain of a run has it
ROUNDS, THINS = 256, (1, 4, 16)  # draws of a chain, and the steps from one to the next
MAX_SWEEPS = ROUNDS * THINS[-1]
ENOUGH = 100.0  # effective draws, for autocorrelations to be known
LARGE = 50_000  # numbers of the data, from which on threads are worth their trouble


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
