"""An optimizer of PyTorch as a function of one step.

Most samplers in the wild are a ``torch.optim.Optimizer``: ``step()`` changes the parameters in
place, by their ``grad`` and by what ``state`` keeps of each of them. One call before makes that
state.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from recipe.language.errors import RecipeError
from recipe.language.text import listed

PARAMETERS, GRADIENT = "params", "grad"


def is_optimizer(function: Any) -> bool:
    """Whether something is a class of optimizers of PyTorch; PyTorch need not be installed."""
    return inspect.isclass(function) and any(
        c.__name__ == "Optimizer" and c.__module__.startswith("torch.optim")
        for c in function.__mro__
    )


def optimizer_claim(
    cls: Any, state: Mapping[str, Any], arguments: Mapping[str, Any], gradient: Mapping[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the function of one step of an optimizer, and its arguments.

    Args:
        cls: the class.
        state: the block of ``params``, and of each entry of the optimizer's state by its name.
        arguments: the arguments of the class.
        gradient: ``{"params": e}``, the gradient that ``p.grad`` is.

    Raises:
        RecipeError: where ``params`` is missing among them.
    """
    if PARAMETERS not in state or set(gradient) != {PARAMETERS}:
        raise RecipeError(
            f"{cls.__name__} is an optimizer: say state={{'params': theta, ...}} with the entries"
            " of its state by their names, and gradient={'params': grad(U, theta)}"
        )
    entries = [n for n in state if n != PARAMETERS]

    def step(**values: Any) -> Any:
        return _step(cls, entries, values)

    names = [*state, GRADIENT, *arguments]
    step.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
    )
    step.__qualname__ = step.__name__ = f"{cls.__name__}.step"
    inner = inspect.unwrap(getattr(cls.step, "__wrapped__", cls.step))
    step.shown_at = getattr(inner, "__code__", None)  # type: ignore[attr-defined]
    return step, {**arguments, GRADIENT: gradient[PARAMETERS]}


def _step(cls: Any, entries: list[str], values: dict[str, Any]) -> Any:
    parameter, slope = values[PARAMETERS], values[GRADIENT]
    others = {n: v for n, v in values.items() if n not in (PARAMETERS, GRADIENT, *entries)}
    optimizer = cls([parameter], **others)
    start = parameter.detach().clone()
    parameter.grad = slope.clone()
    optimizer.step()  # it makes the state
    parameter.data.copy_(start)
    kept = optimizer.state[parameter]
    for name in entries:
        if name not in kept:
            raise RecipeError(
                f"the state of {cls.__name__} has no entry {name}; it has {listed(kept) or 'none'}"
            )
        kept[name] = values[name].clone()
    _require_named(cls, entries, kept)
    parameter.grad = slope.clone()
    optimizer.step()
    return (parameter, *(optimizer.state[parameter][name] for name in entries))


def _require_named(cls: Any, entries: list[str], kept: Mapping[str, Any]) -> None:
    """Require a block for each tensor of the state that changes."""
    for name, value in kept.items():
        if name not in entries and getattr(value, "ndim", 0) > 0:
            raise RecipeError(
                f"the state of {cls.__name__} has the tensor {name}; say in state= which block it"
                " is"
            )
