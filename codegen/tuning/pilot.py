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

import numpy as np

from codegen.inputs.minimise import minimise
from codegen.results.diagnostics.convergence import convergence
from codegen.tuning.dual_averaging import DualAveraging
from codegen.tuning.target import Target

FAST, SLOW, LAST, DRAWS = 60, (30, 60, 120), 50, 400  # rounds
RATES = (0.8, 0.95, 0.99)  # of acceptance: the next one where trajectories are unstable
UNSTABLE = 12.0  # a trajectory that gains so much energy has left what its step size follows
MAX_UNSTABLE = 0.004  # of all trajectories
MAX_DENSE = 120  # coordinates
MAX_LEAPFROGS = 64  # of a trajectory
HALF_PERIOD = np.pi  # the longest time of a trajectory, where the law has unit variances
START = 1.0  # starts are within this of 0 in each coordinate
MAX_SEARCH = 600  # evaluations of a search for a mode
WAY_POINTS = 8  # on the way to it that are compared
PRIOR_DRAWS = 5.0  # that the metric before counts as, beside those of a window
MIN_ROUNDS_SHARE = 0.25  # of the rounds, however large the data
MAX_NUMBERS = 1e10  # of the data, that a pilot run reads before it becomes shorter
LEAPFROGS_EXPECTED = 6
AGREE = 1.1  # R-hat of the pilot: chains that agree less are not in one place
STREAM = 0x70696C6F74  # of numpy's generator, beside the seed


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot run has found, in the real coordinates of its target.

    Attributes:
        draws: its draws, shape (chains, draws, n).
        mean: their mean, shape (n,).
        covariance: their covariance, shape (n, n).
        r_hat: the largest R-hat of a coordinate.
        worst: the name of that coordinate.
        evaluations: how many gradients it has cost.
        acceptance: its mean acceptance rate after adaptation.
        step_size: its adapted step size, where the law has unit variances in all directions.
        rate: the acceptance rate that it was adapted to: more than the usual one where
            trajectories were unstable in places.
        unstable: the share of trajectories that still were.
    """

    draws: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    r_hat: float
    worst: str
    evaluations: int
    acceptance: float
    step_size: float
    rate: float
    unstable: float

    @property
    def sd(self) -> np.ndarray:
        """The standard deviations, shape (n,)."""
        return np.sqrt(np.diag(self.covariance))

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

    Args:
        target: the law.
        chains: the number of chains.
        seed: the seed; the result is a function of it.
        starts: first states, shape (chains, n); by default they are searched for.
    """
    random = np.random.default_rng([STREAM, seed])
    n = target.dimension
    found = random.uniform(-START, START, (chains, n)) if starts is None else np.array(starts)
    found = np.array([_searched(target, z) for z in found])
    energies = [target(z)[0] for z in found]
    lowest = found[int(np.nanargmin(np.where(np.isfinite(energies), energies, np.inf)))]
    metric = _curvature(target, lowest)
    z = np.array([x + metric @ random.standard_normal(n) for x in found])
    z = np.where(np.isfinite([[target(x)[0]] for x in z]), z, found)
    run = _Run(target, random, z, metric)
    share = _share_of_rounds(target, chains)
    run.fast(int(FAST * share))
    for rounds in SLOW:
        run.slow(int(rounds * share))
    for rate in RATES:
        run.rate = rate
        run.fast(int(LAST * share))
        draws, acceptance, unstable = run.drawn(int(DRAWS * max(share, 0.5)))
        if unstable <= MAX_UNSTABLE:
            break
        run.slow(int(SLOW[-1] * share))
    judged = convergence(draws)
    r_hat = np.where(np.isfinite(judged.r_hat), judged.r_hat, np.inf if chains > 1 else 1.0)
    worst = int(np.argmax(r_hat))
    flat = draws.reshape(-1, n)
    return Pilot(
        draws,
        flat.mean(axis=0),
        _covariance(flat),
        float(r_hat[worst]),
        target.labels[worst],
        target.evaluations[0],
        acceptance,
        run.step_size,
        run.rate,
        unstable,
    )


def _covariance(flat: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):  # a law without a finite integral is refused later
        return np.atleast_2d(np.cov(flat, rowvar=False))


def _share_of_rounds(target: Target, chains: int) -> float:
    """Return the share of all rounds that data of this size allow."""
    numbers = sum(a.size for a in target.density.arrays) + target.dimension
    rounds = FAST + sum(SLOW) + LAST + DRAWS
    wanted = float(numbers) * rounds * chains * LEAPFROGS_EXPECTED
    return float(min(1.0, max(MIN_ROUNDS_SHARE, MAX_NUMBERS / wanted)))


class _EnoughError(Exception):
    """The search for a mode has taken enough evaluations."""


