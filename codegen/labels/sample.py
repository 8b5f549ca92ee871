"""``sample_labels``: draws of the parameters of data with labels."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Expr

from codegen.check_arguments import checked_mapping
from codegen.generate import Module
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_values
from codegen.labels.arguments import DataByIndex, LabelOptions, checked_data, checked_options
from codegen.labels.chain import RowChain, RowMover
from codegen.labels.checkpoint import read_checkpoint, write_checkpoint
from codegen.labels.reducers import Reducer
from codegen.labels.rows import module_of_rows, row_sampler
from codegen.labels.sweeps import Counted, LabelKernel, Workers
from codegen.labels.text import LabelModule, label_module
from codegen.labels.weight import Weight
from codegen.printing.common_functions import common_names, common_text
from codegen.store import modules
from codegen.system.progress_bar import progress_bar
from recipe.language.errors import RecipeError
from recipe.language.symbols import Vector, name_of
from recipe.latent.labels import DATUM
from recipe.latent.posterior import LabelledPosterior

CHECKPOINT_SECONDS = 60.0  # between two checkpoints
Check = Callable[[LabelModule | Module], None]  # raises for a module that must not run


@dataclass(frozen=True, eq=False)
class LabelRun:
    """The end of a run of ``sample_labels``.

    Attributes:
        blocks: by name, the last state of each block of the sampler, of the shape (labels,
            columns); the first one has the rows of parameters.
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

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {block.shape}" for name, block in self.blocks.items())
        return f"LabelRun of {self.steps} steps, {self.seconds:.1f} s: {shapes}"


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
    reducers: tuple[Reducer, ...] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = True,
    check: Check | None = None,
) -> LabelRun:
    """Sample the rows of parameters of data with labels.

    In each step the labels of a minibatch are drawn by Gibbs sweeps from uniform ones, and their
    mean counts are parameters of one step of the sampler, which moves the row of each label. Steps
    are functions of their number: draws are the same for any number of threads, and a run that is
    killed goes on from its checkpoint bit for bit.

    Args:
        model: the joint law of a datum and its labels, for one block.
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
        reducers: what to keep of the draws, such as ``Completion``.
        checkpoint: a file that the state is written to, each minute and at the end. Where it is
            there already the run goes on from it.
        progress: whether a terminal shows how much is done.
        check: called with the module that draws labels and with that of the sampler, before either
            is compiled; it raises where one must not run. ``recipe_cli`` proves their texts.

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
            "burn_in": 0 if burn_in is None and model.labels.each == DATUM else burn_in,
            "seed": seed,
            "chain": chain,
            "threads": threads,
        },
    )
    given = {name_of(s): v for s, v in checked_mapping("params", params or {}).items()}
    mover, fingerprint = _prepared(model, sampler, source, options, given, scheme, check)
    fingerprint = "|".join([fingerprint, *(r.describe() for r in reducers)])
    path = None if checkpoint is None else Path(checkpoint)
    found = None if path is None else _resumed(path, fingerprint, mover, reducers)
    state = mover.begin(_checked_rows(initial, options, source)) if found is None else found
    began, used = time.perf_counter(), time.process_time()
    with Workers(options.threads) as workers:
        _run(mover, state, workers, reducers, path, fingerprint, progress)
    blocks = dict(zip(mover.blocks, state.blocks, strict=True))
    seconds, used = time.perf_counter() - began, time.process_time() - used
    return LabelRun(blocks, state.done, seconds, used, tuple(reducers))


def count_labels(
    model: LabelledPosterior,
    rows: Any,
    data: Any,
    *,
    params: Mapping[str, Any],
    sweeps: int,
    burn_in: int | None = None,
    step: int = 0,
    seed: int = 0,
    threads: int = 1,
) -> Counted:
    """Draw the labels of all items of some data with fixed rows of parameters, and count them.

    Args:
        model: the joint law of a datum and its labels.
        rows: the rows, of the shape (labels, columns).
        data: counts, as for ``sample_labels``.
        params: the parameters of the weight of a label, by name.
        sweeps: Gibbs sweeps, from uniform labels.
        burn_in: how many of these are not counted; by default half.
        step, seed: of the random numbers.
        threads: how many threads work.

    Returns:
        The mean counts by column and label, and the mean factors of the counts of each datum.

    Raises:
        RecipeError: naming the argument or the datum at fault.
    """
    source, theta = checked_data(data), np.array(rows, dtype=np.float64, order="C")
    given: dict[str, Any] = {"labels": len(theta), "steps": 1, "batch_size": None, "sweeps": sweeps}
    burn_in = 0 if burn_in is None and model.labels.each == DATUM else burn_in
    given |= {"burn_in": burn_in, "step_size": 1.0, "seed": seed, "chain": 0, "threads": threads}
    options = checked_options(source, given)
    kernel = _label_kernel(label_module(model), options, dict(params))
    everything = source.rows(np.arange(len(source)))
    with Workers(threads) as workers:
        settings = step, options.sweeps, options.burn_in, workers
        return kernel.count(theta, everything, *settings, with_shares=True)


def _label_kernel(
    module: LabelModule, options: LabelOptions, numbers: Mapping[str, Any]
) -> LabelKernel:
    """Return the compiled draws of labels."""
    common = modules.Common(common_text(), common_names())
    loaded = modules.load(module.name, module.source, common)
    K = {str(module.model.labels.labels): options.labels}
    params = _label_params(loaded, module.weight, {**numbers, **K})
    of_data = module.weight.of_datum
    return LabelKernel(loaded, params, options.labels, options.seed, options.chain, of_data)


def _prepared(
    model: LabelledPosterior,
    sampler: Any,
    data: DataByIndex,
    options: LabelOptions,
    params: Mapping[str, Any],
    scheme: str,
    check: Check | None,
) -> tuple[RowMover, str]:
    """Return the compiled sampler with its parameters, and the digest of all that decides draws."""
    z, drawing = model.labels, label_module(model)
    made = {n: v for n, v in params.items() if isinstance(v, Expr) and v.free_symbols}
    numbers = {n: v for n, v in params.items() if n not in made} | {str(z.labels): options.labels}
    recipe = row_sampler(model, sampler, made)
    module = module_of_rows(recipe, scheme)
    if module.plan.factors:
        raise RecipeError("a sampler of rows with correlated noise is not run; choose another one")
    if check is not None:
        check(drawing)
        check(module)
    known = {*drawing.weight.parameters, *model.parameters, z.labels}
    lengths = Lengths()
    row = recipe.state[0]
    assert isinstance(row, Vector)  # `row_sampler` refuses any other
    lengths.learn(row.length, data.width, "data=")
    counts = (z.summed.base, str(z.data), str(z.batch))
    fields = {name_of(s): f for s, f in module.plan.settings.items()}
    settings = {s: f for s, f in module.plan.settings.items() if name_of(s) not in counts}
    values = resolved_values(settings, numbers, known | set(module.plan.settings), lengths)
    kernel = _label_kernel(drawing, options, numbers)
    blocks = tuple(module.plan.fields[b] for b in module.plan.state)
    summed, data_field, batch = (fields.get(name) for name in counts)
    counted = summed, data_field, batch
    mover = RowMover(module.load(), blocks, values, counted, kernel, data, options)
    texts = {"rows": module.source, "labels": drawing.source}
    return mover, options.fingerprint(texts, numbers, f"{data.digest} {len(data)} {data.width}")


def _label_params(loaded: Any, weight: Weight, numbers: Mapping[str, Any]) -> Any:
    """The parameters of the draws of labels."""
    lengths = Lengths()
    settings = dict(zip(weight.parameters, loaded.Params._fields, strict=False))
    mine = {name_of(s): numbers[name_of(s)] for s in settings if name_of(s) in numbers}
    values = resolved_values(settings, mine, (), lengths)
    return loaded.Params(**values)


def _checked_rows(initial: Any, options: LabelOptions, data: DataByIndex) -> np.ndarray | None:
    """The first rows as they were given, checked."""
    if initial is None:
        return None
    rows, shape = np.asarray(initial, dtype=np.float64), (options.labels, data.width)
    if rows.shape != shape or not np.isfinite(rows).all():
        raise RecipeError(
            f"initial= has the shape {rows.shape}, and must be finite numbers of the shape {shape}:"
            " a row for each label"
        )
    return rows


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
    return mover.at(blocks, int(head["done"]))


def _save(path: Path, chain: RowChain, fingerprint: str, reducers: tuple[Reducer, ...]) -> None:
    arrays = {f"block_{n}": block for n, block in enumerate(chain.blocks)}
    for n, reducer in enumerate(reducers):
        arrays |= {f"reducer_{n}_{k}": np.asarray(v) for k, v in reducer.state().items()}
    write_checkpoint(path, {"fingerprint": fingerprint, "done": chain.done}, arrays)


def _run(
    mover: RowMover,
    chain: RowChain,
    workers: Workers,
    reducers: tuple[Reducer, ...],
    path: Path | None,
    fingerprint: str,
    progress: bool,
) -> None:
    """Carry out the steps that are left, with reducers and checkpoints."""
    steps, saved = mover.options.steps, time.monotonic()
    with progress_bar("sampling", steps, done=chain.done, wanted=progress) as show:
        while chain.done < steps:
            mover.advance(chain, workers)
            for reducer in reducers:
                if chain.done % reducer.every == 0:
                    reducer.update(chain.done, chain.blocks[0], mover.kernel, workers)
            show(chain.done)
            due = time.monotonic() - saved >= CHECKPOINT_SECONDS or chain.done == steps
            if path is not None and due:
                _save(path, chain, fingerprint, reducers)
                saved = time.monotonic()
