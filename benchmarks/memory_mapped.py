"""Memory of a run on a data set that is larger than one wants to hold: a memory-mapped file, made
here, of 8 GB by default.

python benchmarks/memory_mapped.py FOLDER [--gigabytes 8] [--json]

Linear regression with 100 features, SGLD, minibatches of 1000 rows, four chains. Shown is the
largest anonymous resident memory of the process (RssAnon: what it holds itself) and, apart from it,
the pages of the file that are mapped (RssFile), which the system may drop at any time. The file is
kept for the next time; remove it when you are done. Linux only.
"""

import argparse
import json
import threading
import time
from pathlib import Path

import numpy as np
from sympy import Matrix

from codegen import memory_mapped, sample
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

FEATURES, PIECE = 100, 50_000


def make(folder: Path, gigabytes: float) -> tuple[np.ndarray, np.ndarray]:
    """Write the file, piece by piece, unless it is there; return it memory-mapped."""
    rows = int(gigabytes * 1e9 / (8 * FEATURES))
    x_path, y_path = folder / f"x_{rows}.npy", folder / f"y_{rows}.npy"
    if not (x_path.exists() and y_path.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        rng, truth = np.random.default_rng(0), np.linspace(-1, 1, FEATURES)
        parts = [path.with_suffix(".part") for path in (x_path, y_path)]
        x = np.lib.format.open_memmap(parts[0], "w+", np.float64, (rows, FEATURES))
        y = np.lib.format.open_memmap(parts[1], "w+", np.float64, (rows,))
        for start in range(0, rows, PIECE):
            piece = rng.normal(size=(min(PIECE, rows - start), FEATURES))
            x[start : start + PIECE] = piece
            y[start : start + PIECE] = piece @ truth + rng.normal(size=len(piece))
        for part, path in zip(parts, (x_path, y_path), strict=True):
            part.replace(path)
    return memory_mapped(x_path), memory_mapped(y_path)


def memory() -> dict[str, float]:
    """Resident memory now, in MB: the process's own, and mapped pages of files."""
    lines = dict(
        line.split(":", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":" in line
    )
    return {key: int(lines[key].split()[0]) / 1000 for key in ("RssAnon", "RssFile")}


class Watch:
    """The largest figures of ``memory`` while the block runs."""

    def __enter__(self) -> "Watch":
        self.peak, self._stop = memory(), threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._stop.wait(0.02):
            self.peak = {key: max(value, self.peak[key]) for key, value in memory().items()}

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gigabytes", type=float, default=8.0)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="for machines")
    arguments = parser.parse_args()
    features, labels = make(arguments.folder, arguments.gigabytes)
    theta = Vector("theta")
    x, y, U = Data("x", like=theta), Data("y"), Potential("U", theta)
    law = Posterior(
        theta, -((y - total(x * theta)) ** 2) / 2, -total(theta**2) / 2, {x: features, y: labels}
    )
    sgld = bind(Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="sgld"), {U: law})
    before = memory()
    with Watch() as watch:
        began = time.perf_counter()
        draws = sample(
            sgld,
            step_size=1e-8,
            steps=arguments.steps,
            thin=100,
            batch_size=1000,
            chains=4,
            progress=False,
        )
        seconds = time.perf_counter() - began
    found = {
        "rows": len(labels),
        "file_gigabytes": features.nbytes / 1e9,
        "steps": 4 * arguments.steps,
        "seconds": seconds,
        "own_megabytes_before": before["RssAnon"],
        "own_megabytes_largest": watch.peak["RssAnon"],
        "mapped_file_megabytes_largest": watch.peak["RssFile"],
        "largest_error_of_a_mean": float(
            np.max(np.abs(draws["theta"][:, -20:].mean((0, 1)) - np.linspace(-1, 1, FEATURES)))
        ),
    }
    print(
        json.dumps(found, indent=2)
        if arguments.json
        else "\n".join(f"{k}: {v:.4g}" for k, v in found.items())
    )


if __name__ == "__main__":
    main()
