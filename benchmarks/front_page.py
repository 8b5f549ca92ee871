"""The two pictures of the front page, docs/front-page.

    recipe sample sghmc --posterior bioassay --step-size 0.05 --param C=1 --steps 100000 \
        --warmup 2000 --thin 10 --chains 4 --seed 1 -o bioassay.nc
    python benchmarks/front_page.py posterior bioassay.nc

    python benchmarks/limits --only sghmc --sizes 1e4 --jax-python ... --json > speed.json
    python benchmarks/front_page.py speed speed.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from catalog.posteriors.bioassay import deaths, dose, posterior
from codegen import read_draws

FOLDER = Path(__file__).parent.parent / "docs" / "front-page"
ANIMALS = 5  # at each dose
SHOWN_DRAWS, SHOWN_CURVES = 4000, 60
INK, ACCENT, PALE = "#333333", "#1f5fa8", "#b9c6d6"


def posterior_picture(draws_file: Path) -> Figure:
    """Return the draws of a and b beside the dose-response curves that some of them mean."""
    draws = read_draws(draws_file)
    a, b = (np.asarray(draws[name]).ravel() for name in "ab")
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    plane, curves = figure.subplots(1, 2)
    chosen = np.random.default_rng(0).permutation(len(a))
    plane.plot(a[chosen[:SHOWN_DRAWS]], b[chosen[:SHOWN_DRAWS]], ".", ms=2, alpha=0.4, color=ACCENT)
    plane.set(xlabel="a", ylabel="b", title=f"{SHOWN_DRAWS:,} draws of the posterior")
    x = np.linspace(-1, 1, 200)
    for n in chosen[:SHOWN_CURVES]:
        curves.plot(x, 1 / (1 + np.exp(-(a[n] + b[n] * x))), color=PALE, lw=0.8)
    data = dict(posterior.data)
    doses, counts = data[dose], data[deaths]
    curves.plot(doses, np.asarray(counts) / ANIMALS, "o", color=INK, label="data")
    curves.set(xlabel="log dose", ylabel="share of deaths", title=f"{SHOWN_CURVES} curves")
    curves.legend(frameon=False)
    for axes in (plane, curves):
        without_box(axes)
    return figure


def speed_picture(results_file: Path) -> Figure:
    """Return bars of the nanoseconds a coordinate of one step, ours and the competitors'."""
    rows = json.loads(results_file.read_text(encoding="utf-8"))["rows"]
    ours = rows[0]["ours"]
    theirs = {r["competitor"]: r["their_time"] for r in rows if r["ours"] == ours}
    bars = {"recipe": rows[0]["our_time"], **dict(sorted(theirs.items(), key=lambda bar: bar[1]))}
    figure = Figure(figsize=(9, 0.5 * len(bars) + 0.8), layout="constrained")
    axes = figure.subplots()
    drawn = axes.barh(list(bars), list(bars.values()), color=[ACCENT, *[PALE] * (len(bars) - 1)])
    axes.bar_label(drawn, fmt="%.3g", padding=4)
    axes.invert_yaxis()
    axes.set_xlabel(f"{rows[0]['unit']} for each coordinate ({rows[0]['work']}); shorter is faster")
    without_box(axes)
    return figure


def without_box(axes: Axes) -> None:
    """Leave out the upper and the right side of the frame."""
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("picture", choices=["posterior", "speed"])
    parser.add_argument("file", type=Path, help="draws, or results of benchmarks/limits --json")
    chosen = parser.parse_args()
    picture, name = {
        "posterior": (posterior_picture, "bioassay.png"),
        "speed": (speed_picture, "speed.png"),
    }[chosen.picture]
    FOLDER.mkdir(exist_ok=True)
    picture(chosen.file).savefig(FOLDER / name, dpi=110)
    print(FOLDER / name)


if __name__ == "__main__":
    main()
