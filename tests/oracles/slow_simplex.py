"""SCIR and SGRLD once more, in plain numpy as their papers print them, one chain, one step at a
time.
"""

import numpy as np


def scir_step(theta, counts, alpha, h, rng):
    """Algorithm 1 of Baker et al. (2018): a Cox-Ingersoll-Ross process with mean a for the
    time h.
    """
    a = alpha + counts
    c = 2 / (1 - np.exp(-h))  # (1 - e^-h) / 2 times a non-central chi-squared number
    return rng.noncentral_chisquare(2 * a, c * theta * np.exp(-h)) / c


def sgrld_step(theta, counts, alpha, h, rng):
    """Patterson & Teh (2013), equation (13), the expanded mean with the right drift."""
    drift = alpha + counts - theta - counts.sum() * theta / theta.sum()
    return np.abs(theta + h / 2 * drift + np.sqrt(h * theta) * rng.standard_normal(len(theta)))


def released_sgrld_step(theta, counts, alpha, h, rng):
    """The rule of the code published with Baker et al. (2018): its gradient is not divided by
    theta.
    """
    gradient = alpha - theta + counts - counts.sum() * theta / theta.sum()
    return np.abs(
        theta
        + h / 2 * (theta * gradient + 1)
        + np.sqrt(h * theta) * rng.standard_normal(len(theta))
    )


def draws(step, labels_by_kind, start, alpha, h, batch, seed, count=1000):
    """``count`` states after as many that are left out; a minibatch is drawn with replacement and
    scaled up.
    """
    rng = np.random.default_rng(seed)
    total = labels_by_kind.sum()
    theta, found = start, []
    for t in range(2 * count):
        counts = rng.multinomial(batch, labels_by_kind / total) * (total / batch)
        theta = step(theta, counts, alpha, h, rng)
        if t >= count:
            found.append(theta)
    return np.array(found)
