"""What every front end returns, and what it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from recipe.lifting.claims.claim import Claim
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.nodes_of import NodeArray

Shapes = Mapping[str, tuple[int, ...]]  # of arrays, by the name of their length


@dataclass(frozen=True)
class Trace:
    """One run of a function on arrays that record.

    Attributes:
        outputs: the nodes of the new value of each block, by the name of the block.
        draws: the random numbers that were drawn.
    """

    outputs: Mapping[str, NodeArray]
    draws: Draws


class Front(Protocol):
    """A front end."""

    def trace(self, claim: Claim, shapes: Shapes) -> Trace:
        """Run the function once on arrays that record."""

    def run(
        self, claim: Claim, values: Mapping[str, Any], gradients: Mapping[str, Any], seed: int
    ) -> Mapping[str, np.ndarray]:
        """Run the function once on numbers, and return the new value of each block by its name.

        Args:
            claim: the claim.
            values: the numbers of arguments, by their names.
            gradients: functions of numpy arrays for the arguments that are functions.
            seed: of the random numbers that it draws.
        """

    def drawn(self, draws: Draws, values: Mapping[str, Any], seed: int) -> np.ndarray:
        """Return the random numbers that ``run`` has drawn with this seed, in the order of the
        draws.
        """
