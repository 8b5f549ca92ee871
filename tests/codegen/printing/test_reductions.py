"""Sums have a written order: the same bits as a slow sum in plain Python, for any width of the
vectors, tiles and kinds of data.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy
from numba import njit
from sympy import exp

from codegen import Density, generate
from codegen.device.intrinsics import fma
from codegen.device.simd8 import EIGHT, eight, inside, lanes, pairwise, whole
from recipe import Data, Dense, Posterior, Scalar, Update, Vector, dot, total
from recipe.language.total import Total, opened

theta = Vector("theta")
X, y = Data("x", like=theta), Data("y")
mu, tau, xi = Scalar("mu"), Scalar("tau"), Scalar("xi")
h = sympy.Symbol("h", positive=True)
LENGTHS = [1, 2, 7, 8, 9, 16, 50, 63, 64, 65, 1003]
rng = np.random.default_rng(5)


def fused(a, b, c):
    """a * b + c, rounded once."""
    return float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))


def slow_sum(n, joined):
    """The sum in the order that ``codegen/printing/reductions.py`` states; ``joined(i, total)`` is
    the total after coordinate i.
    """
    if n < 8:
        result = 0.0
        for i in range(n):
            result = joined(i, result)
        return result
    running = [0.0] * 8
    for i in range(n):
        running[i % 8] = joined(i, running[i % 8])
    while len(running) > 1:
        half = len(running) // 2
        running = [running[k] + running[half + k] for k in range(half)]
    return running[0]


@functools.cache
def generated(rule):
    module = generate(Update(h, list(rule), total(theta**2) / 2))
    return module, module.load()


def stepped(rule, values, **params):
    """The blocks after one step of a rule without gradients."""
    module, loaded = generated(tuple(rule))
    state = loaded.allocate(*values)
    out = loaded.allocate(*values)
    inputs = loaded.Params(**params) if params else ()
    loaded.step(out, state, (), 1.0, inputs, ())
    return [getattr(out, field) for field in module.plan.fields.values()]


@pytest.mark.slow_for("50", "63", "64", "1003")
@pytest.mark.parametrize("n", LENGTHS)
def test_a_sum_has_the_bits_of_the_slow_one(n):
    x = rng.normal(size=n) * 10.0 ** rng.integers(-5, 5, size=n)
    (new,) = stepped([(theta, theta * total(theta**2))], [x])
    whole = slow_sum(n, lambda i, t: fused(x[i], x[i], t))
    np.testing.assert_array_equal(new, x * whole)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("n", LENGTHS)
def test_a_sum_of_what_has_no_form_for_eight_has_its_bits_too(n):
    """With an exponential function in it: terms first, then the same order."""
    x = rng.normal(size=n)
    (new,) = stepped([(theta, theta + total(exp(theta)))], [x])
    terms = np.empty(n)
    for i in range(n):
        stepped_one = x[i : i + 1]
        terms[i] = stepped([(theta, theta * 0 + total(exp(theta)))], [stepped_one])[0][0]
    np.testing.assert_array_equal(new, x + slow_sum(n, lambda i, t: t + terms[i]))


def test_several_sums_of_one_loop_each_have_their_bits():
    x = rng.normal(size=37)
    rule = [(theta, theta), (mu, total(theta**2)), (tau, total(theta)), (xi, total(theta**3))]
    _, squares, plain, cubes = stepped(rule, [x, np.zeros(1), np.zeros(1), np.zeros(1)])
    assert squares[0] == slow_sum(37, lambda i, t: fused(x[i], x[i], t))
    assert plain[0] == slow_sum(37, lambda i, t: t + x[i])
    assert cubes[0] == slow_sum(37, lambda i, t: fused(x[i] * x[i], x[i], t))


def test_a_product_with_a_matrix_has_the_bits_of_slow_sums():
    M = Dense("M", theta, positive=True)
    n = 21
    values, x = rng.normal(size=(n, n)), rng.normal(size=n)
    values = values @ values.T
    (new,) = stepped([(theta, dot(M, theta))], [x], M=values)
    slow = [slow_sum(n, lambda i, t, j=j: fused(values[j, i], x[i], t)) for j in range(n)]
    np.testing.assert_array_equal(new, slow)


LINEAR = Posterior(
    theta,
    -((y - total(X * theta)) ** 2) / 2,
    -total(theta**2) / 2,
    {X: np.zeros((2, 2)), y: np.zeros(2)},
)


def linear_rows(count, d, kind):
    x, labels, at = rng.normal(size=(count, d)) * 9, rng.normal(size=count) * 9, rng.normal(size=d)
    return np.asarray(x.astype(kind[:2]), order=kind[2:] or "C"), labels.astype(kind[:2]), at


@pytest.mark.by_default(1)
@pytest.mark.parametrize("kind", ["f4", "f8F", "f8", "i1", "u2"])
@pytest.mark.parametrize("d", [3, 21])
def test_rows_join_the_gradient_in_their_order_whatever_the_tiles(d, kind, tmp_path):
    """Bit for bit the slow gradient: sums in the order that is stated, then one row after another,
    each with one rounding.
    """
    x, labels, at = linear_rows(90, d, kind)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(
        tmp_path / "x.npy", mmap_mode="r"
    )  # not copied, so that a file in the order of Fortran stays in it
    law = Density(Posterior(theta, LINEAR.log_likelihood, LINEAR.log_prior, {X: mapped, y: labels}))
    for used in (1, 31, 32, 33, 70):
        rows = rng.integers(0, 90, size=used)
        slow = np.zeros(d)
        for row in rows:
            error = float(labels[row]) - slow_sum(
                d, lambda i, t, row=row: fused(x[row, i], at[i], t)
            )
            slow = np.array([fused(-error, x[row, i], slow[i]) for i in range(d)])
        found = law.gradient({"theta": at}, rows)[theta]
        np.testing.assert_array_equal(found, at + slow * (90.0 / used))
    np.testing.assert_array_equal(
        law.gradient({"theta": at})[theta], law.gradient({"theta": at}, np.arange(90))[theta]
    )


phi = Vector("phi", like=theta)
KINDS = {
    "hierarchical": (
        (mu, tau, theta),
        -((y - mu - total(X * theta)) ** 2) / 2 * exp(-tau) - tau / 2,
        -total((theta - mu) ** 2) / 2,
    ),
    "poisson": ((theta,), y * total(X * theta) - exp(total(X * theta)), -total(theta**4)),
    "classes": (
        (theta, phi),
        total(X * theta) - sympy.log(exp(total(X * theta)) + exp(total(X * phi)) + 1),
        -total(theta**2 + phi**2),
    ),
    "mixture": (
        (theta, phi),
        sympy.log(exp(-total((X - theta) ** 2) / 2) + exp(-total((X - phi) ** 2) / 2)),
        -total(theta**2 + phi**2),
    ),
    "functions of coordinates": (
        (theta,),
        -total(sympy.log(1 + exp(theta * X))) + y * total(sympy.sin(theta)),
        -total(theta**2),
    ),
    "numbers alone": ((mu, tau), -((y - mu) ** 2) * exp(-tau) / 2 - tau / 2, -(mu**2) - tau**2),
}


@pytest.mark.slow  # each takes seconds to compile
@pytest.mark.parametrize("model", KINDS)
def test_potential_and_gradient_are_those_of_the_model(model):
    """Against sympy with explicit coordinates in 30 digits."""
    blocks, likelihood, prior = KINDS[model]
    d, count = 11, 37
    data = {X: rng.normal(size=(count, d)) / 3, y: rng.integers(0, 3, size=count).astype(float)}
    used = [s for s in (X, y) if likelihood.has(s) or (s == X and model != "numbers alone")]
    law = Density(Posterior(blocks, likelihood, prior, {s: data[s] for s in used}))
    at = {
        b.name: rng.normal(size=d) / 2 if isinstance(b, Vector) else float(rng.normal())
        for b in blocks
    }
    rows = rng.integers(0, count, size=35)

    def potential(values):
        with_rows = sum(
            explicit(likelihood, {**values, "x": data[X][row], "y": data[y][row]}, d)
            for row in rows
        )
        return float(-with_rows * count / 35 - explicit(prior, values, d))

    np.testing.assert_allclose(law.potential(at, rows), potential(at), rtol=1e-12)
    slopes = law.gradient(at, rows)
    for b in blocks:
        for i in range(d if isinstance(b, Vector) else 1):
            moved = []
            for step in (1e-5, -1e-5):
                value = np.array(at[b.name], copy=True)
                value[... if value.ndim == 0 else i] += step
                moved.append(potential({**at, b.name: value}))
            slope = slopes[b][i] if isinstance(b, Vector) else slopes[b]
            np.testing.assert_allclose(slope, (moved[0] - moved[1]) / 2e-5, rtol=1e-5, atol=1e-5)


def explicit(e, values, d):
    """The value of an expression at a row, by a walk over it in plain Python."""

    def walk(f, i):
        if isinstance(f, Total):
            body, _ = opened(f, 5)
            return sum(walk(body, k) for k in range(d))
        if not f.args or isinstance(f, sympy.Symbol):
            if f.is_number:
                return float(f)
            value = np.asarray(values[f.name.split("[")[0]])
            return float(value[i] if value.ndim else value)
        return float(f.func(*(sympy.Float(walk(a, i), 17) for a in f.args)))

    return walk(e, None)


@njit
def machine_sum(a, b):
    n = np.uint64(a.size)
    result = eight(0.0)
    for i in range(np.uint64(0), n - n % EIGHT, EIGHT):
        at = whole(i)
        result = inside(at, fma(a[at], b[at], result), result)
    if n % EIGHT > 0:
        at = lanes(n - n % EIGHT, n)
        result = inside(at, fma(a[at], b[at], result), result)
    return pairwise(result)


def digest():
    """Bits of sums and of a gradient, to be compared with those of another process."""
    source = np.random.default_rng(3)
    x = source.normal(size=(100, 13)).astype("f4")
    law = Density(
        Posterior(theta, LINEAR.log_likelihood, LINEAR.log_prior, {X: x, y: x[:, 0] ** 2})
    )
    found = law.gradient({"theta": source.normal(size=13)}, source.integers(0, 100, size=77))[theta]
    both = [found, np.array([machine_sum(a, a + 0.1) for a in source.normal(size=(50, 29))])]
    return hashlib.sha256(np.concatenate(both).tobytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.by_default("machine0")
@pytest.mark.parametrize(
    "machine",
    [{"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, {"NUMBA_LOOP_VECTORIZE": "0"}],
)
def test_sums_are_the_same_bits_on_a_machine_without_wide_vectors(machine, tmp_path):
    program = "import json, test_reductions as t; print(json.dumps(t.digest()))"
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, **machine, "PYTHONPATH": path, "RECIPE_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(done.stdout) == digest()
