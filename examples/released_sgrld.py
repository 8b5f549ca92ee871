"""SGRLD in the code that was published with Baker, Fearnhead, Fox & Nemeth (2018): it does not
leave the posterior stationary.

    recipe verify examples/released_sgrld.py

``synthetic/samplers/rsgld.py`` of github.com/jackcbaker/SCIR moves by ``theta g + 1``, where it
calls ``g = alpha - theta + n - N theta / sum(theta)`` the gradient of the log posterior. That
gradient is ``(g - 1) / theta``, so that the drift of Patterson & Teh (2013) is g. In terms of the
posterior, g is ``1 - theta dV``.
"""

import numpy as np
from sympy import Symbol, oo, sqrt

from catalog.sgrld import V, x
from recipe import Fold, Noise, Update, grad

h = Symbol("h", positive=True)
w = Noise("w", like=x)
g = 1 - x * grad(V, x)

released_sgrld = Update(
    step=h,
    target=V,
    rule={x: Fold(x + h * (x * g + 1) / 2 + sqrt(h * x) * w, 0, oo)},
    source="github.com/jackcbaker/SCIR, synthetic/samplers/rsgld.py",
    expect="refuted",
)


def released_chains(
    counts: np.ndarray,
    starts: np.ndarray,
    alpha: float,
    step: float,
    batch: int,
    seed: int,
    warmup: int,
    draws: int,
) -> np.ndarray:
    """What it draws with minibatches, a chain a start, in plain numpy: only recipes are sampled
    with data by the library.
    """
    rng, N, theta = np.random.default_rng(seed), counts.sum(), starts
    found = np.empty((draws, *starts.shape))
    for t in range(-warmup, draws):
        n = rng.multinomial(batch, counts / N, size=len(starts)) * (N / batch)
        gradient = alpha - theta + n - N * theta / theta.sum(axis=1, keepdims=True)
        theta = np.abs(
            theta
            + step / 2 * (theta * gradient + 1)
            + np.sqrt(step * theta) * rng.standard_normal(theta.shape)
        )
        if t >= 0:
            found[t] = theta
    return found.swapaxes(0, 1)
