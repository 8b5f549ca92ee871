"""Eleven models of posteriordb in the language of this project, and the scoreboard of tuning.

    RECIPE_DATA=FOLDER python examples/posteriordb.py [NAME ...]

FOLDER has the folder ``posteriordb`` with its ``data`` and ``draws``; posteriordb
(https://github.com/stan-dev/posteriordb) has draws of each posterior from long runs of Stan. Each
model is a function of that folder, written as people write it: raw columns, positive scales,
priors by name. Nothing is tuned by hand: ``sample(..., step_size="auto")`` chooses everything, for
a bias of at most 0.1 posterior standard deviations in means and 10 percent in standard deviations.
The scoreboard compares means and standard deviations with those of the reference draws, allowing
for three Monte Carlo errors of both. Exit status: 0 where all are within the budget, 1 otherwise.

The other two posteriors of posteriordb with reference draws, ``garch`` and ``gp_pois_regr``, are
recursions over rows, and no sums of log likelihoods of a row each.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Interval, Rational, oo

from catalog.hmc import hmc_kernel
from codegen import UntunableError, sample
from codegen.results.diagnostics.convergence import convergence
from recipe import Data, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import beta as beta_law
from recipe.laws import half_cauchy, half_normal, mixture, normal

MAX_BIAS, ERRORS = 0.1, 3.0
POSITIVE, SHARE = Interval.open(0, oo), Interval.open(0, 1)
Named = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Model:
    """A posterior, and its draws under the names of posteriordb.

    Attributes:
        posterior: the posterior.
        named: from draws by block, each with chains and draws first, to draws by parameter.
    """

    posterior: Posterior
    named: Callable[[Mapping[str, np.ndarray]], Named]


def _regression(columns: Iterable[Any], response: Any, prior_of_sigma: Any = None) -> Model:
    """``response ~ N(b1 + b2 column1 + ..., sigma)``; all priors that are not given are flat."""
    beta, sigma = Vector("beta"), Scalar("sigma", domain=POSITIVE)
    x, y = Data("x", like=beta), Data("y")
    features = [np.asarray(c, dtype=float) for c in columns]
    posterior = Posterior(
        (beta, sigma),
        log_likelihood=normal(y, total(x * beta), sigma),
        log_prior=0 if prior_of_sigma is None else prior_of_sigma(sigma),
        data={
            x: np.column_stack([np.ones(len(features[0])), *features]),
            y: np.array(response, dtype=float),
        },
    )
    return Model(posterior, lambda d: {**_numbered("beta", d["beta"]), "sigma": d["sigma"]})


def _numbered(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{name}[{k + 1}]": values[..., k] for k in range(values.shape[-1])}


def _two_and_a_half(sigma: Scalar) -> Any:
    return half_cauchy(sigma, Rational(5, 2))


def kidscore_interaction(folder: Path) -> Model:
    """The test score of 434 children by their mothers' high school and IQ."""
    t = _table(folder, "kidiq")
    hs, iq = np.array(t["mom_hs"]), np.array(t["mom_iq"])
    return _regression([hs, iq, hs * iq], t["kid_score"], _two_and_a_half)


def kidscore_momiq(folder: Path) -> Model:
    """The test score of 434 children by their mothers' IQ."""
    t = _table(folder, "kidiq")
    return _regression([t["mom_iq"]], t["kid_score"], _two_and_a_half)


def logearn_height(folder: Path) -> Model:
    """The logarithm of the earnings of 1192 people by their height."""
    t = _table(folder, "earnings")
    return _regression([t["height"]], np.log(t["earn"]))


def mesquite(folder: Path) -> Model:
    """The weight of the leaves of 46 mesquite bushes by their measures."""
    t = _table(folder, "mesquite")
    names = ("diam1", "diam2", "canopy_height", "total_height", "density", "group")
    return _regression([t[n] for n in names], t["weight"])


def nes(folder: Path) -> Model:
    """The party of 476 voters by ideology, race, age, education, gender and income."""
    t = _table(folder, "nes2000")
    ages = [np.array(t["age_discrete"]) == k for k in (2, 3, 4)]
    named = [t[n] for n in ("educ1", "gender", "income")]
    return _regression([t["real_ideo"], t["race_adj"], *ages, *named], t["partyid7"])


def blr(name: str) -> Callable[[Path], Model]:
    """Linear regression without an intercept, on independent or correlated columns."""

    def model(folder: Path) -> Model:
        t = _table(folder, name)
        beta, sigma = Vector("beta"), Scalar("sigma", domain=POSITIVE)
        x, y = Data("x", like=beta), Data("y")
        posterior = Posterior(
            (beta, sigma),
            log_likelihood=normal(y, total(x * beta), sigma),
            log_prior=total(normal(beta, 0, 10)) + half_normal(sigma, 10),
            data={x: np.array(t["X"]), y: t["y"]},
        )
        return Model(posterior, lambda d: {**_numbered("beta", d["beta"]), "sigma": d["sigma"]})

    return model


