"""A run of SGHMC with minibatches, and the same run stopped in the middle of a step."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Matrix, Symbol

from codegen import sample
from codegen.running import chains
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
C = Symbol("C", positive=True)
X, y = Data("x", like=theta), Data("y")
SGHMC = Recipe(
    (theta, r),
    U + total(r**2) / 2,
    Matrix([[0, 0], [0, C]]),
    Matrix([[0, -1], [1, 0]]),
    name="sghmc",
)
rng = np.random.default_rng(1)
x_values = rng.normal(size=(100, 2))
y_values = rng.normal(size=100)
POSTERIOR = Posterior(
    theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x_values, y: y_values}
)
TARGET = bind(SGHMC, {U: POSTERIOR})
OPTIONS = {
    "params": {"C": 5.0}, "batch_size": 10, "steps": 2000, "warmup": 100, "thin": 3, "chains": 3,
    "step_size": 1e-3, "checkpoint_seconds": 1e-9, "keep": "all", "progress": False,
}  # fmt: skip


def run(**options):
    return sample(options.pop("target", TARGET), **{**OPTIONS, **options})


class StopError(Exception):
    """Stands for whatever stops a process."""


def stopped_run(folder, monkeypatch, after, **options):
    """A run that dies in the middle of a step of its main thread."""
    count = 0
    original = chains._advance_once

    def dying(*arguments):
        nonlocal count
        count += 1
        if count > after:
            raise StopError
        original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(chains, "_advance_once", dying)
        with pytest.raises(StopError):
            run(checkpoint=folder, **options)
