"""Tune samplers for a posterior, and print what was found with the command that samples so."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen import Tuning, tune
from codegen.tuning.words import explanation_lines, table_lines
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.program.generating import require_to_be_tuned
from recipe_cli.sampling.read_posterior import read_posterior
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.sampling.tuned import checked_in_between
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import print_json, print_line
from recipe_cli.terminal.progress import TUNING, Progress

COMPARED = ("hmc_kernel", "mala", "sghmc", "sgld")  # of the catalog, where no sampler is typed


@dataclass(frozen=True)
class TuneRequest:
    """What is tuned, as it was typed.

    Attributes:
        posterior: the file or the name of the posterior.
        params: the values of parameters, by name.
        typed: the options that ``recipe sample`` needs as well, as it takes them.
        max_bias, max_error, scheme, batch_size, control_variates, chains, seed, threads: as for
            ``codegen.tune``.
        validated: whether a module whose text is not proved is refused.
    """

    posterior: str
    params: Mapping[str, float]
    typed: Sequence[str]
    max_bias: float
    max_error: float
    scheme: str | None
    batch_size: int | None
    control_variates: bool | None
    chains: int
    seed: int
    threads: int | None
    validated: bool


def tune_posterior(
    samplers: Sequence[tuple[str, Declaration]], request: TuneRequest, limits: Limits
) -> Tuning:
    """Return the cheapest setting of some samplers.

    Args:
        samplers: each with what a user types for it; their modules are checked before they run.
        request: what is tuned.
        limits: its seconds are the time that the file of the posterior may take.

    Raises:
        UntunableError: where no setting is known to be within the budget.
        RecipeError: for a printed rule, and a posterior or option that does not fit.
    """
    law = read_posterior(request.posterior, limits)
    declared = [require_to_be_tuned(d) for _, d in samplers]
    with Progress() as progress:
        progress.show(TUNING)
        return tune(
            declared,
            law,
            max_bias=request.max_bias,
            max_error=request.max_error,
            params=request.params,
            scheme=request.scheme,
            batch_size=request.batch_size,
            control_variates=request.control_variates,
            chains=request.chains,
            seed=request.seed,
            threads=request.threads,
            names=[d.name for _, d in samplers],
            check=checked_in_between(TextCheck(limits, request.validated), progress),
            progress=progress.show,
        )


def print_tuning(
    tuning: Tuning,
    samplers: Sequence[tuple[str, Declaration]],
    request: TuneRequest,
    as_json: bool,
) -> None:
    """Print a tuning, as text or as JSON, with the command that samples with it."""
    command = _command(tuning, samplers, request)
    if as_json:
        print_json({**tuning.as_json(), "posterior": request.posterior, "command": command})
        return
    lines: list[Any] = [*explanation_lines(tuning), "", *table_lines(tuning.alternatives)]
    for line in [*lines, "", "To sample with the first row:", f"  {command}"]:
        print_line(line)


def _command(
    tuning: Tuning, samplers: Sequence[tuple[str, Declaration]], request: TuneRequest
) -> str:
    """Return the command that tunes again, to the same numbers, and samples."""
    typed = next(t for t, d in samplers if d.name == tuning.chosen.sampler)
    words = [
        "recipe", "sample", typed, "--posterior", request.posterior,
        "--step-size", "auto", *request.typed,
    ]  # fmt: skip
    return shlex.join(words)
