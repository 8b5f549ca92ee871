"""One chain over the rows of all labels: a minibatch, its labels, and a step of every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Interval

from codegen.device.intrinsics import start_kernel
from codegen.device.random import draw_rows, stream_key
from codegen.inputs.schedule import step_sizes
from codegen.labels.arguments import DataByIndex, LabelOptions, fetched
from codegen.labels.numbers import NumberChain, NumberMover
from codegen.labels.one_step import gamma_numbers, inside, moved, no_draws
from codegen.labels.sweeps import MINIBATCH_PURPOSE, LabelKernel, Workers
from recipe.language.errors import RecipeError


@start_kernel
def draw_minibatch(
    rows: np.ndarray, table: np.ndarray, count: int, seed: Any, purpose: Any, chain: Any, t: Any
) -> None:
    """The minibatch of step ``t``, without replacement: a function of its number alone."""
    draw_rows(rows, table, count, stream_key(seed, purpose, chain), t)


class DivergedError(RecipeError):
    """A row of parameters is not finite, or has left its domain."""


@dataclass(eq=False)
class RowChain:
    """The state of a run.

    Attributes:
        blocks: the blocks of the sampler, each of the shape (labels, width of the data); the first
            one has the rows of parameters.
        states: a state of the sampler's module for each label, on the rows of ``blocks``.
        summed: the counts of the last minibatch, of the shape (labels, width of the data).
        touched: the columns in which these are not zero.
        own: the numbers that labels have beside their rows; None where they have none.
        done: how many steps are done.
    """

    blocks: tuple[np.ndarray, ...]
    states: list[Any]
    summed: np.ndarray
    touched: np.ndarray
    own: NumberChain | None = None
    done: int = 0


@dataclass(frozen=True, eq=False)
class RowMover:
    """Moves all rows by a step.

    Attributes:
        module: the imported module of the sampler of a row.
        blocks: the fields of its blocks; the first one is the row.
        params: the values of its parameters but for those of the counts.
        counts: the fields of ``summed``, ``data``, ``batch`` and ``members``; None for one that is
            not used.
        kernel: the draws of labels.
        data: all data.
        options: of the run.
        domain: the open interval in which the model has its rows; None where the sampler's own
            module looks after that.
        numbers: what moves the numbers that labels have beside their rows.
    """

    module: Any
    blocks: tuple[str, ...]
    params: Mapping[str, Any]
    counts: tuple[str | None, ...]
    kernel: LabelKernel
    data: DataByIndex
    options: LabelOptions
    domain: Interval | None = None
    numbers: NumberMover | None = None

    def begin(self, initial: np.ndarray | None) -> RowChain:
        """Return the first state: the given rows, or numbers with the law Gamma(1, 1); further
        blocks are 0.
        """
        K, W = self.options.labels, self.data.width
        if initial is None:
            o = self.options
            chains = [o.chain * K + k for k in range(K)]
            initial = np.stack([gamma_numbers(self.module, W, o.seed, c) for c in chains])
        own = None if self.numbers is None else self.numbers.begin()
        return self.at((initial, *(np.zeros((K, W)) for _ in self.blocks[1:])), 0, own)

    def at(
        self, blocks: tuple[np.ndarray, ...], done: int, numbers: NumberChain | None = None
    ) -> RowChain:
        """Return the state with these blocks and numbers of labels after ``done`` steps."""
        own = tuple(np.array(block, dtype=np.float64, order="C") for block in blocks)
        states = []
        for k in range(self.options.labels):
            mine = [block[k] for block in own]
            state = self.module.allocate(*mine)
            states.append(state._replace(**dict(zip(self.blocks, mine, strict=True))))
        none = np.zeros(0, dtype=np.int64)
        return RowChain(own, states, np.zeros_like(own[0]), none, numbers, done)

    def kernel_of(self, chain: RowChain) -> LabelKernel:
        """Return the draws of labels with the present numbers of labels beside their rows."""
        return self.kernel.given(None if chain.own is None else chain.own.blocks[0])

    def minibatch(self, step: int) -> np.ndarray:
        """Return the numbers of the data in the minibatch of a step."""
        o = self.options
        rows = np.empty(o.batch, dtype=np.int64)
        table = np.zeros(1 << (2 * o.batch - 1).bit_length(), dtype=np.int64)
        seeds = np.uint64(o.seed), MINIBATCH_PURPOSE, np.uint64(o.chain)
        draw_minibatch(rows, table, len(self.data), *seeds, np.uint64(step))
        return rows

    def advance(self, chain: RowChain, workers: Workers) -> None:
        """Move a chain by one step.

        Raises:
            DivergedError: where a row, or a number beside it, is not finite or leaves its domain.
        """
        o, step = self.options, chain.done
        drawn = fetched(self.data, self.minibatch(step))
        settings = step, o.sweeps, o.burn_in, workers
        wanted = self.kernel.of_data and (chain.own is not None or self.counts[-1] is not None)
        kernel = self.kernel_of(chain)
        counted = kernel.count(chain.blocks[0], drawn, *settings, with_shares=wanted)
        # where each item has a label, a label has as many members as items
        members = counted.members if wanted else counted.table.sum(axis=0)
        chain.summed[:, chain.touched] = 0.0
        chain.summed[:, counted.columns] = counted.table.T
        chain.touched = counted.columns
        size = float(step_sizes(o.schedule, step, 1)[0])
        draws = no_draws(self.module)

        def move(k: int) -> bool:
            params = self.module.Params(**self._params(chain.summed[k], float(members[k])))
            key = o.seed, o.chain * o.labels + k
            return moved(self.module, chain.states[k], draws, params, size, key, step)

        bad = [k for k, finite in enumerate(workers.each(move, range(o.labels))) if not finite]
        bad = bad or self._outside(chain.blocks[0])
        if bad:
            raise DivergedError(
                f"the row of label {bad[0]} is not finite, or left its domain, in step {step} with"
                f" the step size {size:g}; take smaller steps"
            )
        if self.numbers is not None and not self.numbers.advance(chain.own, members, step):
            raise DivergedError(
                f"a number {self.numbers.name} of a label is not finite, or left its domain, in"
                f" step {step}; take smaller steps, LabelWeights(..., step_size=...)"
            )
        chain.done += 1

    def _outside(self, rows: np.ndarray) -> list[int]:
        """The rows that are not in the domain of the model, which may be smaller than that of the
        sampler: weights of labels would have wrong signs there.
        """
        if self.domain is None:
            return []
        return [int(k) for k in np.flatnonzero(~inside(rows, self.domain).all(axis=1))]

    def _params(self, summed: np.ndarray, members: float) -> dict[str, Any]:
        values = (summed, float(len(self.data)), float(self.options.batch), members)
        own = {f: v for f, v in zip(self.counts, values, strict=True) if f is not None}
        return {**self.params, **own}
