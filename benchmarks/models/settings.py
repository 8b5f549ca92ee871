"""How each model is sampled here, set by hand. What finds settings by itself goes in the place of
``setting_of``.

Scales are about the standard deviations of the coordinates of a block, on the line where the block
lives on an interval; HMC has masses of one over their squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Matrix

from catalog.sghmc import sghmc
from recipe import Parameter, Potential, Recipe, Vector, compose, metropolis, refresh, total
from recipe.language.symbols import name_of

theta = Vector("theta")
r = Vector("r", like=theta)
m = Parameter("m", like=theta, positive=True)
hmc = Recipe(
    (theta, r),
    Potential("U", theta) + total(r**2 / m) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
    name="hmc_with_masses",
)


@dataclass(frozen=True)
class Setting:
    """A sampler with all its arguments.

    Attributes:
        step: the step size.
        most: HMC makes 1 to so many leapfrog steps; None for SGHMC, which has no test, by BAOAB.
        scales: of HMC, by block: a number, or an array for a vector.
        friction: of SGHMC.
        thin: how many steps of SGHMC are between two draws.
        way: the steps on the way from the first state to where the mass is, with an eighth of the
            step size; as many are left out after it.
    """

    step: float
    most: int | None = None
    scales: Mapping[str, Any] = field(default_factory=dict)
    friction: float = 1.0
    thin: int = 1
    way: int = 200

    @property
    def name(self) -> str:
        """What a table says."""
        if self.most is None:
            return f"SGHMC, BAOAB, step {self.step:g}, friction {self.friction:g}"
        return f"HMC, step {self.step:g}, 1 to {self.most} leaps"

    @property
    def exact(self) -> bool:
        """Whether a Metropolis test takes the bias away."""
        return self.most is not None

    def sampler(self) -> Any:
        """The recipe or kernel."""
        if self.most is None:
            return sghmc
        return compose(refresh(hmc, r), metropolis(hmc, "leapfrog", times=(1, self.most), flip=r))

    def arguments(self, sampler: Any) -> dict[str, Any]:
        """The keywords of ``sample`` that belong to the setting, all but the step size.

        Args:
            sampler: the sampler, bound to the posterior, whose parameters are named after blocks.
        """
        if self.most is None:
            return {"params": {"C": self.friction}, "scheme": "baoab"}
        masses = {
            name_of(p): self.scales[name_of(p).removeprefix("m_").removeprefix("phi_")] ** -2.0
            for p in sampler.parameters
        }
        return {"params": masses}


SETTINGS = {
    "logistic": Setting(0.45, 5, {"a": 0.045, "beta": np.repeat([0.02, 0.06], [16, 4])}),
    "hierarchical": Setting(
        0.45, 7, {"mu": 0.13, "tau": 0.15, "sigma": 0.03, "eta": np.full(30, 0.4)}
    ),
    "factorisation": Setting(
        0.12, 20, {n: np.full(k, 0.3) for n, k in {"u1": 25, "u2": 25, "v1": 20, "v2": 20}.items()}
    ),
    "mixture": Setting(
        0.4, 8, {"m": 0.061, "d": 0.028, "e": 0.025, "s": 0.029, "p": 0.076, "q": 0.078}, way=1000
    ),
    "autoregression": Setting(0.3, 12, {"a": 0.073, "rho": 0.175, "sigma": 0.033}),
    "multinomial": Setting(0.4, 8, {"g": np.array([2, 0.9, 0.7, 0.5, 0.4] + 7 * [0.3])}),
    "softmax": Setting(
        0.2, 16, {"a1": 0.6, "a2": 0.8, "beta1": np.full(4, 0.6), "beta2": np.full(4, 0.7)}
    ),
    "ordinal": Setting(0.7, 4, {"beta": np.full(3, 0.085), "c": 0.11, "d": 0.1, "e": 0.08}),
    "negative_binomial": Setting(0.8, 4, {"a": 0.031, "beta": np.full(4, 0.031), "c": 0.083}),
    "gaussian_process": Setting(0.08, friction=3, thin=3),
    "network": Setting(0.006, friction=2, thin=100, way=2000),
    "network_jax": Setting(0.006, friction=2, thin=100, way=2000),
}


def setting_of(model: str) -> Setting:
    """How a model is sampled."""
    return SETTINGS[model]
