"""The generated step against a slow 50-digit evaluation of the symbolic rule; the loop of ``run``
against ``step``; the text.
"""

from __future__ import annotations

import ast
import math
import subprocess
import sys

import mpmath
import numpy as np
import pytest
import sympy
from cases.compiled_steps import (
    COUPLED,
    FACTORED,
    SGHMC,
    SGLD,
    SGNHT,
    A,
    C,
    U,
    compare,
    cubic,
    d,
    fast_inputs,
    r,
    setting,
    theta,
    xi,
)
from numba import njit
from sympy import Function, Interval, Matrix, Symbol, exp, log, oo, sqrt, tanh

from codegen import generate
from codegen.device.random import draw_rows, fill_normals, random_row, stream_key
from recipe import (
    Data,
    Dense,
    Field,
    Noise,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    discretise,
    dot,
    grad,
    mirror,
    total,
)
from recipe.language.abstract import Partial
from recipe.language.total import sum_over

M = Dense("M", theta, positive=True)
k = Parameter("k", like=theta, positive=True)
G = 1 / (1 + tanh(theta) ** 2)
SGRHMC = Recipe(
    (theta, r),
    U + total(r**2) / 2,
    Matrix([[0, 0], [0, G]]),
    Matrix([[0, -sqrt(G)], [sqrt(G), 0]]),
    name="sgrhmc",
)
PRECONDITIONED = Recipe(
    (theta,), U + total(k * theta**2) / 2, Matrix([[C * M]]), Matrix([[0]]), name="preconditioned"
)
BOUND = bind(SGHMC, {U: total(log(1 + exp(k * theta)) + theta**4 / 4)})
RECIPES = [SGLD, SGHMC, SGNHT, SGRHMC, COUPLED, PRECONDITIONED, BOUND, FACTORED]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("recipe", "scheme"),
    [(r, s) for r in RECIPES for s in ("semi-implicit", "euler")],
    ids=lambda x: getattr(x, "name", x),
)
def test_step_is_the_rule(recipe, scheme):
    for size in (1, 2, 5):
        compare(recipe, size, scheme)


def test_a_printed_rule_is_compiled_as_it_stands():
    w, v = Noise("w", like=r), Noise("v", like=xi)
    eps = Symbol("epsilon", positive=True)
    half = theta + eps / 2 * r
    kick = r - eps * grad(U, theta) - eps * xi * r + sqrt(2 * A * eps) * w
    rule = [
        (theta, half),
        (r, kick),
        (theta, half),
        (xi, xi + eps * (total(r**2) / d - 1) + sqrt(eps) * v),
        (r, r + eps * total(w) * w),
    ]
    compare(Update(eps, rule, U + total(r**2) / 2, name="splitting"), 5)
    simultaneous = Update(
        eps,
        {theta: theta + eps * r * xi, r: r - eps * theta, xi: xi + eps * total(theta * r)},
        total(theta**2),
    )
    compare(simultaneous, 4)


def test_two_gradients_in_a_step_are_taken_where_they_stand():
    eps = Symbol("epsilon", positive=True)
    kick = r - eps / 2 * grad(U, theta)
    compare(
        Update(
            eps,
            [(r, kick), (theta, theta + eps * r), (r, kick)],
            U + total(r**2) / 2,
            name="leapfrog",
        ),
        3,
    )
    joined = theta + eps * grad(U, theta)
    compare(
        Update(
            eps,
            [
                (theta, joined),
                (r, r + eps * grad(U, theta) * total(grad(U, theta) * r)),
                (theta, joined),
            ],
            U,
        ),
        3,
    )


def test_blocks_of_different_lengths_and_matrices_that_are_not_square():
    phi = Vector("phi")
    B = Dense("B", theta, phi)
    eps = Symbol("epsilon", positive=True)
    rule = {theta: theta + eps * dot(B, phi) / phi.dim, phi: phi - eps * phi * total(theta)}
    module = generate(Update(eps, rule, total(theta**2) + total(phi**2)))
    loaded = module.load()
    rng = np.random.default_rng(1)
    t0, p0, b = rng.normal(size=3), rng.normal(size=2), rng.normal(size=(3, 2))
    state, out = loaded.allocate(t0, p0), loaded.allocate(t0 * np.nan, p0 * np.nan)
    loaded.step(out, state, None, 0.1, loaded.Params(b), ())
    np.testing.assert_allclose(out.theta, t0 + 0.1 * b @ p0 / 2, rtol=1e-14)
    np.testing.assert_allclose(out.phi, p0 - 0.1 * p0 * t0.sum(), rtol=1e-14)


