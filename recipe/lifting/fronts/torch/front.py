"""Functions of PyTorch, on tensors that record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from recipe.lifting.claims.claim import Claim, Gradient
from recipe.lifting.claims.outputs import check_in_place, outputs_of
from recipe.lifting.fronts.numpy.stand_ins import stand_ins
from recipe.lifting.fronts.torch.functions import FUNCTIONS
from recipe.lifting.fronts.torch.made import MADE
from recipe.lifting.fronts.torch.slopes import autograd_grad, backward, functional
from recipe.lifting.fronts.torch.tensor import Recording, nodes_of, tensor
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.given import expressions_of, point_of, shape_of, slope_name, value
from recipe.lifting.tracing.nodes_of import leaf
from recipe.lifting.tracing.trace import Shapes, Trace
from recipe.lifting.tree.place import none_is_caught

TRANSFORMS = (
    (torch.autograd.grad, autograd_grad),
    *((getattr(torch.func, kind), functional(kind)) for kind in ("grad", "grad_and_value")),
)


class TorchFront:
    """Runs a function on ``TracedTensor``."""

    def trace(self, claim: Claim, shapes: Shapes) -> Trace:
        """Run the function once on tensors that record."""
        draws = Draws()
        letters = {**claim.state, **claim.letters}
        values: dict[str, Any] = {
            n: tensor(leaf(n, shape_of(e, shapes) or None)) for n, e in letters.items()
        }
        state = {n: values[n] for n in claim.state}
        before = {n: x.nodes.copy() for n, x in state.items()}
        for name, noise in claim.noise.items():
            values[name] = tensor(draws.draw(shape_of(noise, shapes), None, name))
        for name, gradient in claim.gradient.items():
            values[name] = _given(name, gradient, shapes)
        if claim.source is not None:
            values[claim.source] = None
        args, kwargs = claim.arguments(values)
        functions = {**FUNCTIONS, "backward": backward}
        recording = Recording(draws, functions, MADE)
        with _wide(), stand_ins(draws, TRANSFORMS), recording, none_is_caught():
            result = claim.function(*args, **kwargs)
        outputs = outputs_of(claim, result, state, _read)
        check_in_place(claim, before, state, outputs, result is None)
        return Trace(outputs, draws)

    def run(
        self, claim: Claim, values: Mapping[str, Any], gradients: Mapping[str, Any], seed: int
    ) -> Mapping[str, np.ndarray]:
        """Run the function once on numbers."""
        numbers: dict[str, Any] = {
            n: torch.tensor(x) if isinstance(x, np.ndarray) else _number(n, x, claim)
            for n, x in values.items()
        }
        state = {n: numbers[n] for n in claim.state}
        given = {n: _of_numbers(f, claim.gradient[n]) for n, f in gradients.items()}
        if claim.source is not None:
            numbers[claim.source] = None
        args, kwargs = claim.arguments({**numbers, **given})
        with _wide(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            result = claim.function(*args, **kwargs)
        return outputs_of(claim, result, state, _number_array)

    def drawn(self, draws: Draws, values: Mapping[str, Any], seed: int) -> np.ndarray:
        """Return the random numbers that ``run`` has drawn."""
        with _wide(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return draws.numbers(None, dict(values))


def _number(name: str, x: Any, claim: Claim) -> Any:
    """A number as the function had it: a block as a tensor, a parameter as a number."""
    return torch.tensor(float(x), dtype=torch.float64) if name in claim.state else x


def _number_array(x: Any) -> np.ndarray:
    if isinstance(x, torch.Tensor):
        return x.detach().cpu().numpy()
    return np.asarray(x, dtype=float)


@contextmanager
def _wide() -> Iterator[None]:
    """Floats of 64 bits, in which the numbers of the code are not rounded again."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _read(x: Any) -> Any:
    return nodes_of(x)


def _given(name: str, gradient: Gradient, shapes: Shapes) -> Callable[..., Any]:
    count = len(point_of(gradient))

    def function(*point: Any, **named: Any) -> Any:
        arrays = [nodes_of(x).copy() for x in (*point, *named.values())[:count]]
        found = tuple(tensor(x) for x in value(name, gradient, arrays, shapes))
        for x in found:
            x.leaves = [p for p in (*point, *named.values())[:count] if hasattr(p, "slope")]
        return found if isinstance(gradient, tuple) else found[0]

    return function


def _of_numbers(function: Callable[..., Any], gradient: Gradient) -> Callable[..., Any]:
    """A given function on tensors of numbers; the value of one that returns a number can be
    differentiated.
    """
    count = len(point_of(gradient))

    def called(*point: Any, **named: Any) -> Any:
        at = (*point, *named.values())[:count]
        if isinstance(gradient, tuple):
            return tuple(_part(function, f".{k}").apply(*at) for k in range(len(gradient)))
        slopes = [slope_name("", k) for k in range(count)]
        is_number = slope_name("given", 0) in expressions_of("given", gradient)
        return _part(function, "", slopes if is_number else []).apply(*at)

    return called


def _part(function: Callable[..., Any], name: str, slopes: list[str] | None = None) -> Any:
    """A function of numpy arrays as one that ``autograd`` and ``torch.func`` know."""

    class Part(torch.autograd.Function):
        @staticmethod
        def forward(*point: Any) -> Any:
            return torch.tensor(function(name, *map(_number_array, point)))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, factor: Any) -> Any:
            point = ctx.saved_tensors
            return tuple(factor * _part(function, s).apply(*point) for s in slopes or ())

    return Part
