"""Pictures of ``recipe test --plot``: the noise that was drawn, as it is read off the steps, beside
its exact law; and the bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from codegen.files.atomic_write import whole_file
from codegen.running.one_step import OneStep
from recipe_cli.bias import Bias
from verify.statistics import Battery
from verify.statistics.recover.innovations import innovations

REPLICAS, STEPS, LAGS = (
    20_000,
    2_000,
    30,
)  # replicas of a histogram; steps of the one chain whose noise is correlated with itself
SEEN = 3.0  # standard errors from which on a bias is one
PURPOSE = 11  # of these random numbers
BAND = stats.norm.ppf(
    1 - 1e-3 / (2 * LAGS)
)  # nearly: all lags of a right coordinate are inside with a probability of 0.999

Noise = Mapping[str, np.ndarray]


def draw_pictures(
    battery: Battery, kernel: OneStep, bias: Bias | None, folder: Path, seed: int
) -> list[Path]:
    """Write law.png, quantiles.png and autocorrelation.png where the step has noise, and bias.png
    where a bias was measured.
    """
    rng = np.random.default_rng([seed, PURPOSE])
    drawn = _of_replicas(battery, kernel, rng)
    figures = {}
    if drawn:
        figures = {
            "law": _law(drawn),
            "quantiles": _quantiles(drawn),
            "autocorrelation": _autocorrelation(_of_chain(battery, kernel, rng)),
        }
    if bias is not None:
        figures["bias"] = _bias(bias)
    return [written(figure, folder / f"{name}.png") for name, figure in figures.items()]


def _of_replicas(battery: Battery, kernel: OneStep, rng: np.random.Generator) -> Noise:
    """The noise of one step from all states of the battery."""
    states = battery.experiment.states
    times = -(-REPLICAS // len(next(iter(states.values()))))
    before = {name: np.tile(rows, (times, 1)) for name, rows in states.items()}
    return _read(battery, before, kernel(before, rng))


def _of_chain(battery: Battery, kernel: OneStep, rng: np.random.Generator) -> Noise:
    """The noise of successive steps of one chain, from the least of the states, as far as it stays
    finite.
    """
    states = battery.experiment.states
    least = int(np.argmin(sum(np.square(rows).sum(axis=1) for rows in states.values())))
    first = {name: rows[least] for name, rows in states.items()}
    seed, rows = int(rng.integers(2**62)), [first]
    for t in range(STEPS):
        moved = kernel.advanced(rows[-1], 1, seed=seed, chain=0, begin=t)
        if moved is None:
            break
        rows.append(moved)
    whole = {name: np.stack([row[name] for row in rows]) for name in first}
    return _read(
        battery,
        {name: x[:-1] for name, x in whole.items()},
        {name: x[1:] for name, x in whole.items()},
    )


def _read(battery: Battery, before: Noise, after: Noise) -> Noise:
    x = battery.experiment
    with np.errstate(all="ignore"):
        return innovations(x.plan, dict(before), dict(after), x.meanings, rounding=x.rounding).noise


def panels_of(panels: int) -> tuple[Any, Any]:
    """A figure outside pyplot, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0 * panels, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, panels, squeeze=False)[0]


def _law(drawn: Noise) -> Any:
    figure, panels = panels_of(len(drawn))
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
    figure, panels = panels_of(len(drawn))
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
    figure, panels = panels_of(len(drawn))
    lags = np.arange(1, LAGS + 1)
    for axes, (label, u) in zip(panels, drawn.items(), strict=True):
        for j, column in enumerate(u.T):
            kept = np.where(
                np.isfinite(column), column, np.nan
            )  # rounding hides the noise of a chain that goes far out
            pairs = [kept[:-k] * kept[k:] for k in lags if k < len(kept)]
            found = [np.nanmean(p) if np.isfinite(p).any() else np.nan for p in pairs]
            axes.plot(lags[: len(found)], found, ".-", linewidth=0.7, label=f"coordinate {j + 1}")
        edge = BAND / np.sqrt(max(len(u) - LAGS, 1))
        axes.fill_between(lags, -edge, edge, color="grey", alpha=0.2, label="a right kernel")
        axes.set(
            title=f"{label} over {len(u):,} steps of one chain",
            xlabel="lag in steps",
            ylabel="autocorrelation",
        )
        axes.legend(fontsize=8)
    return figure


def _bias(found: Bias) -> Any:
    """Both biases against the step size; the line of the proved order goes through the smallest
    step at which one is seen.
    """
    figure, panels = panels_of(2)
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
            SEEN * error,
            ":",
            color="grey",
            label=f"{SEEN:g} standard errors: below it nothing is seen",
        )
        seen = np.flatnonzero(np.abs(size) > SEEN * error)
        if found.order is not None and len(seen):
            first = seen[np.argmin(h[seen])]
            axes.plot(
                h,
                abs(size[first]) * (h / h[first]) ** found.order,
                "k--",
                linewidth=1,
                label=f"{found.said}, as h vanishes",
            )
        else:
            axes.plot(
                [],
                [],
                " ",
                label=found.said if found.order is None else f"{found.said}; no bias is seen",
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


def written(figure: Any, path: Path) -> Path:
    """Write a picture whole, or not at all."""
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path
