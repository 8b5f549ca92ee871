"""The kernels that are tested: any callable ``step(state, rng) -> state``, for one chain or many at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from recipe import RecipeError
from verify.statistics.numbers.arrays import Array, State

Step = Callable[[State, np.random.Generator], Mapping[str, Any]]


class Advance(Protocol):
    """A function that moves one chain by many steps in one call."""

    def __call__(
        self, first: Mapping[str, Array], steps: int, *, seed: int, chain: int, begin: int
    ) -> Mapping[str, Array] | None:
        """Return the state of a chain after its steps ``begin`` to ``begin + steps - 1``.

        Args:
            first: the state before, by block, arrays (length,).
            steps: the number of steps.
            seed: the seed. Random numbers are a function of the seed, the number of the chain and
                the number of the step.
            chain: the number of the chain.
            begin: the number of the first step.

        Returns:
            The state, by block; None if the chain leaves its domain or is not finite.
        """


@dataclass(frozen=True)
class Stepper:
    """A kernel to be tested.

    Attributes:
        step: ``step(state, rng)`` returns the state after one step. ``rng`` is a numpy
            ``Generator``, the source of all randomness. A state has an array for the name of every
            block.
        batched: False for one chain: vectors of shape (length,), scalar blocks of shape (1,). True
            for many independent chains, one a row: shapes (replicas, length) and (replicas, 1).
        coupled: promises that the kernel draws the same random numbers whatever the state is. Steps
            from two states with one seed then share their noise.
    """

    step: Step
    batched: bool = False
    coupled: bool = False

    def advance(self, state: State, rng: np.random.Generator) -> State:
        """Return the states after one step of every replica, a row each.

        Args:
            state: the states before, by block, arrays (replicas, length).
            rng: the source of all randomness.

        Raises:
            RecipeError: if the kernel returns something that is no state.
        """
        if self.batched:
            return _checked(self.step({k: v.copy() for k, v in state.items()}, rng), state)
        rows = len(next(iter(state.values())))
        moved = [self._one({k: v[n].copy() for k, v in state.items()}, rng) for n in range(rows)]
        return {k: np.stack([m[k] for m in moved]) for k in state} if moved else state

    def _one(self, state: State, rng: np.random.Generator) -> State:
        return _checked(self.step(dict(state), rng), state)


def stepper(step: Step | Stepper, *, batched: bool = False, coupled: bool = False) -> Stepper:
    """Return a plain function as a kernel; a ``Stepper`` is returned as it is.

    Args:
        step: ``step(state, rng) -> state``.
        batched, coupled: see ``Stepper``.

    Raises:
        RecipeError: if ``step`` cannot be called.
    """
    if isinstance(step, Stepper):
        return step
    if not callable(step):
        raise RecipeError(
            f"{step!r} is no kernel: give a function step(state, rng) that returns the state after"
            " one step"
        )
    return Stepper(step, batched, coupled)


def _checked(found: Any, before: Mapping[str, Array]) -> State:
    """Return what a kernel returned as a state, after checking its blocks, numbers and shapes."""
    if not isinstance(found, Mapping):
        raise RecipeError(
            f"the kernel returned {type(found).__name__}: return a dict with the blocks"
            f" {', '.join(before)}"
        )
    if set(found) != set(before):
        raise RecipeError(
            f"the kernel returned the blocks {', '.join(map(str, found))}, and the state has"
            f" {', '.join(before)}: return the same blocks"
        )
    state = {}
    for name, old in before.items():
        try:
            if np.iscomplexobj(found[name]) or np.ma.is_masked(found[name]):
                raise TypeError
            state[name] = np.array(found[name], dtype=float)
        except (TypeError, ValueError):
            raise RecipeError(
                f"the kernel returned a {name} that is no array of real numbers; return float64"
            ) from None
        if state[name].shape != old.shape:
            raise RecipeError(
                f"the kernel returned {name} of shape {state[name].shape}, and it was {old.shape}"
                " before the step"
            )
    return state
