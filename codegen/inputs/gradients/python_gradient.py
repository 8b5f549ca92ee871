"""Gradients that Python computes, with numpy, JAX, PyTorch or anything else: the compiled loop of a
run calls back into Python for them.

A function of the user is called as ``f(*blocks)`` for a potential without data, and as ``f(*blocks,
rows, *data)`` for a posterior; it returns an array a block. The compiled loop calls a gradient with
arrays for the results instead (``calls``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recipe.language.blocks import Block, Scalar
from recipe.language.errors import RecipeError

HALF_PRECISION = {"bfloat16": 2, "float16": 3}  # decimal digits
SAME_ANSWER = 1e-5  # of two answers at one point, relative: less is rounding
MAX_SHOWN = 8  # coordinates of a state in a message
MAX_REASON_CHARS = 200  # of the message of an exception


@dataclass(frozen=True)
class PythonGradient:
    """A gradient of the user that is called by Python.

    Attributes:
        function: the function of the user.
        blocks: the blocks that it takes, and by which it returns derivatives.
        types: the types of the numbers that it has returned, by name.
        results_first: whether the arrays for the results come before the blocks, as they do for a
            potential without data; otherwise they come last.
        asked: the arguments of a call before the run, and what it returned, for ``changed``.
    """

    function: Callable[..., Any]
    blocks: tuple[Block, ...]
    results_first: bool
    types: set[str] = field(default_factory=set, compare=False, repr=False)
    asked: list[tuple[Sequence[np.ndarray], Sequence[np.ndarray]]] = field(
        default_factory=list, compare=False, repr=False
    )

    def __call__(self, *arrays: np.ndarray) -> None:
        """Write the gradient into the arrays for the results, as a gradient for Numba does.

        The function gets copies of blocks and rows, which it may change or keep.

        Raises:
            RecipeError: where it returns no array of the right shape for each block.
            Exception: whatever the function raises.
        """
        count = len(self.blocks)
        split = count if self.results_first else len(arrays) - count
        results, given = (
            (arrays[:split], arrays[split:])
            if self.results_first
            else (arrays[split:], arrays[:split])
        )
        points = [
            float(a[0]) if isinstance(b, Scalar) else a.copy()
            for b, a in zip(self.blocks, given, strict=False)
        ]
        rows = [given[count].copy()] if len(given) > count else []
        found = self._parts(self.function(*points, *rows, *given[count + 1 :]))
        for block, result, part in zip(self.blocks, results, found, strict=True):
            result[:] = _derivatives(block, result.size, part)
            self.types.add(str(getattr(part, "dtype", "float64")).rpartition(".")[2])

    @property
    def few_digits(self) -> dict[str, int]:
        """The types with fewer digits than single precision that it has returned, with these."""
        return {name: digits for name, digits in HALF_PRECISION.items() if name in self.types}

    def remember(self, given: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> None:
        """Keep the arguments of a call before the run, the blocks first, and what it returned."""
        self.asked[:] = [(tuple(given), tuple(found))]

    def changed(self) -> str | None:
        """Return that it answers a call of before the run otherwise now, so that it depends on
        more than its arguments; None where it does not, or was not asked.
        """
        for given, before in self.asked:
            now = [np.full(b.size, np.nan) for b in before]
            try:
                self(*now, *given) if self.results_first else self(*given, *now)
                gap = max(float(np.max(np.abs(a - b))) for a, b in zip(before, now, strict=True))
                if gap <= SAME_ANSWER * max(float(np.max(np.abs(b))) for b in before):
                    continue
                answer = self._listed(now)
            except Exception as error:  # the function is the user's program
                answer = f"an error ({reason_of(error)})"
            point = ", ".join(
                f"{b} = {shown(b, a)}" for b, a in zip(self.blocks, given, strict=False)
            )
            return (
                "the gradient of your own is no function of its arguments: at"
                f" {point}, the first state of chain 0, it gave"
                f" {self._listed(before)} before the run, and gives {answer} after it, so that the"
                " draws are of no law that is known; let it depend on nothing but its arguments"
            )
        return None

    def _listed(self, arrays: Sequence[np.ndarray]) -> str:
        """Return arrays, one a block, as text."""
        return ", ".join(shown(b, a) for b, a in zip(self.blocks, arrays, strict=True))

    def _parts(self, found: Any) -> Sequence[Any]:
        """Return one part a block of what the function returned."""
        count = len(self.blocks)
        if found is None:
            raise RecipeError(
                "the gradient of your own returns nothing; return an array, or write into arguments"
                " for the results, one a block, as a gradient for Numba does"
            )
        if isinstance(found, tuple) and len(found) == count:
            return found
        if count == 1:
            return [found]
        if isinstance(found, list) and len(found) == count:
            return found
        names = ", ".join(b.name for b in self.blocks)
        raise RecipeError(
            f"the gradient of your own must return a tuple of {count} arrays, by {names}; it"
            f" returns {_described(found)}{_not_alone(found)}"
        )


def _not_alone(found: Any) -> str:
    """Return a clause about a value that stands beside its gradient, or a dict of gradients."""
    if isinstance(found, Mapping):
        return "; take them out of the dict, in this order"
    pair = isinstance(found, tuple) and len(found) == 2
    if pair and np.ndim(_plain_number(found[0])) == 0 and isinstance(found[1], tuple | list):
        return "; if that is the value and the gradient (value_and_grad), return the gradient alone"
    return ""


def _plain_number(part: Any) -> Any:
    try:
        return as_numpy(part)
    except Exception:  # whatever the library behind it says
        return [part]


def _derivatives(block: Block, size: int, part: Any) -> np.ndarray:
    """Return the derivatives by a block as floats, in the shape of the block."""
    try:
        array = as_numpy(part)
        numbers = array.astype(np.float64, copy=False) if array.dtype.kind != "c" else None
    except Exception:  # whatever the library behind it says
        numbers = None
    if numbers is None:
        raise RecipeError(
            f"the gradient of your own by {block} is no array of real numbers, but"
            f" {_described(part)}{_way_out(part)}"
        )
    if array.dtype.kind in "iub" and hasattr(part, "dtype"):  # a 0 of Python is a constant
        raise RecipeError(
            f"the gradient of your own by {block} consists of whole numbers ({array.dtype}), which"
            " a gradient is only where something was rounded; return floats"
        )
    if numbers.shape == (size,) or (isinstance(block, Scalar) and numbers.shape == ()):
        return numbers
    wanted = "a number" if isinstance(block, Scalar) else f"an array of the shape ({size},)"
    if numbers.shape == ():
        wanted += "; if that is the potential itself, give its gradient, such as jax.grad of it"
    elif numbers.size == size:
        wanted += f": {block} is a vector, so return .ravel() of it"
    raise RecipeError(
        f"the gradient of your own by {block} has the shape {numbers.shape}; return {wanted}"
    )


def _way_out(part: Any) -> str:
    """Return what to do where something was returned that is no array, as a clause."""
    if isinstance(part, Mapping):
        return (
            "; take the blocks out of the dict, or make them one vector: jax.flatten_util."
            "ravel_pytree(parameters) returns it, and the function that undoes it"
        )
    if isinstance(part, tuple) and len(part) == 2 and np.ndim(_plain_number(part[0])) == 0:
        return "; if that is the value and the gradient (value_and_grad), return the gradient alone"
    if isinstance(part, tuple | list) and part and all(np.ndim(_plain_number(p)) for p in part):
        return "; join its arrays: numpy.concatenate([p.ravel() for p in ...])"
    return "; convert it with numpy.asarray"


def as_numpy(part: Any) -> np.ndarray:
    """Return an array of another library as one of numpy, which is refused a tensor of PyTorch that
    has a graph or is on a GPU, and every array of CuPy.
    """
    try:
        return np.asarray(part)
    except (RuntimeError, TypeError):
        if hasattr(part, "detach"):
            return np.asarray(part.detach().cpu())
        return np.asarray(part.get())


def _described(found: Any) -> str:
    shape = getattr(found, "shape", None)
    size = f" of {len(found)}" if isinstance(found, tuple | list) else ""
    return f"{type(found).__name__}{size}" + (f" of the shape {tuple(shape)}" if shape else "")


def reason_of(error: Exception) -> str:
    """Return why a gradient of the user failed, on one line."""
    if isinstance(error, RecipeError):
        return str(error)
    said = " ".join(str(error).split())
    short = said if len(said) <= MAX_REASON_CHARS else f"{said[:MAX_REASON_CHARS]} ..."
    return f"the gradient of your own fails: {type(error).__name__}: {short}"


def shown(block: Block, point: np.ndarray) -> str:
    """Return the value of a block as text, of a long one its beginning."""
    numbers = ", ".join(f"{x:.6g}" for x in point[:MAX_SHOWN])
    more = f", ... ({point.size} numbers)" if point.size > MAX_SHOWN else ""
    return numbers if isinstance(block, Scalar) else f"[{numbers}{more}]"
