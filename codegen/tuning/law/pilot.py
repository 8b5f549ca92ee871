"""The pilot run: Hamiltonian Monte Carlo with Metropolis tests, of all chains together, in windows
that adapt the step size and the mass as Stan's warm-up does.

It says where the law is, how wide, and how its coordinates are correlated, whatever its mode says:
the mode of a hierarchical model is not where the mass is. The metric is dense up to
``MAX_DENSE`` coordinates. Windows are those of the Stan Reference Manual, "HMC algorithm
parameters": a fast one for the step size alone, slow ones of doubling length after each of which
the metric is estimated anew, and a fast one. What is reported is drawn after all of them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from codegen.inputs.density.minimise import minimise
from codegen.results.diagnostics.convergence import convergence
from codegen.system.doing import counted, doing
from codegen.tuning.law.dual_averaging import DualAveraging
from codegen.tuning.law.metric import (
    applied,
    applied_transposed,
    log_width,
    root_of_curvature,
    root_of_draws,
)
from codegen.tuning.law.spike import Spike, spike_of
from codegen.tuning.law.target import Target
from codegen.tuning.law.untunable import UntunableError

FAST, SLOW, LAST, DRAWS = 60, (30, 60, 120), 50, 400  # rounds
RATES = (0.8, 0.95, 0.99)  # of acceptance: the next one where trajectories are unstable
UNSTABLE = 12.0  # a trajectory that gains so much energy has left what its step size follows
MAX_UNSTABLE = 0.004  # of all trajectories
MAX_LEAPFROGS = 64  # of a trajectory
HALF_PERIOD = np.pi  # the longest time of a trajectory, where the law has unit variances
START = 1.0  # starts are within this of 0 in each coordinate
LEAST_LOG_SCALE = -3.0  # on the way to a mode, when a spike is to be avoided
LEAST_STEP = 1e-7  # at which nothing moves
MAX_SEARCH = 600  # evaluations of a search for a mode
WAY_POINTS = 8  # on the way to it that are compared
MIN_ROUNDS_SHARE = 0.25  # of the rounds, however large the data
MAX_NUMBERS = 1e10  # of the data, that a pilot run reads before it becomes shorter
LEAPFROGS_EXPECTED = 6
AGREE = 1.1  # R-hat of the pilot: chains that agree less are not in one place
NEARLY = 1.5  # R-hat: chains that agree so far may need a metric from more draws
LONGER = 240  # rounds of a further slow window for that
STREAM = 0x70696C6F74  # of numpy's generator, beside the seed


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot run has found, in the real coordinates of its target.

    Attributes:
        draws: its draws, shape (chains, draws, n).
        mean: their mean, shape (n,).
        sd: their standard deviations, shape (n,).
        r_hat: the largest R-hat of a coordinate.
        worst: the name of that coordinate.
        evaluations: how many gradients it has cost.
        acceptance: its mean acceptance rate after adaptation.
        step_size: its adapted step size, where the law has unit variances in all directions.
        rate: the acceptance rate that it was adapted to: more than the usual one where
            trajectories were unstable in places.
        unstable: the share of trajectories that still were.
        spike: where a chain sits at a scale near 0; None where none does.
    """

    draws: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    r_hat: float
    worst: str
    evaluations: int
    acceptance: float
    step_size: float
    rate: float
    unstable: float
    spike: Spike | None = None

    @cached_property
    def covariance(self) -> np.ndarray:
        """The covariance of the draws, shape (n, n)."""
        flat = self.draws.reshape(-1, self.draws.shape[-1])
        with np.errstate(all="ignore"):  # a law without a finite integral is refused later
            return np.atleast_2d(np.cov(flat, rowvar=False))

    @property
    def last(self) -> np.ndarray:
        """The last state of each chain, shape (chains, n)."""
        return np.asarray(self.draws[:, -1])

    @property
    def agrees(self) -> bool:
        """Whether the chains have found one law."""
        return bool(self.r_hat <= AGREE)