def test_transposed_product():
    phi = Vector("phi")
    B = Dense("B", theta, phi)
    eps = Symbol("epsilon", positive=True)
    pulled = sum_over(B.entry(-7, 0) * theta.at(-7), -7, theta.length)
    module = generate(
        Update(eps, {theta: theta, phi: phi + eps * pulled}, total(phi**2) + total(theta**2))
    )
    loaded = module.load()
    rng = np.random.default_rng(2)
    t0, p0, b = rng.normal(size=3), rng.normal(size=2), rng.normal(size=(3, 2))
    out = loaded.allocate(t0, p0)
    loaded.step(out, loaded.allocate(t0, p0), None, 0.1, loaded.Params(b), ())
    np.testing.assert_allclose(out.phi, p0 + 0.1 * b.T @ t0, rtol=1e-14)


def white_noise(module, size, t, *, seed=3, chain=0):
    """The noises of step ``t`` as ``run`` draws them."""
    u64 = np.uint64
    result = []
    for n, draw in enumerate(module.plan.noises):
        values = np.empty(size if draw.length is not None else 1)
        fill_normals(values, tuple(map(u64, stream_key(u64(seed), u64(n), u64(chain)))), u64(t))
        result.append(values)
    return tuple(result)


def run(
    loaded,
    state,
    draws,
    gradient,
    params,
    *,
    seed=3,
    chain=0,
    start=0,
    steps=10,
    step_size=0.03,
    warmup=0,
):
    return loaded.run(
        state,
        draws,
        gradient,
        (),
        step_size,
        params,
        np.uint64(seed),
        chain,
        start,
        steps,
        warmup,
        1,
    )


@pytest.mark.by_default(1)
@pytest.mark.parametrize("recipe", [SGNHT, PRECONDITIONED], ids=lambda x: x.name)
@pytest.mark.parametrize("size", [1, 2, 5, 31, 32, 33, 63, 64, 65])
def test_run_is_step_with_fused_noise(recipe, size):
    """From a step on that is no multiple of 64, over one that is, in two parts: up to 64 steps are
    drawn at once.
    """
    module = generate(recipe)
    loaded = module.load()
    values = setting(discretise(recipe, "semi-implicit"), size)
    state, params, _ = fast_inputs(module, loaded, values)
    draws = loaded.Draws(*(np.empty((10, a.size)) for a in state[: len(module.plan.state)]))
    here, there = (
        loaded.allocate(*state[: len(module.plan.state)]),
        loaded.allocate(*state[: len(module.plan.state)]),
    )
    for start, steps in ((59, 3), (62, 7)):
        assert run(loaded, state, draws, cubic, params, start=start, steps=steps, warmup=59) == (
            start + steps,
            -1,
        )
    for t in range(10):
        loaded.step(there, here, cubic, 0.03, params, white_noise(module, size, 59 + t))
        here, there = there, here
        for n in range(len(module.plan.state)):
            np.testing.assert_allclose(draws[n][t], here[n], rtol=1e-12, atol=1e-13)


def test_step_allocates_nothing():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    module = generate(SGNHT)
    loaded = module.load()
    state, params, noise = fast_inputs(
        module, loaded, setting(discretise(SGNHT, "semi-implicit"), 50)
    )
    out = loaded.allocate(state.theta, state.r, state.xi)
    step = loaded.step

    @njit
    def repeated(out, state, params, noise, times):
        for _ in range(times):
            step(out, state, cubic, 0.01, params, noise)

    def allocations(times):
        before = rtsys.get_allocation_stats().alloc
        repeated(out, state, params, noise, times)
        return rtsys.get_allocation_stats().alloc - before

    allocations(1)
    assert allocations(1) == allocations(100)  # what is left is the passing of the arguments


X, y = Data("x", like=theta), Data("y")
eta = total(X * theta)
sigma = Symbol("sigma", positive=True)


def logistic(size, rows, scale=1.0, seed=5):
    rng = np.random.default_rng(seed)
    x, labels = scale * rng.normal(size=(rows, size)), rng.integers(0, 2, rows).astype(float)
    return (
        Posterior(
            theta, y * eta - log(1 + exp(eta)), -total(theta**2) / (2 * sigma**2), {X: x, y: labels}
        ),
        x,
        labels,
    )


