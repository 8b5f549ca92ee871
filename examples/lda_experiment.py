"""Topic models of KOS and NIPS: five samplers and hybrid variational Gibbs, by document completion.

RECIPE_DATA=FOLDER python examples/lda_experiment.py OUT [--only online|released|batch] [--seeds 3]
    [--methods SCIR,SGRLD] [--threads N]

OUT gets one file of results for each run, and its checkpoint while it goes on: a command that was
stopped goes on where it was. A seed of ``online`` takes about 5 minutes on one core, of
``released`` 2 and of ``batch`` 10. The libraries beside them are run by
examples/lda_baselines.py, and examples/lda_page.py makes the page of all results.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sympy import log, loggamma, polygamma

from codegen import Completion, CountTable, count_labels, read_counts
from recipe import LabelledPosterior, RecipeError, total

sys.path.insert(0, str(Path(__file__).parent / "models"))
from lda import SAMPLERS, alpha, run, theta, z

FILES = {"kos": "kos/docword.kos.txt.gz", "nips": "nips/docword.nips_f20.train.txt.gz"}
HELD_OUT_TOKENS, HELD_OUT_DOCUMENTS = 0.2, 0.1
K = 50
HYBRID_RATE = (1.0, 0.7)  # delay and power of its step size, as for OVB
EQUAL = (0.1, 0.1)  # alpha, beta
RELEASED = {"SCIR": (0.005, 1.0), "SGRLD": (0.01, 0.0001)}  # those of the code of Baker et al.


@dataclass(frozen=True)
class Corpus:
    """Documents to train with, and two parts of those that are predicted."""

    train: CountTable
    given: CountTable
    held_out: CountTable


@dataclass(frozen=True)
class Plan:
    """An experiment.

    Attributes:
        corpus: the name of the data.
        whole: whether the given parts of all documents are what is trained with (figure 2a of
            Patterson & Teh), or documents are held out as a whole.
        batch: the size of a minibatch; None for all documents.
        sweeps, steps, every: of the labels, of the run, and between two updates of the prediction.
    """

    corpus: str
    whole: bool
    batch: int | None
    sweeps: int
    steps: int
    every: int


PLANS = {
    "online": Plan("kos", False, 50, 20, 1000, 25),
    "released": Plan("kos", False, 50, 20, 1000, 25),
    "batch": Plan("nips", True, None, 6, 100, 5),
}


def corpus_of(plan: Plan) -> Corpus:
    """Return the documents of an experiment; the same split for every sampler and seed."""
    folder = os.environ.get("RECIPE_DATA")
    if not folder or not Path(folder, FILES[plan.corpus]).is_file():
        raise RecipeError(
            f"set RECIPE_DATA to the folder that has {FILES[plan.corpus]}: the UCI bag of words of"
            f" {plan.corpus}"
        )
    table, rng = read_counts(Path(folder, FILES[plan.corpus])), np.random.default_rng(20)
    if plan.whole:
        given, held_out = parts_of(table, rng)
        return Corpus(given, given, held_out)
    order = rng.permutation(len(table))
    cut = round(HELD_OUT_DOCUMENTS * len(table))
    given, held_out = parts_of(table.some(np.sort(order[:cut])), rng)
    return Corpus(table.some(np.sort(order[cut:])), given, held_out)


def parts_of(table: CountTable, rng: np.random.Generator) -> tuple[CountTable, CountTable]:
    """Return the tokens of each document in two parts, of which neither is empty."""
    held_out = rng.binomial(table.counts, HELD_OUT_TOKENS)
    datum = np.repeat(np.arange(len(table)), np.diff(table.starts))
    for part, other in ((held_out, -1), (table.counts - held_out, 1)):
        empty = np.bincount(datum, part, len(table)) == 0
        held_out[table.starts[:-1][empty]] -= other

    def table_of(counts: np.ndarray) -> CountTable:
        kept = counts > 0
        starts = np.searchsorted(datum[kept], np.arange(len(table) + 1))
        return CountTable(starts, table.columns[kept], counts[kept], table.width)

    return table_of(table.counts - held_out), table_of(held_out)


def sampled(name: str, plan: Plan, corpus: Corpus, prior: Any, seed: int, options: Any) -> Any:
    """Return the perplexities of a sampler of the catalog."""
    completion = Completion(corpus.given, corpus.held_out, every=plan.every, sweeps=plan.sweeps)
    done = run(
        SAMPLERS[name],
        corpus.train,
        prior,
        labels=K,
        steps=plan.steps,
        batch_size=plan.batch,
        sweeps=plan.sweeps,
        seed=seed,
        reducers=(completion,),
        **options,
    )
    return completion, done.seconds


# Mimno, Hoffman & Blei (2012): theta are the parameters of a Dirichlet law q of each topic, and
# labels are drawn with exp(E_q log pi) in the place of pi.
hybrid = LabelledPosterior(
    theta,
    z,
    z.sum(
        loggamma(alpha + z.count)
        + total(z.counts * (polygamma(0, theta) - polygamma(0, total(theta))))
    ),
    total(log(theta)),
)


def hybrid_variational(
    plan: Plan, corpus: Corpus, prior: tuple[float, float], seed: int, threads: int
) -> tuple[list[int], list[float], float]:
    """Return the steps, the perplexities of the means of q, and the seconds of hybrid stochastic
    variational Gibbs (HSVG).
    """
    rng, (delay, power) = np.random.default_rng(seed), HYBRID_RATE
    q = rng.gamma(1.0, size=(K, corpus.train.width)) + prior[1]
    N, batch = len(corpus.train), plan.batch or len(corpus.train)
    common: dict[str, Any] = {"params": {"alpha": prior[0]}, "sweeps": plan.sweeps}
    common |= {"seed": seed, "threads": threads}
    steps, found, seconds = [], [], 0.0
    for step in range(1, plan.steps + 1):
        began = time.perf_counter()
        which = rng.choice(N, batch, replace=False)
        counted = count_labels(hybrid, q, corpus.train.some(which), step=step, **common)
        rate = (1 + step / delay) ** -power
        q *= 1 - rate
        q += rate * prior[1]
        q[:, counted.columns] += rate * N / batch * counted.table.T
        seconds += time.perf_counter() - began
        if step % plan.every == 0:
            shares = count_labels(hybrid, q, corpus.given, step=step, **common).shares
            law = q / q.sum(axis=1, keepdims=True)
            steps.append(step)
            found.append(perplexity(shares / shares.sum(axis=1, keepdims=True), law, corpus))
    return steps, found, seconds


def perplexity(shares: np.ndarray, law: np.ndarray, corpus: Corpus) -> float:
    """The perplexity of held-out tokens, by the shares of topics in documents and their laws."""
    held_out = corpus.held_out
    datum = np.repeat(np.arange(len(held_out)), np.diff(held_out.starts))
    p = np.einsum("ek,ke->e", shares[datum], law[:, held_out.columns])
    return float(np.exp(-(held_out.counts @ np.log(p)) / held_out.counts.sum()))


def result(name: str, experiment: str, seed: int, out: Path, threads: int) -> dict[str, Any]:
    """Run one method of one experiment, and return what the page needs of it."""
    plan = PLANS[experiment]
    corpus = corpus_of(plan)
    prior = RELEASED[name] if experiment == "released" else EQUAL
    if name == "HSVG":
        steps, single, seconds = hybrid_variational(plan, corpus, prior, seed, threads)
        averaged = single
    else:
        options = {"threads": threads, "checkpoint": out / f"{experiment}-{name}-{seed}.npz"}
        completion, seconds = sampled(name, plan, corpus, prior, seed, options)
        steps, averaged = completion.steps.tolist(), completion.perplexity.tolist()
        single = completion.single.tolist()
    return {
        "experiment": experiment,
        "method": name,
        "seed": seed,
        "steps": steps,
        "documents": [step * (plan.batch or len(corpus.train)) for step in steps],
        "averaged": averaged,
        "single": single,
        "seconds": seconds,
        "unigram": unigram(corpus),
        "tokens": int(corpus.held_out.counts.sum()),
    }


def export(out: Path) -> None:
    """Write the corpora for the libraries that run in another environment."""
    for experiment in ("online", "batch"):
        plan = PLANS[experiment]
        corpus = corpus_of(plan)
        arrays = {
            f"{part}_{name}": getattr(getattr(corpus, part), name)
            for part in ("train", "given", "held_out")
            for name in ("starts", "columns", "counts")
        }
        np.savez(
            out / f"corpus-{experiment}.npz",
            plan=np.array(json.dumps(asdict(plan))),
            width=np.array(corpus.train.width),
            **arrays,
        )


def unigram(corpus: Corpus) -> float:
    """The perplexity of the frequencies of all words of the training documents."""
    train = corpus.train
    frequency = np.bincount(train.columns, train.counts, train.width) + EQUAL[1]
    law = (frequency / frequency.sum())[None]
    return perplexity(np.ones((len(corpus.held_out), 1)), law, corpus)


def main() -> int:
    """Run what has no results yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the folder of results and checkpoints")
    parser.add_argument("--only", choices=list(PLANS), action="append")
    parser.add_argument("--methods", default="SCIR,SGRLD,SGRHMC,SGLD,SGHMC,HSVG")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--export", action="store_true", help="write the corpora and end")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    try:
        if given.export:
            export(given.out)
            return 0
        for experiment in given.only or PLANS:
            for seed in range(1, given.seeds + 1):
                for name in given.methods.split(","):
                    left_out = experiment == "released" and name not in RELEASED
                    path = given.out / f"{experiment}-{name}-{seed}.json"
                    if left_out or path.exists():
                        continue
                    found = result(name, experiment, seed, given.out, given.threads)
                    path.write_text(json.dumps(found))
                    print(
                        f"{path.stem}: {found['averaged'][-1]:.0f}, {found['seconds']:.0f} s",
                        flush=True,
                    )
    except RecipeError as error:
        print(f"lda_experiment: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
