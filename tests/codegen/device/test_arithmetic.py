"""What generated code promises of its arithmetic: no fast-math flag, the same bits on any machine,
vectors where there are some.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import sys

import llvmlite.binding
import numpy as np
import pytest
import sympy
from cases.catalog_recipes import catalog_recipes
from numba import njit

from codegen import generate
from codegen.device.chi_squared import noncentral_chi_squared
from codegen.device.elementary import exp, expm1, log, log1p, tanh
from codegen.device.intrinsics import wide
from codegen.device.random import fill_normals, stream_key
from codegen.device.special import digamma, phi_1
from codegen.device.stable import sigmoid, softplus
from recipe import bind, total

FLAGS = re.compile(r"\b(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b")
INSTRUCTION = re.compile(
    r"^\s+(?:%\S+ = )?(?:tail |musttail |notail )?(?:f\w+|call|select|phi) ", re.MULTILINE
)


def flagged(ir: str) -> list[str]:
    """The instructions that carry a fast-math flag, which stands between their name and
    their type.
    """
    heads = (
        line.split("(")[0].split("@")[0] for line in ir.splitlines() if INSTRUCTION.match(line)
    )
    return [head for head in heads if FLAGS.search(head)]


@njit(error_model="numpy", fastmath={"contract"})
def loose(x, y, z):
    return x * y + z


@njit(error_model="numpy")
def unit(g, x):
    for i in range(x.size):
        g[i] = x[i]


def bound(name):
    recipe = catalog_recipes()[name]
    (U,) = recipe.abstract
    theta = U.blocks[0]
    return bind(
        recipe, {U: total(sympy.log(1 + sympy.exp(theta)) + theta**2 / 2) + total(theta) ** 2}
    )


@functools.cache
def compiled(name):
    """The compiled loop of a catalog sampler, with all that it calls: sums and gradients of a bound
    potential included.
    """
    recipe = bound(name)
    module = generate(recipe).load()
    blocks = [np.zeros(1 if not hasattr(b, "length") else 50) for b in recipe.state]
    state = module.allocate(*blocks)
    draws = module.Draws(*(np.empty((0, b.size)) for b in blocks))
    params = (
        module.Params(*(0.5 for _ in module.Params._fields)) if hasattr(module, "Params") else ()
    )
    module.run(state, draws, unit, (), 0.01, params, np.uint64(1), 0, 0, 3, 0, 1)
    return (
        module,
        "".join(module.run.inspect_llvm().values()),
        "".join(module.run.inspect_asm().values()),
    )


def test_the_reader_of_flags_sees_one():
    loose(1.0, 2.0, 3.0)
    assert flagged("".join(loose.inspect_llvm().values()))


@pytest.mark.slow
@pytest.mark.by_default("sghmc")
@pytest.mark.parametrize("name", ["sgld", "sghmc", "sgnht"])
def test_no_operation_of_a_module_has_a_fast_math_flag(name):
    _, ir, _ = compiled(name)
    assert "llvm.fma" in ir
    assert "fmul" in ir
    assert not flagged(ir)


@pytest.mark.slow
def test_the_loops_use_the_widest_vectors_of_the_machine():
    _, ir, assembly = compiled("sghmc")
    assert '"prefer-vector-width"="512"' in ir
    if llvmlite.binding.get_host_cpu_features().get("avx512f"):
        assert re.search(r"vfmadd\d+pd\s.*%zmm", assembly)


@njit(error_model="numpy")
def some_normals(values):
    wide()
    fill_normals(values, stream_key(np.uint64(7), 3, 2), np.uint64(10**12))


@njit(error_model="numpy")
def some_of_everything(x, values):
    """Every elementary function at x, and draws from chi-squared laws with these parameters."""
    wide()
    for i in range(np.uint64(x.size)):
        values[0, i], values[1, i], values[2, i] = exp(x[i]), expm1(x[i]), tanh(x[i])
        values[3, i], values[4, i], values[5, i] = log(x[i]), log1p(x[i]), digamma(abs(x[i]) + 0.1)
        values[6, i], values[7, i], values[8, i] = sigmoid(x[i]), softplus(x[i]), phi_1(x[i])
    for i in range(np.uint64(x.size)):
        values[9, i] = noncentral_chi_squared(
            abs(x[i]) + 0.01, x[i] * x[i], stream_key(np.uint64(7), 3, 2), np.uint64(0), i
        )


def digest():
    """The hash of many normal numbers and of all functions, to be compared with that of another
    process.
    """
    normals, values = np.empty(100_001), np.empty((10, 10_001))
    some_normals(normals)
    some_of_everything(np.linspace(-30, 50, values.shape[1]), values)
    assert np.isfinite(values[[0, 1, 2, 5, 6, 7, 8, 9]]).all()
    return hashlib.sha256(normals.tobytes() + values.tobytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine",
    [{"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, {"NUMBA_LOOP_VECTORIZE": "0"}],
)
def test_the_bits_are_the_same_on_a_machine_without_vectors_and_without_fused_operations(machine):
    program = (
        "import test_arithmetic as t; print(t.digest(), 'zmm' in"
        " ''.join(t.some_normals.inspect_asm().values()))"
    )
    environment = {**os.environ, **machine, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == [digest(), "False"]
