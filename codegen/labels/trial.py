"""How long the parts of a step take: some are carried out, and thrown away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.labels.arguments import checked_data, checked_options, checked_rows, fetched
from codegen.labels.numbers import LabelWeights
from codegen.labels.prepare import Check, prepared
from codegen.labels.reducers import Reducer
from codegen.labels.sweeps import Workers
from recipe.language.symbols import name_of
from recipe.latent.labels import DATUM
from recipe.latent.posterior import LabelledPosterior

SECONDS = 0.5  # that each part is repeated for
MOST = 1000  # repetitions


@dataclass(frozen=True)
class LabelTrial:
    """What a run over data with labels costs.

    Attributes:
        blocks: by name, the shape of each block of the sampler: labels and columns.
        step_seconds: what a step takes: a minibatch, its sweeps, and the move of all rows.
        sweep_seconds: what one sweep over the labels of a minibatch takes.
        score_seconds: what one score of all reducers takes.
    """

    blocks: Mapping[str, tuple[int, ...]]
    step_seconds: float
    sweep_seconds: float
    score_seconds: float


def time_labels(
    model: LabelledPosterior,
    sampler: Any,
    data: Any,
    *,
    params: Mapping[str, Any],
    scheme: str,
    check: Check,
    reducers: tuple[Reducer, ...],
    initial: Any = None,
    weights: LabelWeights | None = None,
    **options: Any,
) -> LabelTrial:
    """Compile a run, carry out some of its steps and scores, and time them.

    Args:
        model, sampler, data, params, scheme, check, initial, weights: as for ``sample_labels``.
        reducers: those of the run, which are updated for a trial.
        **options: ``labels``, ``step_size``, ``steps``, ``batch_size``, ``sweeps``, ``burn_in``,
            ``seed`` and ``threads``, all of them.

    Returns:
        What the run would take.

    Raises:
        RecipeError: whatever would keep the run from beginning, or its first steps from being done.
    """
    source = checked_data(data)
    checked = checked_options(
        source, {**options, "chain": 0}, independent=model.labels.each == DATUM
    )
    given = {name_of(s): v for s, v in params.items()}
    mover, _ = prepared(model, sampler, source, checked, given, scheme, check, weights)
    chain = mover.begin(checked_rows(initial, checked, source, mover.domain))
    with Workers(checked.threads) as workers:
        minibatch = fetched(source, mover.minibatch(0))
        settings = checked.sweeps, checked.burn_in, workers

        def sweep() -> None:
            mover.kernel_of(chain).count(chain.blocks[0], minibatch, 0, *settings)

        def score() -> None:
            for reducer in reducers:
                reducer.update(checked.steps, chain.blocks[0], mover.kernel_of(chain), workers)

        step_seconds = _seconds_of(lambda: mover.advance(chain, workers))
        counted = checked.sweeps - (checked.burn_in if mover.kernel.of_data else 0)
        sweep_seconds = _seconds_of(sweep) / counted
        score_seconds = _seconds_of(score) if reducers else 0.0
    shapes = {n: b.shape for n, b in zip(mover.blocks, chain.blocks, strict=True)}
    return LabelTrial(shapes, step_seconds, sweep_seconds, score_seconds)


def _seconds_of(work: Callable[[], None]) -> float:
    """The median, after a first time that may compile."""
    work()
    seconds: list[float] = []
    while sum(seconds) < SECONDS and len(seconds) < MOST:
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))
