"""Sample data with labels, save the rows whatever happens, and show the diagnosis."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console

from codegen import (
    Completion,
    CountTable,
    LabelRuns,
    LabelWeights,
    read_counts,
    sample_label_chains,
)
from codegen.files.counts import halves
from codegen.inputs.schedule import Schedule
from codegen.label_chains import Reducers
from codegen.labels.chain import DivergedError
from codegen.labels.weight import number_of_a_label
from codegen.system.signals import ENDS, RAISES, Signals, Stopped
from codegen.verdict_before import verdict_before
from recipe import Recipe, RecipeError
from recipe.files.atomic_write import whole_file
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.declarations.run_file import value_beside
from recipe_cli.output.claim import claimed
from recipe_cli.program.typed import parameters_typed
from recipe_cli.program.typed_schedule import schedule_typed
from recipe_cli.render.diagnosis import MAX_SHOWN_COORDINATES, print_diagnosis
from recipe_cli.render.exit_status import REFUTED_STATUS
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.terminal.printing import print_lines, tell

NETCDF, ARRAYS = ".nc", ".npz"


@dataclass(frozen=True)
class LabelTask:
    """What ``recipe labels`` is asked for.

    Attributes:
        model: the joint law.
        sampler: the sampler of a row.
        data: the file of counts.
        columns: the number of columns of a libsvm file; None for its largest index.
        held_out: how many of the last data are in no minibatch: half of their items are predicted
            from the other half.
        options: the arguments of ``sample_label_chains``.
    """

    model: Declaration
    sampler: Declaration
    data: Path
    columns: int | None
    held_out: int
    options: Mapping[str, Any]


def run_labels(
    task: LabelTask,
    text: TextCheck,
    output: Path | None,
    console: Console,
    plots: Path | None,
    as_json: bool,
) -> int:
    """Sample, save and diagnose.

    Args:
        task: what is asked for.
        text: the check of the modules.
        output: the file for the last rows and the scores; None for no file.
        console: where the diagnosis is printed.
        plots: the folder for plots; None for no plots.
        as_json: whether JSON is printed.

    Returns:
        The exit status: 0, 1 if a chain diverged, or 128 plus the number of a signal, after which
        what was done is saved.
    """
    with Signals((RAISES, ENDS), tell, last=True) as signals, ExitStack() as stack:
        try:
            for path in filter(None, (output, task.options["checkpoint"])):
                stack.enter_context(claimed(path))
            began = perf_counter()
            with signals.held(running=True):
                runs = _sampled(task, text, signals)
            if output is not None:
                _save(output, runs)
            signals.act()
            _show(runs, console, perf_counter() - began, output, plots, as_json)
        except DivergedError as error:
            tell(str(error), "recipe")
            return REFUTED_STATUS
        except Stopped as stopped:
            if signals.first is None and stopped.number == signal.SIGINT:
                raise
            return 128 + (signals.first or stopped.number)
    return 128 + signals.first if signals.first else 0


def step_size_typed(typed: float | str) -> float | Schedule:
    """Return the step size of ``--step-size``.

    Raises:
        RecipeError: for ``auto``, and a schedule that is none.
    """
    if typed == "auto":
        raise RecipeError("--step-size auto: rows of labels are not tuned; give a number")
    return schedule_typed(typed, "--step-size") if isinstance(typed, str) else typed


def params_typed(typed: list[str], model: Declaration) -> dict[str, Any]:
    """Return the values of ``--param NAME=VALUE``: numbers, and what the file of the model calls by
    a name.

    Raises:
        RecipeError: if an option has another form, or the file has no such name.
    """
    named = [item for item in typed if item.partition("=")[2].strip().isidentifier()]
    named = [item for item in named if item.partition("=")[2].strip() not in ("nan", "inf")]
    values: dict[str, Any] = dict(parameters_typed(tuple(i for i in typed if i not in named)))
    for item in named:
        name, _, value = (part.strip() for part in item.partition("="))
        if name in values:
            raise RecipeError(f"--param {name} is given twice")
        values[name] = value_beside(model, value)
    return values


def weights_typed(name: str | None, model: Declaration, unproved: bool) -> LabelWeights | None:
    """Return what moves the numbers of labels, by the name that the file of the model gives it.

    Args:
        name: what was typed; None for nothing.
        model: the joint law.
        unproved: whether a sampler runs even if it is refuted.

    Raises:
        RecipeError: if the file has no such name, it is no ``LabelWeights``, its sampler is
            refuted, or the model needs one and none is typed.
    """
    if name is None:
        if number_of_a_label(model.declared) is not None:  # type: ignore[arg-type]
            raise RecipeError(
                f"beside its row a label of {model.name} has a number: give what moves it,"
                f" --weights NAME, where {model.file} has NAME = LabelWeights(sampler,"
                " params={...})"
            )
        return None
    found = value_beside(model, name)
    if not isinstance(found, LabelWeights):
        raise RecipeError(f"--weights {name}: it is no LabelWeights, but a {type(found).__name__}")
    if isinstance(found.sampler, Recipe):
        verdict_before(found.sampler, f"the sampler in {name}", unproved)
    return found


def counts_of(task: LabelTask) -> tuple[CountTable, Reducers]:
    """Return the data of minibatches, and what makes the further reducers of a chain.

    Raises:
        RecipeError: for a file that is none of counts, and too many data that are held out.
    """
    table = read_counts(task.data, task.columns)
    if not task.held_out:
        return table, lambda chain: ()
    table, kept = _held_out(table, task.held_out)
    given, predicted = halves(kept)
    score = {"every": task.options["every"], "after": task.options["warmup"]}
    return table, lambda chain: (Completion(given, predicted, **score),)


def _sampled(task: LabelTask, text: TextCheck, signals: Signals) -> LabelRuns:
    table, reducers = counts_of(task)
    runs = sample_label_chains(
        task.model.declared,  # type: ignore[arg-type]
        task.sampler.declared,
        table,
        check=text.check,
        stop=lambda: signals.first is not None,
        reducers=reducers,
        **task.options,
    )
    said = (*runs.warnings, *filter(None, text.known.values()))
    attributes = {**runs.attributes, "recipe": task.model.name}
    return replace(runs, warnings=said, attributes=attributes)


def _held_out(table: CountTable, number: int) -> tuple[CountTable, CountTable]:
    """Return the first data, and so many of the last."""
    first = len(table) - number
    if first < 1:
        raise RecipeError(
            f"--held-out {number}: there are {len(table)} data, and one must be left to sample from"
        )
    return table.some(np.arange(first)), table.some(np.arange(first, len(table)))


def _save(path: Path, runs: LabelRuns) -> None:
    """Write the last rows of all chains and their scores, as netCDF or as arrays of numpy."""
    if path.suffix == NETCDF:
        runs.save(path)
        return
    blocks = {name: runs[name] for name in {**runs.runs[0].weights, **runs.runs[0].blocks}}
    steps = np.array([run.steps for run in runs.runs])
    held = io.BytesIO()
    np.savez(held, steps=steps, **blocks, **runs.scores)  # type: ignore[arg-type]
    with whole_file(path) as temporary:
        temporary.write_bytes(held.getvalue())


def _show(
    runs: LabelRuns,
    console: Console,
    seconds: float,
    output: Path | None,
    plots: Path | None,
    as_json: bool,
) -> None:
    diagnosis = runs.summary()
    if as_json:
        saved = None if output is None else str(output)
        shown = {
            "diagnosis": diagnosis.as_json(),
            "steps": [run.steps for run in runs.runs],
            "output": saved,
        }
        print_lines(json.dumps(shown, indent=2))
    else:
        print_diagnosis(
            console,
            diagnosis,
            limit=MAX_SHOWN_COORDINATES,
            hint="codegen.sample_label_chains has them all",
            took=f" in {seconds:.1f} s",
        )
        if output is not None:
            print_lines(f"the last rows and the scores are saved in {output}")
    if plots is not None:
        runs.plot(plots)
        if not as_json:
            print_lines(f"plots in {plots}")
