"""Many chains at once: each has the draws that it has alone, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Matrix, Symbol, log

from codegen import generate
from recipe import Parameter, Potential, Recipe, Scalar, Vector, bind, total

x, y, p, q = Scalar("x"), Scalar("y"), Scalar("p"), Scalar("q")
theta = Vector("theta")
r = Vector("r", like=theta)
U, V = Potential("U", x, y), Potential("V", theta)
C = Symbol("C", positive=True)
k = Parameter("k", like=theta, positive=True)
NOTHING = Matrix.zeros(2)
BANANA = x**2 / 2 + 5 * (y - x**2) ** 2
COUPLED = log(1 + total(k * theta**2)) + total(theta**4) / 4

SGLD = bind(Recipe((x, y), U, Matrix.eye(2), NOTHING, name="banana_sgld"), {U: BANANA})
FRICTION = Matrix.diag(0, 0, C, C)
TURN = Matrix([[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]])
SGHMC = bind(Recipe((x, y, p, q), U + (p**2 + q**2) / 2, FRICTION, TURN, name="banana_sghmc"), {U: BANANA})
VECTOR = bind(Recipe((theta, r), V + total(r**2) / 2, Matrix.diag(0, C), Matrix([[0, -1], [1, 0]])), {V: COUPLED})

CASES = {"numbers": SGLD, "numbers with momentum": SGHMC, "sums": VECTOR}
VALUES = {"C": 0.7, "k": np.array([0.5, 1.5, 2.5, 0.3, 1.1])}
SEED = np.uint64(11)


def inputs(module, length, chains):
    """Parameters, and first states of the shape (length, chains), of which the chains differ."""
    values = {f: VALUES[s.name.split("[")[0] if not hasattr(s, "base") else s.base] for s, f in module.plan.settings.items()}
    values = {f: v[:length] if isinstance(v, np.ndarray) else v for f, v in values.items()}
    rng = np.random.default_rng(5)
    sizes = [1 if isinstance(b, Scalar) else length for b in module.plan.state]
    return values, [0.5 * np.exp(0.3 * rng.normal(size=(n, chains))) for n in sizes]


def one_by_one(loaded, params, blocks, sizes, warmup, thin, first):
    """Draws, and where each chain stopped and why, by ``run`` chain by chain."""
    count = max(0, len(sizes) - warmup) // thin
    all_draws, ends = [], []
    for c in range(blocks[0].shape[1]):
        state = loaded.allocate(*(b[:, c] for b in blocks))
        shapes = [(count, b.shape[0]) for b in blocks]
        draws = loaded.Draws(
            *(np.full(s, np.nan) for s in shapes), *([np.full((count, 1), np.nan)] * (len(loaded.Draws._fields) - len(shapes)))
        )
        ends.append(loaded.run_schedule(state, draws, (), (), sizes, params, SEED, first + c, 0, warmup, thin))
        all_draws.append(draws)
    return [np.stack(d, axis=-1) for d in zip(*all_draws, strict=True)], ends


def together(loaded, params, blocks, sizes, warmup, thin, first, splits=None):
    count = max(0, len(sizes) - warmup) // thin
    chains = blocks[0].shape[1]
    state = loaded.allocate_many(*blocks)
    shapes = [(count, b.shape[0], chains) for b in blocks]
    draws = loaded.Draws(
        *(np.full(s, np.nan) for s in shapes), *([np.full((count, 1, chains), np.nan)] * (len(loaded.Draws._fields) - len(shapes)))
    )
    begin = 0
    for part in np.split(sizes, splits or []):
        begin, bad = loaded.run_many(state, draws, part, params, SEED, np.uint64(first), begin, warmup, thin)
        if bad >= 0:
            break
    return draws, state


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_chain_has_the_draws_that_it_has_alone(name, length):
    module = generate(CASES[name])
    loaded = module.load()
    values, blocks = inputs(module, length, 9)
    params = loaded.Params(**values) if values else ()
    sizes = np.repeat([0.01, 0.02], 20)
    alone, ends = one_by_one(loaded, params, blocks, sizes, 3, 2, 1000)
    draws, state = together(loaded, params, blocks, sizes, 3, 2, 1000, [7, 8, 25])
    assert all(end == (40, -1) for end in ends)
    for a, b in zip(alone, draws, strict=True):
        assert np.all(np.isfinite(a))
        np.testing.assert_array_equal(a, b)
