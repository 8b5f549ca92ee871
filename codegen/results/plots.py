"""Plots, by ArviZ, of the diagnosed draws: the coordinates that look worst."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codegen.results.diagnostics import (
    CoordinateDiagnostics,
    Diagnosis,
    diagnose,
    diagnosed_draws,
    imported_arviz,
    quiet,
)
from codegen.results.figures import new_figure, write_figure
from recipe.language.errors import RecipeError

MAX_COORDINATES = 12  # in one figure
MAX_TRACE_DRAWS = 10_000  # of a chain in a trace: more than it has pixels


def writable_folder(folder: str | Path) -> Path:
    """Make a folder for plots, if it does not exist.

    Args:
        folder: the folder.

    Returns:
        Its path.

    Raises:
        RecipeError: where files cannot be made in it.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise RecipeError(
            f"the folder {path} cannot be written: {error.strerror or error}; choose another one"
        ) from None


def plot(
    data: Any,
    folder: str | Path,
    names: Sequence[str] | None = None,
    *,
    diagnosis: Diagnosis | None = None,
) -> tuple[Path, Path]:
    """Write ``trace.png`` and ``rank.png`` of at most twelve coordinates; files of these names are
    replaced.

    Args:
        data: ``arviz.InferenceData``, as for ``diagnose``.
        folder: the folder of the two files; it is made if it does not exist.
        names: blocks or coordinates, such as ``theta`` or ``theta[3]``, to choose from; by default
            all. The coordinates with the largest R-hat are shown, the largest first; where it is
            equal or unknown, those with the fewest effective draws.
        diagnosis: the result of ``diagnose(data)``, if you have it: it takes a while in many
            dimensions.

    Returns:
        The paths of the two files, the trace first.

    Raises:
        RecipeError: where a name is unknown, there are too few draws, or the folder cannot be
            written.
    """
    path = writable_folder(folder)
    found = diagnose(data) if diagnosis is None else diagnosis
    if not found.rows:
        raise RecipeError(
            f"there is nothing to plot: {found.diagnosed_draws} draws a chain are too few; take"
            " more steps"
        )
    rows = _named(found, names)[:MAX_COORDINATES]
    chosen = diagnosed_draws(data, found, [row.coordinate for row in rows])
    return write_figure(_trace(chosen, rows), path / "trace.png"), write_figure(
        _rank(chosen, rows), path / "rank.png"
    )


def _named(found: Diagnosis, names: Sequence[str] | None) -> list[CoordinateDiagnostics]:
    """Return the rows that the user named, those that look worst first."""
    rows = found.worst(len(found.rows))
    if names is None:
        return rows
    wanted = {names} if isinstance(names, str) else set(names)
    unknown = wanted - {row.coordinate for row in rows} - {row.block for row in rows}
    if unknown or not wanted:
        blocks = ", ".join(dict.fromkeys(row.block for row in found.rows))
        raise RecipeError(
            f"names= names {', '.join(sorted(unknown)) or 'nothing'}, of which there are no draws;"
            f" the blocks are {blocks}"
        )
    return [row for row in rows if {row.coordinate, row.block} & wanted]


def _heading(row: CoordinateDiagnostics, between: str) -> str:
    if math.isnan(row.ess_bulk):
        return f"{row.coordinate}{between}constant"
    r_hat = "" if math.isnan(row.r_hat) else f"R-hat {row.r_hat:.3f}, "
    return f"{row.coordinate}{between}{r_hat}bulk ESS {row.ess_bulk:.0f}"


def _trace(chosen: Any, rows: Sequence[CoordinateDiagnostics]) -> Any:
    """Draw, by ``arviz.plot_trace``, the density of each chain, and the chain itself."""
    arviz = imported_arviz()
    figure, axes = new_figure(12, 1.7 * len(rows) + 0.8, len(rows), 2)
    every = math.ceil(chosen.sizes["draw"] / MAX_TRACE_DRAWS)
    with quiet(arviz):
        arviz.plot_trace(
            chosen.isel(draw=slice(None, None, every)),
            axes=axes,
            compact=False,
            legend=False,
            show=False,
        )
    for row, (density, trace) in zip(rows, axes, strict=True):
        density.set_title(row.coordinate, fontsize=10)
        trace.set_title(_heading(row, between="   "), fontsize=10)
        for ax in (density, trace):
            ax.tick_params(labelsize=8)
        trace.margins(x=0)
    axes[-1, 0].set_xlabel("value", fontsize=9)
    axes[-1, 1].set_xlabel("draw" if every == 1 else f"draw (one in {every} is shown)", fontsize=9)
    chains = [str(c) for c in chosen["chain"].to_numpy().tolist()]
    legend = figure.legend(
        axes[0, 1].get_lines()[: len(chains)],
        chains,
        title="chain",
        loc="outside right upper",
        fontsize=8,
    )
    for handle in legend.legend_handles:
        handle.set(alpha=1, linewidth=2)
    return figure


def _rank(chosen: Any, rows: Sequence[CoordinateDiagnostics]) -> Any:
    """Draw, by ``arviz.plot_rank``, ranks: chains that sample one law have flat bars."""
    arviz = imported_arviz()
    numbers = chosen["chain"].to_numpy().tolist()
    columns = min(3, len(rows))
    lines = math.ceil(len(rows) / columns)
    figure, axes = new_figure(4.2 * columns, lines * (1.4 + 0.32 * len(numbers)), lines, columns)
    with quiet(arviz):
        arviz.plot_rank(chosen, ax=axes, show=False)
    for k, ax in enumerate(axes.flat):
        if k >= len(rows):
            ax.set_visible(False)
            continue
        ax.set_title(_heading(rows[k], between="\n"), fontsize=9)
        ticks = ax.get_yticks()
        if len(ticks) > 1:  # one tall bar would press all chains into a corner
            ax.set_ylim(0, len(ticks) * (ticks[1] - ticks[0]))
        ax.set_yticklabels([str(n) for n in numbers])
        ax.tick_params(labelsize=8)
        ax.set_xlabel("rank among all draws", fontsize=8)
        ax.set_ylabel("chain", fontsize=8)
    return figure
