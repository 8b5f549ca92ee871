r"""Bayesian logistic regression on a9a: 26,049 rows to fit (80 percent of the 32,561), 124
coefficients with standard normal priors.

    y in {-1, +1},   log p(y | x, theta) = -log(1 + exp(-y x.theta)),   theta_i ~ N(0, 1)

The data are not part of this repository; a9a_data.py says where to get them. With them,

    recipe sample sgld --posterior examples/logistic_a9a.py --batch-size 100 \
        --control-variates --step-size 2e-5 --steps 300000

samples, and ``python examples/logistic_a9a.py RESULTS.json`` runs four samplers of the catalog and
scores them beside the maximum a posteriori fit and a long run of NumPyro's NUTS
(a9a_reference.json); a9a_page.py makes docs/a9a.md of the results. A run that was stopped goes on
where it was: its checkpoints are in the folder RESULTS.json.checkpoints.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import a9a_data
import numpy as np
from sympy import exp, log

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.sgrhmc import with_metric
from codegen import Density, diagnose, sample
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")
try:
    table = a9a_data.load()
except FileNotFoundError as error:
    raise SystemExit(f"logistic_a9a: {error}") from None

posterior = Posterior(
    blocks=(theta,),
    log_likelihood=-log(1 + exp(-y * total(x * theta))),
    log_prior=-total(theta**2) / 2,
    data={x: table.x.astype(np.int8), y: table.y.astype(np.int8)},  # every entry is -1, 0 or 1
)

# The metric is that of sgrhmc_bounded, scaled so that the slowest direction relaxes in 1/step
# steps, as it does for SGLD.
sgrhmc = with_metric((1 + 1 / (1 + theta**2)) / 50)
SAMPLERS: dict[str, tuple[Recipe, dict[str, Any]]] = {
    "SGLD": (sgld, {"step_size": 3e-5}),
    "SGHMC": (sghmc, {"step_size": 2e-3, "params": {"C": 50.0}}),
    "SGNHT": (sgnht, {"step_size": 2e-3, "params": {"A": 50.0}, "initial": {"xi": 50.0}}),
    "SGRHMC": (sgrhmc, {"step_size": 4e-5}),
}
STEPS, WARMUP, THIN, CHAINS, BATCH = 8_000_000, 800_000, 2000, 4, 100
BINS = 10


def run(name: str, checkpoint: Path) -> dict[str, Any]:
    """Sample with one sampler of the catalog, with control variates from minibatches of 100 rows,
    and score the draws.
    """
    recipe, options = SAMPLERS[name]
    U = next(a for a in recipe.abstract if isinstance(a, Potential))
    draws = sample(
        bind(recipe, {U: posterior}),
        **options,
        steps=STEPS,
        warmup=WARMUP,
        thin=THIN,
        chains=CHAINS,
        batch_size=BATCH,
        control_variates=True,
        keep="theta",
        seed=1,
        checkpoint=checkpoint,
        name=name,
    )
    diagnosis = diagnose(draws)
    rows = diagnosis.rows
    kept = draws["theta"].reshape(-1, table.x.shape[1])
    return {
        "step_size": options["step_size"],
        "params": options.get("params", {}),
        "seconds": draws.attributes["seconds"],
        "r_hat_max": max(r.r_hat for r in rows),
        "ess_bulk_min": min(r.ess_bulk for r in rows),
        "warnings": list(diagnosis.warnings),
        "mean": [r.mean for r in rows],
        "sd": [r.sd for r in rows],
        "mcse_mean": [r.mcse_mean for r in rows],
        "mcse_sd": [r.mcse_sd for r in rows],
        "top_direction": kept @ top_direction(),
        "prediction": predictions(kept),
    }


def top_direction() -> np.ndarray:
    """The direction in which the posterior is narrowest, where too large a step or too much noise
    shows first.
    """
    mode = np.array(json.loads((Path(__file__).parent / "a9a_reference.json").read_text())["mode"])
    p = 1 / (1 + np.exp(-table.x @ mode))
    hessian = table.x.T @ (table.x * (p * (1 - p))[:, None]) + np.eye(len(mode))
    values, vectors = np.linalg.eigh(hessian)
    return vectors[:, -1] * np.sqrt(values[-1])


def predictions(draws: np.ndarray) -> dict[str, Any]:
    """Scores of the mean predictive probability, on the rows held out and on the test set."""
    parts = {"held_out": (table.x_held, table.y_held), "test": (table.x_test, table.y_test)}
    return {
        part: scores(probability(draws, features), labels)
        for part, (features, labels) in parts.items()
    }


def probability(draws: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The mean over the draws of the probability that the label is +1."""
    mean = np.zeros(len(features))
    for piece in np.array_split(draws, max(1, len(draws) // 200)):
        mean += (1 / (1 + np.exp(-features @ piece.T))).sum(axis=1)
    return mean / len(draws)


def scores(p: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """Accuracy, mean log predictive density, expected calibration error, and the calibration curve
    in bins of equal width.
    """
    right = np.where(labels > 0, p, 1 - p)
    which = np.minimum((p * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    with np.errstate(invalid="ignore"):
        said, found = (np.bincount(which, v, BINS) / counts for v in (p, labels > 0))
    return {
        "accuracy": float(np.mean(right > 0.5)),
        "log_predictive_density": float(np.mean(np.log(right))),
        "expected_calibration_error": float(np.nansum(counts * np.abs(said - found)) / len(p)),
        "calibration": [
            [float(a), float(b), int(n)] for a, b, n in zip(said, found, counts, strict=True) if n
        ],
    }


def main(path: Path) -> None:
    """Run everything and write the results."""
    began = perf_counter()
    mode = Density(posterior).mode()[theta]
    seconds = perf_counter() - began
    results: dict[str, Any] = {
        "MAP": {"mode": mode, "seconds": seconds, "prediction": predictions(mode[None])}
    }
    for name in SAMPLERS:
        results[name] = run(name, path.with_name(f"{path.name}.checkpoints") / name)
        shown = results[name]["prediction"]["test"]
        print(
            f"{name}: {results[name]['seconds']:.0f} s, test accuracy {100 * shown['accuracy']:.2f}"
            " percent",
            flush=True,
        )
    settings = {
        "steps": STEPS,
        "warmup": WARMUP,
        "thin": THIN,
        "chains": CHAINS,
        "batch_size": BATCH,
    }
    path.write_text(
        json.dumps({"settings": settings, "results": results}, default=as_plain, indent=1)
    )


def as_plain(value: Any) -> Any:
    """Arrays as lists, for JSON."""
    return (
        value.tolist()
        if isinstance(value, np.ndarray | np.generic)
        else dict(value)
        if isinstance(value, Mapping)
        else str(value)
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python examples/logistic_a9a.py RESULTS.json")
    main(Path(sys.argv[1]))
