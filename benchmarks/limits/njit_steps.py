"""Samplers on a standard normal law as loops that a Numba user writes, with a ``Generator`` and
with ``np.random``.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(error_model="numpy", fastmath={"contract"})
def sgld_generator(theta, step, steps, rng):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            theta[i] += scale * rng.standard_normal() - step * theta[i]


@njit(error_model="numpy", fastmath={"contract"})
def sgld_np_random(theta, step, steps):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            theta[i] += scale * np.random.standard_normal() - step * theta[i]


@njit(error_model="numpy", fastmath={"contract"})
def sghmc_generator(theta, r, friction, step, steps, rng):
    scale = np.sqrt(2 * friction * step)
    for _ in range(steps):
        for i in range(theta.size):
            r[i] += scale * rng.standard_normal() - step * (theta[i] + friction * r[i])
            theta[i] += step * r[i]


@njit(error_model="numpy", fastmath={"contract"})
def sghmc_np_random(theta, r, friction, step, steps):
    scale = np.sqrt(2 * friction * step)
    for _ in range(steps):
        for i in range(theta.size):
            r[i] += scale * np.random.standard_normal() - step * (theta[i] + friction * r[i])
            theta[i] += step * r[i]


@njit(error_model="numpy", fastmath={"contract"})
def sgnht_generator(theta, r, xi, friction, step, steps, rng):
    scale = np.sqrt(2 * friction * step)
    for _ in range(steps):
        xi[0] += step * (np.sum(r**2) / r.size - 1)
        x = xi[0]
        for i in range(theta.size):
            r[i] += scale * rng.standard_normal() - step * (theta[i] + x * r[i])
            theta[i] += step * r[i]


@njit(error_model="numpy", fastmath={"contract"})
def sgnht_np_random(theta, r, xi, friction, step, steps):
    scale = np.sqrt(2 * friction * step)
    for _ in range(steps):
        xi[0] += step * (np.sum(r**2) / r.size - 1)
        x = xi[0]
        for i in range(theta.size):
            r[i] += scale * np.random.standard_normal() - step * (theta[i] + x * r[i])
            theta[i] += step * r[i]


@njit(error_model="numpy", fastmath={"contract"})
def sgrld_generator(theta, step, steps, rng):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            v = 1 + theta[i] ** 2
            theta[i] += scale * np.sqrt(v) * rng.standard_normal() - step * theta[i] * (v - 2)


@njit(error_model="numpy", fastmath={"contract"})
def sgrld_quotient_generator(theta, step, steps, rng):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            q = 1 / (1 + theta[i] ** 2)
            theta[i] += scale * np.sqrt(q) * rng.standard_normal() - step * theta[i] * q * (
                1 + 2 * q
            )


@njit(error_model="numpy", fastmath={"contract"})
def sgrld_np_random(theta, step, steps):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            v = 1 + theta[i] ** 2
            theta[i] += scale * np.sqrt(v) * np.random.standard_normal() - step * theta[i] * (v - 2)


@njit(error_model="numpy", fastmath={"contract"})
def sgrld_quotient_np_random(theta, step, steps):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.size):
            q = 1 / (1 + theta[i] ** 2)
            theta[i] += scale * np.sqrt(q) * np.random.standard_normal() - step * theta[i] * q * (
                1 + 2 * q
            )


LOOPS = {
    ("sgld", True): sgld_generator, ("sgld", False): sgld_np_random,
    ("sghmc", True): sghmc_generator, ("sghmc", False): sghmc_np_random,
    ("sgnht", True): sgnht_generator, ("sgnht", False): sgnht_np_random,
    ("sgrld", True): sgrld_generator, ("sgrld", False): sgrld_np_random,
    ("sgrld_quotient", True): sgrld_quotient_generator,
    ("sgrld_quotient", False): sgrld_quotient_np_random,
}  # fmt: skip
