"""Make docs/a9a.md and its pictures of the results of logistic_a9a.py and of the reference by
NumPyro's NUTS.

python examples/a9a_page.py RESULTS.json [FOLDER]          (FOLDER is docs by default)
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

EXAMPLES = Path(__file__).parent
REFERENCE = json.loads((EXAMPLES / "a9a_reference.json").read_text())
SAMPLERS = ("SGLD", "SGHMC", "SGNHT", "SGRHMC")
Results = dict[str, Any]


def prediction_rows(results: Results) -> list[str]:
    """One row a method: accuracy in percent, mean log predictive density, expected calibration
    error.
    """
    methods = {
        "MAP": results["MAP"],
        "NUTS": {"prediction": REFERENCE["prediction"]["nuts"]},
        **{n: results[n] for n in SAMPLERS},
    }
    rows = []
    for name, found in methods.items():
        cells = [name]
        for part in ("held_out", "test"):
            p = found["prediction"][part]
            cells += [
                f"{100 * p['accuracy']:.2f}",
                f"{p['log_predictive_density']:.4f}",
                f"{p['expected_calibration_error']:.4f}",
            ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def moment_rows(results: Results) -> list[str]:
    """One row a sampler: how far its means and standard deviations are from those of NUTS."""
    rows = []
    for name in SAMPLERS:
        found = results[name]
        shift, ratio, z_mean, z_sd = comparisons(found)
        narrow = np.std(found["top_direction"])
        rows.append(
            f"| {name} | {np.abs(shift).max():.3f} | {ratio.min():.3f} to {ratio.max():.3f} |"
            f" {np.mean(np.abs(z_mean) < 2):.0%} | {np.mean(np.abs(z_sd) < 2):.0%} | {narrow:.2f} |"
            f" {found['r_hat_max']:.4f} | {found['ess_bulk_min']:.0f} | {found['seconds']:.0f} |"
        )
    return rows


def comparisons(found: Results) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """By coefficient: the shift of the mean in standard deviations, the ratio of the standard
    deviations, and both differences in units of their Monte Carlo error.
    """
    ours, theirs = (
        {k: np.array(d[k]) for k in ("mean", "sd", "mcse_mean", "mcse_sd")}
        for d in (found, REFERENCE)
    )
    shift, ratio = (ours["mean"] - theirs["mean"]) / theirs["sd"], ours["sd"] / theirs["sd"]
    z = [
        (ours[k] - theirs[k]) / np.hypot(ours[f"mcse_{k}"], theirs[f"mcse_{k}"])
        for k in ("mean", "sd")
    ]
    return shift, ratio, z[0], z[1]


def picture(
    folder: Path, name: str, draw: Callable[[Axes, Results, str], None], results: Results
) -> str:
    """Four panels, one a sampler."""
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    for axes, sampler in zip(
        figure.subplots(1, 4, sharex=True, sharey=True), SAMPLERS, strict=True
    ):
        draw(axes, results[sampler], sampler)
        axes.set_title(sampler)
    figure.savefig(folder / name, dpi=110)
    return name


def means(axes: Axes, found: Results, sampler: str) -> None:
    """Posterior means beside those of NUTS."""
    axes.axline((0, 0), slope=1, color="0.7", linewidth=1)
    axes.errorbar(
        REFERENCE["mean"],
        found["mean"],
        yerr=found["mcse_mean"],
        fmt=".",
        markersize=3,
        linewidth=0.5,
    )
    axes.set_xlabel("mean by NUTS")
    if sampler == SAMPLERS[0]:
        axes.set_ylabel("mean")


def deviations(axes: Axes, found: Results, sampler: str) -> None:
    """Ratios of posterior standard deviations to those of NUTS."""
    axes.axhline(1, color="0.7", linewidth=1)
    ratio = np.array(found["sd"]) / np.array(REFERENCE["sd"])
    axes.errorbar(
        REFERENCE["sd"],
        ratio,
        yerr=np.array(found["mcse_sd"]) / REFERENCE["sd"],
        fmt=".",
        markersize=3,
        linewidth=0.5,
    )
    axes.set_xlabel("standard deviation by NUTS")
    if sampler == SAMPLERS[0]:
        axes.set_ylabel("ratio of standard deviations")


def calibration(axes: Axes, found: Results, sampler: str) -> None:
    """How often a predicted probability comes true."""
    said, happened, _ = np.array(found["prediction"]["test"]["calibration"]).T
    axes.axline((0, 0), slope=1, color="0.7", linewidth=1)
    axes.plot(said, happened, "o-", markersize=3)
    axes.set_xlabel("predicted probability (test set)")
    if sampler == SAMPLERS[0]:
        axes.set_ylabel("share with label +1")


PAGE = """\
# Logistic regression on a9a: four stochastic-gradient samplers beside NUTS

