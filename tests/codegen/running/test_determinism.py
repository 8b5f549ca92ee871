"""The same bits: for any threads, chunks and split of the steps, on processors with and without
vectors, and as they were once.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from cases import golden

from codegen.running import chains

KEPT = json.loads(golden.FILE.read_text())


@functools.cache
def here(name):
    return golden.drawn(golden.RUNS[name])


# Each takes seconds to compile; the others are pinned by the slow tests.
SOME = ("corv_sgld", "sghmc, minibatch, control variates", "sghmc, baoab", "sgnht", "mala", "scir")


def elsewhere(names, **environment):
    """The hashes of a process that compiles for another processor."""
    known = {**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    shown = subprocess.run(
        [sys.executable, golden.__file__, *names],
        env=known,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: run["sha256"] for name, run in json.loads(shown.stdout)["runs"].items()}


@pytest.mark.by_default("sgnht")
@pytest.mark.parametrize("name", golden.RUNS)
def test_the_draws_are_what_they_were(name):
    """Where this fails on purpose: ``python tests/cases/golden.py --write``, and say so in the
    changelog.
    """
    kept = KEPT["runs"][name]
    assert kept["libm"] == golden.from_the_c_library(golden.RUNS[name])
    if kept["libm"] and golden.library() != KEPT["library"]:
        pytest.skip(
            f"{kept['libm']} may differ in the last bit between {golden.library()} and"
            f" {KEPT['library']}"
        )
    assert here(name) == kept["sha256"]


def test_the_table_has_every_run_and_nothing_else():
    assert list(KEPT["runs"]) == list(golden.RUNS)
    assert len({run["sha256"] for run in KEPT["runs"].values()}) == len(golden.RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("names", [SOME[:2], SOME[2:]], ids=" and ".join)
def test_a_processor_without_vectors_and_fused_operations_draws_the_same(names):
    """And one for which glibc has other functions, as these take nothing from it but the exact
    ``fma``.
    """
    assert not any(KEPT["runs"][name]["libm"] for name in names)
    older = {"NUMBA_CPU_NAME": "generic", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4"}
    assert elsewhere(names, **older) == {name: here(name) for name in names}


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are names of x86 processors")
@pytest.mark.parametrize(
    ("machine", "names"), [("generic", golden.RUNS), ("haswell", golden.RUNS), ("x86-64-v3", SOME)]
)
def test_other_widths_of_vectors_draw_the_same(machine, names):
    assert elsewhere(names, NUMBA_CPU_NAME=machine) == {name: here(name) for name in names}


@pytest.mark.by_default("sgnht")
@pytest.mark.parametrize(
    "name", ["sgnht", "hmc_kernel", "sgld, schedule", "sghmc, minibatch, control variates"]
)
def test_threads_and_the_split_of_the_steps_change_nothing(name, monkeypatch):
    """A chunk is one step, or twice as many as the one before."""
    for seconds in (0.0, 1e9):
        monkeypatch.setattr(chains, "CHUNK_SECONDS", seconds)
        for threads in (1, 2):
            assert golden.drawn(golden.RUNS[name], threads=threads) == here(name)


def test_a_chain_is_the_same_among_any_others():
    def chain(count, number):
        options = {
            "steps": 20,
            "seed": 1,
            "step_size": 0.05,
            "progress": False,
            **golden.RUNS["sgnht"].options,
        }
        return golden.sample(golden.RUNS["sgnht"].what(), chains=count, **options)["theta"][number]

    for count in (3, 5):
        np.testing.assert_array_equal(chain(2, 1), chain(count, 1))


@pytest.mark.slow
def test_the_hash_sees_one_bit_and_the_seed():
    assert golden.drawn(golden.RUNS["sgld"], seed=2) != here("sgld")
    assert golden.drawn(golden.RUNS["sgld"], step_size=float(np.nextafter(0.05, 1.0))) != here(
        "sgld"
    )
