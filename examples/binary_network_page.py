"""The table, figure 4, and the page of examples/models/binary_network.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from page_tables import markdown, page

COLOURS = {"sigmoid": "C0", "arctan": "C1", "softsign": "C2", "mirror": "C3"}
HEAD = (
    "data", "sampler", "step", "test loss (range over seeds)", "test accuracy",
    "accuracy without binarisation", "weights within 0.01 of an edge",
)  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """One chain: after each epoch, the loss and accuracy of the predictive mean so far, of binary
    networks, and the accuracy of that of networks whose weights are left as they are.
    """

    data: str
    sampler: str
    step: float
    seed: int
    loss: list[float]
    accuracy: list[float]
    not_binary: list[float]
    at_edges: float  # the share of weights within 0.01 of -1 or 1, at the end


def table(curves: Sequence[Curve]) -> str:
    """One row a data set and sampler: means over seeds at the last epoch, and their range."""
    rows = []
    for data, sampler in dict.fromkeys((c.data, c.sampler) for c in curves):
        of = [c for c in curves if (c.data, c.sampler) == (data, sampler)]
        last = {
            name: [getattr(c, name)[-1] for c in of] for name in ("loss", "accuracy", "not_binary")
        }
        rows.append(
            [
                data,
                sampler,
                f"{of[0].step:.2g}",
                f"{np.mean(last['loss']):.3f} ({spread(last['loss'], 3)})",
                f"{np.mean(last['accuracy']):.3f} ({spread(last['accuracy'], 3)})",
                f"{np.mean(last['not_binary']):.3f}",
                f"{np.mean([c.at_edges for c in of]):.2f}",
            ]
        )
    return markdown(HEAD, rows)


def spread(values: Sequence[float], digits: int) -> str:
    """From the least to the largest."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def picture(curves: Sequence[Curve], path: Path) -> None:
    """Figure 4: loss and accuracy of the test images against epochs, a row a data set."""
    names = list(dict.fromkeys(c.data for c in curves))
    figure = Figure(figsize=(9, 3.2 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), 2, squeeze=False)
    for row, data in zip(axes, names, strict=True):
        for c in (c for c in curves if c.data == data):
            epochs = range(1, len(c.loss) + 1)
            label = c.sampler if c.seed == 1 else None
            row[0].plot(epochs, c.loss, color=COLOURS[c.sampler], label=label, lw=1)
            row[1].plot(epochs, c.accuracy, color=COLOURS[c.sampler], lw=1)
        row[0].set(title=data, xlabel="epoch", ylabel="test loss", yscale="log")
        row[1].set(title=data, xlabel="epoch", ylabel="test accuracy")
        row[0].legend()
    figure.savefig(path, dpi=110)


def write(curves: Sequence[Curve], folder: Path) -> None:
    """The results, the picture, and the table of the page."""
    rounded = [
        Curve(**{k: [round(v, 4) for v in x] if isinstance(x, list) else x for k, x in c.items()})
        for c in map(asdict, curves)
    ]
    (folder / "binary_network.json").write_text(json.dumps([asdict(c) for c in rounded]) + "\n")
    picture(rounded, folder / "binary_network.png")
    path = folder / "binary_network.md"
    path.write_text(page(path.read_text(), {"results": table(rounded)}))
