"""Which gradients in Python may run in several threads at once: most may not.

A module of PyTorch, and any object that keeps something from one line to the next, has one state
for all threads: two chains that call it at the same time read each other's numbers, or free each
other's memory. So one thread moves all chains of a run whose gradient Python computes. Excepted are
functions that ``jax.jit`` returned, which have no state, and those of which the user says it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from codegen.check_arguments import short_text
from recipe.language.errors import RecipeError

COMPILED_BY_JAX = "PjitFunction"  # the class of what ``jax.jit`` returns


class ThreadSafe:
    """A function that may be called from several threads at once, as its author says."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)  # copies attributes, so that ours come last
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments)


def thread_safe(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a gradient of your own may be called from several threads at once.

    By default one thread moves all chains of a run with a gradient in Python. This is worth its
    name only for functions that let go of Python's lock, such as those around a compiled function
    of JAX; what ``jax.jit`` returns needs no such word. A function that keeps anything between two
    of its lines outside of its local variables (``self.theta = theta``, the parameters of a
    ``torch.nn.Module``) must not be called so: its draws would be wrong, or the process would end.

    Args:
        function: the gradient; also as a decorator.

    Returns:
        The same function, marked.

    Raises:
        RecipeError: where it is no function.

    Example:
        >>> from codegen import thread_safe
        >>> @thread_safe
        ... def gradient(theta):
        ...     return 2 * theta
    """
    if not callable(function):
        raise RecipeError(f"thread_safe({short_text(function)}): give a function")
    return ThreadSafe(function)


def is_thread_safe(function: Any) -> bool:
    """Return True where a gradient may be called from several threads at once."""
    if isinstance(function, functools.partial):
        return is_thread_safe(function.func)
    kind = type(function)
    by_jax = kind.__name__ == COMPILED_BY_JAX and kind.__module__.partition(".")[0] == "jaxlib"
    return isinstance(function, ThreadSafe) or by_jax
