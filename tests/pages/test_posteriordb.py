"""Three models of posteriordb, sampled here, beside the reference draws that Stan made."""

import importlib.util
import os
import sys
from pathlib import Path

import arviz
import numpy as np
import pytest

from catalog.sghmc import U, sghmc
from codegen import sample
from codegen.inputs.compiled_posterior import Density
from recipe import bind

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("RECIPE_DATA", ROOT.parent / "shared" / "data")) / "posteriordb"

# in standard deviations of a coefficient: the error of the step in a standard deviation is near
# STEP^2/8 = 0.03%
STEP = 0.05
FRICTION = 1.5  # in frequencies of a coefficient
LIMIT = 4.0  # |z| of one comparison; by chance one of all 32 exceeds it with a probability of 0.2%


def models():
    spec = importlib.util.spec_from_file_location(
        "posteriordb_models", ROOT / "examples" / "posteriordb.py"
    )
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODELS = models()


def drawn(regression, seed):
    """Our draws by parameter, of the shape (chains, draws)."""
    density = Density(regression.posterior)
    rate = density.rows**0.5  # the frequency of a coefficient
    draws = sample(
        bind(sghmc, {U: regression.posterior}),
        step_size=STEP / rate,
        params={"C": FRICTION * rate},
        steps=400_000,
        warmup=10_000,
        thin=10,
        chains=4,
        seed=seed,
        initial=density.mode(),
        progress=False,
    )
    return regression.named(draws["gamma"], draws["log_sigma"])


def moments(draws):
    """By parameter: mean, sd, their Monte Carlo errors mcse_mean and mcse_sd, ess_bulk and
    r_hat.
    """
    return arviz.summary(arviz.convert_to_dataset(draws), kind="all", round_to="none")


@pytest.mark.slow
@pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason=f"no folder {FOLDER}; RECIPE_DATA says where the data of posteriordb are",
)
@pytest.mark.parametrize("name", MODELS.MODELS)
def test_moments_are_those_of_the_reference_draws(name):
    ours, theirs = (
        moments(drawn(MODELS.MODELS[name](FOLDER), seed=1)),
        moments(MODELS.reference_draws(FOLDER, name)),
    )
    assert list(ours.index) == list(theirs.index)
    table = ours[["ess_bulk", "r_hat"]].copy()
    for kind in ("sd", "mean"):
        z = (ours[kind] - theirs[kind]) / np.hypot(ours[f"mcse_{kind}"], theirs[f"mcse_{kind}"])
        for column, values in (
            (f"z_{kind}", z),
            (f"{kind}_reference", theirs[kind]),
            (kind, ours[kind]),
        ):
            table.insert(0, column, values)
    print(f"\n{name}\n{table.to_string(float_format='{:.4g}'.format)}")
    assert table["r_hat"].max() < 1.01
    assert table[["z_mean", "z_sd"]].abs().max(axis=None) < LIMIT
