"""Plots of the diagnosed draws: the coordinates that look worst."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen.results.diagnostics.diagnose import diagnosed_draws
from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics, Diagnosis
from codegen.results.diagnostics.groups import Group
from codegen.results.figures import folder_for_plots, image_html, new_figure, write_figure
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError

MAX_COORDINATES = 12  # in one figure
MAX_TRACE_DRAWS = 10_000  # of a chain in a trace: more than it has pixels
MIN_BINS, MAX_BINS = 10, 60  # of the histogram of a chain
RANK_BINS = 20
ROW_HEIGHT = 0.9  # of the tallest bar of a chain, where the next chain is 1 higher
MAX_SHOWN_RATIO = 4.0  # of a bar to the height that is expected; a taller one is cut

Rows = Sequence[CoordinateDiagnostics]


@dataclass(frozen=True)
class Plots:
    """Plots of draws, which a notebook shows.

    Attributes:
        trace: the figure of matplotlib with the law and the trace of each chain.
        rank: the figure with the ranks of the draws of each chain among those of all chains.
        coordinates: the coordinates in them.
    """

    trace: Any
    rank: Any
    coordinates: tuple[str, ...]

    def write(self, folder: str | Path) -> tuple[Path, Path]:
        """Write ``trace.png`` and ``rank.png`` into a folder; files of these names are replaced.

        Args:
            folder: the folder, which is made if it does not exist.

        Returns:
            Their paths, the trace first.

        Raises:
            RecipeError: where the folder cannot be written.
        """
        path = folder_for_plots(folder)
        return write_figure(self.trace, path / "trace.png"), write_figure(
            self.rank, path / "rank.png"
        )

    def __repr__(self) -> str:
        return f"trace and rank plots of {', '.join(self.coordinates)}; write(FOLDER) saves them"

    def _repr_html_(self) -> str:
        return image_html(self.trace) + image_html(self.rank)


def plots_of(posterior: Group, found: Diagnosis, names: Sequence[str] | None = None) -> Plots:
    """Plot the coordinates that look worst, at most twelve.

    Args:
        posterior: the draws as variables with the dimensions chain and draw.
        found: their diagnosis.
        names: blocks or coordinates to choose from; None for all.

    Raises:
        RecipeError: where matplotlib is not installed, a name is unknown, or there are too few
            draws.
    """
    if not found.rows:
        raise RecipeError(
            f"there is nothing to plot: {found.diagnosed_draws} draws a chain are too few; take"
            " more steps"
        )
    rows = _named(found, names)[:MAX_COORDINATES]
    labels = tuple(row.coordinate for row in rows)
    chosen, chains = diagnosed_draws(posterior, found, labels), found.diagnosed_chains
    return Plots(_trace(chosen, chains, rows), _rank(chosen, chains, rows), labels)


def _named(found: Diagnosis, names: Sequence[str] | None) -> list[CoordinateDiagnostics]:
    """Return the rows that the user named, those that look worst first."""
    rows = found.worst(len(found.rows))
    if names is None:
        return rows
    wanted = {names} if isinstance(names, str) else set(names)
    unknown = wanted - {row.coordinate for row in rows} - {row.block for row in rows}
    if unknown or not wanted:
        blocks = ", ".join(dict.fromkeys(row.block for row in found.rows))
        known = [n for row in found.rows for n in (row.block, row.coordinate)]
        meant = "".join(did_you_mean(name, known) for name in sorted(unknown))
        raise RecipeError(
            f"names= names {', '.join(sorted(unknown)) or 'nothing'}, of which there are no draws;"
            f" {meant}the blocks are {blocks}"
        )
    return [row for row in rows if {row.coordinate, row.block} & wanted]


def _heading(row: CoordinateDiagnostics, between: str) -> str:
    if row.sd == 0:
        return f"{row.coordinate}{between}constant"
    if math.isnan(row.ess_bulk):  # a chain diverged
        return row.coordinate
    r_hat = "" if math.isnan(row.r_hat) else f"R-hat {row.r_hat:.3f}, "
    return f"{row.coordinate}{between}{r_hat}bulk ESS {row.ess_bulk:.0f}"


def _trace(chosen: Mapping[str, np.ndarray], chains: Sequence[Any], rows: Rows) -> Any:
    """Draw for each coordinate the law of each chain, as a histogram, and the chain itself."""
    figure, axes = new_figure(12, 1.7 * len(rows) + 0.8, len(rows), 2)
    every = 1
    for row, (law, trace) in zip(rows, axes, strict=True):
        x = chosen[row.coordinate]
        every = math.ceil(x.shape[1] / MAX_TRACE_DRAWS)
        draws = np.arange(x.shape[1])[::every]
        for number, chain in zip(chains, x, strict=True):
            heights, edges = _histogram(x, chain)
            law.stairs(heights, edges, label=str(number), alpha=0.8)
            trace.plot(draws, chain[::every], linewidth=0.5, alpha=0.7)
        law.set_title(row.coordinate, fontsize=10)
        law.set_yticks([])
        trace.set_title(_heading(row, between="   "), fontsize=10)
        for ax in (law, trace):
            ax.tick_params(labelsize=8)
        trace.margins(x=0)
    axes[-1, 0].set_xlabel("value", fontsize=9)
    axes[-1, 1].set_xlabel("draw" if every == 1 else f"draw (one in {every} is shown)", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, title="chain", loc="outside right upper", fontsize=8)
    return figure


def _histogram(of_all: np.ndarray, chain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the density of a chain over the range of all chains, and the edges of its bins."""
    low, high = float(of_all.min()), float(of_all.max())
    room = 0.5 if low == high else 0.0  # a constant is one tall bar
    bins = min(MAX_BINS, max(MIN_BINS, round(2 * chain.size ** (1 / 3))))  # the rule of Rice
    edges = np.linspace(low - room, high + room, bins + 1)
    counts = np.histogram(chain, edges)[0]
    return counts / (chain.size * (edges[1] - edges[0])), edges


