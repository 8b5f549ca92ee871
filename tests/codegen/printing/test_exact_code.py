"""Exact transitions as they are compiled: every row of the table of docs/exact.md, mean and
variance against those of the law.
"""

import math

import numpy as np
import pytest
from sympy import Interval, diff, log, oo

from codegen import sample
from recipe import Recipe, Vector, maps, total

STEP, N = 0.7, 400


def transformed(m, low, high):
    """What the map makes of the Ornstein-Uhlenbeck process with the standard normal law."""
    q = Vector("q", domain=Interval.open(low, high))
    slope = diff(m.inverse.expr, m.inverse.variables[0]).xreplace({m.inverse.variables[0]: q})
    return Recipe((q,), total(m.inverse(q) ** 2 / 2 - log(slope)), 1 / slope**2, 0)


def moments(f):
    """Mean and variance of ``f(phi)`` for a standard normal phi, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    mean = weights @ f(nodes)
    return mean, weights @ (f(nodes) - mean) ** 2


x, theta = Vector("x"), Vector("theta", domain=Interval.open(0, oo))
RECIPES = {
    "Ornstein-Uhlenbeck": (Recipe((x,), total(x**2) / 2, 1, 0), (0, 1)),
    "square root": (Recipe((theta,), total(theta - log(theta)), theta, 0), (2, 2)),
    "sigmoid": (transformed(maps.sigmoid, 0, 1), moments(lambda p: 1 / (1 + np.exp(-p)))),
    "softplus": (transformed(maps.softplus, 0, oo), moments(lambda p: np.log1p(np.exp(p)))),
    "arctan": (transformed(maps.arctan, -1, 1), moments(lambda p: 2 * np.arctan(p) / math.pi)),
    "tanh": (transformed(maps.tanh, -1, 1), moments(np.tanh)),
    "exp": (transformed(maps.exp, 0, oo), (math.exp(0.5), math.exp(2) - math.exp(1))),
}


@pytest.mark.slow
@pytest.mark.by_default("square root")  # the others only compile more
@pytest.mark.parametrize("name", RECIPES)
def test_mean_and_variance_of_every_row(name):
    """Five standard errors of the mean over independent chains, which are the coordinates."""
    recipe, (mean, variance) = RECIPES[name]
    (block,) = recipe.state
    draws = sample(
        recipe,
        scheme="exact",
        step_size=STEP,
        steps=420,
        warmup=20,
        lengths={block: N},
        chains=1,
        seed=3,
        initial={block.name: np.full(N, 0.5)},
        progress=False,
    )
    values = np.asarray(draws[block.name]).reshape(-1, N)
    for found, exact in (
        (values.mean(axis=0), mean),
        (((values - mean) ** 2).mean(axis=0), variance),
    ):
        assert abs(found.mean() - exact) < 5 * found.std(ddof=1) / math.sqrt(N)
