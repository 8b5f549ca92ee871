"""Pictures of ``recipe test --plot`` for a kernel that keeps its law: replicas after some sweeps
beside exact draws, and one chain.

There is no picture of the bias: such a kernel has none, at any step size.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from codegen.running.one_step import OneStep
from recipe_cli.pictures import LAGS, panels_of, written
from recipe_cli.sweep_test import SWEEPS, SweepTest

REPLICAS, CHAIN = 20_000, 5_000  # replicas of a histogram; sweeps of the one chain
PURPOSE = 19  # of these random numbers
SHOWN = (0.001, 0.999)  # the quantiles between which histograms are drawn

State = Mapping[str, np.ndarray]


def draw_sweeps(test: SweepTest, kernel: OneStep, folder: Path, seed: int) -> list[Path]:
    """Write law.png, quantiles.png and autocorrelation.png; nothing where there are no exact
    draws.
    """
    if test.draws is None:
        return []
    rng = np.random.default_rng([seed, PURPOSE])
    state = test.draws(rng, REPLICAS)
    for _ in range(SWEEPS):
        state = kernel(state, rng)
    exact = test.draws(rng, REPLICAS)
    first = {name: x[0] for name, x in exact.items()}
    figures = {
        "law": _law(state, exact),
        "quantiles": _quantiles(state, exact),
        "autocorrelation": _autocorrelation(_chain(first, kernel, int(rng.integers(2**62)))),
    }
    return [written(figure, folder / f"{name}.png") for name, figure in figures.items()]


def _chain(first: State, kernel: OneStep, seed: int) -> State:
    """Successive states of one chain that starts in the law, until it stops."""
    rows = [first]
    for t in range(CHAIN):
        moved = kernel.advanced(rows[-1], 1, seed=seed, chain=0, begin=t)
        if moved is None:
            break
        rows.append(moved)
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _law(state: State, exact: State) -> Any:
    figure, panels = panels_of(len(state))
    for axes, (name, x) in zip(panels, state.items(), strict=True):
        low, high = (float(np.quantile(exact[name], q)) for q in SHOWN)
        bins = np.linspace(low, high, 61)
        for j in range(x.shape[1]):
            (color,) = {
                patch.get_edgecolor()
                for patch in _histogram(axes, x[:, j], bins, label=f"coordinate {j + 1}")
            }
            _histogram(
                axes, exact[name][:, j], bins, color=color, linestyle=":", label="exact draws"
            )
        axes.set(
            title=f"{name} after {SWEEPS} sweeps of {len(x):,} replicas",
            xlabel=name,
            ylabel="density",
        )
        axes.legend(fontsize=8)
    return figure


def _histogram(axes: Any, x: np.ndarray, bins: np.ndarray, **how: Any) -> Any:
    return axes.hist(x, bins=bins, density=True, histtype="step", **how)[2]


def _quantiles(state: State, exact: State) -> Any:
    figure, panels = panels_of(len(state))
    shares = np.linspace(*SHOWN, 400)
    for axes, (name, x) in zip(panels, state.items(), strict=True):
        of_law, of_sweeps = np.quantile(exact[name], shares, axis=0), np.quantile(x, shares, axis=0)
        for j in range(x.shape[1]):
            axes.plot(of_law[:, j], of_sweeps[:, j], ".", markersize=2, label=f"coordinate {j + 1}")
        ends = [of_law.min(), of_law.max()]
        axes.plot(ends, ends, color="black", linewidth=1, label="the law")
        axes.set(
            title=f"quantiles {SHOWN[0]:g} to {SHOWN[1]:g} of {name}",
            xlabel="of exact draws",
            ylabel=f"after {SWEEPS} sweeps",
        )
        axes.legend(fontsize=8)
    return figure


def _autocorrelation(chain: State) -> Any:
    figure, panels = panels_of(len(chain))
    for axes, (name, x) in zip(panels, chain.items(), strict=True):
        lags = np.arange(min(LAGS, len(x) - 1) + 1)
        for j in range(x.shape[1]):
            away = x[:, j] - x[:, j].mean()
            size = float(away @ away) or 1.0
            axes.plot(
                lags,
                [away[: len(away) - k] @ away[k:] / size for k in lags],
                ".-",
                linewidth=0.7,
                label=f"coordinate {j + 1}",
            )
        axes.axhline(0, color="grey", linewidth=0.7)
        axes.set(
            title=f"{name} over {len(x) - 1:,} sweeps of one chain",
            xlabel="lag in sweeps",
            ylabel="autocorrelation",
        )
        axes.legend(fontsize=8)
    return figure