def _rank(chosen: Mapping[str, np.ndarray], chains: Sequence[Any], rows: Rows) -> Any:
    """Draw for each coordinate and chain how many of its draws have which rank among the draws of
    all chains: chains that sample one law have bars of one height.
    """
    columns = min(3, len(rows))
    lines = math.ceil(len(rows) / columns)
    figure, axes = new_figure(4.2 * columns, lines * (1.4 + 0.32 * len(chains)), lines, columns)
    for k, ax in enumerate(axes.flat):
        if k >= len(rows):
            ax.set_visible(False)
            continue
        _draw_ranks(ax, rank_counts(chosen[rows[k].coordinate]), chosen[rows[k].coordinate].size)
        ax.set_title(_heading(rows[k], between="\n"), fontsize=9)
        ax.set_yticks(range(len(chains)), [str(n) for n in chains])
        ax.tick_params(labelsize=8)
        ax.set_xlabel("rank among all draws", fontsize=8)
        ax.set_ylabel("chain", fontsize=8)
    return figure


def _draw_ranks(ax: Any, counts: np.ndarray, draws: int) -> None:
    """Draw a row of bars for each chain, with a line at the height that is expected of all."""
    bins = counts.shape[1]
    expected = counts[0].sum() / bins
    # A row is as high as the tallest bar; one tall bar would press all others into a corner.
    scale = ROW_HEIGHT / max(min(counts.max(), MAX_SHOWN_RATIO * expected), 1)
    width = draws / bins
    left = width * np.arange(bins)
    for row, bars in enumerate(counts):
        shown = np.minimum(bars, MAX_SHOWN_RATIO * expected) * scale
        ax.bar(left, shown, 0.9 * width, bottom=row, align="edge", color=f"C{row % 10}")
        ax.axhline(row + expected * scale, color="black", linestyle="--", linewidth=0.7)
    ax.set_xlim(0, draws)
    ax.set_ylim(-0.1, len(counts))


def rank_counts(draws: np.ndarray) -> np.ndarray:
    """Return for each chain how many of its draws have a rank in each bin of ranks.

    The ranks are among the draws of all chains; numbers that are equal share the mean of their
    ranks. Vehtari, Gelman, Simpson, Carpenter and Buerkner, Bayesian Analysis 16 (2021), section 4.

    Args:
        draws: shape (chains, draws).

    Returns:
        Counts of the shape (chains, bins).
    """
    _, inverse, counts = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse].reshape(draws.shape)
    bins = min(RANK_BINS, draws.shape[1])
    edges = np.linspace(0.5, draws.size + 0.5, bins + 1)
    return np.stack([np.histogram(chain, edges)[0] for chain in ranks])
