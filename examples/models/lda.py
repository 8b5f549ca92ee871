"""Latent Dirichlet allocation with the topics of words summed out by Gibbs sweeps, in the expanded
mean of Patterson & Teh (2013), and five samplers of its topics.

python examples/models/lda.py --quick    # seconds, no data needed: every sampler beside one unigram
python examples/lda_experiment.py --help # the experiments of docs/models/lda.md

``recipe verify examples/models/lda.py`` proves the draws of topics and the gradient for every
number of topics, words and tokens.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Expr, Interval, Symbol, log, loggamma, oo

from catalog import mirror_sghmc, mirror_sgld, scir, sgrhmc, sgrld
from codegen import Completion, LabelRun, Polynomial, sample_labels
from recipe import LabelledPosterior, Labels, Recipe, Vector, mirror, total

POSITIVE = Interval.open(0, oo)
theta = Vector("theta", domain=POSITIVE)  # the row of one topic; theta / total(theta) is its law
alpha = Symbol("alpha", positive=True)  # of the Dirichlet prior of the topics of a document
beta = Symbol("beta", positive=True)  # of the Dirichlet prior of the words of a topic
z = Labels("z", like=theta)  # a topic for each word of a document

pi = theta[z.item] / total(theta)
topics = LabelledPosterior(
    blocks=theta,
    labels=z,
    log_joint=z.sum(
        loggamma(alpha + z.count) - loggamma(alpha) + total(z.counts * log(theta / total(theta)))
    )
    + loggamma(z.labels * alpha)
    - loggamma(z.labels * alpha + z.size),
    log_prior=total((beta - 1) * log(theta) - theta),
    conditional=(alpha + z.others) * pi,  # Patterson & Teh (11), in which theta is normalised
    gradient=(beta - 1) / theta
    - 1
    + z.data / z.batch * (z.summed / theta - total(z.summed) / total(theta)),  # (9)
    source=(
        "Patterson & Teh (2013), Stochastic gradient Riemannian Langevin dynamics on the"
        " probability simplex, NIPS"
    ),
)


@dataclass(frozen=True)
class Sampler:
    """A sampler of the row of a topic, with the settings that were chosen for it.

    Attributes:
        recipe: from the catalog.
        scheme: how it is discretised.
        schedule: its step sizes.
        params: its parameters beside those of the model.
    """

    recipe: Recipe
    scheme: str
    schedule: Polynomial
    params: Mapping[str, Any] = field(default_factory=dict)


# Given topics of words, Baker et al. (2018) give theta independent gamma laws with these shapes.
SHAPES: Expr = beta + z.data / z.batch * z.summed

SAMPLERS = {
    "SCIR": Sampler(scir.scir, "exact", Polynomial(0.5, 10, 0.33), {"a": SHAPES}),
    "SGRLD": Sampler(
        mirror(sgrld.sgrld_reciprocal, sgrld.x), "euler", Polynomial(0.03, 1000, 0.55)
    ),
    "SGRHMC": Sampler(sgrhmc.expanded_mean(), "semi-implicit", Polynomial(0.02, 1000, 0.55)),
    "SGLD": Sampler(mirror_sgld.reflected_on(POSITIVE), "euler", Polynomial(0.0003, 1000, 0.55)),
    "SGHMC": Sampler(
        mirror_sghmc.reflected_on(POSITIVE),
        "semi-implicit",
        Polynomial(0.005, 1000, 0.55),
        {"C": 1},
    ),
}


def run(
    sampler: Sampler,
    data: Any,
    prior: tuple[float, float],
    **options: Any,
) -> LabelRun:
    """Sample the topics of documents.

    Args:
        sampler: one of ``SAMPLERS``.
        data: the counts of words.
        prior: alpha and beta.
        **options: as for ``sample_labels``: ``labels``, ``steps``, ``batch_size`` and so on.
    """
    params = {"alpha": prior[0], "beta": prior[1], **sampler.params}
    settings = {"scheme": sampler.scheme, "step_size": sampler.schedule, "params": params}
    return sample_labels(topics, sampler.recipe, data, **{**settings, **options})


def small_corpus(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts of 120 documents of 60 words, and of 30 held-out ones in two parts, from five topics
    over 50 words.
    """
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(50, 0.1), 5)
    laws = rng.dirichlet(np.full(5, 0.2), 150) @ rows
    counts = np.array([rng.multinomial(60, p) for p in laws])
    held_out = rng.binomial(counts[120:], 0.2)
    return counts[:120], counts[120:] - held_out, held_out


def quick(steps: int = 150, names: Iterable[str] = tuple(SAMPLERS)) -> dict[str, float]:
    """Return the perplexity of held-out words of a small corpus by each sampler, and by the
    frequencies of all words ("unigram").

    Args:
        steps: of each sampler.
        names: the samplers.
    """
    train, given, held_out = small_corpus()
    frequency = (train.sum(axis=0) + 0.1) / (train.sum() + 5.0)
    found = {"unigram": float(np.exp(-(held_out * np.log(frequency)).sum() / held_out.sum()))}
    for name in names:
        completion = Completion(given, held_out, every=10, sweeps=10, after=steps // 2)
        options = {"labels": 5, "steps": steps, "batch_size": 20, "sweeps": 10, "seed": 1}
        run(SAMPLERS[name], train, (0.2, 0.1), reducers=(completion,), progress=False, **options)
        found[name] = float(completion.perplexity[-1])
    return found


def main() -> None:
    """Print the perplexities of the small corpus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small corpus, some seconds")
    if not parser.parse_args().quick:
        parser.error("give --quick; examples/lda_experiment.py has the experiments on real data")
    for name, perplexity in quick().items():
        print(f"{name:8} {perplexity:6.2f}")


if __name__ == "__main__":
    main()
