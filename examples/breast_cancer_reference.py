r"""Reference posterior moments for Bayesian logistic regression on the breast-cancer table, by
NumPyro NUTS.

The posterior
    Data: ``catalog/posteriors/data/breast_cancer.csv``, 569 rows and 30 features.  Each feature is
    standardised with its population mean and population standard deviation (ddof=0), and a column
    of ones is put in front, so a row x has 31 entries, the intercept first.  The label y is +1
    where the table's target is 1 (benign) and -1 where it is 0.
    Likelihood: log p(y | x, theta) = -log(1 + exp(-y <x, theta>)), summed over the rows.
    Prior: theta_j ~ N(0, 1), independently, for all 31 coordinates, the intercept included.

What it writes
    A JSON file with the posterior mean and standard deviation of each coordinate, the Monte Carlo
    standard error of each mean (``mcse_mean``), and the convergence figures (largest
    rank-normalised split R-hat, smallest bulk ESS). It stops without writing when the largest R-hat
    is not below 1.01.

How to make the file again, from the root of the repository
    pip install . numpyro==0.22.0 jax==0.10.2 jaxlib==0.10.2 arviz==0.23.4 numpy==2.4.6
    python examples/breast_cancer_reference.py
The options' defaults (4 chains, 10,000 kept draws each after 1,000 of warm-up, seed 0) are those of
the file.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path

import arviz
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

from catalog.posteriors.breast_cancer import X, Y

numpyro.enable_x64()

WARMUP = 1000
R_HAT_LIMIT = 1.01
PACKAGES = ("numpyro", "jax", "jaxlib", "arviz", "numpy")
TABLE = Path(__file__).parents[1] / "catalog" / "posteriors" / "data" / "breast_cancer.csv"
COMMAND = "python examples/breast_cancer_reference.py"
POSTERIOR = (
    "Logistic regression on the breast-cancer table: 569 rows, a leading column of ones and"
    " 30 features standardised with ddof=0, y in {-1,+1} (+1 for target 1), prior N(0,1) on all"
    " 31 coordinates"
)


def load_data() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the design matrix (569 x 31), the targets in {0, 1} and the names of the 31
    coordinates.
    """
    lines = TABLE.read_text().splitlines()
    *names, _ = next(line for line in lines if not line.startswith("#")).split(",")
    return X, (Y > 0).astype(np.float64), ["intercept", *names]


def model(design: jax.Array, target: jax.Array) -> None:
    """Logistic regression; Bernoulli with target 0/1 is the same likelihood as the one with y =
    -1/+1.
    """
    theta = numpyro.sample("theta", dist.Normal(0.0, 1.0).expand([design.shape[1]]).to_event(1))
    numpyro.sample("target", dist.Bernoulli(logits=design @ theta), obs=target)


def draw(design: np.ndarray, target: np.ndarray, chains: int, draws: int, seed: int) -> np.ndarray:
    """Run NUTS, one chain after another, and return the kept draws, shaped (chains, draws, 31)."""
    mcmc = MCMC(
        NUTS(model, dense_mass=True),
        num_warmup=WARMUP,
        num_samples=draws,
        num_chains=chains,
        chain_method="sequential",
        progress_bar=False,
    )
    mcmc.run(
        jax.random.PRNGKey(seed),
        jnp.asarray(design),
        jnp.asarray(target),
        extra_fields=("diverging",),
    )
    print(f"divergent transitions: {int(mcmc.get_extra_fields()['diverging'].sum())}")
    return np.asarray(mcmc.get_samples(group_by_chain=True)["theta"])


def diagnose(samples: np.ndarray) -> dict[str, np.ndarray]:
    """Return R-hat, bulk ESS and the standard error of the mean for each coordinate."""
    data = arviz.convert_to_dataset({"theta": samples})
    return {
        "r_hat": arviz.rhat(data)["theta"].values,
        "ess_bulk": arviz.ess(data, method="bulk")["theta"].values,
        "mcse_mean": arviz.mcse(data, method="mean")["theta"].values,
    }


def rounded(values: np.ndarray) -> list[float]:
    """Round to six significant digits."""
    return [float(f"{value:.6g}") for value in values]


def summarise(samples: np.ndarray, names: list[str], command: str) -> dict[str, object]:
    """Collect what the JSON file holds."""
    diagnostics = diagnose(samples)
    flat = samples.reshape(-1, samples.shape[-1])
    return {
        "posterior": POSTERIOR,
        "sampler": "NumPyro NUTS",
        "command": command,
        "versions": {name: version(name) for name in PACKAGES},
        "chains": samples.shape[0],
        "draws_per_chain": samples.shape[1],
        "r_hat_max": rounded(diagnostics["r_hat"].max(keepdims=True))[0],
        "ess_bulk_min": rounded(diagnostics["ess_bulk"].min(keepdims=True))[0],
        "parameters": names,
        "mean": rounded(flat.mean(axis=0)),
        "sd": rounded(flat.std(axis=0, ddof=1)),
        "mcse_mean": rounded(diagnostics["mcse_mean"]),
    }


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Reference posterior moments by NumPyro NUTS.")
    parser.add_argument(
        "--draws", type=int, default=10_000, help="kept draws per chain (default: %(default)s)"
    )
    parser.add_argument(
        "--chains", type=int, default=4, help="number of chains (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the random numbers (default: %(default)s)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_suffix(".json"),
        help="where to write the JSON (default: next to this script)",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Draw, check convergence and write the file."""
    options = parse_arguments(arguments)
    design, target, names = load_data()
    samples = draw(design, target, options.chains, options.draws, options.seed)
    command = f"{COMMAND} --draws {options.draws} --chains {options.chains} --seed {options.seed}"
    summary = summarise(samples, names, command)
    print(f"largest R-hat: {summary['r_hat_max']}, smallest bulk ESS: {summary['ess_bulk_min']}")
    if not summary["r_hat_max"] < R_HAT_LIMIT:
        print(f"not converged: R-hat is not below {R_HAT_LIMIT}; nothing written", file=sys.stderr)
        return 1
    options.output.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    print(f"written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
