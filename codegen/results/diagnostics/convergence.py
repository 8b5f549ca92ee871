"""Estimates of how far chains agree, and of how many independent draws they are worth, for many
coordinates at once.

The estimates are those of Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-normalization,
folding, and localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16
(2021), with the initial monotone sequence of Geyer, Practical Markov chain Monte Carlo, Statistical
Science 7 (1992). Chains are cut in halves first; of an odd number of draws the middle one is left
out. ``docs/decisions/0021`` says why this is our own code.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from statistics import NormalDist

import numpy as np

MIN_DRAWS = 4  # a chain: each half of it needs two draws for a variance
BLOCK_DRAWS = 2**16  # that are judged at once, of all chains and some coordinates
TAILS_IN_TWENTIETHS = (1, 19)  # the quantiles 0.05 and 0.95, whose places are then exact
BLOM = 3 / 8  # rank r of S becomes the probability (r - BLOM) / (S - 2 BLOM + 1)


@dataclass(frozen=True)
class Estimates:
    """Estimates for each coordinate, arrays of the shape (coordinates,).

    Everything is NaN for a coordinate with a draw that is not finite, and everything but the mean
    with fewer than four draws a chain. Quantiles interpolate linearly between draws.

    Attributes:
        mean: the mean of all draws.
        sd: their standard deviation.
        q5: their quantile of 5 %.
        median: their median.
        q95: their quantile of 95 %.
        mcse_mean: the Monte Carlo standard error of the mean.
        mcse_sd: the Monte Carlo standard error of the standard deviation.
        ess_bulk: the effective sample size of the normal scores of the ranks.
        ess_tail: the smaller effective sample size of the indicators of the quantiles 0.05 and
            0.95. An effective sample size of a constant is the number of draws.
        r_hat: the larger of the R-hats of the normal scores of the draws and of the folded draws;
            NaN for one chain and for a constant, infinite where each chain is constant and they
            differ.
    """

    mean: np.ndarray
    sd: np.ndarray
    q5: np.ndarray
    median: np.ndarray
    q95: np.ndarray
    mcse_mean: np.ndarray
    mcse_sd: np.ndarray
    ess_bulk: np.ndarray
    ess_tail: np.ndarray
    r_hat: np.ndarray


def convergence(values: np.ndarray) -> Estimates:
    """Return the estimates for each coordinate.

    Args:
        values: the draws, shape (chains, draws, coordinates).
    """
    chains, draws, coordinates = values.shape
    found = np.full((len(fields(Estimates)), coordinates), np.nan)
    scores = _NormalScores(2 * chains * (draws // 2)) if draws >= MIN_DRAWS else None
    width = max(1, BLOCK_DRAWS // max(1, chains * draws))
    with np.errstate(all="ignore"):
        for first in range(0, coordinates, width):
            block = values[:, :, first : first + width].transpose(2, 0, 1)
            x = np.ascontiguousarray(block, dtype=np.float64)
            finite = np.isfinite(x).all(axis=(1, 2))
            if scores is not None:
                found[:, first : first + width] = np.where(finite, _judged(x, scores), np.nan)
            elif draws:
                found[0, first : first + width] = np.where(finite, x.mean(axis=(1, 2)), np.nan)
    return Estimates(*found)


def ess_of_mean(values: np.ndarray) -> np.ndarray:
    """Return the effective sample size for the mean of each coordinate, shape (coordinates,); NaN
    with fewer than four draws a chain, where a draw is not finite, or where no chain ever moved: a
    number that stays says nothing about a law.

    Args:
        values: the draws, shape (chains, draws, coordinates).
    """
    if values.shape[1] < MIN_DRAWS:
        return np.full(values.shape[2], np.nan)
    x = np.ascontiguousarray(values.transpose(2, 0, 1), dtype=np.float64)
    with np.errstate(all="ignore"):
        sizes = _Halves.of(x).ess()
    moved = (x != x[:, :, :1]).any(axis=(1, 2))
    return np.where(np.isfinite(x).all(axis=(1, 2)) & moved, sizes, np.nan)


def _judged(x: np.ndarray, scores: _NormalScores) -> np.ndarray:
    """Return the estimates as rows, in the order of the fields of ``Estimates``.

    Args:
        x: draws, shape (coordinates, chains, draws).
        scores: the normal scores of as many ranks as the halves have draws.
    """
    number = x[0].size
    ordered = np.sort(x.reshape(len(x), -1), axis=1)
    median = (ordered[:, (number - 1) // 2] + ordered[:, number // 2]) / 2
    tails = [_quantile(ordered, place) for place in TAILS_IN_TWENTIETHS]
    del ordered
    tail = [_Halves.of((x <= q[:, None, None]).astype(np.float64)).ess() for q in tails]
    bulk = _Halves.of(x, scores)
    ess_bulk, r_hat = bulk.ess(), np.full(len(x), np.nan)
    if x.shape[1] > 1:
        folded = _Halves.of(np.abs(x - median[:, None, None]), scores)
        r_hat = np.fmax(bulk.r_hat(), folded.r_hat())  # folded draws may be constant alone
        del folded
    del bulk
    mean = x.mean(axis=(1, 2))
    centred = x - mean[:, None, None]
    squares = centred**2
    variance = squares.mean(axis=(1, 2))
    sd = np.sqrt(variance * number / (number - 1))
    mcse_mean = sd / np.sqrt(_Halves.of(centred).ess())
    del centred
    spread = np.einsum("kcn,kcn->k", squares, squares) / number - variance**2
    # The delta method: sd is the root of the mean of the squares.
    variance_of_sd = np.maximum(spread, 0) / _Halves.of(squares).ess() / (4 * variance)
    mcse_sd = np.sqrt(variance_of_sd)
    quantiles = (tails[0], median, tails[1])
    sizes = (ess_bulk, np.minimum(*tail))
    return np.stack([mean, sd, *quantiles, mcse_mean, mcse_sd, *sizes, r_hat])


def _quantile(ordered: np.ndarray, twentieths: int) -> np.ndarray:
    """Return the quantile of sorted rows by linear interpolation; equal neighbours give exactly
    their value.
    """
    place, rest = divmod(twentieths * (ordered.shape[1] - 1), 20)
    low, high = ordered[:, place], ordered[:, min(place + 1, ordered.shape[1] - 1)]
    return low + rest / 20 * (high - low)


class _NormalScores:
    """The normal scores of the ranks of so many numbers; numbers that are equal share the mean of
    their ranks.

    The quantile function is that of the standard library, which is algorithm AS 241 of Wichura,
    Applied Statistics 37 (1988).
    """

    def __init__(self, size: int) -> None:
        self._size = size
        # The scores of the ranks 1, 3/2, 2, ..., size, which lie symmetrically around 0.
        shares = (np.arange(2, size + 2) / 2 - BLOM) / (size - 2 * BLOM + 1)
        lower = np.fromiter(map(NormalDist().inv_cdf, shares.data), np.float64, size)
        self._of_half_ranks = np.concatenate((lower, -lower[-2::-1]))

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        """Return the scores of each row of ``numbers``, shape (rows, size)."""
        order = np.argsort(numbers, axis=1)
        order += np.arange(len(numbers))[:, None] * self._size  # places in the flat array
        ordered = numbers.reshape(-1)[order]
        fresh = np.ones(ordered.shape, dtype=bool)  # whether a number differs from the one before
        np.not_equal(ordered[:, 1:], ordered[:, :-1], out=fresh[:, 1:])
        scores = np.empty(numbers.size)
        if fresh.all():
            scores[order] = self._of_half_ranks[::2]
        else:
            scores[order.reshape(-1)] = self._tied(fresh.reshape(-1))
        return scores.reshape(numbers.shape)

    def _tied(self, fresh: np.ndarray) -> np.ndarray:
        """Return the scores of sorted rows, one behind the other, in which numbers are equal."""
        first = np.flatnonzero(fresh)
        counts = np.diff(first, append=len(fresh))
        # From rank r on, n equal numbers share the rank r + (n - 1) / 2.
        return np.repeat(self._of_half_ranks[2 * (first % self._size) + counts - 1], counts)


@dataclass(frozen=True)
class _Halves:
    """The halves of chains: the mean of each, and the draws less this mean.

    Attributes:
        means: shape (coordinates, halves).
        centred: shape (coordinates, halves, draws of a half).
    """

    means: np.ndarray
    centred: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, scores: _NormalScores | None = None) -> _Halves:
        """Cut chains in halves, and take normal scores where these are given.

        Args:
            x: draws, shape (coordinates, chains, draws).
            scores: the normal scores, or None for the draws themselves.
        """
        half = x.shape[2] // 2
        halves = np.concatenate((x[:, :, :half], x[:, :, -half:]), axis=1)
        if scores is not None:
            halves = scores(halves.reshape(len(x), -1)).reshape(halves.shape)
        first = halves[:, :, 0].copy()
        halves -= first[:, :, None]  # then a half that is constant is exactly zero
        shift = halves.mean(axis=2)
        halves -= shift[:, :, None]
        return cls(first + shift, halves)

    def within(self) -> np.ndarray:
        """Return the mean of the variances within the halves, shape (coordinates,)."""
        _, halves, draws = self.centred.shape
        return np.einsum("kcn,kcn->k", self.centred, self.centred) / (halves * (draws - 1))

    def r_hat(self) -> np.ndarray:
        """Return the potential scale reduction, shape (coordinates,)."""
        draws = self.centred.shape[2]
        between = draws * self.means.var(axis=1, ddof=1)
        return np.sqrt((between / self.within() + draws - 1) / draws)

    def ess(self) -> np.ndarray:
        """Return the effective sample size of the mean, shape (coordinates,)."""
        _, halves, draws = self.centred.shape
        within, apart = self.within(), self.means.var(axis=1, ddof=1)
        variance = within * (draws - 1) / draws + apart
        rho = 1 - (within[:, None] - self._autocovariance()) / variance[:, None]
        rho[:, 0] = 1
        size = halves * draws
        # A sequence that alternates may be worth more than as many independent draws.
        time = np.maximum(_autocorrelation_time(rho), 1 / np.log10(size))
        return np.where((within == 0) & (apart == 0), size, size / time)

    def _autocovariance(self) -> np.ndarray:
        """Return the autocovariance at each lag, the mean over the halves, shape (coordinates,
        draws of a half).
        """
        draws = self.centred.shape[2]
        length = _fast_length(2 * draws)  # zeros behind the draws keep the lags apart
        spectrum = np.fft.rfft(self.centred, length, axis=2)
        power = sum(np.einsum("kcf,kcf->kf", part, part) for part in (spectrum.real, spectrum.imag))
        lags = np.fft.irfft(power, length, axis=1)[:, :draws]
        return lags / (draws * self.centred.shape[1])


def _autocorrelation_time(rho: np.ndarray) -> np.ndarray:
    """Return the integrated autocorrelation time by Geyer's initial monotone sequence.

    The sums of an even and the next odd lag are positive and decrease for a reversible chain; the
    first sum that is not positive ends the sequence, and a larger one is lowered to the one before.

    Args:
        rho: autocorrelations, shape (coordinates, lags).
    """
    lags, rows = rho.shape[1], np.arange(len(rho))
    last = max((lags - 3) // 2, 0)  # the last sum that is looked at; beyond it lags are mere noise
    sums = rho[:, : 2 * last + 2 : 2] + rho[:, 1 : 2 * last + 2 : 2]
    ended = sums <= 0
    end = np.where(ended.any(axis=1), ended.argmax(axis=1), last)
    lowered = np.cumsum(np.minimum.accumulate(sums, axis=1), axis=1)
    before = np.where(end > 0, lowered[rows, end - 1], 0.0)
    even = rho[rows, 2 * end]
    return -1 + 2 * before + np.where((even > 0) | (sums[rows, end] >= 0), even, 0.0)


def _fast_length(least: int) -> int:
    """Return the smallest number from ``least`` on with no prime factor above 5, for which the fast
    Fourier transform is fast.
    """
    best, fives = 2 ** (least - 1).bit_length(), 1
    while fives < best:
        threes = fives
        while threes < best:
            twos = threes << max(0, (-(-least // threes) - 1).bit_length())
            best = min(best, twos)
            threes *= 3
        fives *= 5
    return best
