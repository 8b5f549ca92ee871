"""Arguments and options that several commands have."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recipe import RecipeError

Where = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A recipe file, FILE:NAME, or a catalog name such as sgrhmc."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it is there.")]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="For each obligation, and for running FILE; what takes longer is undecided.",
    ),
]


Scheme = Annotated[
    str,
    typer.Option(
        help="A scheme such as euler or baoab; `recipe schemes FILE` lists those that fit."
    ),
]
Order = Annotated[
    str | None,
    typer.Option(help="Blocks in the order in which semi-implicit updates them, such as r,theta."),
]
PosteriorFile = Annotated[
    str | None,
    typer.Option("--posterior", metavar="FILE", help="A file that defines one Posterior."),
]
Plots = Annotated[
    Path | None,
    typer.Option(
        "--plots",
        metavar="DIR",
        help="Write trace.png and rank.png of the twelve worst coordinates to DIR.",
    ),
]


class ReportFormat(StrEnum):
    """How a report is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


def positive(option: str, value: float) -> float:
    """The value of an option that must be a positive number.

    Raises:
        RecipeError: where it is none.
    """
    if not 0 < value < math.inf:
        raise RecipeError(f"{option} {value:g}: it must be a positive number")
    return value
