"""What is reported of a posterior: quantities of which each has one meaning. Numpy alone, as both
interpreters import it.

Mostly these are all coordinates of all blocks. Of a factorisation, a network and a mixture of
gamma laws they are what the blocks mean together: a factor or a unit may change places with
another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

PLACES = np.linspace(-1.5, 1.5, 7)  # where the curve of a network is reported
CELLS = 10  # of a factorisation: the rates of the first users, each at one item


def reported(model: str, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The quantities of a model, each an array of the shape (chains, draws).

    Args:
        model: the name of the model.
        draws: its blocks, of the shape (chains, draws) or (chains, draws, length).
    """
    if model == "factorisation":
        u1, v1, u2, v2 = (draws[n][..., :CELLS] for n in ("u1", "v1", "u2", "v2"))
        return _coordinates("rate", u1 * v1 + u2 * v2)
    if model == "multinomial":
        p = draws["p"] if "p" in draws else draws["g"] / draws["g"].sum(axis=-1, keepdims=True)
        return _coordinates("p", p)
    if model.startswith("network"):
        w, b, v, c = (np.asarray(draws[n]) for n in ("w", "b", "v", "c"))
        hidden = np.tanh(PLACES[:, None] * w[..., None, :] + b[..., None, :])
        return _coordinates("curve", c[..., None] + (hidden * v[..., None, :]).sum(axis=-1))
    return {name: a for block, d in draws.items() for name, a in _coordinates(block, d).items()}


def _coordinates(name: str, values: Any) -> dict[str, np.ndarray]:
    values = np.asarray(values, dtype=float)
    if values.ndim == 2:
        return {name: values}
    return {f"{name}[{k}]": values[..., k] for k in range(values.shape[-1])}
