r"""Nonnegative matrix factorisation of ratings, by change of random variables and by mirroring.

    X_ij ~ Poisson((W H)_ij)  or  N((W H)_ij, 1),  for the pairs i, j that are observed
    W_ir, H_rj ~ Exponential(1),  both positive

Section 7.1 of Yokoi, Otsuka & Sato (2020), Weak approximation of transformed stochastic gradient
MCMC, Machine Learning; the model is Cemgil's (2009). What is reported is the root mean square error
of ratings that were held out, under the mean of W H over the states so far.

    python examples/models/nonnegative_factors.py --quick
    python examples/models/nonnegative_factors.py --data FOLDER --checkpoint RUNS --page docs/models
    python examples/models/nonnegative_factors.py --data FOLDER --tune 12

The first takes seconds, draws its data, and reads nothing. The second makes the page
docs/models/nonnegative_factors.md from MovieLens-100k (examples/ratings_data.py says where it is
looked for) in about eight minutes on one free core; run again, it goes on where it was stopped. The
third looks for step sizes as the paper does, by the tree-structured Parzen estimator of optuna (pip
install optuna), for the least error of the ratings to validate. ``recipe verify`` with this file
says what is proved of the samplers for every smooth likelihood.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, TextIO

import numpy as np
from numba import njit
from sympy import Interval, Matrix, oo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from experiment_command import BadDataError, DivergedError, StoppedError, ended, options_of
from nonnegative_factors_page import Curve, Time, curves_table, write
from ratings_data import Part, Ratings, drawn, load
from step_size_search import best_step

from catalog.corv_sgld import corv_sgld
from catalog.sgrld import sgrld_reciprocal
from codegen import BiasWarning, Draws, sample
from codegen.sample import Caller
from recipe import Data, Posterior, Potential, Recipe, Vector, corv, maps, mirror

theta = Vector("theta", domain=Interval.open(0, oo))
langevin = Recipe((theta,), Potential("U", theta), Matrix([[1]]), Matrix([[0]]))
mirror_sgld = mirror(langevin, theta)
mirror_sgrld = mirror(sgrld_reciprocal, sgrld_reciprocal.state[0])  # D = theta
corv_exp = corv(langevin, theta, maps.exp)
SAMPLERS = {
    "SGLD, mirrored": mirror_sgld,
    "SGRLD, mirrored": mirror_sgrld,
    "CoRV, exp": corv_exp,
    "CoRV, softplus": corv_sgld,
    # gamma + phi + E1(exp(phi)), a candidate for the paper's ICLL, which it does not define
    "CoRV, ICLL candidate": corv(langevin, theta, maps.integrated_log_log),
}
FOUR = tuple(SAMPLERS)[:4]
W, H = (Vector(name, domain=Interval.open(0, oo)) for name in ("W", "H"))
KEPT = 100  # states of a run, at equal distances
SEEDS = 2
RANGE = (0.3, 3e3)  # of step sizes times the number of ratings to fit


def posterior(ratings: Ratings, likelihood: str, rank: int) -> Posterior:
    """The law of W, a row a user, and of H, a row an item, both written row by row.

    Args:
        ratings: those to fit are the data.
        likelihood: "poisson" or "normal".
        rank: the number of columns of both.

    Raises:
        BadDataError: where counts are needed and a rating is no whole number.
    """
    part = ratings.fitted
    if likelihood == "poisson" and part.rating.dtype.kind == "f":
        raise BadDataError("a rating is no whole number: a Poisson law needs counts")
    user, item, rating = Data("user"), Data("item"), Data("rating")
    return Posterior(
        (W, H),
        log_likelihood=None,  # the gradient is that of the prior as well
        data={user: part.user, item: part.item, rating: part.rating},
        gradient=gradient_of(likelihood == "poisson", rank),
    )


def gradient_of(poisson: bool, rank: int) -> Callable[..., None]:
    """Minus the gradient of the log density, estimated from some rows, for Numba."""

    # As numpy divides: where a mean rounds to 0 the gradient is infinite, and the chain stops.
    @njit(error_model="numpy")
    def gradient(W, H, rows, user, item, rating, g_W, g_H):  # type: ignore[no-untyped-def]
        g_W[:], g_H[:] = 1, 1  # the exponential prior, of rate 1
        scale = rating.size / rows.size
        for row in rows:
            i, j, mean = user[row] * rank, item[row] * rank, 0.0
            for r in range(rank):
                mean += W[i + r] * H[j + r]
            slope = scale * (1 - rating[row] / mean if poisson else mean - rating[row])
            for r in range(rank):
                g_W[i + r] += slope * H[j + r]
                g_H[j + r] += slope * W[i + r]

    return gradient  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Setting:
    """Of runs; step sizes are times the number of ratings to fit."""

    likelihood: str
    rank: int
    batch: int
    steps: int
    sizes: Mapping[str, float]

    @property
    def name(self) -> str:
        """As the page calls it."""
        of = f"{self.likelihood}, R = {self.rank}"
        return f"{of}, {self.batch:,} ratings a step, {self.steps:,} steps"


# Found by --tune 100, times the 75,000 ratings to fit, to four digits. Runs with what was found for
# exp in NORMAL and POISSON_LARGE, and for SGLD and SGRLD in NORMAL_LARGE, did not last: these four
# are by --tune 12. The candidate has no step yet, and is in the quick form alone.
# docs/models/nonnegative_factors.md says more.
POISSON = dict(zip(FOUR, (2.163, 3.065, 3.729, 8.343), strict=True))
NORMAL = dict(zip(FOUR, (14.34, 2.556, 7.23, 9.711), strict=True))
POISSON_50 = dict(zip(FOUR, (0.4494, 0.6695, 0.7197, 1.409), strict=True))
POISSON_LARGE = dict(zip(FOUR, (2.335, 3.323, 363.0, 8.913), strict=True))
NORMAL_LARGE = dict(zip(FOUR, (58.0, 87.1, 328.7, 763.7), strict=True))
SETTINGS = {
    "poisson-20": Setting("poisson", 20, 100, 10_000, POISSON),
    "normal-20": Setting("normal", 20, 100, 10_000, NORMAL),
    "poisson-50": Setting("poisson", 50, 100, 20_000, POISSON_50),
    "poisson-20-large": Setting("poisson", 20, 7500, 10_000, POISSON_LARGE),
    "normal-20-large": Setting("normal", 20, 7500, 10_000, NORMAL_LARGE),
}
QUICK = {
    law: Setting(law, 3, 180, 1_000, dict.fromkeys(SAMPLERS, size))
    for law, size in (("poisson", 5.0), ("normal", 1.0))
}


def start(ratings: Ratings, rank: int, seed: int) -> dict[Any, np.ndarray]:
    """Entries so that W H is near the mean rating."""
    rng = np.random.default_rng(seed)
    scale = (ratings.fitted.rating.mean() / rank) ** 0.5
    sizes = {W: ratings.users * rank, H: ratings.items * rank}
    return {block: scale * rng.uniform(0.5, 1.5, size) for block, size in sizes.items()}


def sampled(
    ratings: Ratings, target: Posterior, setting: Setting, sampler: str, size: float, seed: int,
    steps: int, **options: Any,
) -> Draws:  # fmt: skip
    """One chain, of which ``KEPT`` states are kept; ``size`` is the step size."""
    first = start(ratings, setting.rank, seed)
    with warnings.catch_warnings():
        # Nobody predicts the bias of so many entries, which may change places: the test set judges.
        warnings.simplefilter("ignore", BiasWarning)
        return sample(
            SAMPLERS[sampler], target, scheme="euler", step_size=size, steps=steps,
            thin=max(1, steps // KEPT), warmup=0, chains=1, seed=seed, initial=first,
            batch_size=setting.batch, lengths={b: a.size for b, a in first.items()}, **options,
        )  # fmt: skip


def errors(draws: Draws, rank: int, part: Part) -> list[float]:
    """The root mean square error under the mean of W H over the first 1, 2, ... kept states."""
    mean, found = np.zeros(len(part.rating)), []
    for n, (w, h) in enumerate(zip(draws["W"][0], draws["H"][0], strict=True), start=1):
        product = (w.reshape(-1, rank)[part.user] * h.reshape(-1, rank)[part.item]).sum(axis=1)
        mean += (product - mean) / n
        found.append(float(np.sqrt(np.mean((mean - part.rating) ** 2))))
    return found


def tuned(ratings: Ratings, setting: Setting, sampler: str, trials: int) -> float:
    """The step size, times the number of ratings to fit, with the least error of the ratings to
    validate after a quarter of the steps.
    """
    target = posterior(ratings, setting.likelihood, setting.rank)

    def loss(scaled: float) -> float:
        size = scaled / len(ratings.fitted.rating)
        draws = sampled(
            ratings, target, setting, sampler, size, 99, setting.steps // 4, progress=False
        )
        if draws.divergences:
            return float("inf")
        return errors(draws, setting.rank, ratings.valid)[-1]

    return best_step(loss, *RANGE, trials)[0]


def curve(ratings: Ratings, setting: Setting, sampler: str, seed: int, **options: Any) -> Curve:
    """Sample, and predict the ratings of the test.

    Raises:
        DivergedError, StoppedError: where the run did not get to its end.
    """
    target = posterior(ratings, setting.likelihood, setting.rank)
    size = setting.sizes[sampler] / len(ratings.fitted.rating)
    draws = sampled(ratings, target, setting, sampler, size, seed, setting.steps, **options)
    if draws.divergences:
        raise DivergedError(f"{setting.name}, {sampler}: {draws.divergences[0]}")
    if draws.interrupted:
        raise StoppedError(
            f"{setting.name}, {sampler}, seed {seed}: stopped after {draws.counts[0]} of {KEPT}"
            " parts"
        )
    every = setting.steps // KEPT
    return Curve(
        setting.name, sampler, seed, size, every, errors(draws, setting.rank, ratings.test)
    )


def bias_model(ratings: Ratings) -> float:
    """The error of a mean with an effect of each user and of each item, by ridge regression."""
    part, test = ratings.fitted, ratings.test
    mean, b, c = part.rating.mean(), np.zeros(ratings.users), np.zeros(ratings.items)
    for _ in range(20):
        for effects, labels, others in (
            (b, part.user, c[part.item]),
            (c, part.item, b[part.user]),
        ):
            left = part.rating - mean - others
            count = np.bincount(labels, minlength=effects.size)
            effects[:] = np.bincount(labels, left, minlength=effects.size) / (count + 5)
    predicted = mean + b[test.user] + c[test.item]
    return float(np.sqrt(np.mean((predicted - test.rating) ** 2)))


def times(ratings: Ratings, rank: int, steps: Mapping[int, int], turns: int) -> list[Time]:
    """Microseconds of a step, in CPU time, of every sampler in turns; medians.

    A run of ``steps``, by size of the minibatch, is subtracted from one of five times as many, so
    that what is done once cancels.
    """
    target, found = posterior(ratings, "poisson", rank), []
    for batch, short in steps.items():
        setting = Setting("poisson", rank, batch, short, {})
        seen: dict[str, list[float]] = {sampler: [] for sampler in SAMPLERS}
        for turn in range(turns + 1):
            for sampler, of in seen.items():
                less = seconds(ratings, target, setting, sampler, short)
                more = seconds(ratings, target, setting, sampler, 5 * short)
                if turn:  # the first compiles
                    of.append(1e6 * (more - less) / (4 * short))
        found += [Time(sampler, batch, float(np.median(of))) for sampler, of in seen.items()]
    return found


def seconds(
    ratings: Ratings, target: Posterior, setting: Setting, sampler: str, steps: int
) -> float:
    """CPU time of a run with a small step size."""
    begun = process_time()
    size = 1e-3 / len(ratings.fitted.rating)
    quiet = Caller(progress=False, judge=False)
    sampled(ratings, target, setting, sampler, size, 1, steps, threads=1, caller=quiet)
    return process_time() - begun


def all_curves(
    ratings: Ratings, settings: Mapping[str, Setting], seeds: int, runs: Path | None, log: TextIO
) -> list[Curve]:
    """Every sampler with every seed in every setting."""
    found = []
    for key, setting in settings.items():
        for number, sampler in enumerate(setting.sizes):
            for seed in range(1, seeds + 1):
                print(f"{setting.name}, {sampler}, seed {seed}", file=log)
                folder = None if runs is None else runs / f"{key}-{number}-{seed}"
                found.append(curve(ratings, setting, sampler, seed, checkpoint=folder))
    return found


def tune(ratings: Ratings, settings: Mapping[str, Setting], trials: int) -> None:
    """Print a line for each setting and sampler."""
    for key, setting in settings.items():
        for sampler in setting.sizes:
            step = tuned(ratings, setting, sampler, trials)
            print(f"{key}, {sampler}: {step:.3g} / {len(ratings.fitted.rating)}", flush=True)


def run(options: argparse.Namespace) -> None:
    """Sample, print, write."""
    settings = QUICK if options.quick else SETTINGS
    settings = {k: s for k, s in settings.items() if options.only in (None, k)}
    ratings = drawn() if options.quick else load(options.data)
    if options.tune:
        tune(ratings, settings, options.tune)
        return
    seeds = 1 if options.quick else SEEDS
    curves = all_curves(ratings, settings, seeds, options.checkpoint, sys.stderr)
    base = bias_model(ratings)
    if options.json:
        print(json.dumps({"bias_model": base, "curves": [asdict(c) for c in curves]}))
    else:
        print(curves_table(curves), end="")
        print(f"a mean with an effect of each user and of each item: {base:.3f}")
    if options.page:
        write(curves, times(ratings, 20, {100: 1000, 7500: 150}, 3), base, options.page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is typed."""
    return ended(run, options_of(arguments, __doc__, SETTINGS))


if __name__ == "__main__":
    sys.exit(main())
