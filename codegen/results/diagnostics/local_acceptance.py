"""Where Metropolis tests reject much more often than elsewhere.

A step that is too large in a narrow place, such as the neck of a funnel, is rejected there and on
the way into it. A chain then comes there too seldom and stays too long, or never reaches it, while
R-hat and effective sizes look well. Its mark is an acceptance rate that falls towards one end of a
coordinate. Tests of a chain in equilibrium that is reversible accept as often from a place as into
it, so that the states after a step say how often tests accept at a place.

The division of the draws into those at an end and the others is by ranks, which no monotone change
of a coordinate alters: it is the same of a scale and of its logarithm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from codegen.results.diagnostics.across_coordinates import rejecting_direction

SHARES = (0.01, 0.05)  # of the draws, that are an end of a coordinate
LESS = 0.5  # of the mean acceptance rate: from there on an end is another place
SIGMAS = 5.0  # of the number of accepted tests at an end, that the difference is no chance
LEAST_ACCEPTANCE = 0.15  # of all tests: below it the step is too large everywhere
MAX_NUMBERS = 20_000_000  # that are looked at
LEAST_DRAWS = 4000  # of all chains, that are looked at, however many coordinates there are
NON_CENTRED = (
    ", or write the scale of a hierarchy in its non-centred form (eta ~ N(0, 1) and mu + tau*eta)"
)


@dataclass(frozen=True)
class NarrowPlace:
    """An end of a coordinate, or of a direction across some, at which tests reject.

    Attributes:
        coordinate: the name of the coordinate, or a sum of some with weights.
        lowest: whether it is the end of the smallest values; otherwise of the largest.
        share: the share of the draws that lie there.
        bound: the value from which on they lie there.
        acceptance: the acceptance rate there.
        elsewhere: that of all draws.
        hierarchy: whether the coordinate may be of the scale of a hierarchy.
    """

    coordinate: str
    lowest: bool
    share: float
    bound: float
    acceptance: float
    elsewhere: float
    hierarchy: bool = True

    def __str__(self) -> str:
        centred = NON_CENTRED if self.hierarchy else ""
        return (
            f"Metropolis tests accept {_percent(self.elsewhere)} of the proposals, but"
            f" {_percent(self.acceptance)} of those {self.where}: the step size is too large in"
            " that narrow place, so the chains miss what lies beyond or stay there too long, and"
            f" more steps do not help; take a smaller step and compare{centred}"
        )

    @property
    def where(self) -> str:
        """The place in words, such as ``in the lowest 1% of r (below 0.11)``."""
        end, beyond = ("lowest", "below") if self.lowest else ("highest", "above")
        return f"in the {end} {self.share:.0%} of {self.coordinate} ({beyond} {self.bound:.2g})"


def narrow_place(values: Mapping[str, np.ndarray], acceptance: np.ndarray) -> NarrowPlace | None:
    """Return the end of a coordinate at which tests reject most; where there is none, that of a
    direction across coordinates, and None where there is none either.

    Args:
        values: draws by block, shape (chains, draws) or (chains, draws, coordinates).
        acceptance: the share of tests that accepted in the step of each draw, (chains, draws).
    """
    flat = {name: v.reshape(acceptance.size, -1) for name, v in values.items()}
    every = _every(acceptance.size, sum(v.shape[1] for v in flat.values()))
    rates = acceptance.reshape(-1)[::every]
    finite = np.isfinite(rates)
    rates = rates[finite]
    if not rates.size or not rates.mean() >= LEAST_ACCEPTANCE:
        return None
    found = [
        place
        for name, v in flat.items()
        for k in range(v.shape[1])
        for place in _ends(_name(name, k, values[name]), v[::every, k][finite], rates)
    ]
    if not found:
        x = np.hstack([v[::every][finite] for v in flat.values()])
        names = [_name(n, k, values[n]) for n, v in flat.items() for k in range(v.shape[1])]
        found = _across(names, x, rates)
    return min(found, key=lambda place: place.acceptance, default=None)


def _across(names: Sequence[str], x: np.ndarray, rates: np.ndarray) -> list[NarrowPlace]:
    """Return the ends of a direction at which tests reject: either half of the draws judges the
    direction that the other half shows.
    """
    found = []
    half = len(x) // 2
    for shows, judges in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
        direction = rejecting_direction(names, x[shows], rates[shows])
        if direction is not None:
            name, weights = direction
            found += _ends(name, x[judges] @ weights, rates[judges])
    return found


def _every(draws: int, coordinates: int) -> int:
    """Return how many draws one stands for."""
    wanted = max(LEAST_DRAWS, MAX_NUMBERS // max(1, coordinates))
    return max(1, draws // wanted)


def _name(block: str, k: int, values: np.ndarray) -> str:
    return block if values.ndim == 2 else f"{block}[{k}]"


def _ends(name: str, x: np.ndarray, rates: np.ndarray) -> list[NarrowPlace]:
    """Return the ends of one coordinate at which tests reject."""
    found = []
    mean = float(rates.mean())
    counts = [max(1, int(share * x.size)) for share in SHARES]
    if counts[0] * 2 >= x.size:
        return []
    cuts = np.partition(x, [*counts, *(x.size - 1 - n for n in counts)])
    for share, n in zip(SHARES, counts, strict=True):
        for lowest, bound in ((True, cuts[n]), (False, cuts[x.size - 1 - n])):
            there = rates[x < bound if lowest else x > bound]
            expected = mean * there.size
            if there.sum() < LESS * expected and expected - there.sum() > SIGMAS * np.sqrt(
                expected
            ):
                rate = float(there.mean())
                found.append(NarrowPlace(name, lowest, share, float(bound), rate, mean))
    return found


def _percent(rate: float) -> str:
    return f"{rate:.0%}" if rate >= 0.01 or rate == 0 else f"{100 * rate:.1g}%"
