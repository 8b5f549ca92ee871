"""What a gradient that is derived here costs, beside JAX's ``grad`` under jit.

    python benchmarks/gradient_cost.py --jax-python FOLDER/bin/python [--only softmax,...] [--json]

FOLDER is an environment (python -m venv FOLDER) after FOLDER/bin/pip install jax. Both compute the
gradient from all rows in float64, with one thread on one core, in turns; times are medians of the
CPU time of an evaluation. The two gradients are compared first. Data are above 1 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sympy import Interval, Rational, oo

from codegen import Density
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import (
    bernoulli_logit,
    categorical_logit,
    half_cauchy,
    half_normal,
    mixture,
    negative_binomial_log,
    normal,
    ordered_logistic,
    poisson_log,
)

sys.path.insert(0, str(Path(__file__).parent / "limits"))
from child import Child
from measure import Row, Run, alternate, pin, rows_of

POSITIVE = Interval.open(0, oo)
MOST = 1.2  # of JAX's time
SECONDS = 0.2  # of one run


@dataclass(frozen=True)
class Case:
    """A model with its data, and the point at which the gradient is taken, both by name. The file
    gradient_cost_jax.py has the same model under the same name.
    """

    posterior: Posterior
    data: Mapping[str, np.ndarray]
    at: Mapping[str, Any]


def features(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Standard normal features, coefficients for them, and the generator to go on with."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((rows, columns)), rng.standard_normal(columns) / 4, rng


def logistic(columns: int) -> Case:
    X, b, rng = features(50_000, columns)
    labels = rng.random(len(X)) < 1 / (1 + np.exp(-X @ b))
    beta = Vector("beta")
    x, y = Data("x", like=beta), Data("y")
    model = Posterior(
        beta,
        log_likelihood=bernoulli_logit(y, total(x * beta)),
        log_prior=total(normal(beta, 0, 1)),
        data={x: X, y: labels.astype(float)},
    )
    return Case(model, {"x": X, "y": labels.astype(float)}, {"beta": b})


def poisson() -> Case:
    X, b, rng = features(50_000, 10)
    counts = rng.poisson(np.exp(X @ b)).astype(float)
    beta = Vector("beta")
    x, y = Data("x", like=beta), Data("y")
    model = Posterior(
        beta,
        log_likelihood=poisson_log(y, total(x * beta)),
        log_prior=total(normal(beta, 0, 1)),
        data={x: X, y: counts},
    )
    return Case(model, {"x": X, "y": counts}, {"beta": b})


def negative_binomial() -> Case:
    X, b, rng = features(50_000, 10)
    counts = rng.poisson(np.exp(X @ b) * rng.gamma(3, 1 / 3, len(X))).astype(float)
    beta, c = Vector("beta"), Scalar("c", domain=POSITIVE)
    x, y = Data("x", like=beta), Data("y")
    model = Posterior(
        (beta, c),
        log_likelihood=negative_binomial_log(y, total(x * beta), c),
        log_prior=total(normal(beta, 0, 1)) + half_normal(c, 5),
        data={x: X, y: counts},
    )
    return Case(model, {"x": X, "y": counts}, {"beta": b, "c": 2.5})


def hierarchical() -> Case:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 1000, 100_000)
    effects = rng.standard_normal(1000)
    values = 0.5 + 0.8 * effects[groups] + rng.standard_normal(len(groups))
    mu, eta = Scalar("mu"), Vector("eta")
    tau, sigma = Scalar("tau", domain=POSITIVE), Scalar("sigma", domain=POSITIVE)
    group, y = Data("group"), Data("y")
    model = Posterior(
        (mu, tau, sigma, eta),
        log_likelihood=normal(y, mu + tau * eta[group], sigma),
        log_prior=normal(mu, 0, 5)
        + half_cauchy(tau, 1)
        + half_normal(sigma, 2)
        + total(normal(eta, 0, 1)),
        data={group: groups, y: values},
    )
    at = {"mu": 0.4, "tau": 0.7, "sigma": 1.1, "eta": effects}
    return Case(model, {"group": groups, "y": values}, at)


def softmax() -> Case:
    X, b, rng = features(50_000, 20)
    B = np.array([b, b[::-1], np.roll(b, 3)])
    scores = np.column_stack([np.zeros(len(X)), X @ B.T]) + rng.gumbel(size=(len(X), 4))
    b1 = Vector("b1")
    b2, b3 = Vector("b2", like=b1), Vector("b3", like=b1)
    x, y = Data("x", like=b1), Data("y")
    labels = scores.argmax(axis=1)
    model = Posterior(
        (b1, b2, b3),
        log_likelihood=categorical_logit(y, [0, total(x * b1), total(x * b2), total(x * b3)]),
        log_prior=total(normal(b1, 0, 1)) + total(normal(b2, 0, 1)) + total(normal(b3, 0, 1)),
        data={x: X, y: labels},
    )
    return Case(model, {"x": X, "y": labels}, {f"b{k + 1}": B[k] for k in range(3)})


def ordinal() -> Case:
    X, b, rng = features(50_000, 10)
    labels = np.digitize(X @ b + rng.logistic(size=len(X)), [-1.0, 0.0, 1.5])
    beta, c = Vector("beta"), Scalar("c")
    gap1, gap2 = Scalar("gap1", domain=POSITIVE), Scalar("gap2", domain=POSITIVE)
    x, y = Data("x", like=beta), Data("y")
    model = Posterior(
        (beta, c, gap1, gap2),
        log_likelihood=ordered_logistic(y, total(x * beta), [c, c + gap1, c + gap1 + gap2]),
        log_prior=total(normal(beta, 0, 1))
        + normal(c, 0, 5)
        + half_normal(gap1, 5)
        + half_normal(gap2, 5),
        data={x: X, y: labels},
    )
    at = {"beta": b, "c": -0.9, "gap1": 1.1, "gap2": 1.4}
    return Case(model, {"x": X, "y": labels}, at)


def mixture_of_three() -> Case:
    rng = np.random.default_rng(1)
    values = np.array([-3.0, 0.0, 2.0])[rng.choice(3, 200_000, p=[0.2, 0.3, 0.5])]
    values = values + rng.standard_normal(len(values))
    m1, m2, m3, y = Scalar("m1"), Scalar("m2"), Scalar("m3"), Data("y")
    sigma = Scalar("sigma", domain=POSITIVE)
    weights = [Rational(1, 5), Rational(3, 10), Rational(1, 2)]
    model = Posterior(
        (m1, m2, m3, sigma),
        log_likelihood=mixture(weights, [normal(y, m, sigma) for m in (m1, m2, m3)]),
        log_prior=normal(m1, 0, 5) + normal(m2, 0, 5) + normal(m3, 0, 5) + half_normal(sigma, 2),
        data={y: values},
    )
    return Case(model, {"y": values}, {"m1": -2.9, "m2": 0.1, "m3": 2.1, "sigma": 0.9})


CASES: dict[str, Callable[[], Case]] = {
    "logistic 20": lambda: logistic(20),
    "logistic 100": lambda: logistic(100),
    "hierarchical": hierarchical,
    "softmax": softmax,
    "negative binomial": negative_binomial,
    "poisson": poisson,
    "ordinal": ordinal,
    "mixture": mixture_of_three,
}


def timed(work: Callable[[], Any]) -> Run:
    """Seconds of one evaluation, in runs of about ``SECONDS``."""
    work()
    began = process_time()
    work()
    count = max(1, round(SECONDS / (process_time() - began)))

    def run() -> float:
        began = process_time()
        for _ in range(count):
            work()
        return (process_time() - began) / count

    return run


def measured(name: str, rounds: int, python: str) -> Row:
    """One case beside JAX."""
    case = CASES[name]()
    density = Density(case.posterior)
    at = [np.atleast_1d(np.asarray(case.at[b.name], dtype=float)) for b in density.blocks]
    slopes = density.slopes(at)
    ours = timed(lambda: density.slopes(at))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        gradient = {f"g_{b.name}": g for b, g in zip(density.blocks, slopes, strict=True)}
        np.savez(path, **case.data, **{f"at_{b}": v for b, v in case.at.items()}, **gradient)
        script = str(Path(__file__).with_name("gradient_cost_jax.py"))
        with Child(python, script, model=name.rstrip(" 0123456789"), data=str(path)) as child:
            count = max(1, round(SECONDS / ours()))
            runs = {"derived here": ours, "JAX": lambda: child.run(count)}
            medians = alternate(runs, rounds)
    return rows_of(name, "derived here", medians, ("us", 1e6), {"JAX": MOST})[0]


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--jax-python", required=True, help="an interpreter that has jax")
    parser.add_argument("--only", default=",".join(CASES), help=f"some of: {', '.join(CASES)}")
    parser.add_argument("--rounds", type=int, default=11, help="turns of which medians are taken")
    parser.add_argument("--core", type=int, help="the core of both; by default the last one")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(CASES):
        parser.error(f"--only knows no {', '.join(sorted(unknown))}")
    pin(options.core)
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    rows = []
    for name in chosen:
        rows.append(measured(name, options.rounds, options.jax_python))
        print(f"{name}: {rows[-1].ratio:.2f} of JAX", file=sys.stderr)
    if options.json:
        print(json.dumps([r.plain() for r in rows], indent=2))
        return 0
    table = Table(title="a gradient from all rows, microseconds of CPU time")
    for column in ("model", "derived here", "JAX", "ratio", f"at most {MOST}"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for r in rows:
        times = (f"{r.our_time:.0f}", f"{r.their_time:.0f}")
        table.add_row(r.work, *times, f"{r.ratio:.2f}", r.verdict)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