def _searched(target: Target, start: np.ndarray) -> np.ndarray:
    """Return a point from which to start: of those on the way to a mode the one that is best for a
    normal law with the curvature there, by its density times its width.

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
        if np.isfinite(value) and value < way[-1][0]:
            way.append((value, z.copy()))
        return value, slope

    with suppress(_EnoughError), np.errstate(all="ignore"):
        minimise(counted, start)
    places = np.unique(np.geomspace(1, len(way), WAY_POINTS).astype(int))
    chosen = [way[-n] for n in places if np.isfinite(way[-n][0])] or [way[-1]]
    costs = [value - _log_width(_curvature(target, z)) for value, z in chosen]
    return chosen[int(np.argmin(costs))][1]


def _log_width(root: np.ndarray) -> float:
    """Return the logarithm of the determinant of a root of a covariance."""
    return float(np.linalg.slogdet(root)[1])


def _curvature(target: Target, point: np.ndarray) -> np.ndarray:
    """Return a root of the inverse of the Hessian at a point, with the size of negative curvature
    in place of itself; shape (n, n).
    """
    n = point.size
    with np.errstate(all="ignore"):
        if n > MAX_DENSE:
            return np.diag(1.0 / np.sqrt(_positive(np.abs(_diagonal(target, point)))))
        # a difference first in units of the coordinates, then in those that this one shows
        scale = 1.0 / np.sqrt(_positive(np.abs(_diagonal(target, point))))
        columns = []
        for i in range(n):
            move = np.zeros(n)
            move[i] = 1e-3 * scale[i]
            columns.append((target(point + move)[1] - target(point - move)[1]) / 2e-3 * scale)
        H = np.nan_to_num(np.array(columns), nan=0.0, posinf=0.0, neginf=0.0)
    values, vectors = np.linalg.eigh((H + H.T) / 2)
    # eigenvalues that are lost in rounding, or negative, are no curvature to trust
    size = np.maximum(np.abs(values), 1e-9 * max(float(np.abs(values).max()), 1e-300))
    return np.asarray(scale[:, None] * vectors / np.sqrt(size))


def _diagonal(target: Target, point: np.ndarray) -> np.ndarray:
    """Return the diagonal of the Hessian at a point, by differences that fit the slopes."""
    found = np.ones(point.size)
    for i in range(point.size):
        reach = 1e-4 * (1.0 + abs(point[i]))
        for _ in range(3):
            move = np.zeros(point.size)
            move[i] = reach
            found[i] = (target(point + move)[1][i] - target(point - move)[1][i]) / (2 * reach)
            if not np.isfinite(found[i]) or found[i] == 0.0:
                reach *= 1e-2
                continue
            reach = 1e-3 / np.sqrt(abs(found[i]))
    return found


def _positive(values: np.ndarray) -> np.ndarray:
    usable = np.isfinite(values) & (values > 0)
    return np.where(usable, values, 1.0)


class _Run:
    """The chains of a pilot run, which is moved on window by window.

    Args:
        target: the law.
        random: where its random numbers come from.
        z: the first states, shape (chains, n).
        root: a root of the metric: a trajectory moves ``root @ q`` with unit mass.
    """

    def __init__(
        self, target: Target, random: np.random.Generator, z: np.ndarray, root: np.ndarray
    ) -> None:
        self._target, self._random, self._root = target, random, root
        self._here = [(x, *target(x)) for x in z]
        self._step = 0.5
        self._unstable = 0
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
        self._root = self._metric(seen)

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
            adaptation.update(self._round(adaptation.step_size))
            seen.append([x for x, _, _ in self._here])
        self._step = min(adaptation.averaged, 2.0)
        return np.array(seen)

    def _metric(self, seen: np.ndarray) -> np.ndarray:
        """Return a root of the covariance within chains, with the metric before as a prior."""
        rounds, chains, n = seen.shape
        within = seen - seen.mean(axis=0)
        flat = within.reshape(-1, n)
        count = rounds * chains / 2.0  # draws of one trajectory after another are correlated
        prior = max(PRIOR_DRAWS, n / 2.0)
        with np.errstate(all="ignore"):
            before = prior * self._root @ self._root.T
            S = flat.T @ flat / max(1, (rounds - 1) * chains) * count + before
            S = S / (count + prior)
        if not np.all(np.isfinite(S)) or not np.all(np.diag(S) > 0):
            return self._root  # the law has no finite integral, or no chain has moved
        if n > MAX_DENSE:
            return np.diag(np.sqrt(np.diag(S)))
        scale = np.sqrt(np.diag(S))
        values, vectors = np.linalg.eigh(S / np.outer(scale, scale))
        return np.asarray(scale[:, None] * vectors * np.sqrt(np.maximum(values, 1e-13)))

    def _round(self, step: float) -> float:
        """Move all chains by a trajectory each; return the mean acceptance probability."""
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
        root, value = self._root, np.inf
        with np.errstate(all="ignore"):
            p = p - step / 2 * (root.T @ slope)
            for k in range(leapfrogs):
                x = x + step * (root @ p)
                value, slope = self._target(x)
                if not np.isfinite(value):
                    return (x, np.inf, slope), p
                p = p - (step if k < leapfrogs - 1 else step / 2) * (root.T @ slope)
        return (x, value, slope), p
