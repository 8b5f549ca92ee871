"""The command ``test``: the compiled step of a sampler beside the rule that was proved, by the law of one step."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from codegen import generate
from codegen.generate import Module
from codegen.one_step import OneStep, one_step
from recipe import Dense, Kernel, Recipe, RecipeError, Update
from recipe.free import abstract_of, parameters_of
from recipe.scheme import PRINTED, discretise
from recipe.symbols import name_of
from recipe_cli.bias import Bias, measured_bias
from recipe_cli.declarations import Declaration
from recipe_cli.mistakes import UNDECIDED
from recipe_cli.sampling import parameters_typed
from recipe_cli.tested import Asked, Subject, Tested
from recipe_cli.translation import require_translation
from recipe_cli.trial import lengths_of, parameters_for, trials_of
from verify.statistics import Battery, Findings, Line, Outcome, battery
from verify.statistics.equations import equations_of
from verify.statistics.plan import plan_of
from verify.statistics.setting import setting

DEFAULT_SCHEMES = ("semi-implicit", "exact", PRINTED)  # the first that fits
DIFFERS = 1
PATH, SEEDED = 12, 7  # steps in one call of run that are compared with single ones; what its random numbers are for
NUMBERS = ("distance", "threshold", "level")
WIDTH = 132  # below it names of coefficients are broken


class NothingToCompareError(Exception):
    """There is no exact null for this step."""


Say = Callable[[str], None]


def compare_declaration(declaration: Declaration, asked: Asked, as_json: bool, plots: Path | None, console: Console) -> int:
    """Generate, validate, compile, compare and print; returns the exit status."""
    from codegen.plots import writable_folder

    if plots is not None:
        writable_folder(plots)
    try:
        with _progress() as (say, told):
            tested = tested_kernel(declaration, asked, say, told)
            pictures = [] if plots is None else _drawn(tested, plots, say)
    except NothingToCompareError as nothing:
        if as_json:
            typer.echo(json.dumps({"name": declaration.name, "outcome": "nothing compared", "because": str(nothing)}, indent=2))
        typer.echo(f"recipe: nothing of {declaration.name} was compared: {nothing}", err=True)
        return UNDECIDED
    if as_json:
        typer.echo(json.dumps(_data(tested, pictures), indent=2))
    else:
        _print(console, tested, pictures)
    return exit_status(tested.findings, asked.allow_unseen)


def exit_status(found: Findings, allow_unseen: bool = False) -> int:
    """1 where something differs, 3 where a wrong coefficient would have been missed and that is not allowed, 0 otherwise."""
    if found.outcome is Outcome.DIFFERS:
        return DIFFERS
    undecided = found.outcome is Outcome.INDICATIVE or (found.unseen and not allow_unseen)
    return UNDECIDED if undecided else 0


def tested_kernel(declaration: Declaration, asked: Asked, say: Say, told: Callable[[int, int], None]) -> Tested:
    """The findings of a battery about the compiled module of a declaration.

    Raises:
        RecipeError: for input that does not fit.
        NothingToCompareError: where the law of a step is not read off.
    """
    say("generating")
    subject, module = subject_of(declaration, asked)
    say("proving that the module is the rule")
    require_translation(module, subject.what)
    say("compiling")
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        told(done, total)

    total = 0
    kernel = kernel_of(subject, module, more)
    say("choosing states")
    chosen = battery_of(subject)
    total = chosen.experiment.replicas * (3 if chosen.coupled else 2)
    say("running")
    found = chosen.check(kernel, seed=asked.seed, name=declaration.name)
    say("comparing calls of many steps")
    lines = (*found.lines, _in_one_call(kernel, chosen, asked.seed))
    return Tested(subject, module, kernel, chosen, replace(found, lines=lines))


def subject_of(declaration: Declaration, asked: Asked) -> tuple[Subject, Module]:
    """The step of a declaration with its module and all of its numbers."""
    if isinstance(declaration.declared, Kernel):
        raise NothingToCompareError(
            "it accepts and rejects, or repeats, and the law of one such step is not read off; in Python "
            "verify.check_invariance compares it with the law that it leaves invariant"
        )
    _check(asked)
    what, scheme, module, rule = _generated(declaration, asked.scheme)
    trials = trials_of([U for U in module.plan.potentials if U not in module.estimators])
    where = declaration.file if ":" in declaration.file else f"{declaration.file}:{declaration.name}"
    return Subject(where, scheme, what, rule, asked, _params(rule, asked), trials), module


def _params(rule: Update, asked: Asked) -> dict[str, Any]:
    """A number for every parameter of a rule."""
    expressions = [e for e, _ in rule.written()]
    symbols = [s for s in parameters_of(expressions) if s != rule.step]
    symbols += [a for a in abstract_of(expressions) if isinstance(a, Dense)]
    return parameters_for(symbols, parameters_typed(asked.params), lengths_of(rule.state, symbols, asked.length))


def _check(asked: Asked) -> None:
    """Refuse numbers that make no sense, before anything takes time."""
    if asked.length < 1:
        raise RecipeError(f"--length {asked.length}: it must be a positive number of coordinates")
    if asked.seed < 0:
        raise RecipeError(f"--seed {asked.seed}: it must not be negative")
    if not 0 < asked.step_size < math.inf:
        raise RecipeError(f"--step-size {asked.step_size:g}: it must be a positive number")
    if not 0 < asked.level < 1:
        raise RecipeError(f"--level {asked.level:g}: it must be between 0 and 1, a probability")
    if not 1 < asked.factor < math.inf:
        raise RecipeError(f"--factor {asked.factor:g}: it must be above 1, as a coefficient that is too large by it is to be found")


def _generated(declaration: Declaration, scheme: str | None) -> tuple[Recipe | Update, str, Module, Update]:
    """What is generated, by which scheme: the one that was typed, or the first of the default ones that fits."""
    declared, refusals = declaration.declared, []
    assert isinstance(declared, Recipe | Update)
    if isinstance(declared, Update):
        if scheme not in (None, PRINTED):
            raise RecipeError(f"{declaration.name} is an update rule, a discrete step already: leave --scheme out")
        return declared, PRINTED, generate(declared, name=declaration.name), declared
    for tried in DEFAULT_SCHEMES if scheme is None else (scheme.lower(),):
        try:
            if tried != PRINTED:
                rule, what = discretise(declared, tried), declared
                return what, tried, generate(what, scheme=tried, name=declaration.name), rule
            if declared.update is None:
                raise RecipeError(f"{declaration.name} has no printed rule; `recipe schemes {declaration.file}` lists what fits")
            return declared.update, tried, generate(declared.update, name=declaration.name), declared.update
        except RecipeError as error:
            refusals.append(error)
    raise refusals[0]


def kernel_of(subject: Subject, module: Module, told: Callable[[int], None]) -> OneStep:
    """The compiled kernel of a module, which may be any text that has the plan of the subject."""
    wanted = {name_of(s) for s in module.plan.settings}
    gradient = {U: trial.compiled for U, trial in subject.trials.items()} or None
    params = {name: value for name, value in subject.params.items() if name in wanted}
    kernel = one_step(module, step_size=subject.asked.step_size, params=params, gradient=gradient, told=told)
    lengths = {b: getattr(b, "length", None) for b in subject.rule.state}
    kernel.compile({name_of(b): np.ones(subject.asked.length if n is not None else 1) for b, n in lengths.items()})
    return kernel


def battery_of(subject: Subject) -> Battery:
    """The states and tests for a step, whose random numbers are functions of seed, chain and step."""
    try:
        plan_of(equations_of(subject.rule))
    except RecipeError as hidden:
        raise NothingToCompareError(str(hidden)) from None
    a = subject.asked
    how = {**subject.numbers, "seed": a.seed, "level": a.level, "factor": a.factor}
    return battery(subject.rule, batched=True, coupled=True, **how)


def _in_one_call(kernel: OneStep, chosen: Battery, seed: int) -> Line:
    """Many steps in one call of ``run`` are those of as many calls, bit for bit: what was compared step by step is what samples."""
    rng = np.random.default_rng([seed, SEEDED])
    states, worst = chosen.experiment.states, 0
    for k in range(len(next(iter(states.values())))):
        first = {name: rows[k] for name, rows in states.items()}
        key, begin = int(rng.integers(2**62)), int(rng.integers(1000))
        whole, alone = kernel.advanced(first, PATH, seed=key, chain=k, begin=begin), _one_by_one(kernel, first, key, k, begin)
        if whole is None or alone is None:  # it leaves its domain, or grows beyond all bounds: both must
            worst += whole is not alone
        else:
            worst += any(not np.array_equal(x, whole[name]) for name, x in alone.items())
    outcome = Outcome.DIFFERS if worst else Outcome.AGREES
    where = f"from {worst} states" if worst else ""
    return Line(f"{PATH} steps in one call and one by one", "identity", float(worst), 0.0, "states", 0.0, outcome, where=where)


def _one_by_one(
    kernel: OneStep, state: Mapping[str, np.ndarray], seed: int, chain: int, begin: int
) -> Mapping[str, np.ndarray] | None:
    """The state after as many calls with one step each; None where one of them stops."""
    for t in range(begin, begin + PATH):
        moved = kernel.advanced(state, 1, seed=seed, chain=chain, begin=t)
        if moved is None:
            return None
        state = moved
    return state


def _drawn(tested: Tested, folder: Path, say: Say) -> list[Path]:
    from recipe_cli.pictures import draw_pictures

    say("measuring the bias at some step sizes")
    bias = bias_of(tested.subject, tested.module)
    say("drawing")
    return draw_pictures(tested.battery, tested.kernel, bias, folder, tested.subject.asked.seed)


def bias_of(subject: Subject, module: Module) -> Bias | None:
    """How far one coordinate is off at the step size that was asked for, and at smaller ones."""
    asked = replace(subject.asked, length=1)
    alone = replace(subject, asked=asked, params=_params(subject.rule, asked))
    meanings = setting(subject.rule, **alone.numbers).meanings
    trials = {U.name: trial for U, trial in subject.trials.items()}
    return measured_bias(subject.rule, meanings, trials, kernel_of(alone, module, lambda _: None), asked.seed)


@contextmanager
def _progress() -> Iterator[tuple[Say, Callable[[int, int], None]]]:
    """What is going on, and how many steps are done, on stderr where that is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[steps]}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("", total=None, steps="")

        def told(done: int, total: int) -> None:
            shown.update(task, completed=done, total=max(done, total), steps=f"{done:,} of {max(done, total):,} steps")

        yield (lambda text: shown.update(task, description=text)), told


