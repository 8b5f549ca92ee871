"""How each model is sampled here: by what ``codegen.tune`` finds, in seconds that are counted; by
numbers that were set by hand where a model has a gradient of its own and no density to tune by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from codegen import tune
from recipe.kernel.trajectory import longest_trajectory

MODELS = (
    "logistic", "hierarchical", "factorisation", "mixture", "autoregression", "multinomial",
    "softmax", "ordinal", "negative_binomial", "gaussian_process", "network", "network_jax",
)  # fmt: skip
# Where factors can be exchanged, chains of a pilot run disagree unless they start on one side.
STARTS = {
    "factorisation": {
        "u1": np.full(25, 1.0), "u2": np.full(25, 0.3), "v1": np.full(20, 1.0),
        "v2": np.full(20, 0.3),
    },
}  # fmt: skip
NOT_OF_A_RUN = ("steps", "warmup", "thin", "chains", "seed", "max_bias")


@dataclass(frozen=True)
class ByHand:
    """SGHMC by BAOAB, which has no Metropolis test, with numbers that were set by hand.

    Attributes:
        step: the step size.
        friction: the friction.
        thin: how many steps are between two draws.
        way: the steps on the way from the first state to where the mass is, with an eighth of the
            step size; as many are left out after it.
    """

    step: float
    friction: float
    thin: int
    way: int = 200


BY_HAND = {
    "gaussian_process": ByHand(0.08, friction=3, thin=3),
    "network": ByHand(0.006, friction=2, thin=100, way=2000),
    "network_jax": ByHand(0.006, friction=2, thin=100, way=2000),
}


@dataclass(frozen=True, eq=False)
class Run:
    """What is run.

    Attributes:
        arguments: the keywords of ``sample`` but the numbers of steps, chains and seeds.
        name: what a table says.
        thin, warmup: how many steps are between two draws, and are left out.
        exact: whether a Metropolis test takes the bias away.
        way: the steps on the way to where the mass is; 0 where first values are known.
    """

    arguments: dict[str, Any]
    name: str
    thin: int
    warmup: int
    exact: bool
    way: int


def run_of(model: str, posterior: Any, seed: int) -> Run:
    """Return how a model is run, after its tuning.

    Args:
        model: the name of the model.
        posterior: its posterior.
        seed: the seed of the turn; another one tunes anew.
    """
    given = BY_HAND.get(model)
    if given is not None:
        arguments = {
            "what": sghmc, "posterior": posterior, "scheme": "baoab",
            "params": {"C": given.friction}, "step_size": given.step,
        }  # fmt: skip
        name = f"SGHMC, BAOAB, step {given.step:g}, friction {given.friction:g}, by hand"
        return Run(arguments, name, given.thin, given.way, False, given.way)
    start = STARTS.get(model)
    found = tune(hmc_kernel, posterior, chains=1, seed=seed, initial=start).settings
    arguments = {k: v for k, v in found.items() if k not in NOT_OF_A_RUN}
    leaps = longest_trajectory(found["what"])
    name = f"HMC, step {found['step_size']:.2g}, 1 to {leaps} leaps, tuned"
    return Run(arguments, name, 1, 0, True, 0)
