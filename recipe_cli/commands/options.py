"""Arguments and options that several commands share."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from recipe import RecipeError
from recipe_cli.commands.usage import whole_number
from recipe_cli.sandbox.process_limits import MAX_SECONDS, Limits

# The groups of options in the help of a command.
MODEL = "Sampler and model"
STEP_SIZE = "Step size"
TUNING = "Tuning"
MINIBATCHES = "Data and minibatches"
CHAINS = "Chains and draws"
PROOF = "Proof"
OUTPUT = "Output"
TESTING = "Statistical test"
LIMITS = "Limits"


def whole(panel: str, text: str, metavar: str = "INTEGER") -> Any:
    """Return an option for a whole number, which may be typed like 1e5.

    Args:
        panel: the group of the option in the help.
        text: its help.
        metavar: what the number is called there.
    """
    return typer.Option(rich_help_panel=panel, parser=whole_number, metavar=metavar, help=text)


Where = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Recipe file, FILE:NAME for one declaration in it, or catalog name such as sgrhmc.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=OUTPUT, help="Print JSON instead of text."),
]
Force = Annotated[
    bool,
    typer.Option("--force", rich_help_panel=OUTPUT, help="Replace the output file if it exists."),
]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        rich_help_panel=LIMITS,
        help=(
            "Time limit for running FILE, and for each obligation. An obligation that takes longer"
            " is undecided."
        ),
    ),
]


TimeLimit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        rich_help_panel=LIMITS,
        help="Time limit for running FILE and for the work on what it declares.",
    ),
]
ProgramTimeLimit = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        rich_help_panel=LIMITS,
        help=(
            "Time limit for running FILE, for generating the module, and for the proof that it is"
            " the declared step; the run itself has none."
        ),
    ),
]


def unproved_option(text: str) -> Any:
    """The option --unproved, whose help says what is done all the same."""
    return typer.Option("--unproved", rich_help_panel=PROOF, help=text)


RequireValidated = Annotated[
    bool,
    typer.Option(
        "--require-validated",
        rich_help_panel=PROOF,
        help=(
            "Refuse a module whose text is not proved to be its rule; by default it is compared"
            " with the rule in numbers, and a warning says so."
        ),
    ),
]
MemoryLimit = Annotated[
    float,
    typer.Option(
        metavar="GB",
        rich_help_panel=LIMITS,
        help="Memory limit of the process that does so (Linux only).",
    ),
]
Scheme = Annotated[
    str,
    typer.Option(
        rich_help_panel=MODEL,
        help="Discretisation such as euler or baoab; `recipe schemes FILE` lists those that fit.",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help="Order in which the scheme semi-implicit updates the blocks, such as r,theta.",
    ),
]
POSTERIOR = typer.Option(  # required by one command, and left out of another
    "--posterior",
    metavar="FILE|NAME",
    rich_help_panel=MODEL,
    help=(
        "Python file that defines one Posterior (likelihood, prior and data), FILE:NAME, or a"
        " posterior of the catalog."
    ),
)
LogLikelihood = Annotated[
    bool,
    typer.Option(
        "--log-likelihood",
        rich_help_panel=OUTPUT,
        help="Save the log likelihood of each row at each draw, for arviz.loo.",
    ),
]
PosteriorPredictive = Annotated[
    bool,
    typer.Option(
        "--posterior-predictive",
        rich_help_panel=OUTPUT,
        help="Save new data at each draw, from the laws of the log likelihood.",
    ),
]
MAX_ERROR = 0.05
MaxError = Annotated[
    float,
    typer.Option(
        "--max-error",
        rich_help_panel=TUNING,
        help=(
            "Largest Monte Carlo error of a mean, in posterior standard deviations, that tuning"
            " plans for."
        ),
    ),
]
Plots = Annotated[
    Path | None,
    typer.Option(
        "--plots",
        metavar="DIR",
        rich_help_panel=OUTPUT,
        help=(
            "Folder for trace.png and rank.png: trace and rank plots of the twelve coordinates"
            " with the worst diagnostics."
        ),
    ),
]


class FormulaFormat(StrEnum):
    """The formats of formulas."""

    text = "text"
    latex = "latex"
    json = "json"


FormulaFormatOption = Annotated[
    FormulaFormat, typer.Option("--format", rich_help_panel=OUTPUT, help="Output format.")
]


class ReportFormat(StrEnum):
    """The formats of a report."""

    text = "text"
    json = "json"
    markdown = "markdown"


def limits_typed(timeout: float, memory: float) -> Limits:
    """Return the limits that are typed as ``--timeout`` and ``--memory``.

    Raises:
        RecipeError: if one of them is no positive number.
    """
    seconds = min(_positive("--timeout", timeout), MAX_SECONDS)
    return Limits(seconds, _positive("--memory", memory))


def _positive(option: str, value: float) -> float:
    """Return the value of an option that must be a positive number.

    Raises:
        RecipeError: if it is not positive, or infinite.
    """
    if not 0 < value < math.inf:
        raise RecipeError(f"{option} {value:g}: it must be a positive number")
    return value
