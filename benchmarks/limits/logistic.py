"""SGLD on a Bayesian logistic regression of 100,000 rows, minibatches drawn with replacement;
microseconds an iteration.

A row that everybody is given is y x, so that all do the same work. Ours is made from a
``Posterior``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from child import Child
from measure import Row, Run, Skipped, alternate, from_zero, rows_of
from native import Library, compiler
from njit_logistic import associative, strict
from ours import Chain
from sympy import exp, log

from catalog.sgld import sgld
from codegen import generate
from recipe import Data, Posterior, Potential, Vector, bind, total

ROWS, STEP, WORK = 100_000, 1e-5, 1_500_000  # WORK: rows looked at in one run
FLOAT64, FLOAT32 = "float64", "float32 data"
LOOP, ASSOCIATIVE, IN_C = "njit loop", "njit loop, fastmath", "C float64"
SGMCMCJAX, BLACKJAX = "SGMCMCJax float32", "BlackJAX float32"


def data_of(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows times labels, and the coefficients that the labels come from."""
    rng = np.random.default_rng(0)
    x, truth = rng.standard_normal((ROWS, d)), rng.standard_normal(d) / np.sqrt(d)
    y = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-x @ truth)), 1.0, -1.0)
    return x * y[:, None], truth


def checked(
    run: Callable[[int], Any], iterations: int, theta: np.ndarray, truth: np.ndarray
) -> Run:
    """Seconds an iteration; the chain has to be near the coefficients in the end."""

    def measure() -> float:
        began = process_time()
        run(iterations)
        seconds = process_time() - began
        if not np.abs(theta - truth).max() < 0.5:
            raise SystemExit(f"a chain is at {theta}, and should be near {truth}")
        return seconds / iterations

    return measure


def ours(x: np.ndarray, batch: int) -> tuple[Callable[[int], None], np.ndarray]:
    """Our chain, and its coefficients."""
    theta = Vector("theta")
    row = Data("x", like=theta)
    posterior = Posterior(theta, -log(1 + exp(-total(row * theta))), -total(theta**2) / 2, {row: x})
    U = next(a for a in sgld.abstract if isinstance(a, Potential))
    module = generate(bind(sgld, {U: posterior}))
    loaded = module.load()
    data = loaded.Data(**{module.estimators[U].gradient.fields[row]: x})
    chain = Chain(loaded, [np.zeros(x.shape[1])], STEP, data=data, batch=batch)
    return chain.run, chain.state.theta


def in_c(x: np.ndarray, batch: int) -> tuple[Callable[[int], None], np.ndarray]:
    """The chain in C, and its coefficients."""
    library, theta = Library("logistic.c", D=x.shape[1]), np.zeros(x.shape[1])
    return from_zero(
        lambda at, n: library.call("logistic", x, theta, len(x), batch, STEP, 1, at, n)
    ), theta


def in_njit(loop: Any, x: np.ndarray, batch: int) -> tuple[Callable[[int], None], np.ndarray]:
    """The loop of a Numba user, and its coefficients."""
    theta, rng = np.zeros(x.shape[1]), np.random.default_rng(1)
    return lambda iterations: loop(x, theta, batch, STEP, iterations, rng), theta


def rows(rounds: int, jax: str | None, sgmcmcjax: str | None) -> Iterator[Row | Skipped]:
    """The rows for d = 10 and 50, batches of 100 and 1000."""
    for d in (10, 50):
        x, truth = data_of(d)
        for batch in (100, 1000):
            iterations = WORK // batch
            kinds = {FLOAT64: ours(x, batch), FLOAT32: ours(x.astype(np.float32), batch)}
            kinds |= {LOOP: in_njit(strict, x, batch), ASSOCIATIVE: in_njit(associative, x, batch)}
            kinds |= {IN_C: in_c(x, batch)} if compiler() else {}
            runs = {
                kind: checked(run, iterations, theta, truth) for kind, (run, theta) in kinds.items()
            }
            with ExitStack() as open_files:
                file = Path(open_files.enter_context(tempfile.TemporaryDirectory())) / "rows.npy"
                np.save(file, x)
                case = {"case": "logistic", "data": str(file), "step": STEP, "batch": batch}
                for name, python, script in (
                    (BLACKJAX, jax, "jax_cases.py"),
                    (SGMCMCJAX, sgmcmcjax, "sgmcmcjax_cases.py"),
                ):
                    if python:
                        child = open_files.enter_context(Child(python, script, **case))
                        runs[name] = lambda child=child, n=iterations: child.run(n)
                medians = alternate(runs, rounds)
            limit = {LOOP: 1 / 2}
            work, unit = f"logistic d={d} B={batch}", ("us", 1e6)
            yield from rows_of(work, FLOAT64, medians, unit, limit, leave=[FLOAT32])
            yield from rows_of(
                work,
                FLOAT32,
                medians,
                unit,
                {SGMCMCJAX: 1 / 1.15 if d == 50 else 1 / 1.05},
                leave=[FLOAT64, LOOP, ASSOCIATIVE],
            )
