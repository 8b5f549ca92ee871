"""Functions of numpy and plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from recipe.lifting.claims.claim import Claim, Gradient
from recipe.lifting.claims.outputs import check_in_place, outputs_of
from recipe.lifting.fronts.numpy.stand_ins import Generator, Numbers, Source, stand_ins
from recipe.lifting.fronts.numpy.traced import Traced, nodes_of
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.given import point_of, shape_of, value
from recipe.lifting.tracing.nodes_of import leaf
from recipe.lifting.tracing.trace import Shapes, Trace
from recipe.lifting.tree.place import none_is_caught


class NumpyFront:
    """Runs a function on ``Traced`` arrays."""

    def trace(self, claim: Claim, shapes: Shapes) -> Trace:
        """Run the function once on arrays that record."""
        draws = Draws()
        letters = {**claim.state, **claim.letters}
        values: dict[str, Any] = {n: _argument(n, e, shapes) for n, e in letters.items()}
        state = {n: values[n] for n in claim.state}
        before = {n: x.nodes.copy() for n, x in state.items()}
        for name, noise in claim.noise.items():
            values[name] = Traced(draws.draw(shape_of(noise, shapes), None, name))
        if claim.source is not None:
            values[claim.source] = Source(draws, "generator")
        for name, gradient in claim.gradient.items():
            values[name] = _given(name, gradient, shapes)
        args, kwargs = claim.arguments(values)
        with stand_ins(draws), none_is_caught():
            result = claim.function(*args, **kwargs)
        outputs = outputs_of(claim, result, state, nodes_of)
        check_in_place(claim, before, state, outputs, result is None)
        return Trace(outputs, draws)

    def run(
        self, claim: Claim, values: Mapping[str, Any], gradients: Mapping[str, Any], seed: int
    ) -> Mapping[str, np.ndarray]:
        """Run the function once on numbers."""
        given = {n: _of_numbers(f, claim.gradient[n]) for n, f in gradients.items()}
        numbers = {n: x.copy() if isinstance(x, np.ndarray) else x for n, x in values.items()}
        if claim.source is not None:
            numbers[claim.source] = Generator(np.random.PCG64(seed))
        args, kwargs = claim.arguments(numbers | given)
        kept = np.random.get_state(), random.getstate()
        try:
            np.random.seed(seed)
            random.seed(seed)
            result = claim.function(*args, **kwargs)
        finally:
            np.random.set_state(kept[0])
            random.setstate(kept[1])
        state = {n: numbers[n] for n in claim.state}
        return outputs_of(claim, result, state, lambda x: np.asarray(x, dtype=float))

    def drawn(self, draws: Draws, values: Mapping[str, Any], seed: int) -> np.ndarray:
        """Return the random numbers that ``run`` has drawn."""
        kept = random.getstate()
        try:
            random.seed(seed)
            return draws.numbers(Numbers(seed), dict(values))
        finally:
            random.setstate(kept)


def _argument(name: str, e: Any, shapes: Shapes) -> Traced:
    shape = shape_of(e, shapes)
    return Traced(leaf(name, shape or None))


def _given(name: str, gradient: Gradient, shapes: Shapes) -> Callable[..., Any]:
    count = len(point_of(gradient))

    def function(*point: Any, **named: Any) -> Any:
        arrays = [nodes_of(x) for x in (*point, *named.values())[:count]]
        found = tuple(Traced(x) for x in value(name, gradient, arrays, shapes))
        return found if isinstance(gradient, tuple) else found[0]

    function.__name__ = name if name.isidentifier() else "given"
    return function


def _of_numbers(function: Callable[..., Any], gradient: Gradient) -> Callable[..., Any]:
    count = len(point_of(gradient))

    def called(*point: Any, **named: Any) -> Any:
        at = (*point, *named.values())[:count]
        if isinstance(gradient, tuple):
            return tuple(function(f".{k}", *at) for k in range(len(gradient)))
        return function("", *at)

    return called
