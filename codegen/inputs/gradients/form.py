"""The two forms of a gradient of one's own: it returns its result, or writes it into further
arguments, as Numba wants it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher

from recipe.language.blocks import Block
from recipe.language.errors import RecipeError

MAX_ARGUMENTS = 20  # that a gradient is tried with, to say what it takes


def is_for_python(function: Any, arguments: int) -> bool:
    """Return True where a gradient returns its result, and False where it is for Numba and writes
    into further arguments.

    Args:
        function: the gradient of the user.
        arguments: how many arguments a gradient that returns its result takes.
    """
    if isinstance(function, Dispatcher) or not isinstance(function, FunctionType):
        return not isinstance(function, Dispatcher)
    return _takes(inspect.signature(function), arguments)


def require_form(function: Any, blocks: Sequence[Block], data: Sequence[str]) -> None:
    """Refuse a function that can be called in neither form.

    Args:
        function: the gradient of the user.
        blocks: the blocks that it is a gradient by.
        data: the names of its further arguments, the rows and the arrays; none without data.

    Raises:
        RecipeError: with both calls.
    """
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):  # a function of C does not say what it takes
        return
    names = [b.name for b in blocks]
    results = [f"g_{name}" for name in names]
    returns = [*names, *data]
    writes = [*returns, *results] if data else [*results, *names]
    numba = isinstance(function, FunctionType | Dispatcher)
    if any(_takes(signature, len(form)) for form in (returns, *([writes] if numba else []))):
        return
    more = ""
    if not data and any(_takes(signature, n) for n in range(len(names) + 1, MAX_ARGUMENTS)):
        more = '; the sampler of several blocks is spread(sampler, "U", (mu, eta))'
    raise RecipeError(
        f"the gradient of your own can be called neither as f({', '.join(returns)}), which returns"
        f" it, nor as f({', '.join(writes)}), which writes it (for Numba){more}"
    )


def _takes(signature: inspect.Signature, arguments: int) -> bool:
    try:
        signature.bind(*[None] * arguments)
    except TypeError:
        return False
    return True
