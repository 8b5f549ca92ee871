"""Random numbers that code draws while it is traced.

All standard normal numbers of a trace are numbered one after another. Each draw knows how to draw
the same numbers again, so that the rule can be compared with the code.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recipe.lifting.tracing.nodes_of import NodeArray
from recipe.lifting.tree.node import NOISE, made
from recipe.lifting.tree.place import Place, here


@dataclass(frozen=True)
class Draw:
    """Standard normal numbers that were drawn together.

    Attributes:
        first: the number of the first one among all draws.
        shape: their shape.
        place: the line that draws them.
        again: the function that draws them once more from a source of random numbers; None for an
            argument that stands for a draw.
        name: the name that the user gave to the noise; None if there is none.
    """

    first: int
    shape: tuple[int, ...]
    place: Place | None
    again: Callable[[Any], Any] | None
    name: str | None = None


@dataclass
class Draws:
    """All draws of one trace.

    Attributes:
        all: the draws.
        count: how many numbers were drawn.
        by_key: the draw of each key of JAX.
        repeated: the keys that were drawn from again, as text, each with its first draw and the
            line of the later one.
    """

    all: list[Draw] = field(default_factory=list)
    count: int = 0
    by_key: dict[Hashable, Draw] = field(default_factory=dict)
    repeated: list[tuple[str, Draw, Place | None]] = field(default_factory=list)

    def draw(
        self,
        shape: tuple[int, ...],
        again: Callable[[Any], Any] | None,
        name: str | None = None,
        place: Place | None = None,
    ) -> NodeArray:
        """Return new standard normal numbers."""
        made_draw = Draw(self.count, shape, place or here(), again, name)
        self.all.append(made_draw)
        self.count += int(np.prod(shape, dtype=int))
        return self.nodes(made_draw)

    def nodes(self, draw: Draw) -> NodeArray:
        """Return the nodes of a draw."""
        out = np.empty(draw.shape, dtype=object)
        for k, at in enumerate(np.ndindex(draw.shape)):
            out[at] = made(NOISE, (), draw.first + k, draw.place)
        return out

    def numbers(self, source: Any, arguments: dict[str, Any]) -> np.ndarray:
        """Draw all numbers again.

        Args:
            source: where random numbers come from, as the function had it.
            arguments: the numbers of arguments that stand for draws, by name.
        """
        parts = [
            np.ravel(np.asarray(d.again(source) if d.again else arguments[d.name]))  # type: ignore[index]
            for d in self.all
        ]
        return np.concatenate([*parts, np.empty(0)])
