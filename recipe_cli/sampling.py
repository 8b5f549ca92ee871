"""The commands ``generate`` and ``sample``: parse what was typed, call the generator, show what
came out.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from codegen import Draws
from codegen import generate as generate_kernel
from codegen.generate import Module
from codegen.inputs.options import SamplingOptions
from codegen.inputs.schedule import Constant, Cyclical, Polynomial, Schedule
from codegen.results.plots import writable_folder
from codegen.running.checkpoint import CheckpointWarning, saved_draws, saved_warmup
from codegen.running.memory_needed import require_room_to_diagnose
from codegen.sample import Caller
from codegen.sample import sample_with as sample_kernel
from codegen.system.signals import ENDS, RAISES, Signals, Stopped
from recipe import Kernel, Posterior, Potential, Recipe, RecipeError, Update, bind
from recipe.language.numbers import rounded_text
from recipe_cli.claim import claimed
from recipe_cli.declarations import Declaration, posterior_in
from recipe_cli.files import text_of
from recipe_cli.reports import EXIT_STATUS
from recipe_cli.saving import Output, broken_pipes_are_errors, tell
from recipe_cli.summary import show_draws
from recipe_cli.terminal import print_line
from recipe_cli.translation import require_translation, translation_of
from verify.verdict import Verdict

LONGEST = 10_000_000  # bytes of the text of a module


def options_typed(
    *,
    step_size: float,
    decay: str | None,
    cycle: int | None,
    order: str | None,
    keep: str | None,
    param: list[str] | None,
    warmup: int | None,
    steps: int,
    checkpoint: Path | None,
    **others: Any,
) -> SamplingOptions:
    """What was typed for ``recipe sample`` as options; ``others`` are those that mean what they
    say.

    The warm-up is a tenth of the steps by default, and that of the run in the checkpoint where
    there is one, so that more steps of it can be asked for.

    Raises:
        RecipeError: naming the option that has no meaning, and the repair.
    """
    if warmup is None:
        saved = None if checkpoint is None else saved_warmup(checkpoint)
        warmup = steps // 10 if saved is None else saved
    return SamplingOptions(
        step_size=_schedule(step_size, decay, cycle),
        params=parameters_typed(tuple(param or ())),
        order=_blocks(order),
        keep=_blocks(keep),
        warmup=warmup,
        steps=steps,
        checkpoint=checkpoint,
        **others,
    )


def generate_module(
    declaration: Declaration, output: Path, scheme: str, order: str | None, posterior: str | None
) -> None:
    """Write the module of a recipe (or of a printed rule) to a file."""
    module = _module_of(declaration, scheme, order, posterior)
    require_translation(module)
    module.write(output)


def check_module(
    declaration: Declaration, file: Path, scheme: str, order: str | None, posterior: str | None
) -> int:
    """Say whether the text of a file is the step that a module would be made from; the status to
    end with.

    The text is read, and never run.
    """
    module = _module_of(declaration, scheme, order, posterior)
    text = text_of(file, LONGEST)
    outcome = translation_of(replace(module, source=text))
    said = {Verdict.PROVED: "is proved to be", Verdict.REFUTED: "is not"}.get(
        outcome.verdict, "is not proved to be"
    )
    print_line(
        f"the text of {file} {said} {declaration.name} by the scheme {module.scheme}: {outcome.by}"
    )
    return EXIT_STATUS[outcome.verdict]


def _module_of(
    declaration: Declaration, scheme: str, order: str | None, posterior: str | None
) -> Module:
    declared = declaration.declared
    assert isinstance(declared, Recipe | Update | Kernel)  # a file holds no other
    posteriors = {}
    if posterior is not None:
        posteriors = {_potential(declaration): posterior_in(posterior)}
        if isinstance(declared, Recipe):
            declared, posteriors = bind(declared, posteriors), {}
    return generate_kernel(
        declared,
        scheme=scheme,
        order=_blocks(order),
        posteriors=posteriors,
        name=declaration.name,
    )


def sample_posterior(
    declaration: Declaration,
    posterior: str,
    options: SamplingOptions,
    output: Output,
    console: Console,
    plots: Path | None = None,
    as_json: bool = False,
) -> int:
    """Sample, save and diagnose; returns the exit status: after a signal 128 and its number, with
    the draws so far saved.
    """
    with (
        Signals((RAISES, ENDS), tell, last=True) as signals,
        nullcontext() if plots is None else claimed(writable_folder(plots) / "plots"),
    ):
        try:
            law = posterior_in(posterior)
            began = perf_counter()
            with broken_pipes_are_errors(), output.claimed():
                draws = _drawn(declaration, law, options, output, signals)
            seconds = perf_counter() - began
            signals.act()
            show_draws(
                console, draws, [b.name for b in law.blocks], seconds, output.saved, plots, as_json
            )
        except Stopped as stopped:
            _tell_where(output)
            return 128 + (signals.first or stopped.number)
        except BaseException as error:
            _tell_where(output)
            if not (
                isinstance(error, OSError) and signals.first
            ):  # else the terminal has gone with the signal
                raise
    if output.fault is not None:
        raise RecipeError(output.fault)
    if output.path is None and options.folder is not None:
        _require_saved(draws, options.folder)
    return 128 + signals.first if signals.first else 1 if draws.divergences else 0


def _require_saved(draws: Draws, checkpoint: Path) -> None:
    """Refuse to end well where the checkpoint is all that is left of a run, and does not hold its
    draws.
    """
    made, there = int(max(draws.counts)), saved_draws(checkpoint)
    if there < made:
        raise RecipeError(
            f"the checkpoint {checkpoint} holds {there} of {made} draws a chain, and the others are"
            " lost; make room there, or give -o FILE, and run it again"
        )


def _tell_where(output: Output) -> None:
    """For an end that comes between saving and showing."""
    if output.fault is not None or output.saved is not None:
        tell(output.fault or f"the draws are saved in {output.saved}")


def _drawn(
    declaration: Declaration,
    law: Posterior,
    options: SamplingOptions,
    output: Output,
    signals: Signals,
) -> Draws:
    """Sample, and save."""
    target = _bound(declaration, law)
    stepless = isinstance(target, Kernel) and target.step is None
    size = None if stepless else options.step_size
    options = replace(options, step_size=size, name=declaration.name)
    require_room_to_diagnose(options.chains, options.draws)

    with warnings.catch_warnings():
        warnings.simplefilter(
            "always", CheckpointWarning
        )  # whatever PYTHONWARNINGS is: it must not end the run
        warnings.showwarning = (
            _say  # that a checkpoint could not be written is known while the run goes on
        )
        caller = Caller(output.rehearse, output.save, signals, require_translation)
        return sample_kernel(target, options, caller=caller)


def _bound(declaration: Declaration, law: Posterior) -> Recipe | Kernel:
    match declaration.declared:
        case Recipe() as recipe:
            return bind(recipe, {_potential(declaration): law})
        case Kernel() as kernel:
            return bind(kernel, {_potential(declaration): law})
        case _:
            raise RecipeError(
                f"{declaration.name} is an update rule; `recipe sample` takes a recipe or a kernel"
            )


def _say(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: Any = None,
) -> None:
    tell(str(message), "warning")


def _schedule(step_size: float, decay: str | None, cycle: int | None) -> Schedule:
    """The step size from step to step, as ``--decay`` and ``--cycle`` say."""
    if decay is not None and cycle is not None:
        raise RecipeError(
            "--decay and --cycle are two schedules of the step size: give one of them"
        )
    if cycle is not None:
        return Cyclical(step_size, cycle)
    if decay is None:
        return Constant(step_size)
    try:
        b, c = map(float, decay.split(","))
    except ValueError:
        raise RecipeError(
            f"--decay {decay}: write B,C, such as --decay 1000,0.55 for a (1 + t/1000)^-0.55"
        ) from None
    return Polynomial(step_size, b, c)


def _potential(declaration: Declaration) -> Potential:
    potentials = [a for a in declaration.declared.abstract if isinstance(a, Potential)]
    if len(potentials) == 1:
        return potentials[0]
    names = ", ".join(map(str, potentials)) or "none"
    raise RecipeError(
        f"{declaration.name} has the potentials {names}: a posterior file gives the meaning of"
        " exactly one"
    )


def _blocks(order: str | None) -> list[str] | None:
    return None if order is None else [b.strip() for b in order.split(",")]


def parameters_typed(typed: tuple[str, ...]) -> dict[str, float]:
    """The values of ``--param NAME=VALUE``, by name."""
    values: dict[str, float] = {}
    for item in typed:
        name, equals, number = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise RecipeError(f"--param {item}: write NAME=VALUE, such as --param C=1")
        if name in values:
            raise RecipeError(f"--param {name} is given twice")
        try:
            values[name] = float(number)
        except ValueError:
            raise RecipeError(f"--param {item}: {number!r} is not a number") from None
        fault = rounded_text(number)
        if fault is not None:
            raise RecipeError(f"--param {name} {fault}")
    return values
