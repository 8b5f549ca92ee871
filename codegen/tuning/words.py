"""A tuning as text: about five lines, and a table of alternatives."""

from __future__ import annotations

import textwrap
from typing import Any

from codegen.tuning.tuning import Alternative, Tuning

WIDTH_COLUMNS = 80
HEAD = ("sampler", "scheme", "step", "batch", "open parameters", "bias", "rows a draw")


def tuning_text(tuning: Tuning) -> str:
    """Return the explanation and the table."""
    return "\n".join([*explanation_lines(tuning), "", *table_lines(tuning.alternatives)])


def explanation_lines(tuning: Tuning) -> list[str]:
    """Return the explanation as lines of at most ``WIDTH_COLUMNS`` columns.

    Args:
        tuning: the tuning.
    """
    return [
        line
        for said in tuning.explanation
        for line in textwrap.wrap(said, WIDTH_COLUMNS, subsequent_indent="  ")
    ]


def table_lines(alternatives: tuple[Alternative, ...]) -> list[str]:
    """Return the alternatives as lines of a table, the chosen one first; one that cannot be used
    has its reason below it. Of settings that differ in open parameters alone, the first is shown.

    Args:
        alternatives: the settings that were considered, the chosen one first, the others by cost.
    """
    first: dict[tuple[Any, ...], Alternative] = {}
    for a in alternatives:
        first.setdefault((a.sampler, a.scheme, _batch(a), a.reason), a)
    rows = [_cells(a) for a in first.values()]
    widths = [max(len(r[k]) for r in [HEAD, *rows]) for k in range(len(HEAD))]
    lines = [_joined(HEAD, widths)]
    for row, alternative in zip(rows, first.values(), strict=True):
        lines.append(_joined(row, widths))
        if alternative.reason is not None:
            lines += textwrap.wrap(
                f"not usable: {alternative.reason}",
                WIDTH_COLUMNS,
                initial_indent="  ",
                subsequent_indent="  ",
            )
    left = len(alternatives) - len(first)
    if left:
        lines.append(f"and {left} with other open parameters: Tuning.alternatives, or --json")
    return lines


def alternative_values(alternative: Alternative) -> dict[str, Any]:
    """Return an alternative as plain values."""
    return {
        "sampler": alternative.sampler,
        "scheme": alternative.scheme,
        "step_size": alternative.step_size,
        "batch_size": alternative.batch_size,
        "params": dict(alternative.friction),
        "bias": alternative.bias,
        "rows_per_effective_draw": alternative.rows,
        "reason": alternative.reason,
        "control_variates": alternative.control_variates,
    }


def rows_in_words(rows: float | None) -> str:
    """Return a number of rows with two digits and separators."""
    return "-" if rows is None else f"{float(f'{rows:.2g}'):,.0f}"


def _cells(a: Alternative) -> tuple[str, ...]:
    return (
        a.sampler,
        a.scheme,
        "-" if a.step_size is None else f"{a.step_size:.3g}",
        _batch(a),
        ", ".join(f"{k}={v:.3g}" for k, v in a.friction.items()) or "-",
        "?" if a.bias is None else "exact" if a.bias == 0.0 else f"{a.bias:.2g} sd",
        rows_in_words(a.rows),
    )


def _batch(a: Alternative) -> str:
    """Return the rows of a minibatch; those with control variates say so."""
    rows = "all" if a.batch_size is None else f"{a.batch_size:,}"
    return f"{rows}, control variates" if a.control_variates else rows


def _joined(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()
