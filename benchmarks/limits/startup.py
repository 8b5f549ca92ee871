"""Whole processes to the first sample, the machine code already in a cache where there is one: ours
and JAX; milliseconds.

Both make ten steps of SGHMC on a standard normal law of 100 coordinates and print a coordinate.
Ours imports a module that was generated before and stands alone: it needs numpy and numba, and its
machine code is in Numba's cache beside it. Numba imports scipy where there is one, a third of the
time: hence the row of an interpreter that has numba alone.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from measure import Row, Run, Skipped, alternate, rows_of
from ours import on_standard_normal

from catalog.sghmc import sghmc

OURS, BARE, JAX, JAX_CACHED = (
    "generated module",
    "the same, no scipy",
    "JAX",
    "JAX, its compilation cache on",
)


def of_children() -> float:
    """Seconds that the children of this process have computed, as far as they have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def process(command: list[str], environment: Mapping[str, str]) -> Run:
    """Seconds that the process computes."""

    def measure() -> float:
        before = of_children()
        done = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
        )
        seconds = of_children() - before
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        float(done.stdout)
        return seconds

    return measure


def rows(rounds: int, jax: str | None, numba: str | None) -> Iterator[Row | Skipped]:
    """The rows; each process is started once before, which fills the caches."""
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        module = on_standard_normal(sghmc, lambda theta: theta, fused=True).write(
            Path(folder) / "kernel.py"
        )
        alone = {"PYTHONPATH": str(module.parent)}
        runs = {OURS: process([sys.executable, str(here / "first_sample.py")], alone)}
        if numba:
            runs[BARE] = process([numba, str(here / "first_sample.py")], alone)
        if jax:
            command = [jax, str(here / "first_sample_jax.py")]
            runs[JAX] = process(
                command, {"PYTHONPATH": "", "JAX_ENABLE_COMPILATION_CACHE": "false"}
            )
            kept = {
                "JAX_COMPILATION_CACHE_DIR": str(Path(folder) / "jax"),
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            }
            runs[JAX_CACHED] = process(
                command,
                {"PYTHONPATH": "", **kept, "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"},
            )
        medians = alternate(runs, rounds)
    for mine in (OURS, BARE) if numba else (OURS,):
        yield from rows_of(
            "process to first sample",
            mine,
            medians,
            ("ms", 1e3),
            {JAX: 0.7, JAX_CACHED: 0.7},
            leave=[OURS, BARE],
        )
    if not jax:
        yield Skipped(
            "process to first sample",
            f"it takes {medians[OURS]:.2f} s; there is no JAX to compare it with",
        )
