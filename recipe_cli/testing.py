"""The command ``test``: the compiled program of a sampler beside what was declared, by the law of a
step or of a sweep.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from codegen.generate import Module
from codegen.running.one_step import OneStep, one_step
from recipe import Kernel, RecipeError, Update
from recipe.language.symbols import name_of
from recipe_cli import terminal
from recipe_cli.bias import Bias, measured_bias
from recipe_cli.declarations import Declaration
from recipe_cli.findings_table import print_findings
from recipe_cli.known import note_verdict
from recipe_cli.mistakes import UNDECIDED
from recipe_cli.step_test import battery_of, step_subject
from recipe_cli.sweep_test import SweepTest, sweep_subject, sweep_test
from recipe_cli.terminal import print_line, print_lines
from recipe_cli.tested import Asked, Comparisons, Subject, Tested, numbers_for
from recipe_cli.translation import require_translation
from recipe_cli.trial_law import NothingToCompareError
from verify.statistics import Battery, ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.numbers.inputs import setting

DIFFERS = 1
LONGEST = 2_000  # coordinates: a minute for two blocks
PATH, SEEDED = (
    12,
    7,
)  # steps in one call of run that are compared with single ones; what its random numbers are for

Say = Callable[[str], None]


def compare_declaration(
    declaration: Declaration, asked: Asked, as_json: bool, plots: Path | None, console: Console
) -> int:
    """Generate, validate, compile, compare and print; returns the exit status."""
    from codegen.results.plots import writable_folder

    _check(asked)
    if plots is not None:
        writable_folder(plots)
    note_verdict(declaration)
    try:
        with _progress() as (say, told):
            tested = tested_kernel(declaration, asked, say, told)
            pictures = [] if plots is None else _drawn(tested, plots, say)
    except NothingToCompareError as nothing:
        if as_json:
            print_lines(
                json.dumps(
                    {
                        "name": declaration.name,
                        "outcome": "nothing compared",
                        "because": str(nothing),
                    },
                    indent=2,
                )
            )
        print_line(f"recipe: nothing of {declaration.name} was compared: {nothing}", err=True)
        return UNDECIDED
    if as_json:
        print_lines(json.dumps(_data(tested, pictures), indent=2))
    else:
        print_findings(console, tested, pictures)
    return exit_status(tested.findings, asked.allow_unseen)


def exit_status(found: Findings, allow_unseen: bool = False) -> int:
    """1 where something differs, 3 where a wrong coefficient would have been missed and that is not
    allowed, 0 otherwise.
    """
    if found.outcome is ComparisonOutcome.DIFFERS:
        return DIFFERS
    undecided = found.outcome is ComparisonOutcome.INDICATIVE or (found.unseen and not allow_unseen)
    return UNDECIDED if undecided else 0


def tested_kernel(
    declaration: Declaration, asked: Asked, say: Say, told: Callable[[int, int | None], None]
) -> Tested:
    """The findings of a battery about the compiled module of a declaration.

    Raises:
        RecipeError: for input that does not fit.
        NothingToCompareError: where the law of a step is not read off.
    """
    say("generating")
    subject, module = subject_of(declaration, asked)
    say("proving that the module is the rule")
    require_translation(module)
    say("compiling")
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        told(done, total)

    total = None
    kernel = kernel_of(subject, module, more)
    say("choosing states")
    chosen = comparisons_of(subject)
    total = chosen.steps
    say("running")
    found = chosen.check(kernel, seed=asked.seed, name=declaration.name)
    say("comparing calls of many steps")
    lines = (*found.lines, _in_one_call(kernel, chosen, asked.seed))
    return Tested(subject, module, kernel, chosen, replace(found, lines=lines))


def subject_of(declaration: Declaration, asked: Asked) -> tuple[Subject, Module]:
    """What is tested of a declaration, with its module and all of its numbers."""
    return (sweep_subject if isinstance(declaration.declared, Kernel) else step_subject)(
        declaration, asked
    )


def _check(asked: Asked) -> None:
    """Refuse numbers that make no sense, before anything takes time."""
    if asked.length < 1:
        raise RecipeError(f"--length {asked.length}: it must be a positive number of coordinates")
    if asked.length > LONGEST:
        raise RecipeError(
            f"--length {asked.length}: at most {LONGEST}, as all pairs of coordinates are compared"
        )
    if asked.seed < 0:
        raise RecipeError(f"--seed {asked.seed}: it must not be negative")
    if not 0 < asked.step_size < math.inf:
        raise RecipeError(f"--step-size {asked.step_size:g}: it must be a positive number")
    if not 0 < asked.level < 1:
        raise RecipeError(f"--level {asked.level:g}: it must be between 0 and 1, a probability")
    if not 1 < asked.factor < math.inf:
        raise RecipeError(
            f"--factor {asked.factor:g}: it must be above 1, as a coefficient that is too large by"
            " it is to be found"
        )


def kernel_of(subject: Subject, module: Module, told: Callable[[int], None]) -> OneStep:
    """The compiled kernel of a module, which may be any text that has the plan of the subject."""
    wanted = {name_of(s) for s in module.plan.settings}
    gradient = {U: trial.compiled for U, trial in subject.trials.items()} or None
    params = {name: value for name, value in subject.params.items() if name in wanted}
    kernel = one_step(
        module, step_size=subject.asked.step_size, params=params, gradient=gradient, told=told
    )
    lengths = {b: b.length for b in subject.rule.state}
    kernel.compile(
        {
            name_of(b): np.ones(subject.asked.length if n is not None else 1)
            for b, n in lengths.items()
        }
    )
    return kernel


def comparisons_of(subject: Subject) -> Comparisons:
    """What is compared of a subject."""
    return battery_of(subject) if subject.law is None else sweep_test(subject)


def _in_one_call(kernel: OneStep, chosen: Comparisons, seed: int) -> ComparisonLine:
    """Many steps in one call of ``run`` are those of as many calls, bit for bit: what was compared
    step by step is what samples.
    """
    rng = np.random.default_rng([seed, SEEDED])
    states, worst = chosen.states, 0
    for k in range(len(next(iter(states.values())))):
        first = {name: rows[k] for name, rows in states.items()}
        key, begin = int(rng.integers(2**62)), int(rng.integers(1000))
        whole, alone = (
            kernel.advanced(first, PATH, seed=key, chain=k, begin=begin),
            _one_by_one(kernel, first, key, k, begin),
        )
        if (
            whole is None or alone is None
        ):  # it leaves its domain, or grows beyond all bounds: both must
            worst += whole is not alone
        else:
            worst += any(not np.array_equal(x, whole[name]) for name, x in alone.items())
    outcome = ComparisonOutcome.DIFFERS if worst else ComparisonOutcome.AGREES
    where = f"from {worst} states" if worst else ""
    return ComparisonLine(
        f"{PATH} steps in one call and one by one",
        "identity",
        float(worst),
        0.0,
        "states",
        0.0,
        outcome,
        where=where,
    )


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
    from recipe_cli.sweep_pictures import draw_sweeps

    chosen, seed = tested.comparisons, tested.subject.asked.seed
    if isinstance(chosen, SweepTest):
        say("drawing")
        return draw_sweeps(chosen, tested.kernel, folder, seed)
    assert isinstance(chosen, Battery)
    say("measuring the bias at some step sizes")
    bias = bias_of(tested.subject, tested.module)
    say("drawing")
    return draw_pictures(chosen, tested.kernel, bias, folder, seed)


def bias_of(subject: Subject, module: Module) -> Bias | None:
    """How far one coordinate is off at the step size that was asked for, and at smaller ones."""
    assert isinstance(subject.rule, Update)
    asked = replace(subject.asked, length=1)
    alone = replace(subject, asked=asked, params=numbers_for(subject.rule, asked))
    meanings = setting(subject.rule, **alone.numbers).meanings
    trials = {U.name: trial for U, trial in subject.trials.items()}
    return measured_bias(
        subject.rule, meanings, trials, kernel_of(alone, module, lambda _: None), asked.seed
    )


@contextmanager
def _progress() -> Iterator[tuple[Say, Callable[[int, int | None], None]]]:
    """What is going on, and how many steps are done, on stderr where that is a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[steps]}"),
        TimeElapsedColumn(),
    )
    console = terminal.console(err=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task("", total=None, steps="")

        def told(done: int, total: int | None) -> None:
            whole = None if total is None else max(done, total)
            shown.update(
                task,
                completed=done,
                total=whole,
                steps=f"{done:,} steps" if whole is None else f"{done:,} of {whole:,} steps",
            )

        yield (lambda text: shown.update(task, description=text)), told


def _data(tested: Tested, pictures: list[Path]) -> dict[str, Any]:
    subject = tested.subject
    return {
        **tested.findings.as_json(),
        "declared": subject.where,
        "scheme": subject.scheme,
        "step_size": subject.asked.step_size,
        "length": subject.asked.length,
        "params": {name: np.asarray(x).tolist() for name, x in subject.params.items()},
        "potentials": dict(subject.texts),
        "law": None if subject.law is None else subject.law.remark,
        "module": tested.module.hash,
        "status": exit_status(tested.findings, subject.asked.allow_unseen),
        "again": subject.again,
        "plots": [str(p) for p in pictures],
    }
