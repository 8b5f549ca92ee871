"""Pictures of a step: the noise that is recovered from the steps beside its exact law, and the
bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from codegen.running.one_step import OneStep
from recipe_cli.render.figures import AUTOCORRELATION_LAGS, figure_with_panels
from verify.statistics import Battery
from verify.statistics.recorded import correlation_of_noise, noise_of_chain, noise_of_replicas
from verify.statistics.trial.bias import MeasuredBias

REPLICAS, CHAIN_STEPS = 20_000, 2_000  # steps of a histogram, and of the one chain
MIN_SEEN_ERRORS = 3.0  # standard errors: a smaller bias may be chance
PICTURES_STREAM = 11  # key of these random numbers beside the seed
# Half the width of the grey band in standard errors: all lags of a right coordinate are inside it
# with a probability of about 0.999.
BAND_ERRORS = stats.norm.ppf(1 - 1e-3 / (2 * AUTOCORRELATION_LAGS))

Noise = Mapping[str, np.ndarray]


def step_figures(battery: Battery, kernel: OneStep, seed: int) -> dict[str, Any]:
    """Return the figures law, quantiles and autocorrelation of the noise of a step, by name; no
    figures if the step has no noise.
    """
    rng = np.random.default_rng([seed, PICTURES_STREAM])
    drawn = noise_of_replicas(battery, kernel, rng, REPLICAS)
    if not drawn:
        return {}
    return {
        "law": _law(drawn),
        "quantiles": _quantiles(drawn),
        "autocorrelation": _autocorrelation(
            noise_of_chain(battery, kernel.advanced, rng, CHAIN_STEPS)
        ),
    }


def _law(drawn: Noise) -> Any:
    figure, panels = figure_with_panels(len(drawn))
    x = np.linspace(-4.5, 4.5, 400)
    for axes, (label, u) in zip(panels, drawn.items(), strict=True):
        for j, column in enumerate(u.T):
            axes.hist(
                column,
                bins=np.linspace(-4.5, 4.5, 61),
                density=True,
                histtype="step",
                label=f"coordinate {j + 1}",
            )
        axes.plot(x, stats.norm.pdf(x), color="black", linewidth=1, label="the law, N(0, 1)")
        axes.set(title=f"{label}, read off {len(u):,} steps", xlabel=label, ylabel="density")
        axes.legend(fontsize=8)
    return figure


def _quantiles(drawn: Noise) -> Any:
    figure, panels = figure_with_panels(len(drawn))
    for axes, (label, u) in zip(panels, drawn.items(), strict=True):
        place = stats.norm.ppf((np.arange(len(u)) + 0.5) / len(u))
        for j, column in enumerate(u.T):
            axes.plot(place, np.sort(column), ".", markersize=2, label=f"coordinate {j + 1}")
        axes.plot(
            place[[0, -1]], place[[0, -1]], color="black", linewidth=1, label="the law, N(0, 1)"
        )
        axes.set(
            title=f"quantiles of {label}",
            xlabel="quantile of N(0, 1)",
            ylabel=f"quantile of {label}",
        )
        axes.legend(fontsize=8)
    return figure


def _autocorrelation(drawn: Noise) -> Any:
    figure, panels = figure_with_panels(len(drawn))
    lags = np.arange(1, AUTOCORRELATION_LAGS + 1)
    for axes, (label, u) in zip(panels, drawn.items(), strict=True):
        for j, column in enumerate(u.T):
            found = correlation_of_noise(column, lags)
            axes.plot(lags[: len(found)], found, ".-", linewidth=0.7, label=f"coordinate {j + 1}")
        edge = BAND_ERRORS / np.sqrt(max(len(u) - AUTOCORRELATION_LAGS, 1))
        axes.fill_between(lags, -edge, edge, color="grey", alpha=0.2, label="a right kernel")
        axes.set(
            title=f"{label} over {len(u):,} steps of one chain",
            xlabel="lag in steps",
            ylabel="autocorrelation",
        )
        axes.legend(fontsize=8)
    return figure


def bias_figure(found: MeasuredBias) -> Any:
    """Return the figure of the bias of mean and variance against the step size.

    The line of the proved order goes through the smallest step size at which a bias is seen.
    """
    figure, panels = figure_with_panels(2)
    h = np.array([point.step_size for point in found.points])
    for k, (axes, of) in enumerate(
        zip(panels, (f"the mean of {found.block}", f"the variance of {found.block}"), strict=True)
    ):
        size, error = (
            np.array([getattr(p, name)[k] for p in found.points]) for name in ("bias", "error")
        )
        axes.errorbar(
            h,
            np.abs(size),
            yerr=2 * error,
            fmt="o",
            capsize=3,
            label="measured, two standard errors",
        )
        axes.plot(
            h,
            MIN_SEEN_ERRORS * error,
            ":",
            color="grey",
            label=f"{MIN_SEEN_ERRORS:g} standard errors: below it nothing is seen",
        )
        seen = np.flatnonzero(np.abs(size) > MIN_SEEN_ERRORS * error)
        if found.order is not None and len(seen):
            first = seen[np.argmin(h[seen])]
            axes.plot(
                h,
                abs(size[first]) * (h / h[first]) ** found.order,
                "k--",
                linewidth=1,
                label=f"{found.order_text}, as h vanishes",
            )
        else:
            axes.plot(
                [],
                [],
                " ",
                label=found.order_text
                if found.order is None
                else f"{found.order_text}; no bias is seen",
            )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="step size",
            ylabel="bias by its scale",
            title=f"bias of {of} (indicative)",
        )
        axes.set_xticks(h, [f"{x:.2g}" for x in h])
        axes.minorticks_off()
        axes.legend(fontsize=8)
    return figure
