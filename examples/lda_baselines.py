"""Libraries beside the samplers of examples/lda_experiment.py: online variational Bayes of
scikit-learn, collapsed Gibbs sampling of tomotopy, and the seconds of four libraries.

python examples/lda_baselines.py OUT [--seeds 3] [--methods OVB,CGS]

It runs in an environment of its own that has numpy, scikit-learn, tomotopy, gensim and lda, and
reads the corpora that ``python examples/lda_experiment.py OUT --export`` has written to OUT. It
takes ten minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

K, ALPHA, BETA = 50, 0.1, 0.1
PARTS = ("train", "given", "held_out")


def corpus_of(path: Path) -> dict[str, Any]:
    """Return the three tables of a corpus as sparse matrices."""
    from scipy.sparse import csr_matrix

    with np.load(path, allow_pickle=False) as file:
        width = int(file["width"])
        return {
            part: csr_matrix(
                (file[f"{part}_counts"], file[f"{part}_columns"], file[f"{part}_starts"]),
                shape=(len(file[f"{part}_starts"]) - 1, width),
            )
            for part in PARTS
        }


def perplexity(shares: np.ndarray, law: np.ndarray, held_out: Any) -> float:
    """The perplexity of the held-out tokens, from the shares of topics and their laws."""
    return perplexity_of(predicted(shares, law, held_out), held_out)


def predicted(shares: np.ndarray, law: np.ndarray, held_out: Any) -> np.ndarray:
    """The probability of each entry of the held-out table."""
    coordinates = held_out.tocoo()
    return np.einsum("ek,ke->e", shares[coordinates.row], law[:, coordinates.col])


def perplexity_of(p: np.ndarray, held_out: Any) -> float:
    """The perplexity of the probabilities of the entries."""
    counts = held_out.tocoo().data
    return float(np.exp(-(counts @ np.log(p)) / counts.sum()))


def online_variational(corpus: dict[str, Any], plan: dict[str, Any], seed: int) -> dict[str, Any]:
    """Online variational Bayes (Hoffman, Blei & Bach 2010) by scikit-learn."""
    from sklearn.decomposition import LatentDirichletAllocation

    train, rng = corpus["train"], np.random.default_rng(seed)
    size = plan["batch"] or train.shape[0]
    model = LatentDirichletAllocation(
        K,
        doc_topic_prior=ALPHA,
        topic_word_prior=BETA,
        learning_method="online",
        learning_offset=1.0,
        learning_decay=0.7,
        total_samples=train.shape[0],
        random_state=seed,
    )
    steps, found, seconds = [], [], 0.0
    for step in range(1, plan["steps"] + 1):
        began = time.perf_counter()
        model.partial_fit(train[rng.choice(train.shape[0], size, replace=False)])
        seconds += time.perf_counter() - began
        if step % plan["every"] == 0:
            shares = model.transform(corpus["given"])
            law = model.components_ / model.components_.sum(axis=1, keepdims=True)
            steps.append(step)
            found.append(perplexity(shares, law, corpus["held_out"]))
    return {"steps": steps, "single": found, "averaged": found, "seconds": seconds}


def collapsed(corpus: dict[str, Any], plan: dict[str, Any], seed: int) -> dict[str, Any]:
    """Collapsed Gibbs sampling (Griffiths & Steyvers 2004) by tomotopy, of the training documents
    and the given parts of the others; steps are sweeps over all of them.
    """
    import tomotopy

    held_out, own = corpus["held_out"], corpus["train"] is corpus["given"]
    tables = [corpus["given"]] if own else [corpus["given"], corpus["train"]]
    model = tomotopy.LDAModel(k=K, alpha=ALPHA, eta=BETA, seed=seed)
    model.optim_interval = 0
    for table in tables:
        for words in tokens(table):
            model.add_doc(words)
    documents = corpus["given"].shape[0]
    steps, averaged, single, seconds, mean = [], [], [], 0.0, 0.0
    for step in range(10, 210, 10):
        began = time.perf_counter()
        model.train(10, workers=1)
        seconds += time.perf_counter() - began
        place = [int(word) for word in model.used_vocabs]
        law = np.full((K, corpus["train"].shape[1]), 1e-12)
        law[:, place] = [model.get_topic_word_dist(k) for k in range(K)]
        shares = np.array([d.get_topic_dist() for d in islice(model.docs, documents)])
        p = predicted(shares, law, held_out)
        single.append(perplexity_of(p, held_out))
        if step > 100:
            n = (step - 110) // 10
            mean = (mean * n + p) / (n + 1)
        averaged.append(single[-1] if step <= 100 else perplexity_of(mean, held_out))
        steps.append(step)
    return {"steps": steps, "single": single, "averaged": averaged, "seconds": seconds}


def tokens(table: Any) -> list[list[str]]:
    """The words of each document, each as often as it occurs."""
    return [
        np.repeat(row.indices, row.data.astype(int)).astype(str).tolist()
        for row in (table[d] for d in range(table.shape[0]))
    ]


def speeds(corpus: dict[str, Any]) -> list[dict[str, Any]]:
    """Nanoseconds a token and sweep of collapsed Gibbs samplers, and documents a second of online
    variational ones, on one core, by the time of the process.
    """
    import gensim
    import lda
    import tomotopy
    from sklearn.decomposition import LatentDirichletAllocation

    table = corpus["train"][:500]
    size, found = int(table.sum()), []
    for labels in (50, 100, 200):
        model = tomotopy.LDAModel(k=labels, alpha=ALPHA, eta=BETA, seed=1)
        model.optim_interval = 0
        for words in tokens(table):
            model.add_doc(words)
        model.train(3, workers=1)
        began = time.process_time()
        model.train(20, workers=1)
        value = (time.process_time() - began) / 20 / size * 1e9
        found.append((f"tomotopy, K = {labels}", "ns a token and sweep", value))
    long, short = (seconds_of_lda(lda, table, n) for n in (12, 2))
    found.append((f"lda, K = {K}", "ns a token and sweep", (long - short) / 10 / size * 1e9))
    sklearn = LatentDirichletAllocation(
        K, learning_method="online", total_samples=table.shape[0], random_state=1
    )
    sklearn.partial_fit(table[:50])
    began = time.process_time()
    for first in range(0, 500, 50):
        sklearn.partial_fit(table[first : first + 50])
    value = 500 / (time.process_time() - began)
    found.append(("scikit-learn, online VB", "documents a second", value))
    rows = gensim.matutils.Sparse2Corpus(table, documents_columns=False)
    began = time.process_time()
    gensim.models.LdaModel(rows, num_topics=K, chunksize=50, passes=1, eval_every=None)
    value = 500 / (time.process_time() - began)
    found.append(("gensim, online VB", "documents a second", value))
    return [{"library": n, "unit": u, "value": v} for n, u, v in found]


def seconds_of_lda(lda: Any, table: Any, sweeps: int) -> float:
    """The seconds of some sweeps of the package ``lda``."""
    began = time.process_time()
    lda.LDA(K, n_iter=sweeps, alpha=ALPHA, eta=BETA, random_state=1, refresh=1000).fit(
        table.astype(np.int64)
    )
    return time.process_time() - began


def main() -> None:
    """Run what has no results yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default="OVB,CGS")
    parser.add_argument("--speed", action="store_true", help="measure the speeds alone")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.speed:
        print(json.dumps(speeds(corpus_of(given.out / "corpus-online.npz"))))
        return
    for path in sorted(given.out.glob("corpus-*.npz"), reverse=True):  # online first
        experiment = path.stem.removeprefix("corpus-")
        corpus = corpus_of(path)
        with np.load(path, allow_pickle=False) as file:
            plan = json.loads(str(file["plan"]))
        if plan["whole"]:
            corpus["train"] = corpus["given"]
        for seed in range(1, 2 if experiment == "batch" else given.seeds + 1):
            for name, method in (("OVB", online_variational), ("CGS", collapsed)):
                to = given.out / f"{experiment}-{name}-{seed}.json"
                if to.exists() or name not in given.methods.split(","):
                    continue
                found = method(corpus, plan, seed)
                size = plan["batch"] or corpus["train"].shape[0]
                documents = [s * size for s in found["steps"]] if name == "OVB" else []
                head = {"experiment": experiment, "method": name, "seed": seed}
                to.write_text(json.dumps(head | {"documents": documents} | found))
                print(
                    f"{to.stem}: {found['averaged'][-1]:.0f}, {found['seconds']:.0f} s", flush=True
                )


if __name__ == "__main__":
    main()