def _said(tested: Tested) -> list[str]:
    """What was tested, with which numbers."""
    subject, found = tested.subject, tested.findings
    numbers = [f"step size {subject.asked.step_size:g}"]
    numbers += [
        f"{name} = {np.array2string(np.asarray(x), precision=4, separator=', ')}".replace("\n", "")
        for name, x in subject.params.items()
    ]
    lines = [
        f"{found.name}, {subject.scheme}, {subject.asked.length} coordinates: {', '.join(numbers)}",
        f"module {tested.module.name}_{tested.module.hash[:12]}, compiled; its text is proved to be the rule",
    ]
    lines += [f"tried on {trial.text} (for {U.name})" for U, trial in subject.trials.items()]
    return lines


def _print(console: Console, tested: Tested, pictures: list[Path]) -> None:
    found = tested.findings
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    for said in _said(tested):
        console.print(said, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("outcome", "compared", "distance", "threshold", "level", "seen from"):
        table.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for line in found.lines:
        style = "bold red" if line.outcome is Outcome.DIFFERS else None
        compared = f"{line.name}\n{line.where}" if line.where and line.outcome is Outcome.DIFFERS else line.name
        cells = (
            line.outcome.value,
            compared,
            f"{line.distance:.3g}",
            f"{line.threshold:.3g}",
            f"{line.level:.2g}",
            seen_from(line),
        )
        table.add_row(*map(_escaped, cells), style=style)
    console.print(table)
    for name in found.unseen:
        console.print(
            f"not seen: a factor {found.factor:g} in {name}; a larger --step-size or --factor shows it",
            markup=False,
            soft_wrap=True,
        )
    for picture in pictures:
        console.print(f"wrote {picture}", markup=False, soft_wrap=True)
    console.print(_verdict(found), markup=False, soft_wrap=True)
    console.print(f"again: {tested.subject.again}", markup=False, soft_wrap=True)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _verdict(found: Findings) -> str:
    said = f"{found.replicas:,} replicas, seed {found.seed}; a right kernel differs with a probability of at most {found.level:g}"
    if found.differing:
        return (
            f"{len(found.differing)} of {len(found.lines)} comparisons differ: the program does not sample what was proved ({said})"
        )
    rest = f", but {len(found.unseen)} coefficients are not seen" if found.unseen else ""
    return f"all {len(found.lines)} comparisons agree{rest} ({said})"


def seen_from(line: Line) -> str:
    """The smallest effect that would have been seen."""
    if line.visible is None and not line.effect:
        return "anything"
    visible = "" if line.visible is None or not math.isfinite(line.visible) else f" {line.visible:.3g}"
    return f"{line.effect}{visible}"


def _data(tested: Tested, pictures: list[Path]) -> dict[str, Any]:
    subject = tested.subject
    return {
        **tested.findings.as_json(),
        "declared": subject.where, "scheme": subject.scheme, "step_size": subject.asked.step_size, "length": subject.asked.length,
        "params": {name: np.asarray(x).tolist() for name, x in subject.params.items()},
        "potentials": {U.name: trial.text for U, trial in subject.trials.items()},
        "module": tested.module.hash, "status": exit_status(tested.findings, subject.asked.allow_unseen), "again": subject.again,
        "plots": [str(p) for p in pictures],
    }  # fmt: skip
