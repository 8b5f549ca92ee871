"""Diagnosed draws as a table: aligned text for a terminal, HTML for a notebook."""

from __future__ import annotations

import html
import math
import shutil
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recipe.printing.plain_text import without_codes

if TYPE_CHECKING:
    from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics, Diagnosis

MAX_SHOWN_ROWS = 20  # of a table that nobody has asked for
MAX_OF_ONE = 20  # rows of one block, where those of others would not be seen
MAX_NAMED = 3  # blocks with rows that are left out
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


def first_rows(rows: Sequence[CoordinateDiagnostics], limit: int) -> list[CoordinateDiagnostics]:
    """Return at most ``limit`` rows; where there are more, of several blocks, the first of each.

    Args:
        rows: all rows.
        limit: the largest number of rows.
    """
    lengths = Counter(row.block for row in rows)
    if len(rows) <= limit or len(lengths) == 1:
        return list(rows[:limit])
    fitting = (k for k in range(MAX_OF_ONE, 0, -1) if _count(lengths, k) <= limit)
    of_one = next(fitting, 1)
    met: Counter[str] = Counter()
    first = []
    for row in rows:
        met[row.block] += 1
        if met[row.block] <= of_one:
            first.append(row)
    return first[:limit]


def _count(lengths: Counter[str], of_one: int) -> int:
    return sum(min(of_one, n) for n in lengths.values())


def of_blocks_left_out(
    rows: Sequence[CoordinateDiagnostics], shown: Sequence[CoordinateDiagnostics]
) -> str:
    """Return "of a and b", the blocks with rows that are not shown, or how many there are.

    Args:
        rows: all rows.
        shown: those of them that are shown.
    """
    names = {row.coordinate for row in shown}
    left = list(dict.fromkeys(row.block for row in rows if row.coordinate not in names))
    return f"of {' and '.join(left)}" if len(left) <= MAX_NAMED else f"of {len(left)} blocks"


def _title(found: Diagnosis) -> str:
    name = found.attributes.get("recipe")
    chains = f"{found.chains} chain{'' if found.chains == 1 else 's'}"
    draws = f"{found.draws} draw{'' if found.draws == 1 else 's'}"
    stopped = ", interrupted" if found.attributes.get("interrupted") else ""
    said = "" if name in (None, "", UNNAMED) else f"{name}: "
    return f"{said}{chains} of {draws}{stopped}"


def _cells(found: Diagnosis, limit: int) -> list[list[str]]:
    """Return the rows of the table with its heading; none where there are no rows."""
    rows = first_rows(found.rows, limit)
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
    if left <= 0:
        return []
    if len({row.block for row in found.rows}) == 1:
        return [f"... and {left} more"]
    shown = first_rows(found.rows, limit)
    left = len(found.rows) - len(shown)
    return [
        f"... {of_blocks_left_out(found.rows, shown)}, {left} more; .summary().to_dict() has all"
    ]


def _notes(found: Diagnosis) -> list[str]:
    return [] if found.proved is None else [f"note: {found.proved}"]


def _number(show: Callable[[float], str], value: float) -> str:
    return "-" if math.isnan(value) else show(value)


def _escaped(text: str) -> str:
    return html.escape(without_codes(text))
