"""The calls from the compiled loop of a run back into Python.

``calling_python`` stands between the loop and a gradient of the user: it is one function of Numba
for all gradients, so that no module is compiled again for another gradient. It finds the gradient
of its run by the thread, which ``Calls`` has told before it entered the loop.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit, objmode

from codegen.inputs.gradients.python_gradient import PythonGradient, reason_of, shown
from codegen.inputs.gradients.thread_safe import is_thread_safe
from recipe.language.blocks import Block, Scalar
from recipe.language.errors import RecipeError

_run = threading.local()  # the calls of the run that this thread moves a chain of


@dataclass(frozen=True)
class Calls:
    """The gradients that Python computes in a run, and what went wrong in them.

    Attributes:
        gradients: the gradients by their place among the potentials of the module.
        faults: by chain, why its gradient failed first.
    """

    gradients: Mapping[int, PythonGradient] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)

    @contextmanager
    def of_chain(self, chain: int) -> Iterator[None]:
        """Make the calls of this thread those of a chain."""
        _run.calls, _run.chain = self, chain
        try:
            yield
        finally:
            del _run.calls, _run.chain

    @property
    def need_one_thread(self) -> bool:
        """Whether a gradient may not be called from two threads at once."""
        return not all(is_thread_safe(g.function) for g in self.gradients.values())

    def require_no_fault(self) -> None:
        """Raise RecipeError where a gradient has failed."""
        for fault in self.faults.values():
            raise RecipeError(fault)

    def call(self, chain: int, place: int, arrays: tuple[np.ndarray, ...]) -> None:
        """Call a gradient. Where it fails, its results become NaN, which stops the chain, and the
        reason is noted: an exception would lose the draws of all chains.
        """
        gradient = self.gradients[place]
        count = len(gradient.blocks)
        results = arrays[:count] if gradient.results_first else arrays[-count:]
        try:
            gradient(*arrays)
        except Exception as error:  # the function is the user's program, and may raise anything
            self.faults.setdefault(chain, reason_of(error))
            for result in results:
                result[:] = np.nan
            return
        if not all(np.isfinite(result).all() for result in results):
            points = arrays[count:] if gradient.results_first else arrays
            reason = _why_not_finite(gradient.blocks, points, results)
            if reason is not None:
                self.faults.setdefault(chain, reason)


def _why_not_finite(
    blocks: Sequence[Block], points: Sequence[np.ndarray], results: Sequence[np.ndarray]
) -> str | None:
    """Return that a gradient is not finite where the state is; None where the state is not."""
    states = points[: len(blocks)]
    if not all(np.isfinite(point).all() for point in states):
        return None
    for block, result in zip(blocks, results, strict=True):
        for place in np.flatnonzero(~np.isfinite(result))[:1]:
            of = block if isinstance(block, Scalar) else f"{block}[{place}]"
            at = ", ".join(f"{b} = {shown(b, p)}" for b, p in zip(blocks, states, strict=True))
            return (
                f"the gradient of your own returned {result[place]} by {of} at the finite {at};"
                " correct it there, or take a smaller step size where this is too far out"
            )
    return None


def _called(place: int, arrays: tuple[np.ndarray, ...]) -> None:
    _run.calls.call(_run.chain, place, arrays)


@lru_cache
def calling_python(place: int) -> Any:
    """Return the function of Numba that calls the gradient at this place of the current run."""

    @njit
    def call(*arrays):  # type: ignore[no-untyped-def]
        number = place
        with objmode():
            _called(number, arrays)

    return call