def pilot_run(target: Target, chains: int, seed: int, starts: np.ndarray | None = None) -> Pilot:
    """Run a pilot.

    Where chains disagree and one of them sits in the spike of a hierarchy, at a scale near 0 where
    the density has no bound and hardly any mass, or no trajectory is accepted, a second pilot
    begins outside of it. So does one from a search where chains disagree that began at first
    values.

    Args:
        target: the law.
        chains: the number of chains.
        seed: the seed; the result is a function of it.
        starts: first states, shape (chains, n); by default they are searched for, as coordinates
            that are NaN are, with all others held.

    Raises:
        UntunableError: where the log density is not finite, or no trajectory is accepted.
    """
    try:
        pilot = _pilot(target, chains, [STREAM, seed], starts, -np.inf)
    except _StuckError:
        return _pilot(target, chains, [STREAM, seed, 1], None, LEAST_LOG_SCALE)
    if pilot.agrees or (starts is None and pilot.spike is None):
        return pilot
    some = starts if starts is not None and np.isnan(starts).any() else None
    again = _pilot(target, chains, [STREAM, seed, 1], some, LEAST_LOG_SCALE)
    return min(pilot, again, key=lambda p: (p.r_hat > AGREE, p.spike is not None, p.r_hat))


def _pilot(
    target: Target, chains: int, seed: list[int], starts: np.ndarray | None, least: float
) -> Pilot:
    """Run a pilot from first states; their coordinates that are not given are found by a search
    which keeps the logarithms of scales above ``least``.
    """
    random = np.random.default_rng(seed)
    n = target.dimension
    doing("tuning: where a pilot run starts")
    found = np.full((chains, n), np.nan) if starts is None else np.array(starts)
    free = np.isnan(found)
    if free.any():
        found = np.where(free, random.uniform(-START, START, (chains, n)), found)
        found = np.array([_searched(target, *z, least) for z in zip(found, free, strict=True)])
    found, lowest = _finite(target, found)
    metric = root_of_curvature(target, lowest)
    z = found
    if free.any():
        moved = np.array([x + applied(metric, random.standard_normal(n)) for x in found])
        z = np.where(free, moved, found)
    z = np.where(np.isfinite([[target.value(x)] for x in z]), z, found)
    share = _share_of_rounds(target, chains)
    usual = FAST + sum(SLOW) + LAST + DRAWS
    run = _Run(target, random, z, metric, int(usual * share))
    doing("tuning: rounds of a pilot run")
    run.fast(int(FAST * share))
    for rounds in SLOW:
        run.slow(int(rounds * share))
    draws, acceptance, unstable = run.settled(share)
    if AGREE < _largest(convergence(draws).r_hat, np.inf)[1] <= NEARLY:
        run.slow(int(LONGER * share))
        draws, acceptance, unstable = run.settled(share)
    worst, r_hat = _largest(convergence(draws).r_hat, np.inf if chains > 1 else 1.0)
    flat = draws.reshape(-1, n)
    with np.errstate(all="ignore"):  # a law without a finite integral is refused later
        sd = flat.std(axis=0, ddof=1)
    return Pilot(
        draws,
        flat.mean(axis=0),
        sd,
        r_hat,
        target.labels[worst],
        target.evaluations[0],
        acceptance,
        run.step_size,
        run.rate,
        unstable,
        spike_of(target, draws),
    )


def _largest(r_hat: np.ndarray, unknown: float) -> tuple[int, float]:
    """Return the coordinate with the largest R-hat, and that; ``unknown`` where it is no number."""
    known = np.where(np.isfinite(r_hat), r_hat, unknown)
    worst = int(np.argmax(known))
    return worst, float(known[worst])


