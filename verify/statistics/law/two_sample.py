"""Exact two-sample tests: states that a kernel made beside independent exact draws of the law that
they must have.
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

# Probabilities of the quantiles at which two distribution functions are compared.
CUT_PROBABILITIES = (0.005, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 0.995)
Place = tuple[str, int]

EXACT_DRAWS_PER_REPLICA = 4
PILOT_DRAWS = 20_000  # further exact draws, whose quantiles are the cuts
MAX_PAIRS = 40  # of coordinates whose product is compared
MIN_REPLICAS = 2_000
UNKNOWN_EFFECT = "(not worked out)"  # in place of the smallest effect that a line shows


@dataclass(frozen=True)
class InvariantLaw:
    """The law that a kernel must leave invariant.

    Attributes:
        draw: the function ``draw(rng, n)`` that returns n independent exact draws, by block, arrays
            (n, length).
    """

    draw: ExactDraws

    def rows(self, rng: np.random.Generator, n: int) -> State:
        """Return n exact draws by block, checked.

        Raises:
            RecipeError: if the function returns something else.
        """
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
    """A number of each state by which two laws are compared.

    Attributes:
        name: its name in a line.
        of: the function of a state, a dict of arrays (n, length), that returns n numbers.
        scaled: whether it is a coordinate, whose scale must not be wrong.
    """

    name: str
    of: Callable[[State], Array]
    scaled: bool


def features(pilot: State, extra: Mapping[str, Callable[[State], Any]]) -> Iterator[Feature]:
    """Yield the features by which laws are compared.

    They are all coordinates, the squared length of each block, products of two coordinates about
    their medians, and the features that the user adds. If there are more than ``MAX_PAIRS`` pairs
    of coordinates, the first ones are taken, and for each block the sum of the products of
    neighbours.

    Args:
        pilot: exact draws, which give the medians.
        extra: the features that the user adds, by name.
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
    return np.where(np.isnan(x), np.inf, x)  # NaN counts as larger than all numbers


