"""Recipes that are compiled, and a comparison of their compiled step with 50-digit arithmetic."""

from __future__ import annotations

import numpy as np
import sympy
from numba import njit
from oracles.slow_step import slow_step
from sympy import Matrix, exp

from codegen import generate
from codegen.lowering.statements import chi_squared_draws
from recipe import (
    Dense,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Vector,
    discretise,
    outer,
    total,
)
from recipe.language.domain import on_simplex
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import Indexed

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
d = theta.dim
A, C = sympy.symbols("A C", positive=True)

SGLD = Recipe(state=(theta,), H=U, D=Matrix([[1]]), Q=Matrix([[0]]), name="sgld")
SGHMC = Recipe(
    (theta, r),
    U + total(r**2) / 2,
    Matrix([[0, 0], [0, C]]),
    Matrix([[0, -1], [1, 0]]),
    name="sghmc",
)
SGNHT = Recipe(
    (theta, r, xi),
    U + total(r**2) / 2 + d * (xi - A) ** 2 / 2,
    Matrix([[0, 0, 0], [0, A, 0], [0, 0, 0]]),
    Matrix([[0, -1, 0], [1, 0, r / d], [0, -r / d, 0]]),
    name="sgnht",
)
COUPLED = Recipe(
    (theta, r),
    U + total(exp(-total(r**2) / d) * r**2) / 2,
    Matrix([[1 + total(theta**2) / d, 0], [0, C]]),
    Matrix([[0, outer(r, theta) - 1], [1 - outer(theta, r), 0]]),
    name="coupled",
)
FACTORED = Recipe(
    (theta, r, xi),
    U + total(r**2) / 2 + xi**2 / 2,
    Matrix([[1, theta, 0], [theta, 1 + theta**2 + outer(r, r), r], [0, r, 1]]),
    Matrix.zeros(3),
    noise_factor=Matrix([[1, 0, 0], [theta, 1, r], [0, 0, 1]]),
    name="factored",
)


@njit(error_model="numpy")
def cubic(g, x):
    for i in range(x.size):
        g[i] = x[i] ** 3 + 0.5 * x[i]


def slow_cubic(x):
    return [[a**3 + a / 2 for a in x]]


def setting(update, size, seed=0):
    """Values for everything that an update reads, by name."""
    rng = np.random.default_rng(seed)
    values = {b.name: rng.normal(size=size if isinstance(b, Vector) else 1) for b in update.state}
    root = rng.normal(size=(size, size))
    values |= {
        "M": root @ root.T / size + np.eye(size),
        "k": rng.uniform(0.5, 2, size),
        "A": 1.3,
        "C": 0.7,
    }
    noises = sorted({s for _, e in update.rule for s in e.atoms(Noise, ScalarNoise)}, key=str)
    for s in noises:
        values[getattr(s, "base", s.name)] = rng.normal(size=size if hasattr(s, "base") else 1)
    return values


def fast_inputs(module, loaded, values):
    """State, params and noise of the generated step, from values by name."""
    state = loaded.allocate(*(values[b.name] for b in module.plan.state))
    settings = {f: values[getattr(s, "base", s.name)] for s, f in module.plan.settings.items()}
    settings |= {f: np.linalg.cholesky(values[m.name]) for m, f in module.plan.factors.items()}
    params = loaded.Params(**settings) if settings else ()
    return state, params, tuple(values[n.name] for n in module.plan.noises)


def step_inputs(module, loaded, size, seed=0):
    """Values of every kind that the ``step`` of a module is given: state, params, noise.

    Blocks and settings are positive, and small where a block is on a simplex, so that they lie in
    the domains of the catalog.
    """
    rng = np.random.default_rng(seed)

    def array(length, most=0.9):
        return rng.uniform(0.1, most, 1 if length is None else size)

    plan = module.plan
    state = loaded.allocate(
        *(
            array(getattr(b, "length", None), 0.9 / size if on_simplex(b) else 0.9)
            for b in plan.state
        )
    )
    settings = {
        f: array(s.length)
        if isinstance(s, Indexed)
        else np.eye(size)
        if isinstance(s, Dense)
        else 1.3
        for s, f in plan.settings.items()
    } | {f: np.eye(size) for f in plan.factors.values()}
    noise = (
        *(rng.normal(size=array(d.length).size) for d in plan.noises),
        *(rng.chisquare(3, array(d.length).size) for d in chi_squared_draws(plan)),
    )
    return state, loaded.Params(**settings) if settings else (), noise


def compare(what, size, scheme="semi-implicit", step=0.03):
    update = discretise(what, scheme) if isinstance(what, Recipe) else what
    module = generate(what, scheme=scheme)
    loaded = module.load()
    values = setting(update, size)
    state, params, noise = fast_inputs(module, loaded, values)
    out = loaded.allocate(*(np.full_like(values[b.name], np.nan) for b in module.plan.state))
    before = [np.copy(a) for a in state]
    loaded.step(out, state, cubic, step, params, noise)
    expected = slow_step(update, {**values, update.step.name: step}, slow_cubic)
    for block, field in module.plan.fields.items():
        np.testing.assert_allclose(
            getattr(out, field), expected[block.name], rtol=2e-13, atol=1e-14, err_msg=block.name
        )
    for a, b in zip(before, state, strict=True):
        np.testing.assert_array_equal(a, b)  # only out is written
