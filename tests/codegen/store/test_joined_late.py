"""A function that stays one in machine code is optimised once, and joins its callers afterwards."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.codegen import CPUCodeLibrary

from codegen.store.inner_functions import InnerCompiler
from codegen.store.plain_loops import PlainLoopsCompiler

COMPILERS = [PlainLoopsCompiler, InnerCompiler]


def compiled(compiler, monkeypatch):
    """A function that calls two others, what LLVM optimised with each, and its value."""
    options = {"pipeline_class": compiler, "no_cpython_wrapper": True, "_nrt": False}

    @numba.njit(forceinline=True, **options)
    def part(a):
        return a * 3.0 + 1.0

    @numba.njit(**options)
    def summed(values):
        found = 0.0
        for v in values:
            found += part(v)
        return found

    @numba.njit(pipeline_class=PlainLoopsCompiler, _nrt=False)
    def caller(values):
        return summed(values) - summed(values[1:]) * 0.5

    optimised = []
    before = CPUCodeLibrary._optimize_final_module

    def heard(library):
        optimised.append([f.name for f in library._final_module.functions if not f.is_declaration])
        before(library)

    monkeypatch.setattr(CPUCodeLibrary, "_optimize_final_module", heard)
    value = caller(np.arange(7.0))
    return caller, optimised, value


def with_name(optimised, name):
    return sum(any(name in function for function in library) for library in optimised)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_function_is_optimised_once_and_a_part_of_others_with_each(compiler, monkeypatch):
    caller, optimised, value = compiled(compiler, monkeypatch)
    assert value == (3 * 21 + 7) - (3 * 21 + 6) * 0.5
    assert with_name(optimised, "summed") == 1
    assert with_name(optimised, "part") >= 2  # by itself, and as a part of the sum
    (made,) = caller.overloads.values()
    assert sum("summed" in f.name for f in made.library.get_defined_functions()) == 1


def test_numba_by_itself_optimises_it_with_each_caller(monkeypatch):
    _, optimised, value = compiled(numba.core.compiler.Compiler, monkeypatch)
    assert value == (3 * 21 + 7) - (3 * 21 + 6) * 0.5
    assert with_name(optimised, "summed") == 2


DRAWS = """\
import hashlib, sys
from numba.core.codegen import JITCodeLibrary
from codegen.store import joined_late
if sys.argv[1] == "early":
    joined_late.LateLibrary.finalize = JITCodeLibrary.finalize
from catalog.hmc import hmc_kernel
from catalog.posteriors.bioassay import posterior
from codegen import sample
draws = sample(hmc_kernel, posterior=posterior, step_size=0.1, steps=50, chains=1, seed=3,
               progress=False)
print(hashlib.sha256(draws["a"].tobytes() + draws["b"].tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_draws_are_the_same_bit_for_bit_also_from_the_store(tmp_path):
    found = []
    for store, way in (("one", "late"), ("one", "late"), ("other", "early")):
        environment = {**os.environ, "RECIPE_CACHE": str(tmp_path / store)}
        done = subprocess.run(
            [sys.executable, "-c", DRAWS, way],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        found.append(done.stdout)
    assert len(set(found)) == 1
    assert found[0]
