"""Tensors that code makes while it is traced: of numbers, and of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from recipe.lifting.fronts.torch.functions import assigned, shape_of_sizes
from recipe.lifting.fronts.torch.tensor import nodes_of, tensor
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.nodes_of import apply, constants
from recipe.lifting.tree.place import refuse


def _sizes(size: Any, named: Any) -> tuple[int, ...]:
    found = named.get("size", size)
    return tuple(
        int(n) for n in shape_of_sizes(tuple(found) if not isinstance(found, int) else (found,))
    )


def _normal_numbers(draws: Draws, shape: tuple[int, ...]) -> Any:
    return draws.draw(shape, lambda _: torch.randn(shape, dtype=torch.float64).numpy())


def _kept_as_numbers(kind: Any) -> bool:
    return kind is not None and not kind.is_floating_point


def _full_of(value: Any) -> Callable[..., Any]:
    def function(draws: Draws, *size: Any, **named: Any) -> Any:
        shape = _sizes(size, named)
        if _kept_as_numbers(named.get("dtype")):
            return torch.full(shape, value, dtype=named["dtype"])
        return tensor(np.full(shape, constants(value)[()]))

    return function


def _full_like(value: Any) -> Callable[..., Any]:
    def function(draws: Draws, x: Any, *_: Any, **named: Any) -> Any:
        if _kept_as_numbers(named.get("dtype")):
            return torch.full(tuple(x.shape), value, dtype=named["dtype"])
        return tensor(np.full(tuple(x.shape), constants(value)[()]))

    return function


def _full(draws: Draws, size: Any, fill_value: Any, **named: Any) -> Any:
    return tensor(np.full(tuple(size), nodes_of(fill_value)[()]))


def _tensor_of(draws: Draws, data: Any, **named: Any) -> Any:
    if _kept_as_numbers(named.get("dtype")) or isinstance(data, bool):
        return torch.tensor(data, **named)
    if isinstance(data, list | tuple):
        if not data:
            return torch.tensor(data, **named)
        return tensor(np.stack([nodes_of(x) for x in data]))
    return tensor(nodes_of(data).copy())


def _normal(draws: Draws, mean: Any = 0.0, std: Any = 1.0, size: Any = None, **_: Any) -> Any:
    shape = (
        tuple(size)
        if size is not None
        else np.broadcast_shapes(nodes_of(mean).shape, nodes_of(std).shape)
    )
    return tensor(_scaled(_normal_numbers(draws, shape), mean, std))


def _scaled(numbers: Any, mean: Any, std: Any) -> Any:
    return apply("add", nodes_of(mean), apply("mul", nodes_of(std), numbers))


def _normal_in_place(draws: Draws, x: Any, mean: Any = 0.0, std: Any = 1.0, **_: Any) -> Any:
    numbers = _scaled(_normal_numbers(draws, tuple(x.shape)), mean, std)
    return assigned(x, numbers)


def _randn(draws: Draws, *size: Any, **named: Any) -> Any:
    return tensor(_normal_numbers(draws, _sizes(size, named)))


def _randn_like(draws: Draws, x: Any, **_: Any) -> Any:
    return tensor(_normal_numbers(draws, tuple(x.shape)))


def _not_normal(name: str) -> Callable[..., Any]:
    def function(*_: Any, **__: Any) -> Any:
        refuse(
            f"{name}(...) draws no normal numbers; noise of a rule is normal, and a minibatch"
            " belongs into the gradient that is given"
        )

    return function


MADE: dict[str, Callable[..., Any]] = {
    "randn": _randn, "randn_like": _randn_like, "normal": _normal, "normal_": _normal_in_place,
    "zeros": _full_of(0.0), "ones": _full_of(1.0), "empty": _full_of(0.0),
    "zeros_like": _full_like(0.0), "ones_like": _full_like(1.0), "empty_like": _full_like(0.0),
    "full": _full, "full_like": lambda draws, x, value, **_: _full(draws, tuple(x.shape), value),
    "new_zeros": lambda draws, x, *s, **k: _full_of(0.0)(draws, *s, **k),
    "new_ones": lambda draws, x, *s, **k: _full_of(1.0)(draws, *s, **k),
    "new_empty": lambda draws, x, *s, **k: _full_of(0.0)(draws, *s, **k),
    "new_tensor": lambda draws, x, data, **k: _tensor_of(draws, data, **k),
    "new": lambda draws, x, *s: _full_of(0.0)(draws, *(s or (0,))),
    "tensor": _tensor_of, "as_tensor": _tensor_of,
    **{n: _not_normal(n) for n in ("rand", "rand_like", "randint", "randperm", "bernoulli",
        "multinomial", "uniform_", "exponential_", "cauchy_", "log_normal_", "poisson",
        "randint_like", "bernoulli_", "geometric_", "random_")},
}  # fmt: skip
