"""Diagnostics on a terminal: a table of the coordinates, effective draws per second, and
warnings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from codegen import Diagnosis, Draws, SavedDraws, diagnose, plot, read_draws
from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics
from codegen.results.diagnostics.shown import aligned, first_rows, of_blocks_left_out
from codegen.results.figures import folder_for_plots
from recipe.printing.plain_text import without_codes
from recipe_cli.errors import as_typed, without_nearer
from recipe_cli.terminal.printing import print_line, print_lines

MAX_SHOWN_COORDINATES = 40  # rows of the table, unless all are wanted


def _significant(digits: int) -> Callable[[float], str]:
    return lambda value: f"{value:#.{digits}g}".removesuffix(".")


COLUMN_FORMATS: dict[str, Callable[[float], str]] = {
    "mean": _significant(4),
    "sd": _significant(4),
    "mcse_mean": _significant(2),
    "mcse_sd": _significant(2),
    "ess_bulk": "{:.0f}".format,
    "ess_tail": "{:.0f}".format,
    "r_hat": "{:.3f}".format,
}


def diagnose_file(
    file: Path, plots: Path | None, as_json: bool, everything: bool, console: Console
) -> int:
    """Diagnose the draws in a file, as ``recipe diagnose`` does.

    Returns:
        The exit status: 0, or 1 if a chain diverged.

    Raises:
        RecipeError: if the file cannot be read, matplotlib is wanted and not installed, or the
            folder for plots cannot be written.
    """
    if plots is not None:
        folder_for_plots(plots)  # a bad folder is reported before the work begins
    data = read_draws(file, groups=[])
    diagnosis = diagnose(data)
    if as_json:
        print_lines(json.dumps(diagnosis.as_json(), indent=2))
    else:
        print_diagnosis(
            console,
            diagnosis,
            limit=None if everything else MAX_SHOWN_COORDINATES,
            hint="--all shows them",
        )
    show_plots(console, data, diagnosis, plots, quiet=as_json)
    return int(diagnosis.diverged)


def show_draws(
    console: Console,
    draws: Draws,
    blocks: Sequence[str],
    seconds: float,
    saved: Path | None,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Print what ``recipe sample`` prints: a table of some blocks, warnings about all, and the
    files.

    Args:
        console: where to print.
        draws: the draws.
        blocks: the names of the blocks in the table.
        seconds: how long the command took.
        saved: the file of the draws; None if they are not saved.
        plots: the folder for plots; None for no plots.
        as_json: whether to print JSON.

    Raises:
        RecipeError: if the plots cannot be written.
    """
    diagnosis = diagnose(draws)
    if as_json:
        output = None if saved is None else str(saved)
        bias = None if draws.bias is None else draws.bias.as_json()
        shown = {"diagnosis": diagnosis.as_json(), "predicted_bias": bias, "output": output}
        print_lines(json.dumps(shown, indent=2))
    else:
        hint = (
            "recipe diagnose --all shows them"
            if saved
            else "save the draws with -o, and recipe diagnose --all shows them"
        )
        took = f" in {seconds:.1f} s"
        print_diagnosis(
            console, diagnosis, limit=MAX_SHOWN_COORDINATES, hint=hint, blocks=blocks, took=took
        )
        if saved is not None:
            _line(console, f"draws saved in {saved}")
    show_plots(console, draws, diagnosis, plots, quiet=as_json)


def print_diagnosis(
    console: Console,
    diagnosis: Diagnosis,
    *,
    limit: int | None,
    hint: str,
    blocks: Sequence[str] | None = None,
    took: str = "",
) -> None:
    """Print the table, effective draws per second, and the warnings.

    Args:
        console: where to print.
        diagnosis: the diagnostics of all blocks.
        limit: the largest number of rows; None for all.
        hint: how to see the other rows.
        blocks: the names of the blocks in the table; None for all. Warnings are about all blocks.
        took: a clause on how long the command took, or nothing.
    """
    name = diagnosis.attributes.get("recipe") or "draws"
    stopped = ", interrupted" if diagnosis.attributes.get("interrupted") else ""
    number = f"{diagnosis.chains} chain{'' if diagnosis.chains == 1 else 's'}"
    _line(console, f"{name}: {number} of {diagnosis.draws} draws{took}{stopped}")
    rows = [row for row in diagnosis.rows if blocks is None or row.block in blocks]
    shown = list(rows) if limit is None else first_rows(rows, limit)
    _print_table(console, shown)
    if len(shown) < len(rows):
        of = of_blocks_left_out(rows, shown)
        _line(console, f"... {of}, {len(rows) - len(shown)} coordinates more ({hint})")
    accepted = diagnosis.attributes.get("acceptance_rate")
    if isinstance(accepted, float):
        _line(console, f"acceptance rate of Metropolis tests: {accepted:.3g}")
    speed = diagnosis.ess_per_second
    if speed is not None:
        time = f"{diagnosis.seconds:.3g} s of sampling"
        _line(
            console,
            f"effective draws a second: {speed[0]:.3g} in the slowest coordinate, {speed[1]:.3g} in"
            f" the median one ({time})",
        )
    if diagnosis.proved is not None:
        _line(console, f"note: {diagnosis.proved}")
    for sentence in diagnosis.warnings:
        style = "bold red" if sentence in diagnosis.divergences else "yellow"
        of_labels = bool(diagnosis.attributes.get("labels"))
        _line(console, without_nearer(sentence) if of_labels else as_typed(sentence), style)


def show_plots(
    console: Console,
    data: Draws | SavedDraws,
    diagnosis: Diagnosis,
    folder: Path | None,
    quiet: bool,
) -> None:
    """Write the plots and print where they are; nothing happens if no folder is given."""
    if folder is None:
        return
    if not diagnosis.rows:
        print_line("note: there are too few draws to plot", err=True)
        return
    paths = plot(data, folder, diagnosis=diagnosis)
    if not quiet:
        _line(console, f"plots in {' and '.join(map(str, paths))}")


def _print_table(console: Console, rows: Sequence[CoordinateDiagnostics]) -> None:
    if not rows:
        return
    cells = [["", *COLUMN_FORMATS]] + [
        [row.coordinate, *(_number(show, getattr(row, c)) for c, show in COLUMN_FORMATS.items())]
        for row in rows
    ]
    for number, line in enumerate(aligned(cells)):
        _line(console, line, "bold" if number == 0 else "")


def _number(show: Callable[[float], str], value: float) -> str:
    return "-" if math.isnan(value) else show(value)


def _line(console: Console, text: str, style: str = "") -> None:
    """Print one line; text from a file is no markup, and sends no codes to the terminal."""
    console.print(Text(without_codes(text), style=style), soft_wrap=True)
