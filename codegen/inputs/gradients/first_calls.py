"""The calls of a gradient in Python before a run, and what they must return."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from codegen.inputs.gradients.checks import require_gradient
from codegen.inputs.gradients.python_gradient import PythonGradient, reason_of
from recipe.language.blocks import Block, Scalar
from recipe.language.errors import RecipeError

FEW_ROWS = 50


def call_for_effect(
    gradient: PythonGradient, at: Sequence[np.ndarray], data: Sequence[np.ndarray]
) -> None:
    """Call a gradient once, on the first rows, for what it writes outside of its results.

    Args:
        gradient: the gradient.
        at: the point, one array a block.
        data: the data, in the order in which the posterior declares them.
    """
    results = [np.empty(a.size) for a in at]
    rows = np.arange(min(FEW_ROWS, data[0].shape[0] if data else 1))
    with suppress(Exception):  # the run says what fails, and where
        gradient(*results, *at) if gradient.results_first else gradient(*at, rows, *data, *results)


def check_python_gradient(gradient: PythonGradient, at: Sequence[np.ndarray]) -> None:
    """Call the gradient of a potential without data twice at one point.

    Args:
        gradient: the gradient.
        at: the point, one array a block.

    Raises:
        RecipeError: where it fails, returns another shape or numbers that are not finite, or does
            not return the same twice, so that no run could be repeated.
    """
    first, second = ([np.empty(a.size) for a in at] for _ in range(2))
    try:
        gradient(*first, *at)
        gradient(*second, *at)
    except Exception as error:  # as in ``Calls.call``
        raise RecipeError(reason_of(error)) from None
    require_finite(gradient.blocks, first)
    require_same(first, second)
    gradient.remember([a.copy() for a in at], first)

    def slope(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = [np.empty(a.size) for a in arrays]
        try:
            gradient(*results, *arrays)
        except Exception:  # beside the first state it need not be defined
            return [np.full(a.size, np.nan) for a in arrays]
        return results

    require_gradient(slope, gradient.blocks, at)


def require_finite(
    blocks: Sequence[Block],
    found: Sequence[np.ndarray],
    where: str = "the first state of chain 0",
) -> None:
    """Raise RecipeError where a gradient that was found somewhere is not finite."""
    for block, numbers in zip(blocks, found, strict=True):
        for place in np.flatnonzero(~np.isfinite(numbers))[:1]:
            of = block if isinstance(block, Scalar) else f"{block}[{place}]"
            raise RecipeError(
                f"the gradient of your own by {of} is {numbers[place]} at {where}; correct it, or"
                " give another initial="
            )


def require_same(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> None:
    """Raise RecipeError where two calls of a gradient at one point gave different numbers."""
    if not all(np.array_equal(a, b) for a, b in zip(first, second, strict=True)):
        raise RecipeError(
            "the gradient of your own gives two results at one point, so that no run could be"
            " repeated; fix its random numbers, or take minibatches by Posterior(..., gradient=)"
            " with batch_size=; on a GPU, ask the library for deterministic sums"
        )
