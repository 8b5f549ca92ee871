"""Two samples that are of one law if a kernel is right: what it made, and independent exact draws
that no step was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special, stats

from recipe import RecipeError
from verify.statistics.null import normal
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome
from verify.statistics.null.levels import Levels
from verify.statistics.numbers.arrays import Array, State

ExactDraws = Callable[[np.random.Generator, int], Mapping[str, Any]]

CUT_PROBABILITIES = (
    0.005,
    0.02,
    0.1,
    0.25,
    0.5,
    0.75,
    0.9,
    0.98,
    0.995,
)  # where distribution functions are compared
Place = tuple[str, int]

EXACT_DRAWS_PER_REPLICA = 4  # exact draws for each replica
PILOT_DRAWS = 20_000  # further ones, which say where the cuts are
MAX_PAIRS = 40  # products of two coordinates, at most
MIN_REPLICAS = 2_000
UNKNOWN_EFFECT = "(not worked out)"  # from which effect on a line differs


@dataclass(frozen=True)
class InvariantLaw:
    """The law that is to be left invariant: ``draw(rng, n)`` returns n independent exact draws, a
    row each, by block.
    """

    draw: ExactDraws

    def rows(self, rng: np.random.Generator, n: int) -> State:
        """Exact draws, checked."""
        found = self.draw(rng, n)
        if not isinstance(found, Mapping) or not found:
            raise RecipeError(
                "target(rng, n) must return a dict with an array of n rows for every block"
            )
        state = {name: np.asarray(x, dtype=float) for name, x in found.items()}
        for name, x in state.items():
            if x.ndim != 2 or len(x) != n or not np.isfinite(x).all():
                raise RecipeError(
                    f"target(rng, {n}) returned {name} of shape {x.shape}; it must be ({n},"
                    " length), of finite numbers"
                )
        return state


@dataclass(frozen=True)
class Feature:
    """A number of each state, by which two laws are compared."""

    name: str
    of: Callable[[State], Array]
    scaled: bool  # whether it is a coordinate, of which a wrong scale is to be found


def features(pilot: State, extra: Mapping[str, Callable[[State], Any]]) -> Iterator[Feature]:
    """All coordinates, the length of each block, products of coordinates about their medians, and
    those that are asked for.

    Of more than ``MAX_PAIRS`` pairs of coordinates the first are taken, and of each block the sum
    of the products of neighbours.
    """
    middle = {name: np.median(x, axis=0) for name, x in pilot.items()}
    places = [(name, j) for name, x in pilot.items() for j in range(x.shape[1])]
    for place in places:
        yield Feature(_called(place, pilot), partial(_coordinate, place), True)
    for name in pilot:
        yield Feature(f"|{name}|^2", partial(_squared_length, name), False)
    mixed = list(_mixed(places))
    for name in (name for name, x in pilot.items() if x.shape[1] > 1 and len(mixed) > MAX_PAIRS):
        yield Feature(f"neighbours in {name}", partial(_neighbouring, name, middle), False)
    for one, other in mixed[:MAX_PAIRS]:
        yield Feature(
            f"{_called(one, pilot)} times {_called(other, pilot)}",
            partial(_product, one, other, middle),
            False,
        )
    for name, function in extra.items():
        yield Feature(name, partial(_given, name, function), False)


def _coordinate(place: Place, s: State) -> Array:
    return s[place[0]][:, place[1]]


def _squared_length(name: str, s: State) -> Array:
    return np.asarray((s[name] ** 2).sum(axis=1))


def _product(one: Place, other: Place, middle: State, s: State) -> Array:
    (a, i), (b, j) = one, other
    return np.asarray((s[a][:, i] - middle[a][i]) * (s[b][:, j] - middle[b][j]))


def _neighbouring(name: str, middle: State, s: State) -> Array:
    away = s[name] - middle[name]
    return np.asarray((away[:, 1:] * away[:, :-1]).sum(axis=1))


def _given(name: str, function: Callable[[State], Any], s: State) -> Array:
    x = np.asarray(function(s), dtype=float)
    if x.shape != (len(next(iter(s.values()))),):
        raise RecipeError(
            f"the feature {name} has the shape {x.shape}; it must be one number a replica"
        )
    return np.where(
        np.isnan(x), np.inf, x
    )  # nothing is compared with what is no number: it counts as beyond all numbers


def _mixed(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Pairs of coordinates, those of different blocks first: there correlations must be zero, and
    mistakes are seen.
    """
    pairs = list(combinations(places, 2))
    yield from (p for p in pairs if p[0][0] != p[1][0])
    yield from (p for p in pairs if p[0][0] == p[1][0])


def _called(place: Place, pilot: State) -> str:
    name, j = place
    return name if pilot[name].shape[1] == 1 else f"{name}[{j + 1}]"


@dataclass(frozen=True)
class Comparison:
    """What is fixed before the kernel is run."""

    law: InvariantLaw
    features: tuple[Feature, ...]
    cuts: Mapping[str, Array]
    needed: Mapping[str, float]  # replicas with which a wrong scale of a coordinate is found
    replicas: int
    level: float  # of each line
    asked: Levels