def _mixed(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Yield pairs of coordinates, first those of different blocks, which are often independent:
    there errors show.
    """
    pairs = list(combinations(places, 2))
    yield from (p for p in pairs if p[0][0] != p[1][0])
    yield from (p for p in pairs if p[0][0] == p[1][0])


def _called(place: Place, pilot: State) -> str:
    name, j = place
    return name if pilot[name].shape[1] == 1 else f"{name}[{j + 1}]"


@dataclass(frozen=True)
class Comparison:
    """The design of a comparison, which is fixed before the kernel runs.

    Attributes:
        law: the law.
        features: the numbers that are compared.
        cuts: the quantiles at which distribution functions are compared, by feature.
        needed: the replicas with which a wrong scale is found, by the name of a coordinate.
        replicas: the number of replicas.
        level: the significance level of each line.
        levels: the significance level of all lines, the power and the factor.
    """

    law: InvariantLaw
    features: tuple[Feature, ...]
    cuts: Mapping[str, Array]
    needed: Mapping[str, float]
    replicas: int
    level: float
    levels: Levels


def prepare_comparison(
    law: InvariantLaw,
    extra: Mapping[str, Callable[[State], Any]],
    rng: np.random.Generator,
    levels: Levels,
    replicas: int | None,
) -> Comparison:
    """Choose the features, the cuts and the number of replicas.

    Args:
        law: the law.
        extra: further features, by name.
        rng: the source of the pilot draws.
        levels: level, power and factor.
        replicas: the number of replicas; None to choose it.

    Raises:
        RecipeError: if a feature is not finite, or all draws of the law are one point.
    """
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
    each = levels.level / (2 * len(listed) + coordinates)
    cuts = {f.name: np.unique(np.quantile(f.of(pilot), CUT_PROBABILITIES)) for f in listed}
    reach = normal.threshold_of(each, len(CUT_PROBABILITIES)) + levels.reach
    # A coordinate that is constant has no scale.
    spread = [f for f in listed if f.scaled and np.ptp(f.of(pilot)) > 0]
    needed = {
        f.name: max(
            _needed(f.of(pilot), cuts[f.name], c, reach) for c in (levels.factor, 1 / levels.factor)
        )
        for f in spread
    }
    used = replicas or int(np.ceil(min(max([MIN_REPLICAS, *needed.values()]), levels.most)))
    return Comparison(law, listed, cuts, needed, used, each, levels)


def _needed(x: Array, cuts: Array, factor: float, reach: float) -> float:
    """Return how many replicas find a scale that is wrong by the factor, by the normal
    approximation of binomial counts.
    """
    middle = np.median(x)
    right = (x[:, None] <= cuts).mean(axis=0)
    wrong = (middle + factor * (x[:, None] - middle) <= cuts).mean(axis=0)
    spread = np.sqrt(wrong * (1 - wrong) + right * (1 - right) / EXACT_DRAWS_PER_REPLICA)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = (reach * spread / np.abs(wrong - right)) ** 2
    # A cut that the scale does not move gives 0/0.
    return float(np.nan_to_num(n, nan=np.inf).min())


def run(
    c: Comparison, made: Callable[[np.random.Generator, int], State], rng: np.random.Generator
) -> list[ComparisonLine]:
    """Compare states that a kernel made with exact draws of the law.

    Args:
        c: the design of the comparison.
        made: the function ``made(rng, n)`` that returns n states that the kernel made.
        rng: the source of all random numbers.

    Returns:
        Two lines for each feature and a third for each coordinate; or one, if a state is not
        finite.
    """
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
    """Return a line that differs because a block is not finite; None if all are finite.

    No law has such draws, so one of them is enough.
    """
    bad = [name for name, x in state.items() if not np.isfinite(x).all()]
    where = f"{', '.join(bad)} is not finite"
    return (
        ComparisonLine(
            "finite numbers",
            "support",
            float(len(bad)),
            0.0,
            "blocks",
            0.0,
            ComparisonOutcome.DIFFERS,
            where=where,
        )
        if bad
        else None
    )


def _distribution(c: Comparison, f: Feature, x: Array, y: Array) -> ComparisonLine:
    """Compare two empirical distribution functions by their largest distance.

    It is at most the sum of their distances to the law, each bounded by Massart (1990).
    """
    distance = float(stats.ks_2samp(x, y, method="asymp").statistic)
    threshold, more = (
        normal.dkw_distance(x.size, p / 2) + normal.dkw_distance(y.size, p / 2)
        for p in (c.level, 1 - c.levels.power)
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
    """Compare how many states are below each cut, given how many of both samples are:
    hypergeometric.
    """
    deviates = _hypergeometric(x, y, c.cuts[f.name])
    places = [f"{f.name} below {cut:.4g}" for cut in c.cuts[f.name]]
    n = c.needed.get(f.name)
    visible = None if n is None else 1 + (c.levels.factor - 1) * float(np.sqrt(n / c.replicas))
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
    # Both are 1 where no draw of either sample is below a cut: then there is no difference.
    return np.where(
        fewer < more, special.ndtri(np.minimum(fewer, 0.5)), -special.ndtri(np.minimum(more, 0.5))
    )


def _neighbours(c: Comparison, f: Feature, x: Array, y: Array) -> ComparisonLine:
    """Compare sums over pairs of replicas: replicas that share random numbers have wider or
    narrower sums.
    """
    pairs, others = (z[: z.size // 2 * 2].reshape(-1, 2).sum(axis=1) for z in (x, y))
    cuts = np.unique(np.quantile(others[: len(others) // 2], CUT_PROBABILITIES))
    deviates = _hypergeometric(pairs, others[len(others) // 2 :], cuts)
    places = [f"{f.name} of two neighbours below {cut:.4g}" for cut in cuts]
    return normal.family_line(
        f"replicas of {f.name}", "hypergeometric", deviates, c.level, places, effect=UNKNOWN_EFFECT
    )
