"""Draw from a posterior, save the draws whatever happens, and show their diagnostics."""

from __future__ import annotations

import signal
import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NoReturn

from rich.console import Console

from codegen import Draws
from codegen.inputs.options import SamplingOptions
from codegen.module import Module
from codegen.results.figures import folder_for_plots
from codegen.running.checkpoint import CheckpointWarning, saved_draws
from codegen.running.memory_needed import require_room_to_diagnose
from codegen.sample import Caller, Declared
from codegen.sample import sample_with as sample_kernel
from codegen.system.signals import ENDS, RAISES, Signals, Stopped
from codegen.verdict_before import NOTHING_SAID, SaidBefore
from recipe import Kernel, Posterior, Recipe, RecipeError, Update
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.output.claim import claimed
from recipe_cli.output.saving import Output, broken_pipes_are_errors
from recipe_cli.program.generating import bound_to
from recipe_cli.render.diagnosis import show_draws
from recipe_cli.render.exit_status import exit_status_of_draws
from recipe_cli.sampling.predictions import NOTHING_MORE, Wanted
from recipe_cli.sampling.read_posterior import read_posterior
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.sampling.tuned import TuningTask, tuned
from recipe_cli.sandbox.child import rehearse
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import tell
from recipe_cli.terminal.progress import Progress


def sample_posterior(
    declaration: Declaration,
    posterior: str,
    options: SamplingOptions,
    limits: Limits,
    output: Output,
    console: Console,
    plots: Path | None = None,
    as_json: bool = False,
    *,
    accept_bias: bool = False,
    validated: bool = False,
    wanted: Wanted = NOTHING_MORE,
    task: TuningTask | None = None,
    said: SaidBefore = NOTHING_SAID,
) -> int:
    """Draw from a posterior, save the draws and diagnose them.

    Args:
        declaration: a recipe, a rule or a kernel with one potential.
        posterior: the file of the posterior, ``FILE`` or ``FILE:NAME``.
        options: all numbers of the run.
        limits: time and memory of what is done before the run: generating, and the proof.
        output: the file for the draws.
        console: where diagnostics are printed.
        plots: the folder for plots; None for no plots.
        as_json: whether diagnostics are printed as JSON.
        accept_bias: whether any predicted bias is good.
        validated: whether a module whose text is not proved is refused.
        wanted: the predictions that are saved beside the draws.
        task: what tuning is to find before the run; None where the step size is given.
        said: what the draws say of their sampler.

    Returns:
        The exit status: 0, 1 if a chain diverged or the predicted bias is too large, 3 if the bias
        by minibatches cannot be predicted, or 128 plus the number of a signal, after which the
        draws so far are saved.
    """
    with (
        Signals((RAISES, ENDS), tell, last=True) as signals,
        nullcontext() if plots is None else claimed(folder_for_plots(plots) / "plots"),
    ):
        try:
            law = read_posterior(posterior, limits)
            wanted.check(law, options)
            began = perf_counter()
            text = TextCheck(limits, validated, said=said)
            if task is not None:
                declaration, options = tuned(declaration, law, options, task, text, as_json)
            with broken_pipes_are_errors(), output.claimed():
                draws = _drawn(declaration, law, options, text, output, signals, wanted)
            seconds = perf_counter() - began
            signals.act()
            show_draws(console, draws, _shown(law, draws), seconds, output.saved, plots, as_json)
        except Stopped as stopped:
            told = _tell_where(output) or signals.first is not None
            if not told and stopped.number == signal.SIGINT:
                raise  # the command ends as any other that is interrupted
            return 128 + (signals.first or stopped.number)
        except BaseException as error:
            _tell_where(output)
            # After a signal the terminal may be gone, and writing to it fails.
            if not (isinstance(error, OSError) and signals.first):
                raise
    if output.fault is not None:
        raise RecipeError(output.fault)
    if output.path is None and options.folder is not None:
        _require_saved(draws, options.folder)
    return 128 + signals.first if signals.first else exit_status_of_draws(draws, accept_bias)


def _shown(law: Posterior, draws: Draws) -> list[str]:
    """The names of what is shown: the blocks of the posterior, and what is derived of them."""
    return [n for n in (*(b.name for b in law.blocks), *law.derived) if n in draws.values]


def _require_saved(draws: Draws, checkpoint: Path) -> None:
    """Check that a checkpoint holds all draws of a run that is saved nowhere else.

    Raises:
        RecipeError: if some draws are in no file.
    """
    made, there = int(max(draws.counts)), saved_draws(checkpoint)
    if there < made:
        raise RecipeError(
            f"the checkpoint {checkpoint} holds {there} of {made} draws a chain, and the others are"
            " lost; make room there, or give -o FILE, and run it again"
        )


def _tell_where(output: Output) -> bool:
    """Print where the draws are, if the command ends between saving and showing them; return True
    if there was anything to print.
    """
    if output.fault is None and output.saved is None:
        return False
    tell(output.fault or f"the draws are saved in {output.saved}")
    return True


def _drawn(
    declaration: Declaration,
    law: Posterior,
    options: SamplingOptions,
    text: TextCheck,
    output: Output,
    signals: Signals,
    wanted: Wanted,
) -> Draws:
    """Draw from the posterior, and save the draws."""

    generated_within(declaration, law, options, text.limits)
    target = bound_to(declaration, law)
    options = options_for(target, options, declaration)
    require_room_to_diagnose(options.chains, options.draws)

    with warnings.catch_warnings():
        # Whatever PYTHONWARNINGS says, a checkpoint that cannot be written must not end the run;
        # the user hears of it while the run goes on.
        warnings.simplefilter("always", CheckpointWarning)

        def save(draws: Draws) -> None:
            predicted = wanted.added(draws, law, options) if output.path is not None else draws
            for sentence in predicted.warnings[len(draws.warnings) :]:
                tell(sentence, "warning")
            output.save(text.noted(predicted))

        caller = Caller(output.rehearse, save, signals, text.check)
        judged = Declared(target, text.said.refuted)
        return text.noted(sample_kernel(target, options, caller, judged))


def generated_within(
    declaration: Declaration, law: Posterior, options: SamplingOptions, limits: Limits
) -> None:
    """Check in a child process that the module of a run can be generated within the limits.

    Raises:
        RecipeError: if it cannot.
    """

    def generate() -> None:
        target = bound_to(declaration, law)
        sample_kernel(target, options_for(target, options, declaration), _GENERATED)

    with Progress() as progress:
        progress.show("generating the module")
        rehearse(declaration.where, generate, limits)


def options_for(
    target: Recipe | Update | Kernel, options: SamplingOptions, declaration: Declaration
) -> SamplingOptions:
    """Return the options for a target, with its name, and without a step size that it has no use
    for.
    """
    stepless = isinstance(target, Kernel) and target.step is None
    size = None if stepless else options.step_size
    return replace(options, step_size=size, name=declaration.name)


def _end(module: Module) -> NoReturn:
    """End a rehearsal of a run, whose module is generated now."""
    raise RecipeError(f"{module.name} is generated, and no more is wanted")


_GENERATED = Caller(check=_end)
