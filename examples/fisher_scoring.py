"""Stochastic gradient Fisher scoring with its running average, inside of a compiled sampler.

    recipe verify examples/fisher_scoring.py:sgfs
    recipe sample examples/fisher_scoring.py:sampler --posterior breast_cancer --batch-size 50
        --step-size 1 --param B=100 --param share=0.088 --steps 6000 --warmup 1000
    python examples/fisher_scoring.py [--json]

Ahn, Korattikara & Welling (2012) precondition a step by ``(eps gamma N I + 4 B)^-1``, where I is a
running average of the covariance of the gradients of single data, and gamma = (n + N)/n for
minibatches of n out of N. A gradient from a minibatch has the variance ``V = N^2 I/n``, so that
``gamma N I = (1 + n/N) V``: here V is the running variance of each coordinate, which the module
estimates, and ``share`` is n/N.

With V fixed the rule is proved to leave exp(-U) stationary as the step vanishes; nothing is proved
of a V that moves. So V is learned in the warm-up and stays after it. The table has normal data,
where the precision of the posterior is N I: the noise of the gradient makes the step exact at every
step size (section 4 of the paper), if V is what it should be.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

import numpy as np
from sympy import Symbol, sqrt

from codegen import sample
from recipe import (
    Data,
    Noise,
    Parameter,
    Posterior,
    Potential,
    Update,
    Vector,
    compose,
    grad,
    step,
    total,
)
from recipe.language.variance import gradient_variance

theta = Vector("theta")
U = Potential("U", theta)
epsilon = Symbol("epsilon", positive=True)
B = Parameter("B", like=theta, positive=True)  # of the noise that is drawn
share = Symbol("share", positive=True)  # rows of a minibatch, out of one row of the data
w = Noise("w", like=theta)
V = gradient_variance(U, theta)

scale = epsilon * (1 + share) * V + 4 * B
sgfs = Update(
    step=epsilon,
    target=U,
    rule={theta: theta - 2 * epsilon / scale * grad(U, theta) + 4 * sqrt(epsilon * B) / scale * w},
    source=(
        "Ahn, Korattikara & Welling (2012), Bayesian posterior sampling via stochastic gradient"
        " Fisher scoring, ICML, with a diagonal information"
    ),
    expect="proved",
)
sampler = compose(step(sgfs))

ROWS, BATCH, STEPS, WARMUP = 200, 20, 60_000, 2000
SIZES = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Row:
    """The standard deviation of draws over that of the law, in the worse of two coordinates."""

    step_size: float
    sd: float


def normal_data() -> np.ndarray:
    """Rows with the mean 0 and the variance 1 in each coordinate, exactly."""
    x = np.random.default_rng(0).normal(size=(ROWS, 2))
    x -= x.mean(axis=0)
    return np.asarray(x / x.std(axis=0))


def normal_model() -> Posterior:
    """Normal data of variance 1 with an unknown mean, and a wide prior."""
    x = Data("x", like=theta)
    prior = -total(theta**2) / 2000
    return Posterior(theta, -total((x - theta) ** 2) / 2, prior, {x: normal_data()})


def row(size: float) -> Row:
    """The draws of one step size beside the law."""
    draws = sample(
        sampler,
        normal_model(),
        step_size=size,
        steps=STEPS,
        warmup=WARMUP,
        batch_size=BATCH,
        params={"B": 10.0, "share": BATCH / ROWS},
        seed=1,
        progress=False,
    )
    sd = draws["theta"].reshape(-1, 2).std(axis=0) * np.sqrt(ROWS)
    return Row(size, float(sd[np.argmax(np.abs(sd - 1))]))


def main(arguments: list[str] | None = None) -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    found = [row(size) for size in SIZES]
    if options.json:
        json.dump([asdict(r) for r in found], sys.stdout, indent=2)
        print()
        return 0
    print("| step size of SGFS | sd of the draws over that of the law |\n| --- | --- |")
    for r in found:
        print(f"| {r.step_size:g} | {r.sd:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