def kilpisjarvi(folder: Path) -> Model:
    """The temperature in June at Kilpisjarvi by the year, from 62 years."""
    t = _table(folder, "kilpisjarvi_mod")
    alpha, beta, sigma = Scalar("alpha"), Scalar("beta"), Scalar("sigma", domain=POSITIVE)
    x, y = Data("x"), Data("y")
    mean, sd = (str(t[k]) for k in ("pmualpha", "psalpha"))
    slope, slope_sd = (str(t[k]) for k in ("pmubeta", "psbeta"))
    posterior = Posterior(
        (alpha, beta, sigma),
        log_likelihood=normal(y, alpha + beta * x, sigma),
        log_prior=normal(alpha, Rational(mean), Rational(sd))
        + normal(beta, Rational(slope), Rational(slope_sd)),
        data={x: t["x"], y: t["y"]},
    )
    return Model(posterior, dict)


def ar5(folder: Path) -> Model:
    """An autoregression of order 5 on 200 points: each row has the five points before it."""
    t = _table(folder, "arK")
    y, order = np.array(t["y"]), t["K"]
    alpha, beta, sigma = Scalar("alpha"), Vector("beta"), Scalar("sigma", domain=POSITIVE)
    before, now = Data("before", like=beta), Data("now")
    lagged = np.column_stack([y[order - k - 1 : len(y) - k - 1] for k in range(order)])
    posterior = Posterior(
        (alpha, beta, sigma),
        log_likelihood=normal(now, alpha + total(before * beta), sigma),
        log_prior=normal(alpha, 0, 10) + total(normal(beta, 0, 10)) + _two_and_a_half(sigma),
        data={before: lagged, now: y[order:]},
    )
    return Model(
        posterior,
        lambda d: {"alpha": d["alpha"], **_numbered("beta", d["beta"]), "sigma": d["sigma"]},
    )


def eight_schools(folder: Path) -> Model:
    """The hierarchical model of eight effects of coaching, non-centred."""
    t = _table(folder, "eight_schools")
    mu, tau, eta = Scalar("mu"), Scalar("tau", domain=POSITIVE), Vector("eta")
    school, y, sd = Data("school"), Data("y"), Data("sd")
    posterior = Posterior(
        (mu, tau, eta),
        log_likelihood=normal(y, mu + tau * eta[school], sd),
        log_prior=normal(mu, 0, 5) + half_cauchy(tau, 5) + total(normal(eta, 0, 1)),
        data={school: range(8), y: t["y"], sd: t["sigma"]},
    )

    def named(d: Mapping[str, np.ndarray]) -> Named:
        theta = d["mu"][..., None] + d["tau"][..., None] * d["eta"]
        return {**_numbered("theta", theta), "mu": d["mu"], "tau": d["tau"]}

    return Model(posterior, named)


def gaussian_mixture(folder: Path) -> Model:
    """A mixture of two normal laws, 1000 points; the second mean is the first and a positive
    gap, so that there is one mode.
    """
    t = _table(folder, "low_dim_gauss_mix")
    low, gap = Scalar("low"), Scalar("gap", domain=POSITIVE)
    sigma1, sigma2 = Scalar("sigma1", domain=POSITIVE), Scalar("sigma2", domain=POSITIVE)
    theta, y = Scalar("theta", domain=SHARE), Data("y")
    posterior = Posterior(
        (low, gap, sigma1, sigma2, theta),
        log_likelihood=mixture(
            [theta, 1 - theta], [normal(y, low, sigma1), normal(y, low + gap, sigma2)]
        ),
        log_prior=normal(low, 0, 2)
        + normal(low + gap, 0, 2)
        + half_normal(sigma1, 2)
        + half_normal(sigma2, 2)
        + beta_law(theta, 5, 5),
        data={y: t["y"]},
    )

    def named(d: Mapping[str, np.ndarray]) -> Named:
        return {
            "mu[1]": d["low"],
            "mu[2]": d["low"] + d["gap"],
            "sigma[1]": d["sigma1"],
            "sigma[2]": d["sigma2"],
            "theta": d["theta"],
        }

    return Model(posterior, named)


