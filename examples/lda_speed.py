"""How long a draw of a topic takes: nanoseconds a token and sweep, and documents a second, on one
core of KOS, beside libraries.

RECIPE_DATA=FOLDER python examples/lda_speed.py OUT --libraries PYTHON

PYTHON is that of the environment of examples/lda_baselines.py. Ours and the libraries are run in
three turns, one after the other; the figures are the medians. Three minutes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from lda_experiment import EQUAL, PLANS, Corpus, K, corpus_of

from codegen import count_labels

sys.path.insert(0, str(Path(__file__).parent / "models"))
from lda import SAMPLERS, run, topics

TURNS, DOCUMENTS, LONG, SHORT = 3, 500, 30, 10
TOKENS, BY_DOCUMENT = "ns a token and sweep", "documents a second"


def nanoseconds(corpus: Corpus, labels: int, documents: int = DOCUMENTS) -> float:
    """Of a token and sweep: the difference of a long and a short run, so that what is done once for
    the data does not count.
    """
    rows = np.random.default_rng(1).gamma(0.5, size=(labels, corpus.train.width)) + 0.01
    data = corpus.train.some(np.arange(documents))
    seconds = []
    for sweeps in (LONG, SHORT):
        began = time.process_time()
        count_labels(topics, rows, data, params={"alpha": EQUAL[0]}, sweeps=sweeps)
        seconds.append(time.process_time() - began)
    return (seconds[0] - seconds[1]) / (LONG - SHORT) / int(data.counts.sum()) * 1e9


def documents_a_second(corpus: Corpus, method: str) -> float:
    """Of SGRLD or SCIR with minibatches of 50 and as many sweeps as in the experiment."""
    plan, steps = PLANS["online"], 20
    options = {"labels": K, "batch_size": plan.batch, "sweeps": plan.sweeps, "progress": False}
    done = run(SAMPLERS[method], corpus.train, EQUAL, steps=steps, **options)
    return steps * float(plan.batch or 0) / done.processor_seconds


def main() -> None:
    """Measure in turns, and write the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--libraries", metavar="PYTHON")
    given = parser.parse_args()
    corpus = corpus_of(PLANS["online"])
    found: dict[tuple[str, str], list[float]] = {}
    for method in ("SGRLD", "SCIR"):
        documents_a_second(corpus, method)  # compiles
    for _ in range(TURNS):
        for labels in (50, 100, 200):
            name = f"this project, K = {labels}", TOKENS
            found.setdefault(name, []).append(nanoseconds(corpus, labels))
        for method in ("SGRLD", "SCIR"):
            name = f"this project, {method}, {PLANS['online'].sweeps} sweeps", BY_DOCUMENT
            found.setdefault(name, []).append(documents_a_second(corpus, method))
        if given.libraries:
            script = str(Path(__file__).with_name("lda_baselines.py"))
            command = [given.libraries, script, str(given.out), "--speed"]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for one in json.loads(text):
                found.setdefault((one["library"], one["unit"]), []).append(one["value"])
    listed = [
        {"library": name, "unit": unit, "value": statistics.median(values)}
        for (name, unit), values in found.items()
    ]
    (given.out / "speed-all.json").write_text(json.dumps(listed))
    print(*listed, sep="\n")


if __name__ == "__main__":
    main()