def _share_of_rounds(target: Target, chains: int) -> float:
    """Return the share of all rounds that data of this size allow."""
    numbers = sum(a.size for a in target.density.arrays) + target.dimension
    rounds = FAST + sum(SLOW) + LAST + DRAWS
    wanted = float(numbers) * rounds * chains * LEAPFROGS_EXPECTED
    return float(min(1.0, max(MIN_ROUNDS_SHARE, MAX_NUMBERS / wanted)))


def _finite(target: Target, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first states whose densities are finite, and the one with the largest density.

    Raises:
        UntunableError: where no density is, or one is not a number.
    """
    energies = np.array([target.value(z) for z in found])
    finite = np.isfinite(energies)
    wrong = np.flatnonzero(np.isnan(energies) if finite.any() else ~finite)
    for chain in wrong:
        reason = target.why_not_finite(found[chain])
        if reason is not None:
            raise UntunableError(f"at the first state of chain {chain} of the pilot run {reason}")
    if not finite.any():
        raise UntunableError(
            "the log density is not finite at the first state of any chain of the pilot run; start"
            " where it is (initial=), or correct the density"
        )
    lowest = found[int(np.argmin(np.where(finite, energies, np.inf)))]
    return np.where(finite[:, None], found, lowest), lowest


class _StuckError(UntunableError):
    """No trajectory is accepted."""


class _EnoughError(Exception):
    """The search for a mode has taken enough evaluations."""


def _searched(target: Target, start: np.ndarray, free: np.ndarray, least: float) -> np.ndarray:
    """Return a point from which to start: of those on the way to a mode the one that is best for a
    normal law with the curvature there, by its density times its width. Coordinates that are not
    ``free`` stay where they are.

    At the mode itself a hierarchical model may have a density without bound, and no mass.
    """
    way: list[tuple[float, np.ndarray]] = [(np.inf, start)]
    count = 0

    def counted(z: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal count
        count += 1
        if count > MAX_SEARCH:
            raise _EnoughError
        value, slope = target(z)
        if np.any(z[target.are_scales & free] < least):
            raise _EnoughError
        if np.isfinite(value) and value < way[-1][0]:
            way.append((value, z.copy()))
        return value, np.where(free, slope, 0.0)

    with suppress(_EnoughError), np.errstate(all="ignore"):
        minimise(counted, start)
    places = np.unique(np.geomspace(1, len(way), WAY_POINTS).astype(int))
    chosen = [way[-n] for n in places if np.isfinite(way[-n][0])] or [way[-1]]
    costs = [value - log_width(root_of_curvature(target, z)) for value, z in chosen]
    return chosen[int(np.argmin(costs))][1]


class _Run:
    """The chains of a pilot run, which is moved on window by window.

    Args:
        target: the law.
        random: where its random numbers come from.
        z: the first states, shape (chains, n).
        root: a root of the metric: a trajectory moves ``root @ q`` with unit mass.
        expected: the rounds that it takes as a rule.
    """

    def __init__(
        self,
        target: Target,
        random: np.random.Generator,
        z: np.ndarray,
        root: np.ndarray,
        expected: int,
    ) -> None:
        self._target, self._random, self._root = target, random, root
        self._here = [(x, *target(x)) for x in z]
        self._step = 0.5
        self._unstable = 0
        self._rounds, self._expected = 0, expected
        self.rate = RATES[0]

    @property
    def step_size(self) -> float:
        """The step size that was adapted last."""
        return self._step

    def fast(self, rounds: int) -> None:
        """Adapt the step size alone."""
        self._adapted(max(rounds, 10))

    def slow(self, rounds: int) -> None:
        """Adapt the step size, and then the metric to the states of this window."""
        seen = self._adapted(max(rounds, 10))
        self._root = root_of_draws(seen, self._root)

    def settled(self, share: float) -> tuple[np.ndarray, float, float]:
        """Adapt the step size and return draws, as ``drawn`` does, at the acceptance rate at which
        trajectories are stable.

        Args:
            share: the share of all rounds that data of this size allow.
        """
        for rate in RATES[RATES.index(self.rate) :]:
            self.rate = rate
            self.fast(int(LAST * share))
            found = self.drawn(int(DRAWS * max(share, 0.5)))
            if found[2] <= MAX_UNSTABLE:
                break
            self.slow(int(SLOW[-1] * share))
        return found

    def drawn(self, rounds: int) -> tuple[np.ndarray, float, float]:
        """Return draws without adaptation, shape (chains, rounds, n), the acceptance rate, and the
        share of unstable trajectories.
        """
        rates, seen = [], []
        self._unstable = 0
        for _ in range(max(rounds, 20)):
            rates.append(self._round(self._step))
            seen.append([x for x, _, _ in self._here])
        count = len(seen) * len(self._here)
        return np.array(seen).transpose(1, 0, 2), float(np.mean(rates)), self._unstable / count

    def _adapted(self, rounds: int) -> np.ndarray:
        adaptation = DualAveraging(self._step, self.rate)
        seen = []
        for _ in range(rounds):
            adaptation.update(self._round(max(adaptation.step_size, LEAST_STEP)))
            seen.append([x for x, _, _ in self._here])
        self._step = min(adaptation.averaged, 2.0)
        if not self._step > LEAST_STEP:
            spike = spike_of(self._target, np.array([[x] for x, _, _ in self._here]))
            if spike is not None:
                raise _StuckError(spike.sentence)
            raise _StuckError(
                "the trajectories of the pilot run are rejected at every step size (a chain is at"
                f" {self._farthest()}): the log density or its gradient is not finite there, or the"
                " density has no finite integral; give every block a prior, start elsewhere"
                " (initial=), or correct the density"
            )
        return np.array(seen)

    def _farthest(self) -> str:
        """Return the coordinate that is farthest out, with its value."""
        z = np.array([x for x, _, _ in self._here])
        far = np.where(self._target.are_scales, np.exp(np.minimum(np.abs(z), 700.0)), np.abs(z))
        chain, k = np.unravel_index(int(np.argmax(far)), z.shape)
        blocks = self._target.blocks(z[chain])
        values = np.concatenate([np.ravel(v) for v in blocks.values()])
        return f"{self._target.labels[k]} = {values[k]:.2g}"

    def _round(self, step: float) -> float:
        """Move all chains by a trajectory each; return the mean acceptance probability."""
        counted(self._rounds, self._expected)
        self._rounds += 1
        most = int(np.clip(np.ceil(HALF_PERIOD / step), 1, MAX_LEAPFROGS))
        rates = []
        for c, (x, value, slope) in enumerate(self._here):
            momentum = self._random.standard_normal(x.size)
            leapfrogs = int(self._random.integers(1, most + 1))
            uniform = float(self._random.uniform())
            there, p = self._trajectory(x, momentum, slope, step, leapfrogs)
            with np.errstate(all="ignore"):  # an unstable trajectory overflows
                change = value - there[1] + (momentum @ momentum - p @ p) / 2
            rate = float(np.exp(min(0.0, change))) if np.isfinite(change) else 0.0
            if uniform < rate:
                self._here[c] = there
            rates.append(rate)
            self._unstable += not change > -UNSTABLE
        return float(np.mean(rates))

    def _trajectory(
        self, x: np.ndarray, p: np.ndarray, slope: np.ndarray, step: float, leapfrogs: int
    ) -> tuple[tuple[np.ndarray, float, np.ndarray], np.ndarray]:
        root = self._root
        with np.errstate(all="ignore"):
            p = p - step / 2 * applied_transposed(root, slope)
            for k in range(leapfrogs):
                x = x + step * applied(root, p)
                slope = self._target.slope(x)
                if not np.isfinite(slope).all():
                    return (x, np.inf, slope), p
                p = p - (step if k < leapfrogs - 1 else step / 2) * applied_transposed(root, slope)
            value = self._target.value(x)  # only the test at the end compares values
        return (x, value if np.isfinite(value) else np.inf, slope), p
