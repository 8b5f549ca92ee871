"""Exact tests of numbers that must be independent and standard normal: every null law here is exact
at every sample size.

A line is about a family of statistics. Its significance level holds for all of them together, by
the union bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import spatial, special, stats

from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome
from verify.statistics.numbers.arrays import Array

DEVIATE_UNIT = "normal deviates"
DISTANCE_UNIT = "largest distance of distribution functions"
MAX_DEVIATE = 38.0  # normal deviates: beyond it a probability is below the smallest float


def threshold_of(level: float, count: int) -> float:
    """Return the normal deviate that one of ``count`` statistics exceeds, on either side, with a
    probability of at most ``level``.
    """
    return float(-special.ndtri(level / (2 * count)))


def family_line(
    name: str,
    test: str,
    deviates: Array,
    level: float,
    places: Sequence[str],
    *,
    visible: float | None = None,
    effect: str = "",
    words: str = "",
) -> ComparisonLine:
    """Return the line of a family of standard normal statistics, which shows the largest.

    Args:
        name: what is compared.
        test: the name of the test.
        deviates: the statistics, an array of any shape.
        level: the significance level of the line.
        places: the names of the statistics, in the order of the array.
        visible, effect: see ``ComparisonLine``.
        words: words to show instead of the place of the largest statistic.
    """
    threshold = threshold_of(level, deviates.size)
    far = np.minimum(np.abs(np.nan_to_num(deviates, nan=MAX_DEVIATE)), MAX_DEVIATE).reshape(-1)
    worst = int(far.argmax())
    outcome = ComparisonOutcome.DIFFERS if far[worst] > threshold else ComparisonOutcome.AGREES
    where = words or (
        f"{places[worst]}: {_shown(deviates.reshape(-1)[worst])} deviates" if places else ""
    )
    return ComparisonLine(
        name,
        test,
        float(far[worst]),
        threshold,
        DEVIATE_UNIT,
        level,
        outcome,
        visible,
        effect,
        where,
    )


def _shown(deviate: float) -> str:
    return f"more than {MAX_DEVIATE:g}" if abs(deviate) >= MAX_DEVIATE else f"{deviate:.3g}"


def chi_squared_deviates(q: Array, df: Array | float) -> Array:
    """Return chi-squared numbers as the normal deviates of the same probability, accurate in both
    tails.
    """
    below, above = stats.chi2.logcdf(q, df), stats.chi2.logsf(q, df)
    return np.where(below < above, special.ndtri_exp(below), -special.ndtri_exp(above))


# The numbers of one step: the indices of the replicas that made it, an array (replicas, columns),
# and the names of the columns.
StepNumbers = tuple[Array, Array, list[str]]


def means(name: str, blocks: Sequence[StepNumbers], level: float, reach: float) -> ComparisonLine:
    """Test the mean of each column: ``sqrt(n)`` times it is standard normal, given the blocks
    before.
    """
    deviates = np.concatenate([np.sqrt(len(u)) * u.mean(axis=0) for _, u, _ in blocks])
    visible = (threshold_of(level, deviates.size) + reach) / np.sqrt(
        min(len(u) for _, u, _ in blocks)
    )
    return family_line(
        name,
        "normal",
        deviates,
        level,
        _columns_of(blocks),
        visible=visible,
        effect="a shift of sd times",
    )


def variances(
    name: str, blocks: Sequence[StepNumbers], level: float, power: float
) -> ComparisonLine:
    """Test the variance of each column: the sum of squares about its mean is chi-squared with n - 1
    degrees of freedom, given the blocks before.
    """
    q = np.concatenate([((u - u.mean(axis=0)) ** 2).sum(axis=0) for _, u, _ in blocks])
    df = np.concatenate([np.full(u.shape[1], len(u) - 1) for _, u, _ in blocks])
    visible = visible_scale(df.min(), level / q.size, power)
    words = [
        f"{place}: its standard deviation is {np.sqrt(s / n):.4g}"
        for place, s, n in zip(_columns_of(blocks), q, df, strict=True)
    ]
    return family_line(
        name,
        "chi-squared",
        chi_squared_deviates(q, df),
        level,
        words,
        visible=visible,
        effect="noise times",
    )


def _columns_of(blocks: Sequence[StepNumbers]) -> list[str]:
    return [name for _, _, names in blocks for name in names]


def visible_scale(df: float, level: float, power: float) -> float:
    """Return the factor of a standard deviation that a two-sided chi-squared test finds with this
    power.
    """
    upper = stats.chi2.isf(level / 2, df)
    return float(np.sqrt(upper / stats.chi2.isf(power, df)))


def whole_law(name: str, u: Array, level: float, power: float) -> ComparisonLine:
    """Test the largest distance between the empirical and the normal distribution function.

    It exceeds d with a probability of at most ``2 exp(-2 n d^2)`` (Massart 1990).
    """
    x = np.sort(u.reshape(-1))
    n, F = x.size, special.ndtr(x)
    distance = float(max((np.arange(1, n + 1) / n - F).max(), (F - np.arange(n) / n).max()))
    threshold = dkw_distance(n, level)
    outcome = ComparisonOutcome.DIFFERS if distance > threshold else ComparisonOutcome.AGREES
    return ComparisonLine(
        name,
        "DKW",
        distance,
        threshold,
        DISTANCE_UNIT,
        level,
        outcome,
        threshold + dkw_distance(n, 1 - power),
        "a distance of",
    )


def dkw_distance(n: int, level: float) -> float:
    """Return the distance that the empirical distribution function of n independent numbers exceeds
    with a probability of at most ``level``.
    """
    return float(np.sqrt(np.log(2 / level) / (2 * n)))


def deviates_of_absolute_values(u: Array) -> Array:
    """Return ``|u|`` as a standard normal number, which shows dependence that the sign of u
    hides.
    """
    x = np.abs(u) / np.sqrt(2)
    below, above = special.erf(x), special.erfc(x)
    return np.clip(
        np.where(below < 0.5, special.ndtri(below), -special.ndtri(above)),
        -MAX_DEVIATE,
        MAX_DEVIATE,
    )


def correlations(
    name: str, blocks: Sequence[StepNumbers], level: float, reach: float
) -> ComparisonLine:
    """Test all pairs of columns: the inner product of two columns, by the length of the earlier
    one, is standard normal given that one.

    The blocks are consecutive steps. A later step may lack replicas, which earlier steps alone
    decide.
    """
    found, places, rows = [], [], []
    for k, (here, u, names) in enumerate(blocks):
        i, j = np.triu_indices(u.shape[1], 1)
        found.append((u.T @ u)[i, j] / _length(u)[i])
        places += [f"{names[a]} and {names[b]}" for a, b in zip(i, j, strict=True)]
        rows.append(len(u))
        for before, v, others in blocks[:k]:
            past = v[np.isin(before, here)]
            found.append((past.T @ u / _length(past)[:, None]).reshape(-1))
            places += [f"{a} and {b}" for a in others for b in names]
    deviates = np.concatenate(found)
    visible = (threshold_of(level, max(deviates.size, 1)) + reach) / np.sqrt(min(rows))
    return family_line(
        name, "normal", deviates, level, places, visible=visible, effect="a correlation of"
    )


def _length(u: Array) -> Array:
    """Return the length of each column; NaN if it is zero, which no correct kernel gives."""
    length = np.linalg.norm(u, axis=0)
    return np.where(length == 0, np.nan, length)


def lags(n: int) -> list[int]:
    """Return the distances between replicas that are compared."""
    powers = [2**k for k in range(4, 64) if 2**k <= n // 2]
    return sorted({lag for lag in (*range(1, 17), *powers, n // 2) if 1 <= lag <= n // 2})


def between_replicas(name: str, u: Array, level: float, reach: float) -> ComparisonLine:
    """Test replicas at some distance, in disjoint pairs: the inner product, by the length of the
    first ones, is standard normal given these.
    """
    found, places, pairs = [], [], []
    for lag in lags(len(u)):
        first = np.array([i for i in range(len(u) - lag) if i // lag % 2 == 0])
        a, b = u[first], u[first + lag]
        found.append((a * b).sum() / _length(a.reshape(-1)))
        places.append(f"replicas n and n + {lag}")
        pairs.append(a.size)
    visible = (threshold_of(level, len(found)) + reach) / np.sqrt(min(pairs))
    return family_line(
        name, "normal", np.array(found), level, places, visible=visible, effect="a correlation of"
    )


MAX_COMPARED_COLUMNS = 3  # in which two vectors of noise are compared


def repetitions_line(name: str, blocks: Sequence[StepNumbers], level: float) -> ComparisonLine:
    """Test for repeated noise, by the smallest distance of two rows.

    It is below c with a probability of at most ``n^2/2 (c/sqrt(pi))^k`` (union bound). The number n
    counts also the replicas that a later step lacks, because earlier steps decide which these are.
    """
    k = min(MAX_COMPARED_COLUMNS, *(u.shape[1] for _, u, _ in blocks))
    x, times = np.unique(
        np.concatenate([u[:, :k] for _, u, _ in blocks]), axis=0, return_counts=True
    )
    # A single row is infinitely far from the next one.
    nearest = spatial.cKDTree(x).query(x, k=2, p=np.inf)[0][:, 1]
    # Equal rows were merged above: a tree of them would take the square of their number in time.
    nearest = np.where(times > 1, 0.0, nearest)
    n = len(blocks) * len(blocks[0][1])
    allowed = np.sqrt(np.pi) * (2 * level / n**2) ** (1 / k)
    least = float(nearest.min())
    with np.errstate(divide="ignore"):
        distance = float(min(allowed / least, 1e300)) if least > 0 else 1e300
    outcome = ComparisonOutcome.DIFFERS if distance > 1 else ComparisonOutcome.AGREES
    where = (
        f"{int(times[nearest < allowed].sum())} of {times.sum()} vectors of noise have a copy"
        if distance > 1
        else ""
    )
    return ComparisonLine(
        name, "union bound", distance, 1.0, "inverse distances", level, outcome, None, "", where
    )


def column_names(items: Sequence[str], length: int) -> Iterator[str]:
    """Yield the names of columns, one for each coordinate of each item."""
    for item in items:
        yield from ([item] if length == 1 else [f"{item}[{j + 1}]" for j in range(length)])
