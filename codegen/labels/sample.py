"""``sample_labels``: draws of the parameters of data with labels."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from codegen.check_arguments import checked_mapping
from codegen.labels.arguments import checked_data, checked_options, checked_rows
from codegen.labels.chain import RowChain, RowMover
from codegen.labels.checkpoint import read_checkpoint, write_checkpoint
from codegen.labels.numbers import LabelWeights
from codegen.labels.prepare import Check, prepared
from codegen.labels.reducers import Reducer
from codegen.labels.sweeps import Workers
from codegen.system.progress_bar import progress_bar
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of
from recipe.latent.labels import DATUM
from recipe.latent.posterior import LabelledPosterior

CHECKPOINT_SECONDS = 60.0  # between two checkpoints


@dataclass(frozen=True, eq=False)
class LabelRun:
    """The end of a run of ``sample_labels``.

    Attributes:
        blocks: by name, the last state of each block of the sampler, of the shape (labels,
            columns); the first one has the rows of parameters.
        weights: by name, the last number of each label beside its row; empty where there is none.
        steps: how many steps are done.
        seconds: how long those of this call took, without the making of modules.
        processor_seconds: the time of all threads of this process meanwhile.
        reducers: the reducers of the run, with what they have kept.
    """

    blocks: Mapping[str, np.ndarray]
    steps: int
    seconds: float
    processor_seconds: float
    reducers: tuple[Reducer, ...] = field(repr=False)
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        listed = [*self.blocks.items(), *self.weights.items()]
        shapes = ", ".join(f"{name} {block.shape}" for name, block in listed)
        return f"LabelRun of {self.steps} steps, {self.seconds:.1f} s: {shapes}"


def never() -> bool:
    """Return False: no step is the last one before its time."""
    return False


def sample_labels(
    model: LabelledPosterior,
    sampler: Any,
    data: Any,
    *,
    labels: int,
    step_size: Any,
    steps: int,
    params: Mapping[str, Any] | None = None,
    batch_size: int | None = None,
    sweeps: int = 10,
    burn_in: int | None = None,
    scheme: str = "euler",
    seed: int = 0,
    chain: int = 0,
    threads: int = 1,
    initial: Any = None,
    weights: LabelWeights | None = None,
    reducers: tuple[Reducer, ...] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = True,
    check: Check | None = None,
    stop: Callable[[], bool] = never,
    title: str = "sampling",
) -> LabelRun:
    """Sample the rows of parameters of data with labels.

    In each step the labels of a minibatch are drawn by Gibbs sweeps from uniform ones, and their
    mean counts are parameters of one step of the sampler, which moves the row of each label. Steps
    are functions of their number: draws are the same for any number of threads, and a run that is
    killed goes on from its checkpoint bit for bit.

    Args:
        model: the joint law of a datum and its labels: of a row, and where a datum has one label of
            one number beside it, the weight of the label.
        sampler: a ``Recipe`` of one row. Where it has an abstract potential, this becomes minus the
            log posterior of the row given the counts.
        data: counts: a ``CountTable``, a matrix of ``scipy.sparse``, an array of the shape (data,
            columns), or an object with ``rows(which)``, ``width``, ``digest`` and a length, which
            fetches data by their numbers.
        labels: K, the number of labels.
        step_size: a number, or a schedule such as ``Polynomial(0.01, 1000, 0.55)``.
        steps: the number of steps of the whole run.
        params: by name, the parameters of the model and of the sampler: numbers, or expressions of
            ``model.labels.summed``, ``data`` and ``batch``.
        batch_size: how many data are in a minibatch; by default all.
        sweeps: Gibbs sweeps over the labels of each datum of a minibatch; where a datum has one
            label, how often it is drawn.
        burn_in: how many of these are not counted; by default half, and none where a datum has one
            label, whose draws are independent.
        scheme: the discretisation of the sampler; ``"exact"`` for ``catalog.scir``.
        seed: the seed of all random numbers.
        chain: the number of the chain; chains of one seed are independent.
        threads: how many threads work.
        initial: the first rows, of the shape (labels, columns); by default random ones with the law
            Gamma(1, 1).
        weights: what moves the numbers that labels have beside their rows, where they have some.
        reducers: what to keep of the draws, such as ``Completion``.
        checkpoint: a file that the state is written to, each minute and at the end. Where it is
            there already the run goes on from it.
        progress: whether a terminal shows how much is done.
        check: called with the module that draws labels and with that of the sampler, before either
            is compiled; it raises where one must not run. ``recipe_cli`` proves their texts.
        stop: asked after each step; the run ends, and is saved, where it returns True.
        title: what the display of progress says.

    Returns:
        The last state, and the reducers.

    Raises:
        RecipeError: naming the argument, the datum or the row at fault, and the repair.

    Source:
        Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the
            probability simplex", NIPS; Baker, Fearnhead, Fox & Nemeth (2018), "Large-scale
            stochastic sampling from the probability simplex", NeurIPS, algorithm 1.
    """
    if not isinstance(model, LabelledPosterior):
        raise RecipeError(
            f"the model comes first, a LabelledPosterior, and not a {type(model).__name__}"
        )
    source = checked_data(data)
    options = checked_options(
        source,
        {
            "labels": labels,
            "step_size": step_size,
            "steps": steps,
            "batch_size": batch_size,
            "sweeps": sweeps,
            "burn_in": burn_in,
            "seed": seed,
            "chain": chain,
            "threads": threads,
        },
        independent=model.labels.each == DATUM,
    )
    given = {name_of(s): v for s, v in checked_mapping("params", params or {}).items()}
    mover, fingerprint = prepared(model, sampler, source, options, given, scheme, check, weights)
    fingerprint = "|".join([fingerprint, *(r.describe() for r in reducers)])
    path = None if checkpoint is None else Path(checkpoint)
    found = None if path is None else _resumed(path, fingerprint, mover, reducers)
    state = (
        mover.begin(checked_rows(initial, options, source, mover.domain))
        if found is None
        else found
    )
    began, used = time.perf_counter(), time.process_time()
    with Workers(options.threads) as workers:
        saved = None if path is None else Saved(path, fingerprint, reducers)
        with progress_bar(title, options.steps, done=state.done, wanted=progress) as show:
            _run(mover, state, workers, reducers, saved, stop, show)
    blocks = dict(zip(mover.blocks, state.blocks, strict=True))
    seconds, used = time.perf_counter() - began, time.process_time() - used
    return LabelRun(blocks, state.done, seconds, used, tuple(reducers), _numbers(mover, state))


def _numbers(mover: RowMover, chain: RowChain) -> dict[str, np.ndarray]:
    """The numbers that labels have beside their rows, by name."""
    if mover.numbers is None or chain.own is None:
        return {}
    return {mover.numbers.name: chain.own.blocks[0]}


@dataclass(frozen=True)
class Saved:
    """Where a run is saved.

    Attributes:
        path: the file.
        fingerprint: the digest of all that decides the draws, and what the reducers keep.
        reducers: these reducers.
    """

    path: Path
    fingerprint: str
    reducers: tuple[Reducer, ...]

    def write(self, chain: RowChain) -> None:
        """Write the state of a run in the place of the last one."""
        arrays = {f"block_{n}": block for n, block in enumerate(chain.blocks)}
        own = () if chain.own is None else chain.own.blocks
        arrays |= {f"number_{n}": block for n, block in enumerate(own)}
        for n, reducer in enumerate(self.reducers):
            arrays |= {f"reducer_{n}_{k}": np.asarray(v) for k, v in reducer.state().items()}
        write_checkpoint(self.path, {"fingerprint": self.fingerprint, "done": chain.done}, arrays)


def _resumed(
    path: Path, fingerprint: str, mover: RowMover, reducers: tuple[Reducer, ...]
) -> RowChain | None:
    """Return the state in a checkpoint, and let the reducers take up theirs; None without a file.

    Raises:
        RecipeError: where the checkpoint is of another run.
    """
    found = read_checkpoint(path)
    if found is None:
        return None
    head, arrays = found
    if head.get("fingerprint") != fingerprint:
        raise RecipeError(
            f"{path} is the checkpoint of another run: its model, sampler, data, options or"
            " reducers differ; delete it to begin again, or name another file"
        )
    for n, reducer in enumerate(reducers):
        prefix = f"reducer_{n}_"
        mine = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        reducer.restore(mine)
    blocks = tuple(arrays[f"block_{n}"] for n in range(len(mover.blocks)))
    if mover.numbers is None:
        return mover.at(blocks, int(head["done"]))
    own = tuple(arrays[f"number_{n}"] for n in range(len(mover.numbers.blocks)))
    return mover.at(blocks, int(head["done"]), mover.numbers.at(own))


def _run(
    mover: RowMover,
    chain: RowChain,
    workers: Workers,
    reducers: tuple[Reducer, ...],
    saved: Saved | None,
    stop: Callable[[], bool],
    show: Callable[[float], None],
) -> None:
    """Carry out the steps that are left, with reducers and checkpoints."""
    steps, last = mover.options.steps, time.monotonic()
    while chain.done < steps:
        mover.advance(chain, workers)
        for reducer in reducers:
            if chain.done % reducer.every == 0:
                reducer.update(chain.done, chain.blocks[0], mover.kernel_of(chain), workers)
        show(chain.done)
        ends = stop() or chain.done == steps
        if saved is not None and (ends or time.monotonic() - last >= CHECKPOINT_SECONDS):
            saved.write(chain)
            last = time.monotonic()
        if ends:
            return
