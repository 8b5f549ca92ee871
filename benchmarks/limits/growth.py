"""How long generation and compilation take as the recipe grows: chains of 2 to 16 blocks, each in a
process with empty caches.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Row

SIZES = (2, 4, 8, 16)


def once(blocks: int) -> list[float]:
    """Seconds of generation, and of the first step, which compiles."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "RECIPE_CACHE": folder,
            "XDG_CACHE_HOME": folder,
            "NUMBA_CACHE_DIR": folder,
        }
        command = [sys.executable, str(Path(__file__).with_name("grown.py")), str(blocks)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return [float(seconds) for seconds in json.loads(done.stdout)]


def rows(rounds: int) -> Iterator[Row]:
    """The rows; each is compared with the one of two blocks."""
    times = {
        n: [
            statistics.median(t)
            for t in zip(*(once(n) for _ in range(max(1, rounds // 4))), strict=True)
        ]
        for n in SIZES
    }
    for at, what in enumerate(("generation", "compilation")):
        for n in SIZES:
            yield Row(
                f"{what}, {n} blocks",
                "a chain of blocks",
                "2 blocks",
                "s",
                times[n][at],
                times[SIZES[0]][at],
            )
