"""Diagnosed draws as a table: aligned text for a terminal, HTML for a notebook."""

from __future__ import annotations

import html
import math
import shutil
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recipe.printing.plain_text import without_codes

if TYPE_CHECKING:
    from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics, Diagnosis

MAX_SHOWN_ROWS = 20  # of a table that nobody has asked for
UNNAMED = "recipe"  # what a module is called where nobody has named it
MAX_WIDTH = 100  # characters of a line of text


LOCATIONS = {"mean": "mean", "sd": "sd", "5%": "q5", "50%": "median", "95%": "q95"}
SIGNIFICANT_DIGITS = 3  # of a standard deviation; numbers beside it have as many decimals
MAX_DECIMALS = 6
MAX_FIXED = 1e7  # numbers from here on are written with an exponent


def diagnosis_text(found: Diagnosis, limit: int = MAX_SHOWN_ROWS) -> str:
    """Return a diagnosis as lines of text: the run, the table, and each warning.

    Args:
        found: the diagnosis.
        limit: the largest number of rows of the table.
    """
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    lines = [_title(found), *aligned(_cells(found, limit)), *_left_out(found, limit)]
    said = [*_notes(found), *(f"warning: {sentence}" for sentence in found.warnings)]
    for sentence in map(without_codes, said):
        lines += textwrap.wrap(sentence, width, subsequent_indent="  ")
    return "\n".join(map(without_codes, lines))


def diagnosis_html(found: Diagnosis, limit: int = MAX_SHOWN_ROWS) -> str:
    """Return the same as HTML, in which no text of the draws is markup."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_escaped(c)}</{tag}>" for c in cells) + "</tr>"

    head, *body = _cells(found, limit) or [[]]
    table = [row(head, "th"), *(row(cells, "td") for cells in body)] if body else []
    sentences = [f"<p>{_escaped(s)}</p>" for s in _left_out(found, limit)]
    sentences += [f"<p>{_escaped(s)}</p>" for s in _notes(found)]
    sentences += [f"<p><b>warning:</b> {_escaped(s)}</p>" for s in found.warnings]
    return "\n".join(
        [f"<p>{_escaped(_title(found))}</p>", "<table>", *table, "</table>", *sentences]
    )


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines: the first column to the left, all others to the right.

    Args:
        cells: the rows, of one length.
    """
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        f"{line[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        for line in cells
    ]


def _title(found: Diagnosis) -> str:
    name = found.attributes.get("recipe")
    chains = f"{found.chains} chain{'' if found.chains == 1 else 's'}"
    draws = f"{found.draws} draw{'' if found.draws == 1 else 's'}"
    stopped = ", interrupted" if found.attributes.get("interrupted") else ""
    said = "" if name in (None, "", UNNAMED) else f"{name}: "
    return f"{said}{chains} of {draws}{stopped}"


def _cells(found: Diagnosis, limit: int) -> list[list[str]]:
    """Return the rows of the table with its heading; none where there are no rows."""
    rows = found.rows[:limit]
    head = ["", *LOCATIONS, "ess", "r_hat"]
    return [head, *map(_row_cells, rows)] if rows else []


def _row_cells(row: CoordinateDiagnostics) -> list[str]:
    """Return the cells of a row, whose locations are as precise as its standard deviation asks."""
    values = [getattr(row, name) for name in LOCATIONS.values()]
    spread = 0 < row.sd < math.inf
    decimals = SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(row.sd)) if spread else 0
    fixed = spread and decimals <= MAX_DECIMALS and all(abs(v) < MAX_FIXED for v in values)
    show = f"{{:z.{max(0, decimals)}f}}".format if fixed else "{:.4g}".format
    return [
        row.coordinate,
        *(_number(show, v) for v in values),
        _number("{:.0f}".format, row.ess),
        _number("{:.3f}".format, row.r_hat),
    ]


def _left_out(found: Diagnosis, limit: int) -> list[str]:
    left = len(found.rows) - limit
    return [f"... and {left} more"] if left > 0 else []


def _notes(found: Diagnosis) -> list[str]:
    return [] if found.proved is None else [f"note: {found.proved}"]


def _number(show: Callable[[float], str], value: float) -> str:
    return "-" if math.isnan(value) else show(value)


def _escaped(text: str) -> str:
    return html.escape(without_codes(text))