*Made by `python examples/a9a_page.py RESULTS.json` of what `python examples/logistic_a9a.py RESULTS.json` found; do not edit.*

The data are 123 binary features of 32,561 persons (UCI Adult, by way of the LIBSVM collection), 80 percent to fit and 20 percent
held out, and the 16,281 rows of its test set. The posterior has 124 coefficients with standard normal priors. It is
ill-conditioned: the eigenvalues of the Hessian at the mode go from 1 to 21,734.

Each sampler of the catalog made {steps:,} steps in each of {chains} chains, with minibatches of {batch_size} rows and control
variates; the first {warmup:,} are left out. Steps: {sizes}. NUTS: {sampler}.

## Prediction

Accuracy in percent, mean log predictive density, expected calibration error (10 bins of equal width).

| | held out: accuracy | log density | calibration error | test: accuracy | log density | calibration error |
| --- | --- | --- | --- | --- | --- | --- |
{prediction}

## Moments, beside NUTS

| | a | b | c | d | e | R-hat | smallest bulk ESS | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{moments}

(a) largest shift of a mean, in standard deviations; (b) ratios of standard deviations; (c) means and (d) standard deviations that
are within two Monte Carlo errors of those of NUTS: 95 percent of them for an exact sampler; (e) standard deviation in the narrowest
direction, along the eigenvector of the largest eigenvalue of the Hessian at the mode, where it would be 1.00.

These samplers are not exact: a step of finite size and the noise that is left in the gradient make the law a little wider, most of
all in that direction, and no single coefficient shows it. SGNHT holds the mean kinetic energy of all coordinates together at its
value: where one direction is too hot, the others come out a little too cold, which (d) shows. R-hat is still above 1.01 for some
coefficients: the flattest directions, which only the prior holds, relax in some 25,000 to 33,000 steps.

![means]({means})

![standard deviations]({deviations})

## Calibration

![calibration]({calibration})
"""


def main(path: Path, folder: Path) -> None:
    """Write the page and its pictures."""
    found = json.loads(path.read_text())
    results, settings = found["results"], found["settings"]
    pictures = folder / "a9a"
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = {
        draw.__name__: f"a9a/{picture(pictures, f'{draw.__name__}.png', draw, results)}"
        for draw in (means, deviations, calibration)
    }
    sizes = [
        (
            n,
            results[n]["step_size"],
            "".join(f", {k} = {v:g}" for k, v in results[n]["params"].items()),
        )
        for n in SAMPLERS
    ]
    text = PAGE.format(
        **settings,
        **drawn,
        sampler=REFERENCE["sampler"],
        sizes="; ".join(f"{n} {h:g}{more}" for n, h, more in sizes),
        prediction="\n".join(prediction_rows(results)),
        moments="\n".join(moment_rows(results)),
    )
    (folder / "a9a.md").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python examples/a9a_page.py RESULTS.json [FOLDER]")
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else EXAMPLES.parent / "docs")
