"""Scales near 0 where a chain of a pilot run sits: the spike of a hierarchy, whose density has no
bound there and hardly any mass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.tuning.law.target import Target

SPIKE = -6.0  # the logarithm of a scale that may be one


@dataclass(frozen=True)
class Spike:
    """A scale near 0, where a chain of the pilot sits.

    Attributes:
        scale: the name of the scale.
        chain: the number of the chain.
        value: the geometric mean of its values.
    """

    scale: str
    chain: int
    value: float

    @property
    def sentence(self) -> str:
        """What it means, with what to do."""
        name = self.scale
        return (
            f"chain {self.chain} of the pilot run went to {name} -> 0 ({self.value:.1g}) and did"
            " not come back: the density rises there without bound, as that of a centred"
            f" hierarchy, or has no finite integral; write the part with {name} in its non-centred"
            f" form (eta ~ N(0, 1) and mu + {name}*eta), bound {name} away from 0 by its prior, or"
            " start all chains elsewhere (initial=)"
        )


def spike_of(target: Target, draws: np.ndarray) -> Spike | None:
    """Return where a chain sits at a scale near 0, None where none does.

    Args:
        target: the law.
        draws: draws of points, shape (chains, draws, n).
    """
    means = draws.mean(axis=1)
    scales = np.flatnonzero(target.are_scales)
    if not scales.size:
        return None
    chain, k = np.unravel_index(int(np.argmin(means[:, scales])), (len(means), scales.size))
    at = float(means[chain, scales[k]])
    if not at < SPIKE:
        return None
    return Spike(target.labels[scales[k]], int(chain), float(np.exp(max(at, -700.0))))
