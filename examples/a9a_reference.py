r"""Reference posterior for Bayesian logistic regression on a9a: a long run of NumPyro NUTS, beside
the fit at the mode.

The posterior
    Data: the 26,049 rows to fit of ``a9a_data.load()``; a row x has 124 entries, the intercept
        first; y is -1 or +1.
    Likelihood: log p(y | x, theta) = -log(1 + exp(-y <x, theta>)), summed over the rows.
    Prior: theta_j ~ N(0, 1), independently, for all 124 coefficients, the intercept included.

What it writes
    A JSON file with, for each coefficient, the mode, the posterior mean and standard deviation and
    the Monte Carlo standard errors of these two; the largest rank-normalised split R-hat and the
    smallest bulk ESS; and how well NUTS (the posterior mean of p(y = +1)) and the mode (p(y = +1)
    there) predict the held-out and the test rows: accuracy, mean log of the probability of the
    right label, expected calibration error (10 bins of equal width of p(y = +1)). It stops without
    writing when the largest R-hat is not below 1.01 or the smallest bulk ESS not above 2,000.

How to make the file again, from the root of the repository
    pip install . numpyro==0.22.0 jax==0.10.2 jaxlib==0.10.2 scipy==1.17.1 arviz==0.23.4 \
        numpy==2.4.6
    python examples/a9a_reference.py
The options' defaults (4 chains, 5,000 kept draws each after 500 of warm-up, seed 0) are those of
the file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import a9a_data
import arviz
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, init_to_value
from scipy.optimize import minimize
from scipy.special import expit

numpyro.enable_x64()

# for the step size only: the chains start at the mode, and the mass matrix is the Hessian there
WARMUP = 500
R_HAT_LIMIT = 1.01
ESS_LIMIT = 2000
BINS = 10
PACKAGES = ("numpyro", "jax", "jaxlib", "scipy", "arviz", "numpy")
COMMAND = "python examples/a9a_reference.py"
POSTERIOR = (
    "Logistic regression on 80% of the a9a training rows (26,049; numpy's"
    " default_rng(2026).permutation): a leading column of ones and 123 binary features, y in"
    " {-1,+1}, prior N(0,1) on all 124 coefficients"
)


def nonzero_columns(x: np.ndarray) -> np.ndarray:
    """Return the columns of the ones in each row, at most 15, filled up with a column that does not
    exist (124).
    """
    counts = (x != 0).sum(axis=1)
    columns = np.full((len(x), counts.max()), x.shape[1])
    columns[np.arange(counts.max()) < counts[:, None]] = np.nonzero(x)[1]
    return columns


def negative_log_likelihood(theta: jax.Array, columns: jax.Array, y: jax.Array) -> jax.Array:
    """Return minus the log likelihood.

    All entries of x are 0 or 1, so <x, theta> is the sum of the coefficients of its ones: on one
    core almost three times as fast as the product with the dense matrix.
    """
    with_zero = jnp.append(theta, 0.0)
    return jax.nn.softplus(-y * with_zero[columns].sum(axis=1)).sum()


def model(columns: jax.Array, y: jax.Array) -> None:
    """Logistic regression with a standard normal prior."""
    theta = numpyro.sample(
        "theta", dist.Normal(0.0, 1.0).expand([a9a_data.FEATURES + 1]).to_event(1)
    )
    numpyro.factor("log_likelihood", -negative_log_likelihood(theta, columns, y))


def find_mode(data: a9a_data.A9a) -> tuple[np.ndarray, np.ndarray]:
    """Return the mode and the Hessian of minus the log posterior there (in plain NumPy, with the
    dense matrix).
    """
    signed = data.x * data.y[:, None]

    def potential(theta: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signed @ theta
        return np.logaddexp(0, -margin).sum() + theta @ theta / 2, theta - signed.T @ expit(-margin)

    def curvature(theta: np.ndarray) -> np.ndarray:
        p = expit(data.x @ theta)
        return data.x.T @ (data.x * (p * (1 - p))[:, None]) + np.eye(len(theta))

    options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 0.0, "gtol": 1e-4, "maxcor": 50}
    fit = minimize(
        potential, np.zeros(data.x.shape[1]), jac=True, method="L-BFGS-B", options=options
    )
    mode = fit.x - np.linalg.solve(curvature(fit.x), fit.jac)  # one Newton step: the last digits
    print(
        f"mode: {fit.nit} iterations, {fit.message}; largest entry of the gradient"
        f" {np.abs(potential(mode)[1]).max():.1e}"
    )
    return mode, curvature(mode)


def draw(
    data: a9a_data.A9a, mode: np.ndarray, hessian: np.ndarray, chains: int, draws: int, seed: int
) -> np.ndarray:
    """Run NUTS, one chain after another, and return the kept draws, shaped (chains, draws, 124)."""
    kernel = NUTS(
        model,
        dense_mass=True,
        # NumPyro's first window, 25 draws of 124 coefficients, would replace it by a nearly
        # singular one
        adapt_mass_matrix=False,
        inverse_mass_matrix=jnp.asarray(np.linalg.inv(hessian)),
        init_strategy=init_to_value(values={"theta": jnp.asarray(mode)}),
    )
    mcmc = MCMC(
        kernel,
        num_warmup=WARMUP,
        num_samples=draws,
        num_chains=chains,
        chain_method="sequential",
        progress_bar=False,
    )
    columns, y = jnp.asarray(nonzero_columns(data.x)), jnp.asarray(data.y)
    mcmc.run(jax.random.PRNGKey(seed), columns, y, extra_fields=("diverging", "num_steps"))
    extra = mcmc.get_extra_fields()
    print(
        f"divergent transitions: {int(extra['diverging'].sum())}; leapfrog steps a draw:"
        f" {float(extra['num_steps'].mean()):.2f}"
    )
    return np.asarray(mcmc.get_samples(group_by_chain=True)["theta"])


def posterior_probability(draws: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return p(y = +1) of each row, averaged over the draws (in pieces: rows x draws does not fit
    into memory).
    """
    pieces = np.array_split(draws, max(1, len(draws) // 500))
    return sum(expit(x @ piece.T).sum(axis=1) for piece in pieces) / len(draws)


def calibration_error(p: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over the rows of |mean p - share of y = +1| in the row's bin of p."""
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = np.bincount(
        bins, weights=p - (y > 0), minlength=BINS
    )  # per bin: rows times the signed gap
    return float(np.abs(gaps).sum() / len(p))


def scores(p: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return how well the probabilities p of y = +1 predict the labels."""
    return {
        "accuracy": rounded(np.mean((p > 0.5) == (y > 0))),
        "log_predictive_density": rounded(np.mean(np.log(np.where(y > 0, p, 1 - p)))),
        "expected_calibration_error": rounded(calibration_error(p, y)),
    }


def rounded(value: float) -> float:
    """Round to six significant digits."""
    return float(f"{value:.6g}")


def summarise(
    samples: np.ndarray, mode: np.ndarray, data: a9a_data.A9a, command: str
) -> dict[str, object]:
    """Collect what the JSON file holds."""
    chains = arviz.convert_to_dataset({"theta": samples})
    flat = samples.reshape(-1, samples.shape[-1])
    per_coefficient = {
        "mode": mode,
        "mean": flat.mean(axis=0),
        "sd": flat.std(axis=0, ddof=1),
        "mcse_mean": arviz.mcse(chains, method="mean")["theta"].values,
        "mcse_sd": arviz.mcse(chains, method="sd")["theta"].values,
    }
    parts = {"held_out": (data.x_held, data.y_held), "test": (data.x_test, data.y_test)}
    return {
        "posterior": POSTERIOR,
        "sampler": (
            f"NumPyro {version('numpyro')} NUTS, {samples.shape[0]} chains of {samples.shape[1]}"
            " kept draws"
        ),
        "command": command,
        "versions": {name: version(name) for name in PACKAGES},
        "chains": samples.shape[0],
        "draws_per_chain": samples.shape[1],
        "r_hat_max": rounded(arviz.rhat(chains)["theta"].values.max()),
        "ess_bulk_min": rounded(arviz.ess(chains, method="bulk")["theta"].values.min()),
        "prediction": {
            "nuts": {
                part: scores(posterior_probability(flat, x), y) for part, (x, y) in parts.items()
            },
            "mode": {part: scores(expit(x @ mode), y) for part, (x, y) in parts.items()},
        },
        **{name: [rounded(value) for value in values] for name, values in per_coefficient.items()},
    }


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Reference posterior of logistic regression on a9a by NumPyro NUTS."
    )
    parser.add_argument(
        "--draws", type=int, default=5000, help="kept draws per chain (default: %(default)s)"
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
    try:
        data = a9a_data.load()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    mode, hessian = find_mode(data)
    began = time.perf_counter()
    samples = draw(data, mode, hessian, options.chains, options.draws, options.seed)
    print(f"NUTS: {time.perf_counter() - began:.0f} s")
    command = f"{COMMAND} --draws {options.draws} --chains {options.chains} --seed {options.seed}"
    summary = summarise(samples, mode, data, command)
    print(f"largest R-hat: {summary['r_hat_max']}, smallest bulk ESS: {summary['ess_bulk_min']}")
    if not (summary["r_hat_max"] < R_HAT_LIMIT and summary["ess_bulk_min"] > ESS_LIMIT):
        print(
            f"not converged: wanted R-hat below {R_HAT_LIMIT} and ESS above {ESS_LIMIT}; nothing"
            " written",
            file=sys.stderr,
        )
        return 1
    lines = (
        f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in summary.items()
    )  # a line each, long lists too
    options.output.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
