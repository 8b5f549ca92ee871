"""The change of the density in one step, by powers of ``s = sqrt(step)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.decide.zero.errors import TableFullError
from verify.discrete.weak_order.push import Gradient, before, pushed
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.series import constant
from verify.discrete.weak_order.step import Map, Step, gradient_of, is_even, map_of, maps_of

CAPACITIES = (48, 192)  # numbers of generators that a ring has room for; small rings are faster


@dataclass(frozen=True)
class Expansion:
    """A step in powers of ``s = sqrt(step)``, and the changes of the density, both known below the
    power ``end``.
    """

    step: Step
    ring: Ring
    gradient: Gradient
    maps: Sequence[Map]
    changes: Sequence[Poly]
    even: bool

    @property
    def end(self) -> int:
        """The first power of s that is not known."""
        return len(self.changes)


def expansion_of(step: Step, end: int) -> Expansion:
    """Return the change of the density in one step, divided by exp(-H), below the power ``end`` of
    s.

    Raises:
        RecipeError: where the step has no expansion around the identity.
    """
    for capacity in CAPACITIES[:-1]:
        try:
            return _expansion(step, end, capacity)
        except TableFullError:
            continue
    return _expansion(step, end, CAPACITIES[-1])


def _expansion(step: Step, end: int, capacity: int) -> Expansion:
    """Expand the step over a ring with room for ``capacity`` generators."""
    ring = Ring(step.coordinates, capacity)
    gradient = gradient_of(step, ring)
    maps = maps_of(step, ring, end)
    g = constant(ring, ring.number(1), end)
    recorded = [map_of(step.recorded, False, step.s, ring, end)] if step.recorded else []
    if recorded:
        g = before(recorded, gradient, ring, end)
    change = pushed(g, maps, gradient) + g.scaled(-1)
    return Expansion(
        step, ring, gradient, maps, change.coefficients, is_even([*maps, *recorded], ring)
    )