def test_minibatch_gradient_is_that_of_the_chosen_rows():
    posterior, x, labels = logistic(3, 40)
    module = generate(bind(SGLD, {U: posterior}))
    loaded = module.load()
    at, u64 = np.array([0.3, -0.2, 0.9]), np.uint64
    data, params, key = loaded.Data(x=x, y=labels), loaded.Params(2.0), (u64(1), u64(9))

    def numpy_gradient(rows):
        residual = 1 / (1 + np.exp(-x[rows] @ at)) - labels[rows]
        return 40 / len(rows) * x[rows].T @ residual + at / 4

    g = np.empty(3)
    for t, batch in ((0, 7), (5, 40), (6, 1)):
        rows = np.zeros(batch, dtype=np.int64)
        draw_rows(rows, rows[:0], 40, key, u64(t))
        half = batch - batch // 2  # the two halves share counters
        numbers = [2 * n if n < half else 2 * (n - half) + 1 for n in range(batch)]
        assert rows.tolist() == [int(random_row(key, u64(t), u64(k), 40)) for k in numbers]
        loaded.gradient_U(g, at, data, params, (), rows)
        np.testing.assert_allclose(g, numpy_gradient(rows), rtol=1e-12)
    loaded.gradient_U(g, at, data, params, (), rows[:0])
    np.testing.assert_allclose(g, numpy_gradient(list(range(40))), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.by_default("sign")
@pytest.mark.parametrize("form", ["odds", "probability", "sign"])
def test_logistic_gradient_is_finite_and_right_for_huge_predictors(form):
    label = 2 * y - 1
    p = 1 / (1 + exp(-eta))
    likelihood = {
        "odds": y * eta - log(1 + exp(eta)),
        "probability": y * log(p) + (1 - y) * log(1 - p),
        "sign": -log(1 + exp(-label * eta)),
    }
    x, labels = (
        np.array([[1000.0], [-1000.0], [30.0], [-40.0], [1e-3]]),
        np.array([1.0, 1.0, 0.0, 0.0, 1.0]),
    )
    posterior = Posterior(theta, likelihood[form], -total(theta**2) / 2, {X: x, y: labels})
    module = generate(bind(SGLD, {U: posterior}))
    loaded = module.load()
    g = np.empty(1)
    for at in (1.0, -1.0):
        loaded.gradient_U(g, np.array([at]), loaded.Data(x, labels), (), (), np.zeros(0, np.int64))
        with mpmath.workdps(50):
            terms = [
                (1 / (1 + mpmath.exp(-mpmath.mpf(a) * at)) - b) * a
                for a, b in zip(x[:, 0].tolist(), labels.tolist(), strict=True)
            ]
            expected = float(mpmath.fsum(terms) + at)
        assert g[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.slow
def test_loops_over_coordinates_are_not_nested_unless_there_is_a_matrix():
    """Neither in the text of a function nor through the functions that it calls; loops over steps,
    over chains and over blocks are others.
    """
    over_steps = ("range(start, start + steps)", "range(step_sizes.size)")
    over_blocks = "range(len(blocks))"
    # of fill_ahead, for several steps
    ahead = "range(slot & ~np.uint64(7), stop + np.uint64(7) & ~np.uint64(7))"

    def depth(node, functions, level=0):
        level += (
            isinstance(node, ast.For)
            and node.target.id != "c"
            and ast.unparse(node.iter) not in (*over_steps, over_blocks, ahead)
        )
        called = functions.get(getattr(getattr(node, "func", None), "id", None))
        inner = [depth(called, functions, level)] if called is not None else []
        return max(
            [
                level,
                *inner,
                *(depth(child, functions, level) for child in ast.iter_child_nodes(node)),
            ]
        )

    def of(recipe):
        tree = ast.parse(generate(recipe).source)
        functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
        return {name: depth(f, functions) for name, f in functions.items()}

    for recipe in (SGLD, SGHMC, SGNHT, SGRHMC, COUPLED, BOUND):
        assert max(of(recipe).values()) == 1, recipe.name
    nested = {name for name, n in of(PRECONDITIONED).items() if n > 1}
    assert nested
    assert all(name.startswith("multiply") for name in nested - {"step", "run", "run_schedule"})


def test_sums_of_one_level_share_a_loop():
    source = generate(COUPLED, scheme="euler").source
    assert sum(line.startswith("def sums") for line in source.splitlines()) <= 3


NAMES = [
    "i",
    "out",
    "step",
    "math",
    "state",
    "np",
    "count",
    "index",
    "params",
    "gradient",
    "range",
    "total",
    "total_2",
]


@pytest.mark.by_default(1)
@pytest.mark.by_default(
    "i", "state", "np"
)  # a local, a parameter, a module; each is to be compiled
@pytest.mark.parametrize("name", NAMES)
def test_hostile_names(name):
    block, other = Vector(name), Scalar("noise" if name != "noise" else "data")
    V = Potential("step_size", block)
    p, q = Parameter("k", positive=True), Parameter("draws", like=block)
    eps = Symbol("epsilon", positive=True)
    rule = [
        (other, other + eps * total(block * q)),
        (block, block - eps * p * grad(V, block) + other * sqrt(eps) * Noise("run", like=block)),
    ]
    module = generate(Update(eps, rule, V + other**2))
    loaded = module.load()
    fields = dict(zip(module.plan.state, module.plan.fields.values(), strict=True))
    start = {fields[other]: np.array([0.25]), fields[block]: np.array([0.5, 2.0])}
    state, out = loaded.allocate(*start.values()), loaded.allocate(*start.values())
    settings = {module.plan.settings[p]: 1.5, module.plan.settings[q]: np.array([1.0, -1.0])}
    noise = np.array([1.0, -2.0])
    loaded.step(out, state, cubic, 0.01, loaded.Params(**settings), (noise,))
    new = 0.25 + 0.01 * (0.5 - 2.0)
    x = start[fields[block]]
    np.testing.assert_allclose(getattr(out, fields[other]), [new], rtol=1e-14)
    np.testing.assert_allclose(
        getattr(out, fields[block]), x - 0.015 * (x**3 + x / 2) + new * 0.1 * noise, rtol=1e-14
    )


def test_what_has_no_values_is_named():
    F, g = Field("F", theta, positive=True), Function("g", positive=True)(theta)
    for metric, name in ((F, "F"), (g, "g")):
        recipe = Recipe(theta, U, Matrix([[metric]]), Matrix([[0]]))
        with pytest.raises(
            RecipeError, match=rf"{name} has no values: bind it first, bind\(recipe"
        ):
            generate(recipe)
    eps = Symbol("epsilon", positive=True)
    with pytest.raises(RecipeError, match="the value of U"):
        generate(Update(eps, {theta: theta + eps * U}, U))
    with pytest.raises(RecipeError, match="second derivative"):
        generate(Update(eps, {theta: theta + eps * Partial(U, theta, theta)}, U))
    with pytest.raises(RecipeError, match="double loop"):
        generate(Update(eps, {theta: theta + eps * grad(total(grad(U, theta) ** 2), theta)}, U))
    with pytest.raises(RecipeError, match="is no sampler, which is a Recipe, an Update"):
        generate(U)


def test_an_update_takes_no_posterior_of_other_blocks():
    a, w, eps = Scalar("a"), Noise("w", like=theta), Symbol("epsilon", positive=True)
    rule = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * eps) * w}, U)
    law = Posterior((a,), -((Data("y") - a) ** 2), -(a**2), {Data("y"): [1.0]})
    with pytest.raises(RecipeError, match="a law of a, and U is a function of other blocks"):
        generate(rule, posteriors={U: law})


