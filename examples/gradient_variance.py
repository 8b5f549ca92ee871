"""The variance of the gradient's estimate along a run of SGLD: plain minibatches, control variates,
SVRG and SAGA, and what each costs.

    python examples/gradient_variance.py [--json] [--quick]

Two logistic regressions: the 569 tumours of the catalog, and 20,000 rows that are drawn here. Each
run begins at the mode and makes so many steps that the noise takes it to where the law is. Then
the variance over 300 minibatches is taken at each of 20 states of the run, with the snapshot or the
table that the chain has there: the sum over coordinates, its mean over states, as a part of that of
plain minibatches of the same size at the same states. *Rows a step* are the gradients of single
rows that a step evaluates. The kernels are those that ``sample`` runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sympy import exp, log

from catalog.posteriors import breast_cancer
from catalog.sgld import sgld
from codegen import Density, generate
from codegen.device.random import draw_rows
from codegen.inputs.gradients.control_variates import control_data, snapshot_data
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_data
from codegen.module import Module
from recipe import Data, Posterior, Vector, bind, total

STATES, STRIDE, BATCHES = 20, 97, 300


@dataclass(frozen=True)
class Model:
    """A posterior with one block, and the settings of its runs; ``every`` are the steps from one
    snapshot to the next that are compared.
    """

    name: str
    posterior: Posterior
    step: float
    batch: int
    every: tuple[int, ...]
    steps: int = 20_000


@dataclass(frozen=True)
class Row:
    """What was measured of one estimate."""

    model: str
    estimate: str
    variance: float  # as a part of that of plain minibatches
    rows_a_step: float
    remembered: int  # numbers that a chain remembers


def logistic(count: int, length: int) -> Posterior:
    """A logistic regression on rows that are drawn here, with standard normal priors."""
    rng = np.random.default_rng(7)
    theta, y = Vector("theta"), Data("y")
    x = Data("x", like=theta)
    rows = rng.standard_normal((count, length))
    labels = rng.random(count) < 1 / (1 + np.exp(-rows @ rng.standard_normal(length)))
    a = total(x * theta)
    return Posterior(
        theta, y * a - log(1 + exp(a)), -total(theta**2) / 2, {x: rows, y: labels.astype(float)}
    )


def models() -> list[Model]:
    """Both, the smaller one first."""
    return [
        Model("569 rows, d = 31", breast_cancer.posterior, 3e-4, 20, (30, 100, 1000)),
        Model("20,000 rows, d = 20", logistic(20_000, 20), 3e-6, 100, (200, 2000, 20_000)),
    ]


class Runner:
    """A chain of SGLD at the mode, with one way to estimate its gradient."""

    def __init__(self, model: Model, every: int | None = None, **options: bool) -> None:
        self.model, self.every = model, every or 1
        bound = bind(sgld, model.posterior)
        self.module: Module = generate(bound, scheme="euler", **options)
        self.loaded = self.module.load()
        (self.estimator,) = self.module.estimators.values()
        density, lengths = Density(model.posterior), Lengths()
        (self.mode,) = density.minimum()
        fields, count = resolved_data(self.module, lengths)
        assert count is not None
        self.rows = count
        if self.estimator.control is not None:
            mode = {model.posterior.blocks[0]: self.mode}
            fields |= control_data(self.estimator, mode, None, density, list(fields.values()))
        fields |= snapshot_data(self.module, every, fields)
        self.data = self.loaded.Data(**fields)
        tables = [count] if self.estimator.tables else []
        self.state = self.loaded.allocate(self.mode, model.batch, False, *tables)
        self.done = 0

    def move(self, steps: int) -> None:
        """Make so many steps; nothing of them is kept."""
        none = self.loaded.Draws(
            *(np.zeros((0, self.mode.size)) for _ in self.loaded.Draws._fields)
        )
        end, bad = self.loaded.run(
            self.state, none, (), self.data, self.model.step, (), np.uint64(1), 0, self.done, steps,
            10**9, 1,
        )  # fmt: skip
        assert bad < 0
        self.done = end

    def gradients(self) -> np.ndarray:
        """Estimates from minibatches at the present state, with the reference that is there."""
        found = np.zeros((BATCHES, self.mode.size))
        for t in range(BATCHES):
            state = self.loaded.State(*(np.copy(a) for a in self.state))
            draw_rows(
                state.rows, state.table, self.rows, (np.uint64(3), np.uint64(5)), np.uint64(t)
            )
            call = [found[t], state.theta, self.data, (), (), state.rows]
            self.evaluated(state, call)
        return found

    def evaluated(self, state: Any, call: Sequence[Any]) -> None:
        """One estimate; a snapshot that is due is not taken here."""
        control, reference = self.estimator.control, self.estimator.reference
        if reference is not None:
            calls = getattr(state, reference.calls)
            calls[0] += self.every > 1 and calls[0] % self.every == 0
            getattr(self.loaded, reference.function)(*call, state)
        elif control is not None:
            getattr(self.loaded, control.function)(*call, state)
        else:
            getattr(self.loaded, self.estimator.gradient.function)(*call)


def variance(gradients: np.ndarray) -> float:
    """The sum over coordinates."""
    return float(gradients.var(axis=0, ddof=1).sum())


def measured(model: Model) -> list[Row]:
    """All estimates of one model. Each has a run of its own; the plain estimate is made at the
    states of that run as well.
    """
    n, plain = model.batch, Runner(model)
    rows, d = plain.rows, plain.mode.size
    ways = [
        ("plain", Runner(model), n, 0),
        ("control variates", Runner(model, control_variates=True), 2 * n, 2 * d),
        *(
            (f"SVRG, every {m:,}", Runner(model, m, svrg=True), 2 * n + rows / m, 2 * d)
            for m in model.every
        ),
        ("SAGA", Runner(model, saga=True), n, rows * d),
    ]
    return [
        Row(model.name, name, part_of_plain(runner, plain), cost, remembered)
        for name, runner, cost, remembered in ways
    ]


def part_of_plain(runner: Runner, plain: Runner) -> float:
    """The variance along the run, as a part of that of plain minibatches at its states."""
    runner.move(runner.model.steps)
    own = other = 0.0
    for _ in range(STATES):
        runner.move(STRIDE)
        plain.state.theta[:] = runner.state.theta
        own += variance(runner.gradients())
        other += variance(plain.gradients())
    return own / other


def table(found: Sequence[Row]) -> str:
    """One row an estimate."""
    lines = [
        "| model | estimate | variance, parts of plain | rows a step | numbers remembered |",
        "| --- " * 5 + "|",
    ]
    lines += [
        f"| {r.model} | {r.estimate} | {r.variance:.2g} | {r.rows_a_step:.4g} | {r.remembered:,} |"
        for r in found
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="the smaller model alone")
    options = parser.parse_args(arguments)
    found = [r for m in models()[: 1 if options.quick else None] for r in measured(m)]
    if options.json:
        json.dump([asdict(r) for r in found], sys.stdout, indent=2)
        print()
    else:
        print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