def prepare_comparison(
    law: InvariantLaw,
    extra: Mapping[str, Callable[[State], Any]],
    rng: np.random.Generator,
    asked: Levels,
    replicas: int | None,
) -> Comparison:
    """Choose the features, the cuts and the number of replicas."""
    pilot = law.rows(rng, PILOT_DRAWS)
    listed = tuple(features(pilot, extra))
    for f in listed[len(listed) - len(extra) :]:
        if not np.isfinite(f.of(pilot)).all():
            raise RecipeError(
                f"the feature {f.name} is not finite at some draws of the target: choose one"
                " that is"
            )
    if not any(np.ptp(f.of(pilot)) > 0 for f in listed):
        raise RecipeError(
            "all draws of the target are one point: there is nothing to compare; draw from a law"
            " that varies"
        )
    coordinates = sum(f.scaled for f in listed)
    each = asked.level / (2 * len(listed) + coordinates)
    cuts = {f.name: np.unique(np.quantile(f.of(pilot), CUT_PROBABILITIES)) for f in listed}
    reach = normal.threshold_of(each, len(CUT_PROBABILITIES)) + asked.reach
    spread = [
        f for f in listed if f.scaled and np.ptp(f.of(pilot)) > 0
    ]  # what is one number has no scale
    needed = {
        f.name: max(
            _needed(f.of(pilot), cuts[f.name], c, reach) for c in (asked.factor, 1 / asked.factor)
        )
        for f in spread
    }
    used = replicas or int(np.ceil(min(max([MIN_REPLICAS, *needed.values()]), asked.most)))
    return Comparison(law, listed, cuts, needed, used, each, asked)


def _needed(x: Array, cuts: Array, factor: float, reach: float) -> float:
    """The replicas with which a scale that is wrong by the factor is found, by the normal
    approximation of its binomial counts.
    """
    middle = np.median(x)
    right = (x[:, None] <= cuts).mean(axis=0)
    wrong = (middle + factor * (x[:, None] - middle) <= cuts).mean(axis=0)
    spread = np.sqrt(wrong * (1 - wrong) + right * (1 - right) / EXACT_DRAWS_PER_REPLICA)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = (reach * spread / np.abs(wrong - right)) ** 2
    return float(np.nan_to_num(n, nan=np.inf).min())  # 0/0: a cut that the scale does not move


def run(
    c: Comparison, made: Callable[[np.random.Generator, int], State], rng: np.random.Generator
) -> list[ComparisonLine]:
    """Compare what a kernel made of so many replicas with draws of the law."""
    state = made(rng, c.replicas)
    if (strange := not_finite_line(state)) is not None:
        return [strange]
    fresh = c.law.rows(rng, EXACT_DRAWS_PER_REPLICA * c.replicas)
    lines = []
    for f in c.features:
        x, y = f.of(state), f.of(fresh)
        lines += [_distribution(c, f, x, y), _counts(c, f, x, y)]
        if f.scaled:
            lines.append(_neighbours(c, f, x, y))
    return lines


def not_finite_line(state: State) -> ComparisonLine | None:
    """The line of a state that is no state: no law has such draws, however few they are."""
    bad = [name for name, x in state.items() if not np.isfinite(x).all()]
    said = f"{', '.join(bad)} is not finite"
    return (
        ComparisonLine(
            "finite numbers",
            "support",
            float(len(bad)),
            0.0,
            "blocks",
            0.0,
            ComparisonOutcome.DIFFERS,
            where=said,
        )
        if bad
        else None
    )


def _distribution(c: Comparison, f: Feature, x: Array, y: Array) -> ComparisonLine:
    """The distance of two empirical distribution functions: at most the sum of their distances to
    the law (Massart 1990, twice).
    """
    distance = float(stats.ks_2samp(x, y, method="asymp").statistic)
    threshold, more = (
        normal.dkw_distance(x.size, p / 2) + normal.dkw_distance(y.size, p / 2)
        for p in (c.level, 1 - c.asked.power)
    )
    outcome = ComparisonOutcome.DIFFERS if distance > threshold else ComparisonOutcome.AGREES
    return ComparisonLine(
        f"law of {f.name}",
        "DKW",
        distance,
        threshold,
        normal.DISTANCE_UNIT,
        c.level,
        outcome,
        threshold + more,
        "a distance of",
    )


def _counts(c: Comparison, f: Feature, x: Array, y: Array) -> ComparisonLine:
    """How many are below each cut, given how many of both samples are: hypergeometric."""
    deviates = _hypergeometric(x, y, c.cuts[f.name])
    places = [f"{f.name} below {cut:.4g}" for cut in c.cuts[f.name]]
    n = c.needed.get(f.name)
    visible = None if n is None else 1 + (c.asked.factor - 1) * float(np.sqrt(n / c.replicas))
    effect = UNKNOWN_EFFECT if n is None else "a scale times about"
    return normal.family_line(
        f"counts of {f.name}",
        "hypergeometric",
        deviates,
        c.level,
        places,
        visible=visible,
        effect=effect,
    )


def _hypergeometric(x: Array, y: Array, cuts: Array) -> Array:
    below = (x[:, None] <= cuts).sum(axis=0)
    both = below + (y[:, None] <= cuts).sum(axis=0)
    law = stats.hypergeom(x.size + y.size, both, x.size)
    fewer, more = law.cdf(below), law.sf(below - 1)
    # Both are 1 where no draw of either sample is below a cut: that is no distance at all.
    return np.where(
        fewer < more, special.ndtri(np.minimum(fewer, 0.5)), -special.ndtri(np.minimum(more, 0.5))
    )


def _neighbours(c: Comparison, f: Feature, x: Array, y: Array) -> ComparisonLine:
    """Sums over pairs of replicas: what they share makes these wider, or narrower."""
    pairs, others = (z[: z.size // 2 * 2].reshape(-1, 2).sum(axis=1) for z in (x, y))
    cuts = np.unique(np.quantile(others[: len(others) // 2], CUT_PROBABILITIES))
    deviates = _hypergeometric(pairs, others[len(others) // 2 :], cuts)
    places = [f"{f.name} of two neighbours below {cut:.4g}" for cut in cuts]
    return normal.family_line(
        f"replicas of {f.name}", "hypergeometric", deviates, c.level, places, effect=UNKNOWN_EFFECT
    )
