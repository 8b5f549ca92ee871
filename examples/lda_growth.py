"""How the time of a sweep grows with tokens and with topics, and memory with documents, on KOS.

RECIPE_DATA=FOLDER python examples/lda_growth.py OUT

Times are processor time of one thread, medians of five turns that go through all sizes. Memory is
the largest resident set of a process of its own that makes 20 steps of SGRLD with minibatches of 50
documents: once with all documents as one table in memory, once with documents that are made when
their numbers are asked for, as a stream on disk or on a network would be. Two minutes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from lda_experiment import EQUAL, PLANS, K, corpus_of
from lda_speed import DOCUMENTS, nanoseconds

from codegen import CountTable

sys.path.insert(0, str(Path(__file__).parent / "models"))
from lda import SAMPLERS, run

TURNS, STEPS = 5, 20
TOPICS = (25, 50, 100, 200, 400)
SIZES = (125, 250, 500, 1000, 2000, 3087)  # documents
COPIES = {"table": (1, 10, 100), "by number": (1, 10, 100, 1000)}  # of the 3,087 documents


class Copies:
    """Copies of a table, one behind the other, whose documents are made when they are asked for."""

    def __init__(self, table: CountTable, copies: int) -> None:
        self.table, self.copies = table, copies
        self.width, self.digest = table.width, f"{copies} of {table.digest}"

    def __len__(self) -> int:
        return self.copies * len(self.table)

    def rows(self, which: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The counts of some documents."""
        return self.table.rows(np.asarray(which) % len(self.table))


def repeated(table: CountTable, copies: int) -> CountTable:
    """Copies of a table, one behind the other, in memory."""
    starts = table.starts[:-1] + table.starts[-1] * np.arange(copies)[:, None]
    whole = np.append(starts.ravel(), copies * table.starts[-1])
    return CountTable(
        whole, np.tile(table.columns, copies), np.tile(table.counts, copies), table.width
    )


def megabytes(form: str, copies: int) -> float:
    """The largest resident set of this process after a run."""
    table, plan = corpus_of(PLANS["online"]).train, PLANS["online"]
    data = repeated(table, copies) if form == "table" else Copies(table, copies)
    options = {"labels": K, "batch_size": plan.batch, "sweeps": plan.sweeps, "progress": False}
    run(SAMPLERS["SGRLD"], data, EQUAL, steps=STEPS, threads=1, **options)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def times() -> list[dict[str, Any]]:
    """Nanoseconds a token and sweep, by the number of topics and by the number of documents."""
    corpus = corpus_of(PLANS["online"])
    cases = [(labels, DOCUMENTS) for labels in TOPICS]
    cases += [(K, size) for size in SIZES if size != DOCUMENTS]
    found: dict[tuple[int, int], list[float]] = {case: [] for case in cases}
    nanoseconds(corpus, K)  # compiles
    for _ in range(TURNS):
        for labels, size in cases:
            found[labels, size].append(nanoseconds(corpus, labels, size))
    tokens = {size: int(corpus.train.some(np.arange(size)).counts.sum()) for _, size in cases}
    return [
        {"topics": labels, "documents": size, "tokens": tokens[size], "ns": median(values)}
        for (labels, size), values in found.items()
    ]


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--memory", metavar="FORM", choices=list(COPIES), help="of one run, here")
    parser.add_argument("--copies", type=int, default=1, help="with --memory")
    given = parser.parse_args()
    if given.memory:
        print(megabytes(given.memory, given.copies))
        return
    memory = []
    for form, listed in COPIES.items():
        for copies in listed:
            command = [sys.executable, __file__, str(given.out), "--memory", form]
            text = subprocess.run(
                [*command, "--copies", str(copies)], check=True, capture_output=True, text=True
            ).stdout
            memory.append({"form": form, "documents": 3087 * copies, "megabytes": float(text)})
    growth = {"times": times(), "memory": memory}
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "growth.json").write_text(json.dumps(growth))
    print(json.dumps(growth, indent=1))


if __name__ == "__main__":
    main()
