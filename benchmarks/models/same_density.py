"""Whether each model in PyMC has the log density of ours, up to a constant.

    python benchmarks/models/same_density.py --pymc-python FOLDER/bin/python

``FOLDER`` is an environment with ``pip install pymc``. At three points the difference of the two
log densities is the same number, up to rounding; where a model has a gradient and no density here,
the gradients are compared. Blocks on intervals are compared as they are, without Jacobians.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaln
from settings import BY_HAND, MODELS

from codegen import Density

FOLDER = Path(__file__).resolve().parent
EXAMPLES = FOLDER.parents[1] / "examples" / "models"
LENGTHS = {
    "beta": {"logistic": 20, "ordinal": 3, "negative_binomial": 4}, "eta": 30, "u1": 25, "u2": 25,
    "v1": 20, "v2": 20, "g": 12, "beta1": 4, "beta2": 4, "w": 4, "b": 4, "v": 4,
}  # fmt: skip
LARGEST = {"gaussian_process": 1e-5}  # PyMC adds 1e-6 to the diagonal of the covariance
OTHERWISE = 1e-12  # relative difference


def point(model: str, posterior: Any, seed: int) -> dict[str, np.ndarray]:
    """Numbers between 0.2 and 0.8 for all blocks."""
    rng = np.random.default_rng(seed)
    found = {}
    for block in posterior.blocks:
        size = None if block.length is None else LENGTHS[block.name]
        size = size[model] if isinstance(size, dict) else size
        found[block.name] = np.asarray(rng.uniform(0.2, 0.8, size))
    return found


def ours(model: str, posterior: Any, at: dict[str, np.ndarray]) -> np.ndarray:
    """Our log density, or its gradient where there is no density."""
    if model not in BY_HAND:
        return np.array(-Density(posterior).potential(at)) + _of_probabilities(model, at)
    arrays = [np.asarray(a, dtype=float) for a in posterior.given.values()]
    rows = np.arange(len(arrays[0]))
    if model == "network":  # it writes into its last arguments
        values = [np.atleast_1d(at[b.name]) for b in posterior.blocks]
        found = [np.zeros_like(v) for v in values]
        posterior.user_gradient(*values, rows, *arrays, *found)
    else:
        found = posterior.user_gradient(*(at[b.name] for b in posterior.blocks), rows, *arrays)
    return -np.concatenate([np.atleast_1d(g) for g in found])


def _of_probabilities(model: str, at: dict[str, np.ndarray]) -> float:
    """What the density of probabilities has beside the one of gamma variables: their sum has a law
    of its own, and the map has a Jacobian.
    """
    if model != "multinomial":
        return 0.0
    s, shape = at["g"].sum(), at["g"].size / 2
    law_of_sum = (shape - 1) * np.log(s) - s - gammaln(shape)
    return float((at["g"].size - 1) * np.log(s) - law_of_sum)


def theirs(model: str, posterior: Any, points: list[Any], python: str) -> np.ndarray:
    """PyMC's numbers at the points, by its own interpreter."""
    arrays = {f"data_{s}": np.asarray(a) for s, a in posterior.given.items()}
    for k, at in enumerate(points):
        moved = {"p": at["g"] / at["g"].sum()} if model == "multinomial" else at
        arrays |= {f"point_{k}_{name}": value for name, value in moved.items()}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/given.npz", **arrays)
        blocks = ",".join(b.name for b in posterior.blocks) if model in BY_HAND else ""
        command = [python, str(FOLDER / "pymc_values.py"), model, f"{folder}/given.npz", blocks]
        done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{model}: {done.stderr.strip().splitlines()[-1]}")
        return np.asarray(np.load(f"{folder}/values.npy"))


def difference(model: str, python: str) -> float:
    """The largest difference, relative to the largest number."""
    posterior = importlib.import_module(model).posterior
    points = [point(model, posterior, seed) for seed in (1, 2, 3)]
    mine = np.array([ours(model, posterior, at) for at in points])
    other = theirs(model, posterior, points, python)
    rest = mine - other if model in BY_HAND else np.ptp(mine - other)
    return float(np.max(np.abs(rest)) / np.max(np.abs(mine)))


def main() -> int:
    """Compare all models, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pymc-python", required=True, help="an interpreter that has PyMC")
    parser.add_argument("models", nargs="*", default=MODELS)
    options = parser.parse_args()
    sys.path.append(str(EXAMPLES))
    wrong = 0
    for model in options.models:
        try:
            found = difference(model, options.pymc_python)
        except ModuleNotFoundError as missing:
            print(f"{model}: not compared, as {missing.name} is not installed", flush=True)
            continue
        wrong += not found < LARGEST.get(model, OTHERWISE)
        what = "gradients" if model in BY_HAND else "log densities, up to a constant"
        print(f"{model}: relative difference of {what}: {found:.1e}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
