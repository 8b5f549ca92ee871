"""The tables, figure 3, and the page of examples/models/nonnegative_factors.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from page_tables import markdown, page

HEAD = (
    "setting", "sampler", "step", "RMSE after a tenth of the steps", "after a third", "at the end",
)  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """One chain: the error of the test under the mean over the states so far, every so many
    steps.
    """

    setting: str
    sampler: str
    seed: int
    step: float
    every: int
    rmse: list[float]


@dataclass(frozen=True)
class Time:
    """CPU time of one step."""

    sampler: str
    batch: int
    microseconds: float


def curves_table(curves: Sequence[Curve]) -> str:
    """One row a setting and sampler: means over seeds."""
    rows = []
    for setting, sampler in dict.fromkeys((c.setting, c.sampler) for c in curves):
        of = [c for c in curves if (c.setting, c.sampler) == (setting, sampler)]
        rmse = np.array([c.rmse for c in of])
        places = [rmse.shape[1] // part - 1 for part in (10, 3, 1)]
        cells = [f"{rmse[:, k].mean():.3f}" for k in places]
        rows.append([setting, sampler, f"{of[0].step:.2g}", *cells])
    return markdown(HEAD, rows)


def times_table(times: Sequence[Time]) -> str:
    """Microseconds and their ratio to SGLD, a column a size of the minibatch."""
    batches = list(dict.fromkeys(t.batch for t in times))
    of = {(t.sampler, t.batch): t.microseconds for t in times}
    samplers = list(dict.fromkeys(t.sampler for t in times))
    rows = []
    for sampler in samplers:
        row = [sampler]
        for batch in batches:
            ratio = of[sampler, batch] / of[samplers[0], batch]
            row += [f"{of[sampler, batch]:.0f}", f"{ratio:.2f}"]
        rows.append(row)
    head = ["sampler"]
    for batch in batches:
        head += [f"microseconds a step, {batch:,} ratings", "of SGLD"]
    return markdown(head, rows)


def picture(curves: Sequence[Curve], base: float, path: Path) -> None:
    """Figure 3: the error against steps, a panel a setting."""
    settings = list(dict.fromkeys(c.setting for c in curves))
    samplers = list(dict.fromkeys(c.sampler for c in curves))
    figure = Figure(figsize=(9, 3.2 * ((len(settings) + 1) // 2)), layout="constrained")
    axes = figure.subplots((len(settings) + 1) // 2, 2, squeeze=False).ravel()
    for axis, setting in zip(axes, settings, strict=False):
        for c in (c for c in curves if c.setting == setting):
            steps = c.every * np.arange(1, len(c.rmse) + 1)
            label = c.sampler if c.seed == 1 else None
            axis.plot(steps, c.rmse, color=f"C{samplers.index(c.sampler)}", label=label, lw=1)
        axis.axhline(base, color="0.6", lw=0.8, ls="--")
        axis.set(xlabel="step", ylabel="test RMSE", ylim=(0.9, 1.3))
        axis.set_title(setting, fontsize=9)
    for axis in axes[len(settings) :]:
        axis.remove()
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


def write(curves: Sequence[Curve], times: Sequence[Time], base: float, folder: Path) -> None:
    """The results, the picture, and the tables of the page."""
    curves = [replace(c, rmse=[round(v, 4) for v in c.rmse]) for c in curves]
    found = {
        "bias_model": base,
        "curves": [asdict(c) for c in curves],
        "times": [asdict(t) for t in times],
    }
    (folder / "nonnegative_factors.json").write_text(json.dumps(found) + "\n")
    picture(curves, base, folder / "nonnegative_factors.png")
    path = folder / "nonnegative_factors.md"
    tables = {"results": curves_table(curves), "times": times_table(times)}
    path.write_text(page(path.read_text(), tables))