def test_special_functions_in_a_likelihood():
    x = Vector("x", domain=Interval.open(0, oo))
    n, half = Data("n"), sympy.Rational(3, 2)
    posterior = Posterior(
        x, -total(sympy.loggamma(x)) + n * total(log(x)), -total(x**half), {n: np.array([1.0, 2.0])}
    )
    V = Potential("V", x)
    loaded = generate(
        bind(mirror(Recipe(x, V, Matrix([[x]]), Matrix([[0]])), x), {V: posterior})
    ).load()
    g, at = np.empty(2), [1.5, 0.2]
    loaded.gradient_V(
        g, np.array(at), loaded.Data(np.array([1.0, 2.0])), (), (), np.zeros(0, np.int64)
    )
    np.testing.assert_allclose(
        g, [2 * float(mpmath.digamma(v)) - 3 / v + 1.5 * math.sqrt(v) for v in at], rtol=1e-13
    )


def test_the_text_says_where_it_comes_from_and_cannot_be_broken_by_it():
    module = generate(
        Recipe(
            theta,
            U,
            Matrix([[1]]),
            Matrix([[0]]),
            name='evil\nimport os #"""',
            source="A. Author\nos.remove()",
        )
    )
    head = module.source[: module.source.index("from typing")]
    assert all(line.startswith("#") for line in head.splitlines() if line)
    for text in ("H = U", "D[theta, theta] = 1", "scheme: semi-implicit", "theta <- ", "sympy"):
        assert text in head
    assert module.name.isidentifier()


def test_a_module_is_written_whole_and_stands_alone(tmp_path):
    posterior, _, _ = logistic(2, 10)
    module = generate(bind(SGHMC, {U: posterior}))
    path = module.write(tmp_path / "kernel.py")
    assert [p.name for p in tmp_path.iterdir()] == ["kernel.py"]
    assert path.read_text() == module.source
    code = (
        "import sys, kernel; print([m for m in ('sympy', 'recipe', 'codegen') if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"
    with pytest.raises(RecipeError, match="cannot be written"):
        module.write(tmp_path / "missing" / "kernel.py")
