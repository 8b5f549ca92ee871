"""The step sizes of schedules: their error against mpmath, and the same bits whatever the C library
and numpy have for a power.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest

from codegen import Cyclical, Polynomial
from codegen.inputs.portable_math import exponential, power, sine
from codegen.inputs.schedule import BLOCK_STEPS, step_sizes

SCHEDULES = (Polynomial(0.05, 10.0, 0.55), Polynomial(1.0, 0.3, 1.0), Cyclical(0.1, 1000))


def test_the_errors():
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [
            1 + np.exp(rng.uniform(-40, 25, 300)),
            rng.uniform(1, 3, 300),
            np.exp(rng.uniform(-200, 200, 300)),
        ]
    )
    y = np.concatenate([rng.uniform(-700, 700, 300), rng.normal(size=300) / 10])
    angles = np.concatenate([rng.uniform(0, np.pi / 2, 300), np.exp(rng.uniform(-30, 0.4, 300))])
    with mpmath.workdps(40):
        for exponent in (-0.5, -0.55, -1.0, 2.5):
            for a, found in zip(x.tolist(), power(x, exponent).tolist(), strict=True):
                exact = mpmath.mpf(a) ** mpmath.mpf(exponent)
                assert abs(found / exact - 1) < 4e-16 * (2 + abs(exponent * np.log(a)))
        for a, found in zip(y.tolist(), exponential(y).tolist(), strict=True):
            assert abs(found / mpmath.exp(a) - 1) < 4e-16 * (1 + abs(a))
        for a, found in zip(angles.tolist(), sine(angles).tolist(), strict=True):
            assert abs(found / mpmath.sin(a) - 1) < 4e-16


def digest():
    return hashlib.sha256(
        b"".join(step_sizes(s, 0, 20_000).tobytes() for s in SCHEDULES)
    ).hexdigest()


@pytest.mark.slow
def test_neither_the_c_library_nor_numpy_decides_their_bits():
    features = " ".join(np._core._multiarray_umath.__cpu_dispatch__)
    older = {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4",
        "NPY_DISABLE_CPU_FEATURES": features,
    }
    environment = {**os.environ, **older, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = "import test_schedule_powers as t; print(t.digest())"
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stdout.split()[-1] == digest()


def test_a_step_size_does_not_depend_on_how_many_are_asked_for():
    for schedule in SCHEDULES:
        whole = step_sizes(schedule, 0, 200)
        assert [step_sizes(schedule, n, 1)[0] for n in range(200)] == whole.tolist()
        np.testing.assert_array_equal(step_sizes(schedule, 37, 101), whole[37:138])


def test_many_step_sizes_are_worked_out_in_pieces():
    for schedule in SCHEDULES:
        pieces = [step_sizes(schedule, BLOCK_STEPS * n, BLOCK_STEPS) for n in range(3)]
        np.testing.assert_array_equal(
            step_sizes(schedule, 0, 2 * BLOCK_STEPS + 10),
            np.concatenate(pieces)[: 2 * BLOCK_STEPS + 10],
        )
