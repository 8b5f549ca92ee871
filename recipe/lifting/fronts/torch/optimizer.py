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
from recipe.lifting.tree.place import refuse

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
    for name, value in kept.items():
        if type(value) is int and name not in entries:
            kept[name] = Count(value)
    before = _counts(optimizer, parameter, entries)
    parameter.grad = slope.clone()
    optimizer.step()
    _require_constant(cls, before, _counts(optimizer, parameter, entries))
    return (parameter, *(optimizer.state[parameter][name] for name in entries))


class Count(int):
    """A count of steps, which code may raise; a rule that depends on it is refused."""

    def __add__(self, other: Any) -> Count:
        return Count(int.__add__(self, other))

    __radd__ = __add__


def _used(*_: Any) -> Any:
    refuse(
        "the code uses a count of the steps that were made, so that its rule is another one in each"
        " step; give the count as an argument of a function of one step"
    )


for _name in (
    "lt", "le", "gt", "ge", "eq", "ne", "bool", "float", "index", "sub", "rsub", "mul", "rmul",
    "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow", "neg", "hash",
    "abs", "divmod", "rdivmod", "and", "or", "xor", "rshift", "lshift", "round", "str", "format",
):  # fmt: skip
    setattr(Count, f"__{_name}__", _used)


def _counts(optimizer: Any, parameter: Any, entries: list[str]) -> dict[str, str]:
    """The numbers that an optimizer keeps from step to step, but for those that are blocks."""
    kept = {n: v for n, v in optimizer.state[parameter].items() if n not in entries}
    groups = [{n: v for n, v in g.items() if n != PARAMETERS} for g in optimizer.param_groups]
    own = {n: v for n, v in vars(optimizer).items() if not n.startswith("_")}
    places = {"state": kept, "its own": own, **{f"group {k}": g for k, g in enumerate(groups)}}
    return {
        f"{name} ({where})" if where != "state" else name: shown
        for where, values in places.items()
        for name, value in values.items()
        if (shown := _shown_number(value)) is not None
    }


def _shown_number(value: Any) -> str | None:
    """A number as text, of a tensor that is traced what it is computed of; None for the rest."""
    if isinstance(value, bool | int | float) and not isinstance(value, Count):
        return repr(value)
    if getattr(value, "ndim", None) == 0:
        nodes = getattr(value, "nodes", None)
        return repr(float(value)) if nodes is None else str(id(nodes[()]))
    return None


def _require_constant(cls: Any, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Require that no number changes from step to step that is no block."""
    name = next((n for n, v in after.items() if before.get(n, v) != v), None)
    if name is not None:
        refuse(
            f"{cls.__name__} changes the number {name} in each step, such as a count of steps, so"
            " that its rule is another one in each step or may become one; a function of one step"
            " with this number as an argument can be read",
        )


def _require_named(cls: Any, entries: list[str], kept: Mapping[str, Any]) -> None:
    """Require a block for each tensor of the state that changes."""
    for name, value in kept.items():
        if name not in entries and getattr(value, "ndim", 0) > 0:
            raise RecipeError(
                f"the state of {cls.__name__} has the tensor {name}; say in state= which block it"
                " is"
            )
