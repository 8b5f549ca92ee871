"""Three regressions of posteriordb, each as a function of the folder with the data.

    kidiq-kidscore_interaction
        kid_score ~ N(b1 + b2 mom_hs + b3 mom_iq + b4 mom_hs mom_iq, sigma^2),
        sigma ~ half-Cauchy(0, 2.5)
    earnings-logearn_height
        log(earn) ~ N(b1 + b2 height, sigma^2)
    mesquite-mesquite
        weight ~ N(b1 + b2 diam1 + b3 diam2 + ... + b7 group, sigma^2)

All priors that are not written are flat. posteriordb (https://github.com/stan-dev/posteriordb) has
draws of each from long runs of Stan; tests/pages compares ours with them. The columns
of these tables are nearly collinear, so what is sampled is ``gamma``, the coefficients of
orthogonal columns, each with a standard deviation near 1/sqrt(rows); as the prior is flat, ``beta``
is a linear map of them. ``sigma`` is sampled as ``log_sigma``, whose law has the Jacobian sigma as
a further factor.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Expr, S, exp, log

from recipe import Data, Posterior, Scalar, Vector, total

gamma, log_sigma = Vector("gamma"), Scalar("log_sigma")
x, y = Data("x", like=gamma), Data("y")


@dataclass(frozen=True)
class Regression:
    """A posterior of ``gamma`` and ``log_sigma``, and the matrix with ``beta = to_beta @
    gamma``.
    """

    posterior: Posterior
    to_beta: np.ndarray

    def named(self, gamma: np.ndarray, log_sigma: np.ndarray) -> dict[str, np.ndarray]:
        """Draws, under the names of posteriordb."""
        beta = gamma @ self.to_beta.T
        return {f"beta[{k + 1}]": beta[..., k] for k in range(beta.shape[-1])} | {
            "sigma": np.exp(log_sigma)
        }


def kidscore_interaction(folder: Path) -> Regression:
    """The test score of 434 children by their mothers' high school and IQ."""
    table = _table(folder, "kidiq")
    hs, iq = table["mom_hs"], table["mom_iq"]
    half_cauchy = -log(1 + exp(2 * log_sigma) * 4 / 25)
    return _regression([hs, iq, hs * iq], table["kid_score"], half_cauchy)


def logearn_height(folder: Path) -> Regression:
    """The logarithm of the earnings of 1192 people by their height."""
    table = _table(folder, "earnings")
    return _regression([table["height"]], np.log(table["earn"]))


def mesquite(folder: Path) -> Regression:
    """The weight of the leaves of 46 mesquite bushes by their measures."""
    table = _table(folder, "mesquite")
    columns = ("diam1", "diam2", "canopy_height", "total_height", "density", "group")
    return _regression([table[name] for name in columns], table["weight"])


MODELS = {
    "kidiq-kidscore_interaction": kidscore_interaction,
    "earnings-logearn_height": logearn_height,
    "mesquite-mesquite": mesquite,
}


def reference_draws(folder: Path, name: str) -> dict[str, np.ndarray]:
    """posteriordb's own draws of each parameter, of the shape (chains, draws)."""
    chains = _read(folder / "draws" / f"{name}.json.zip")
    return {parameter: np.array([chain[parameter] for chain in chains]) for parameter in chains[0]}


def _table(folder: Path, name: str) -> dict[str, np.ndarray]:
    return {
        column: np.array(values, dtype=float)
        for column, values in _read(folder / "data" / f"{name}.json.zip").items()
    }


def _read(path: Path) -> Any:
    """What a zip file with a single JSON file in it says."""
    with zipfile.ZipFile(path) as archive:
        (inside,) = archive.namelist()
        return json.loads(archive.read(inside))


def _regression(
    features: list[np.ndarray], response: np.ndarray, log_prior: Expr = S.Zero
) -> Regression:
    """Linear regression with an intercept; ``log_prior`` is that of sigma, in terms of
    ``log_sigma``.
    """
    design = np.column_stack([np.ones(len(response)), *features])
    Q, R = np.linalg.qr(design)
    residuals = response - Q @ (Q.T @ response)
    scale = np.sqrt(
        residuals @ residuals
    )  # sqrt(rows) times the noise, so that the columns scale*Q are as large as the noise
    error = y - total(x * gamma)
    posterior = Posterior(
        blocks=(gamma, log_sigma),
        log_likelihood=-log_sigma - error**2 * exp(-2 * log_sigma) / 2,
        log_prior=log_prior + log_sigma,
        data={x: scale * Q, y: response},
    )
    return Regression(posterior, scale * np.linalg.inv(R))