MODELS: dict[str, Callable[[Path], Model]] = {
    "arK-arK": ar5,
    "earnings-logearn_height": logearn_height,
    "eight_schools-eight_schools_noncentered": eight_schools,
    "kidiq-kidscore_interaction": kidscore_interaction,
    "kidiq-kidscore_momiq": kidscore_momiq,
    "kilpisjarvi_mod-kilpisjarvi": kilpisjarvi,
    "low_dim_gauss_mix-low_dim_gauss_mix": gaussian_mixture,
    "mesquite-mesquite": mesquite,
    "nes2000-nes": nes,
    "sblrc-blr": blr("sblrc"),
    "sblri-blr": blr("sblri"),
}


@dataclass(frozen=True)
class Score:
    """Our draws of a model beside the reference draws.

    Attributes:
        name: the model.
        mean: the largest difference of a mean, in reference standard deviations.
        sd: the largest relative difference of a standard deviation.
        within: whether all are within the budget and their Monte Carlo errors.
        effective: the smallest effective sample size.
        seconds: the seconds of tuning and sampling, with compilation.
        said: why nothing was sampled; empty where it was.
    """

    name: str
    mean: float
    sd: float
    within: bool
    effective: float
    seconds: float
    said: str = ""


def scored(name: str, folder: Path, what: Any = hmc_kernel, **options: Any) -> Score:
    """Tune and sample a model, and compare it with its reference draws.

    Args:
        name: the model, a key of ``MODELS``.
        folder: the folder of posteriordb.
        what: the sampler.
        **options: further arguments of ``sample``.
    """
    model = MODELS[name](folder)
    began = time.perf_counter()
    try:
        draws = sample(what, model.posterior, step_size="auto", progress=False, **options)
    except UntunableError as reason:
        seconds = time.perf_counter() - began
        return Score(name, np.nan, np.nan, True, 0.0, seconds, str(reason))
    seconds = time.perf_counter() - began
    ours = model.named({b.name: draws[b.name] for b in model.posterior.blocks})
    theirs = reference_draws(folder, name)
    a, b = (convergence(np.stack([d[k] for k in theirs], axis=-1)) for d in (ours, theirs))
    mean = np.abs(a.mean - b.mean) / b.sd
    sd = np.abs(a.sd / b.sd - 1.0)
    within = np.all(mean <= MAX_BIAS + ERRORS * np.hypot(a.mcse_mean, b.mcse_mean) / b.sd)
    within &= np.all(sd <= MAX_BIAS + ERRORS * np.hypot(a.mcse_sd, b.mcse_sd) / b.sd)
    return Score(
        name, float(mean.max()), float(sd.max()), bool(within), float(a.ess_bulk.min()), seconds
    )


def reference_draws(folder: Path, name: str) -> dict[str, np.ndarray]:
    """posteriordb's own draws of each parameter, of the shape (chains, draws)."""
    chains = _read(folder / "draws" / f"{name}.json.zip")
    return {parameter: np.array([chain[parameter] for chain in chains]) for parameter in chains[0]}


def posteriordb_folder() -> Path:
    """Return the folder of posteriordb.

    Raises:
        RecipeError: where there is none.
    """
    folder = Path(os.environ.get("RECIPE_DATA", ".")) / "posteriordb"
    if not folder.is_dir():
        raise RecipeError(
            f"there is no folder {folder}: set RECIPE_DATA to the folder that has posteriordb in"
            " it, with data/ and draws/ of https://github.com/stan-dev/posteriordb"
        )
    return folder


def _table(folder: Path, name: str) -> Any:
    return _read(folder / "data" / f"{name}.json.zip")


def _read(path: Path) -> Any:
    """What a zip file with a single JSON file in it says."""
    with zipfile.ZipFile(path) as archive:
        (inside,) = archive.namelist()
        return json.loads(archive.read(inside))


def main(names: list[str]) -> int:
    """Print the scoreboard; return the exit status."""
    try:
        folder = posteriordb_folder()
    except RecipeError as error:
        print(error, file=sys.stderr)
        return 2
    unknown = [n for n in names if n not in MODELS]
    if unknown:
        known = ", ".join(MODELS)
        print(f"there is no model {', '.join(unknown)}; the models are {known}", file=sys.stderr)
        return 2
    scores = []
    print(f"{'model':40} {'mean':>9} {'sd':>7} {'ess':>6} {'seconds':>8}")
    for name in names or MODELS:
        s = scored(name, folder)
        scores.append(s)
        print(
            f"{s.name:40} {s.mean:6.3f} sd {s.sd:7.1%} {s.effective:6.0f} {s.seconds:8.1f}"
            f"  {'ok' if s.within else 'OUT'}{s.said and f', not sampled: {s.said}'}"
        )
    good = sum(s.within and not s.said for s in scores)
    print(f"{good} of {len(scores)} within {MAX_BIAS:g} sd")
    return 0 if all(s.within for s in scores) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
