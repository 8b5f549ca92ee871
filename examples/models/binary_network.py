r"""A binary network, by change of random variables and by mirroring.

    y_n ~ Categorical(softmax(V^T relu(W^T x_n)))
    each weight w in (-1, 1):  p(w) ~ (1 + w)^(a - 1) (1 - w)^(b - 1)

Section 7.2 of Yokoi, Otsuka & Sato (2020), Weak approximation of transformed stochastic gradient
MCMC, Machine Learning. 39,700 weights, 784-50-10. Each is sampled in (-1, 1); before the network
predicts, it is replaced by its sign. What is reported is the predictive mean over the binary
networks at the ends of all epochs so far.

    python examples/models/binary_network.py --quick
    python examples/models/binary_network.py --data FOLDER --checkpoint RUNS --page docs/models
    python examples/models/binary_network.py --data FOLDER --tune 25
    python examples/models/binary_network.py --data FOLDER --checkpoint RUNS --jax \
        --only fashion --sampler arctan --seed 2

The first takes seconds, draws its data, and reads nothing. The second makes the page
docs/models/binary_network.md from Fashion-MNIST and 5,000 digits of MNIST
(examples/image_data.py says where they are looked for) in some two hours on one core; run again,
it goes on where it was stopped. The third looks for step sizes as the paper does, by the
tree-structured Parzen estimator of optuna (pip install optuna), for the least loss on the images to
validate. The fourth makes one run alone, of which several can go at a time, and its gradients by
JAX (pip install jax), on a GPU if there is one. ``recipe verify examples/models/binary_network.py``
says what is proved of the samplers for every smooth likelihood.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Interval, Matrix, Symbol, exp, log

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from binary_network_jax import gradient_by_jax
from binary_network_page import Curve, table, write
from experiment_command import BadDataError, DivergedError, StoppedError, ended, options_of
from image_data import Images, drawn, load
from step_size_search import best_step

from codegen import BiasWarning, sample
from recipe import Data, Posterior, Potential, Recipe, Vector, corv, maps, mirror, total

w = Vector("w", domain=Interval.open(-1, 1))
U = Potential("U", w)  # minus the log likelihood
a, b = Symbol("a", positive=True), Symbol("b", positive=True)

# The prior is written in H, so that it is moved to phi with all of its digits, where w rounds to 1.
langevin = Recipe(
    state=(w,),
    H=U + total((1 - a) * log(1 + w) + (1 - b) * log(1 - w)),
    D=Matrix([[1]]),
    Q=Matrix([[0]]),
)
corv_sigmoid = corv(langevin, w, lambda phi: 2 / (1 + exp(-phi)) - 1)
corv_arctan = corv(langevin, w, maps.arctan)
corv_softsign = corv(langevin, w, maps.softsign)
mirror_sgld = mirror(langevin, w)
SAMPLERS = {
    "sigmoid": corv_sigmoid,
    "arctan": corv_arctan,
    "softsign": corv_softsign,
    "mirror": mirror_sgld,
}
SHAPE = 0.5  # a and b of the prior; the paper says that they are below 1
BATCH = 200
START = 0.1  # weights start between -START and START, uniformly
RANGE = (1e-3, 1e1)  # of step sizes times the number of images to fit


@dataclass(frozen=True)
class Setting:
    """Of the runs on one data set; step sizes are times the number of images to fit."""

    steps: Mapping[str, float]
    epochs: int
    epochs_to_tune: int
    seeds: int
    hidden: int = 50


# Found by --tune 100, to four digits: docs/models/binary_network.md has where fewer were made.
SETTINGS = {
    "fashion": Setting(
        {"sigmoid": 4.136, "arctan": 3.263, "softsign": 1.851, "mirror": 0.7401},
        epochs=300,
        epochs_to_tune=5,
        seeds=3,
    ),
    "mnist": Setting(
        {"sigmoid": 4.08, "arctan": 7.162, "softsign": 1.228, "mirror": 1.218},
        epochs=300,
        epochs_to_tune=100,
        seeds=3,
    ),
}
QUICK = Setting(dict.fromkeys(SAMPLERS, 1.0), epochs=20, epochs_to_tune=5, seeds=1, hidden=6)


@dataclass(frozen=True)
class Network:
    """Three layers, no biases; ``w`` is the first matrix of weights, then the second, by row."""

    inputs: int
    hidden: int
    classes: int
    by_jax: bool = False  # which computes the gradient of a posterior; otherwise numpy

    @property
    def size(self) -> int:
        """The number of weights."""
        return (self.inputs + self.classes) * self.hidden

    def layers(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both matrices, from the images to the hidden units and from those to the classes."""
        cut = self.inputs * self.hidden
        first = w[:cut].astype(np.float32).reshape(self.inputs, self.hidden)
        second = w[cut:].astype(np.float32).reshape(self.hidden, self.classes)
        return first, second

    def probabilities(self, w: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Of the classes, of the shape (images, classes); pixels are bytes."""
        first, second = self.layers(w)
        return softmax(np.maximum(pixels(x) @ first, 0) @ second)

    def gradient(self) -> Callable[..., np.ndarray]:
        """Minus the gradient of the log likelihood, estimated from some rows (no prior)."""

        def gradient(w: np.ndarray, rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
            first, second = self.layers(w)
            images = pixels(x[rows])
            active = images @ first
            hidden = np.maximum(active, 0)
            error = softmax(hidden @ second)
            error[np.arange(rows.size), y[rows]] -= 1
            error *= y.size / rows.size
            back = (error @ second.T) * (active > 0)
            return np.concatenate([(images.T @ back).ravel(), (hidden.T @ error).ravel()])

        return gradient

    def posterior(self, data: Images) -> Posterior:
        """The likelihood of the images to fit; the prior is in the samplers."""
        x, y = Data("x", like=Vector("pixel")), Data("y")
        gradient = gradient_by_jax(data, self.hidden) if self.by_jax else self.gradient()
        return Posterior(w, data={x: data.x, y: data.y}, gradient=gradient)


def pixels(x: np.ndarray) -> np.ndarray:
    """From bytes to numbers between 0 and 1."""
    return x.astype(np.float32) / np.float32(255)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Of each row."""
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def sampled(
    data: Images, network: Network, sampler: str, step: float, epochs: int, seed: int,
    checkpoint: Path | None = None, progress: bool = False,
) -> np.ndarray:  # fmt: skip
    """The weights at the end of each epoch, of the shape (epochs, weights).

    Raises:
        DivergedError, StoppedError: where the run did not get to its end.
    """
    batch = min(BATCH, len(data.y) // 10)
    epoch = len(data.y) // batch
    first = np.random.default_rng(seed).uniform(-START, START, network.size)
    with warnings.catch_warnings():
        # Nobody predicts the bias of 39,700 weights with many modes: the test images judge.
        warnings.simplefilter("ignore", BiasWarning)
        draws = sample(
            SAMPLERS[sampler],
            network.posterior(data),
            scheme="euler",
            step_size=step,
            params={"a": SHAPE, "b": SHAPE},
            batch_size=batch,
            steps=epochs * epoch,
            thin=epoch,
            warmup=0,
            chains=1,
            seed=seed,
            initial={w: first},
            lengths={w: network.size},
            checkpoint=checkpoint,
            progress=progress,
        )
    if draws.divergences:
        raise DivergedError(f"{data.name}, {sampler}, seed {seed}: {draws.divergences[0]}")
    if draws.interrupted:
        raise StoppedError(
            f"{data.name}, {sampler}, seed {seed}: stopped after {draws.counts[0]} of {epochs}"
            " epochs"
        )
    weights: np.ndarray = draws["w"][0]
    return weights


def averaged(
    network: Network, weights: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[list[float], list[float]]:
    """Loss and accuracy of the mean of the predictions of the first 1, 2, ... networks."""
    mean = np.zeros((len(y), network.classes))
    loss, accuracy = [], []
    for n, one in enumerate(weights, start=1):
        mean += (network.probabilities(one, x) - mean) / n
        loss.append(float(-np.log(np.maximum(mean[np.arange(len(y)), y], 1e-30)).mean()))
        accuracy.append(float((mean.argmax(axis=1) == y).mean()))
    return loss, accuracy


def curve(
    data: Images, network: Network, sampler: str, step: float, epochs: int, seed: int,
    checkpoint: Path | None = None, progress: bool = False,
) -> Curve:  # fmt: skip
    """Sample, and predict the test images."""
    weights = sampled(data, network, sampler, step, epochs, seed, checkpoint, progress)
    loss, accuracy = averaged(network, np.sign(weights), data.x_test, data.y_test)
    _, not_binary = averaged(network, weights, data.x_test, data.y_test)
    at_edges = float((np.abs(weights[-1]) > 0.99).mean())
    return Curve(data.name, sampler, step, seed, loss, accuracy, not_binary, at_edges)


def tuned(data: Images, network: Network, sampler: str, epochs: int, trials: int) -> float:
    """The step size, times the number of images to fit, whose binary networks predict the images to
    validate with the least loss after some epochs.
    """

    def loss(scaled: float) -> float:
        try:
            weights = sampled(data, network, sampler, scaled / len(data.y), epochs, seed=99)
        except DivergedError:
            return float("inf")
        return averaged(network, np.sign(weights), data.x_valid, data.y_valid)[0][-1]

    return best_step(loss, *RANGE, trials)[0]


def all_curves(data: Images, setting: Setting, options: argparse.Namespace) -> list[Curve]:
    """Every sampler with every seed, or those that are asked for."""
    network, found = network_of(data, setting, options), []
    runs: Path | None = options.checkpoint
    made = {(c.data, c.sampler, c.seed): c for c in results(options.results or [])}
    for sampler in asked(options):
        for seed in [options.seed] if options.seed else range(1, setting.seeds + 1):
            if (data.name, sampler, seed) in made:
                found.append(made[data.name, sampler, seed])
                continue
            name = f"{data.name}-{sampler}-{seed}"
            print(name, file=sys.stderr)
            folder = None if runs is None else runs / name
            step = (options.step or setting.steps[sampler]) / len(data.y)
            found.append(
                curve(data, network, sampler, step, setting.epochs, seed, folder, progress=True)
            )
    return found


def run(options: argparse.Namespace) -> None:
    """Sample, print, write."""
    names = ["drawn"] if options.quick else [options.only] if options.only else list(SETTINGS)
    curves: list[Curve] = []
    for name in names:
        data = drawn() if options.quick else load(name, options.data)
        setting = QUICK if options.quick else SETTINGS[name]
        if options.tune:
            tune(data, setting, options)
        else:
            curves += all_curves(data, setting, options)
    if options.json:
        print(json.dumps([asdict(c) for c in curves]))
    elif curves:
        print(table(curves), end="")
    if options.page:
        write(curves, options.page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is typed."""
    more: dict[str, dict[str, Any]] = {
        "--sampler": {"choices": list(SAMPLERS), "help": "one of all samplers"},
        "--seed": {"type": int, "metavar": "N", "help": "one seed, from 1, of all"},
        "--step": {"type": float, "metavar": "S", "help": "step size times the number of images"},
        "--results": {
            "type": Path,
            "nargs": "+",
            "metavar": "FILE",
            "help": "what --json has printed: runs that are not made again",
        },
        "--jax": {"action": "store_true", "help": "gradients by JAX, on a GPU if there is one"},
    }
    return ended(run, options_of(arguments, __doc__, SETTINGS, more))


def results(files: Sequence[Path]) -> list[Curve]:
    """The runs in files that ``--json`` has printed.

    Raises:
        BadDataError: where a file has none.
    """
    found = []
    for path in files:
        try:
            found += [Curve(**run) for run in json.loads(path.read_text())]
        except (OSError, ValueError, TypeError):
            raise BadDataError(f"{path} has no runs as --json prints them") from None
    return found


def asked(options: argparse.Namespace) -> list[str]:
    """The samplers that are asked for."""
    return [options.sampler] if options.sampler else list(SAMPLERS)


def network_of(data: Images, setting: Setting, options: argparse.Namespace) -> Network:
    """The network of a data set."""
    return Network(data.x.shape[1], setting.hidden, data.classes, options.jax)


def tune(data: Images, setting: Setting, options: argparse.Namespace) -> None:
    """Print a line for each sampler."""
    network = network_of(data, setting, options)
    for sampler in asked(options):
        step = tuned(data, network, sampler, setting.epochs_to_tune, options.tune)
        print(f"{data.name}, {sampler}: {step:.3g} / {len(data.y)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
