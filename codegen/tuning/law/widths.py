"""How narrow and how wide a law is in any direction, in units of the scales of a sampler."""

from __future__ import annotations

import math

import numpy as np

from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target

MAX_COORDINATES = 300  # of a covariance: draws of a pilot run show no narrow direction among more
ROUNDS = 20  # of the power iteration
REACH = 1e-2  # of a difference of slopes, in standard deviations


def widths(target: Target, pilot: Pilot, scales: np.ndarray | None) -> tuple[float, float]:
    """Return the smallest and the largest standard deviation of any direction.

    Args:
        target: the law.
        pilot: its pilot run.
        scales: the scales of the sampler; None where it has none.
    """
    scale = np.ones(pilot.sd.size) if scales is None else scales
    if pilot.sd.size > MAX_COORDINATES:
        return _narrowest(target, pilot, scale), _widest(pilot, scale)
    values = np.linalg.eigvalsh(pilot.covariance / np.outer(scale, scale))
    largest = float(values[-1])
    return math.sqrt(max(float(values[0]), 1e-12 * largest)), math.sqrt(largest)


def _narrowest(target: Target, pilot: Pilot, scale: np.ndarray) -> float:
    """Return one over the root of the largest curvature at the last draws, by power iteration."""
    random = np.random.default_rng(4)
    largest = 1.0 / float(np.max((pilot.sd / scale) ** 2))  # no direction is wider than all
    for point in pilot.last:
        v = random.standard_normal(scale.size)
        size = 0.0
        for _ in range(ROUNDS):
            v /= np.linalg.norm(v)
            move = REACH * np.min(pilot.sd / scale) * v / np.max(np.abs(v)) * scale
            length = np.linalg.norm(move / scale)
            with np.errstate(all="ignore"):
                v = scale * (target(point + move)[1] - target(point - move)[1]) / (2 * length)
            if not np.all(np.isfinite(v)) or not np.any(v):
                break
            size = float(np.linalg.norm(v))
        largest = max(largest, size)
    return 1.0 / math.sqrt(largest)


def _widest(pilot: Pilot, scale: np.ndarray) -> float:
    """Return the standard deviation of the widest direction: one half of the draws chooses it, the
    other one judges it, as the largest of many noisy numbers is too large.
    """
    _, draws, n = pilot.draws.shape
    away = (pilot.draws - pilot.mean) / scale
    first, second = (part.reshape(-1, n) for part in (away[:, : draws // 2], away[:, draws // 2 :]))
    weights = np.linalg.eigh(first @ first.T)[1][:, -1]
    direction = first.T @ weights
    direction /= np.linalg.norm(direction)
    along = float(np.std(second @ direction))
    return max(along, float(np.max(pilot.sd / scale)))
