"""Pictures of a kernel that keeps its law: replicas after some sweeps beside exact draws, and one
chain.

There is no picture of a bias, because such a kernel has none at any step size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.running.one_step import OneStep
from recipe_cli.render.figures import AUTOCORRELATION_LAGS, figure_with_panels
from verify.statistics.recorded import after_sweeps, autocorrelation, chain_of
from verify.statistics.sweep_battery import SWEEPS, SweepBattery

REPLICAS, CHAIN_SWEEPS = 20_000, 5_000  # replicas of a histogram, and sweeps of the one chain
PICTURES_STREAM = 19  # key of these random numbers beside the seed
SHOWN_QUANTILES = (0.001, 0.999)  # of the exact law, the ends of a histogram

State = Mapping[str, np.ndarray]


def sweep_figures(battery: SweepBattery, kernel: OneStep, seed: int) -> dict[str, Any]:
    """Return the figures law, quantiles and autocorrelation of a kernel, by name; no figures if
    there are no exact draws.
    """
    rng = np.random.default_rng([seed, PICTURES_STREAM])
    made = after_sweeps(battery, kernel, rng, REPLICAS)
    if made is None:
        return {}
    state, exact = made
    first = {name: x[0] for name, x in exact.items()}
    chain = chain_of(kernel.advanced, first, seed=int(rng.integers(2**62)), steps=CHAIN_SWEEPS)
    return {
        "law": _law(state, exact),
        "quantiles": _quantiles(state, exact),
        "autocorrelation": _autocorrelation(chain),
    }


def _law(state: State, exact: State) -> Any:
    figure, panels = figure_with_panels(len(state))
    for axes, (name, x) in zip(panels, state.items(), strict=True):
        low, high = (float(np.quantile(exact[name], q)) for q in SHOWN_QUANTILES)
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
    figure, panels = figure_with_panels(len(state))
    shares = np.linspace(*SHOWN_QUANTILES, 400)
    for axes, (name, x) in zip(panels, state.items(), strict=True):
        of_law, of_sweeps = np.quantile(exact[name], shares, axis=0), np.quantile(x, shares, axis=0)
        for j in range(x.shape[1]):
            axes.plot(of_law[:, j], of_sweeps[:, j], ".", markersize=2, label=f"coordinate {j + 1}")
        ends = [of_law.min(), of_law.max()]
        axes.plot(ends, ends, color="black", linewidth=1, label="the law")
        axes.set(
            title=f"quantiles {SHOWN_QUANTILES[0]:g} to {SHOWN_QUANTILES[1]:g} of {name}",
            xlabel="of exact draws",
            ylabel=f"after {SWEEPS} sweeps",
        )
        axes.legend(fontsize=8)
    return figure


def _autocorrelation(chain: State) -> Any:
    figure, panels = figure_with_panels(len(chain))
    for axes, (name, x) in zip(panels, chain.items(), strict=True):
        lags = np.arange(min(AUTOCORRELATION_LAGS, len(x) - 1) + 1)
        for j in range(x.shape[1]):
            axes.plot(
                lags,
                autocorrelation(x[:, j], lags),
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
