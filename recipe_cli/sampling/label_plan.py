"""What a run over data with labels would do, and how long it would take: its modules are compiled,
and some steps are timed and thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from codegen import CountTable, Fit
from codegen.label_chains import fitted
from codegen.labels.text import LabelModule
from codegen.labels.trial import LabelTrial, time_labels
from codegen.module import Module
from recipe_cli.sampling.label_chains import LabelTask, counts_of
from recipe_cli.sampling.run_plan import lines_of_rows, seconds_in_words
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.terminal.printing import print_json, print_line
from recipe_cli.terminal.progress import Progress

OF_A_TRIAL = (
    *("labels", "step_size", "steps", "batch_size", "sweeps", "burn_in", "seed", "threads"),
    "weights",
)


@dataclass(frozen=True)
class LabelPlan:
    """What a run would do.

    Attributes:
        task: what is asked for.
        modules: the text that draws labels, and that of the sampler of a row.
        data: the data of minibatches.
        trial: what its parts cost.
        compile_seconds: what generating, proving, compiling and timing took, less if it was in the
            cache.
        unproved: the warning about a text that is not proved; empty if both are.
    """

    task: LabelTask
    modules: tuple[LabelModule | Module, ...]
    data: CountTable
    trial: LabelTrial
    compile_seconds: float
    unproved: str

    @property
    def scores(self) -> int:
        """The number of scores of a chain."""
        o = self.task.options
        return sum(1 for t in range(o["every"], o["steps"] + 1, o["every"]) if t >= o["warmup"])

    @property
    def run_seconds(self) -> float:
        """The seconds of sampling and scoring."""
        o, t = self.task.options, self.trial
        rounds: int = -(-o["chains"] // o["side_by_side"])
        return rounds * (o["steps"] * t.step_seconds + self.scores * t.score_seconds)


def dry_run_of_labels(task: LabelTask, text: TextCheck) -> LabelPlan:
    """Prepare a run, compile it, and time some steps; nothing is sampled or saved.

    Raises:
        RecipeError: whatever would keep the run from beginning.
    """
    began = perf_counter()
    modules: list[LabelModule | Module] = []

    def check(module: LabelModule | Module) -> None:
        modules.append(module)
        text.check(module)  # type: ignore[arg-type]

    table, reducers = counts_of(task)
    o = task.options
    trial = time_labels(
        task.model.declared,  # type: ignore[arg-type]
        task.sampler.declared,
        table,
        params=o["params"],
        scheme=o["scheme"],
        check=check,
        reducers=(Fit(fitted(table), every=o["every"]), *reducers(0)),
        **{name: o[name] for name in OF_A_TRIAL},
    )
    unproved = " ".join(filter(None, text.known.values()))
    return LabelPlan(task, tuple(modules), table, trial, perf_counter() - began, unproved)


def print_label_plan(task: LabelTask, text: TextCheck, as_json: bool) -> None:
    """Print what a run would do, as text or as JSON.

    Raises:
        RecipeError: as ``dry_run_of_labels``.
    """
    with Progress() as progress:
        progress.show("generating, proving and compiling two modules; timing some steps")
        plan = dry_run_of_labels(task, text)
    if as_json:
        print_json(_as_json(plan))
        return
    for line in _lines(plan):
        print_line(line)


def _lines(plan: LabelPlan) -> list[str]:
    task, o, t = plan.task, plan.task.options, plan.trial
    batch = o["batch_size"] or len(plan.data)
    every = "both" if len(plan.modules) == 2 else "all"
    proof = f"compared, and not {every} proved" if plan.unproved else f"{every} are proved"
    rows = [
        ("model", f"{task.model.name}, with {o['labels']} labels; {task.sampler.name} moves a row"),
        *(("module", f"{m.name}, {m.source.count(chr(10))} lines, compiled") for m in plan.modules),
        ("texts", proof),
        *(("rows", f"{n} {' x '.join(map(str, shape))}") for n, shape in t.blocks.items()),
        ("data", f"{_data_words(plan)}, {task.held_out} held out"),
        *(("parameter", f"{n} = {v}") for n, v in o["params"].items()),
        ("step size", str(o["step_size"])),
        ("minibatch", f"{batch:,} data, {o['sweeps']} sweeps over their labels"),
        (
            "run",
            f"{o['chains']} chains of {o['steps']:,} steps, {o['warmup']:,} of them warm-up;"
            f" {plan.scores:,} scores of each",
        ),
        (
            "time",
            f"about {seconds_in_words(t.step_seconds)} a step, of which"
            f" {seconds_in_words(t.sweep_seconds)} a sweep, and"
            f" {seconds_in_words(t.score_seconds)} a score: {seconds_in_words(plan.run_seconds)},"
            f" after {seconds_in_words(plan.compile_seconds)} to prepare",
        ),
    ]
    return lines_of_rows(rows)


def _data_words(plan: LabelPlan) -> str:
    table = plan.data
    return f"{len(table):,} data, {table.width:,} columns, {int(table.counts.sum()):,} items"


def _as_json(plan: LabelPlan) -> dict[str, Any]:
    task, o, t = plan.task, plan.task.options, plan.trial
    return {
        "model": task.model.name,
        "sampler": task.sampler.name,
        "modules": [{"name": m.name, "lines": m.source.count("\n")} for m in plan.modules],
        "proved": not plan.unproved,
        "rows": {name: list(shape) for name, shape in t.blocks.items()},
        "data": len(plan.data),
        "columns": plan.data.width,
        "items": int(plan.data.counts.sum()),
        "held_out": task.held_out,
        "parameters": {name: str(value) for name, value in o["params"].items()},
        "step_size": str(o["step_size"]),
        "labels": o["labels"],
        "batch_size": o["batch_size"],
        "sweeps": o["sweeps"],
        "chains": o["chains"],
        "steps": o["steps"],
        "warmup": o["warmup"],
        "scores": plan.scores,
        "seconds": {
            "prepare": plan.compile_seconds,
            "step": t.step_seconds,
            "sweep": t.sweep_seconds,
            "score": t.score_seconds,
            "run": plan.run_seconds,
        },
    }
