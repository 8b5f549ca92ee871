"""The picture of docs/models/lda.md: perplexity against documents that were seen, a line a seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

BATCH = 50  # documents in a step
COLOURS = {
    "SCIR": "C0", "SGRLD": "C1", "SGRHMC": "C2", "SGLD": "C3", "SGHMC": "C4", "HSVG": "C5",
    "OVB": "C6", "CGS": "0.4",
}  # fmt: skip
RIEMANNIAN = ("SGRLD", "SGRHMC", "SGLD", "SGHMC")
Result = dict[str, Any]


def picture(results: Sequence[Result], path: Path) -> None:
    """Write the figure."""
    drawn(results).savefig(path, dpi=100)


def drawn(results: Sequence[Result]) -> Figure:
    """Four panels: figures 2b and 2a of Patterson & Teh, 3a of Baker et al., 3 of Ma et al."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    (first, second), (third, fourth) = figure.subplots(2, 2)
    online, released, batch = (
        [r for r in results if r["experiment"] == name] for name in ("online", "released", "batch")
    )
    curves(first, online, ("SGRLD", "HSVG", "OVB", "CGS"))
    first.set(title="minibatches of KOS (Patterson & Teh, 2b)", ylim=(1350, 2700))
    curves(second, online, RIEMANNIAN)
    second.set(title="minibatches of KOS (Ma et al., 3)", xlim=(0, 10_000), ylim=(1500, 10_000))
    second.set_yscale("log")
    curves(third, online, ("SCIR", "SGRLD"), suffix=", equal priors")
    curves(third, released, ("SCIR", "SGRLD"), "--", ", released priors")
    third.set(title="minibatches of KOS (Baker et al., 3a)", ylim=(1550, 2500))
    curves(fourth, batch, tuple(COLOURS))
    fourth.set(title="all documents of NIPS (Patterson & Teh, 2a)", ylim=(1150, 2500))
    for axis in (first, second, third, fourth):
        of = "documents" if axis is not fourth else "step over all documents"
        axis.set(xlabel=of, ylabel="perplexity, averaged over draws")
        axis.legend(fontsize=8)
    return figure


def curves(
    axis: Axes, results: Sequence[Result], methods: Sequence[str], line: str = "-", suffix: str = ""
) -> None:
    """Draw some methods. Beside minibatches, of which collapsed Gibbs sampling sees none, it is a
    line at its last value.
    """
    for method in methods:
        mine = [r for r in results if r["method"] == method]
        for n, r in enumerate(mine):
            style: dict[str, Any] = {"color": COLOURS[method], "ls": line, "lw": 1}
            style["label"] = None if n else method + suffix
            if r["experiment"] == "batch":
                axis.plot(r["steps"], r["averaged"], **style)
            elif method == "CGS":
                axis.axhline(r["averaged"][-1], **style | {"ls": ":"})
            else:
                axis.plot([BATCH * step for step in r["steps"]], r["averaged"], **style)
