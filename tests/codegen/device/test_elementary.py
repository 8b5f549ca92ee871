"""The elementary functions of generated code: their error against mpmath, their ends, and that a
loop around them has vectors.
"""

from __future__ import annotations

import math
import re

import llvmlite.binding
import mpmath
import numpy as np
import pytest
from numba import njit

from codegen.device import elementary, special, stable
from codegen.device.intrinsics import wide

SEED = 5
LEAST, LARGEST, NORMAL = 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308
BOUNDS = {
    "exp": 1.0,
    "expm1": 2.0,
    "log": 1.0,
    "log1p": 1.5,
    "tanh": 3.0,
}  # ulp, as the docstrings say


def ulps(found, exact):
    """The distance in units of the last place of the exact value."""
    if exact == 0:
        return 0.0 if found == 0 else math.inf
    place = max(int(mpmath.floor(mpmath.log(abs(exact), 2))), -1022) - 52
    return (
        float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(2) ** place)
        if math.isfinite(found)
        else math.inf
    )


def points(name, count):
    """Points of every size, and around every place where a reduction of the argument changes."""
    rng = np.random.default_rng(SEED)
    spread = np.exp(rng.uniform(math.log(1e-300), math.log(0.5), count)) * rng.choice(
        [-1, 1], count
    )
    halves = (np.arange(-1070, 1024) + 0.5) * math.log(2)
    match name:
        case "exp":
            return np.concatenate(
                [
                    rng.uniform(-708.3, 709.78, count),
                    rng.uniform(-1, 1, count),
                    spread,
                    halves[halves > -708.3],
                ]
            )
        case "expm1":
            return np.concatenate(
                [
                    rng.uniform(-60, 709.78, count),
                    rng.uniform(-2, 2, count),
                    spread,
                    halves[halves > -60],
                ]
            )
        case "log":
            size = np.exp(rng.uniform(math.log(1e-307), math.log(1e307), count))
            binades = math.sqrt(0.5) * 2.0 ** np.arange(-1020, 1020)
            tiny = rng.integers(1, 2**52, count // 4).astype(np.uint64).view(np.float64)
            return np.concatenate(
                [
                    size,
                    1 + spread,
                    rng.uniform(0, 10, count),
                    binades,
                    np.nextafter(binades, 0),
                    tiny,
                ]
            )
        case "log1p":
            size = np.exp(rng.uniform(math.log(1e-307), math.log(1e307), count))
            binades = math.sqrt(0.5) * 2.0 ** np.arange(-50, 1020) - 1
            return np.concatenate(
                [
                    size,
                    spread,
                    rng.uniform(-1, 10, count),
                    binades,
                    np.nextafter(binades, 0),
                    -1 + np.abs(spread),
                ]
            )
        case _:
            return np.concatenate([rng.uniform(-20, 20, count), rng.uniform(-1, 1, count), spread])


def check_error(name, count):
    function, exact = getattr(elementary, name), getattr(mpmath, name)
    with mpmath.workdps(40):
        worst = max(
            (ulps(function(x), exact(mpmath.mpf(x))), x)
            for x in points(name, count).tolist()
            if x != -1
        )
    assert 0.5 < worst[0] <= BOUNDS[name], worst


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", BOUNDS)
def test_the_error(name):
    check_error(name, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOUNDS)
def test_the_error_at_many_points(name):
    check_error(name, 50_000)


def test_results_without_a_leading_bit():
    """Between 5e-324 and 2.2e-308 the last place is 5e-324 whatever the size."""
    with mpmath.workdps(40):
        for x in np.random.default_rng(SEED).uniform(-745.2, -708.3, 2000).tolist():
            assert abs(mpmath.mpf(elementary.exp(x)) - mpmath.exp(x)) <= LEAST


INF, NAN = math.inf, math.nan
ENDS = {
    "exp": [
        (0.0, 1.0),
        (-0.0, 1.0),
        (INF, INF),
        (-INF, 0.0),
        (709.79, INF),
        (LARGEST, INF),
        (-745.2, 0.0),
        (-LARGEST, 0.0),
        (LEAST, 1.0),
    ],
    "expm1": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, INF),
        (-INF, -1.0),
        (709.79, INF),
        (-40.0, -1.0),
        (-LARGEST, -1.0),
        (LEAST, LEAST),
    ],
    "log": [
        (0.0, -INF),
        (-0.0, -INF),
        (INF, INF),
        (-INF, NAN),
        (-LEAST, NAN),
        (1.0, 0.0),
        (-1.0, NAN),
    ],
    "log1p": [
        (0.0, 0.0),
        (INF, INF),
        (-1.0, -INF),
        (-1.0000000000000002, NAN),
        (-INF, NAN),
        (LEAST, LEAST),
        (-LEAST, -LEAST),
    ],
    "tanh": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, 1.0),
        (-INF, -1.0),
        (LARGEST, 1.0),
        (LEAST, LEAST),
        (-LEAST, -LEAST),
    ],
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends(name):
    function = getattr(elementary, name)
    assert math.isnan(function(NAN))
    for x, expected in ENDS[name]:
        found = function(x)
        assert (math.isnan(found) and math.isnan(expected)) or (found, math.copysign(1, found)) == (
            expected,
            math.copysign(1, expected),
        ), x


def test_the_largest_and_smallest_results():
    with mpmath.workdps(40):
        for function, exact, x in [
            (elementary.exp, mpmath.exp, 709.782712893384),
            (elementary.expm1, mpmath.expm1, 709.782712893384),
            (elementary.log, mpmath.log, LARGEST),
            (elementary.log, mpmath.log, LEAST),
            (elementary.log, mpmath.log, NORMAL),
            (elementary.log1p, mpmath.log1p, LARGEST),
            (elementary.log1p, mpmath.log1p, -1 + 2.0**-53),
        ]:
            assert ulps(function(x), exact(mpmath.mpf(x))) <= 2
    assert elementary.exp(-745.1) == LEAST


VECTORS = [getattr(elementary, name) for name in BOUNDS] + [
    stable.softplus,
    stable.sigmoid,
    stable.logaddexp,
    special.phi_1,
]


@pytest.mark.parametrize("function", VECTORS, ids=lambda f: f.__name__)
def test_a_loop_around_a_function_has_no_call_and_uses_vectors(function):
    two = function.py_func.__code__.co_argcount == 2

    @njit(error_model="numpy")
    def two_arguments(x, y):
        wide()
        for i in range(np.uint64(x.size)):
            y[i] = function(x[i], y[i])

    @njit(error_model="numpy")
    def one_argument(x, y):
        wide()
        for i in range(np.uint64(x.size)):
            y[i] = function(x[i])

    loop = two_arguments if two else one_argument
    x = np.linspace(0.1, 5, 1001)
    y = x.copy()
    loop(x, y)
    assert y.tolist() == [function(a, a) if two else function(a) for a in x]
    ir = "".join(loop.inspect_llvm().values())
    assert re.search(r"<\d+ x double> @llvm\.fma\.", ir)
    assert not re.search(r"call double @(?:log|exp|tanh|log1p|expm1|pow)\b", ir)
    assert not re.search(r"call double @llvm\.(?:log|exp|pow)", ir)
    if llvmlite.binding.get_host_cpu_features().get("avx512f"):
        assert re.search(r"vfmadd\d+pd\s.*%zmm", "".join(loop.inspect_asm().values()))
