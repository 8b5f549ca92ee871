"""Gradients that the user programs: of a potential without data, or in the place of the derived
gradient of a posterior.

A gradient of a posterior is called as ``f(*blocks, rows, *data, *results)``, a gradient without
data as ``f(*results, *blocks)``; it writes into the results, one array a block. A function that
takes no results, and returns them, is called by Python (``python_gradient``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from codegen.check_arguments import short_text
from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.gradients.calls import Calls, calling_python
from codegen.inputs.gradients.checks import require_estimate, require_gradient, require_prior_once
from codegen.inputs.gradients.first_calls import require_finite, require_same
from codegen.inputs.gradients.form import is_for_python, require_form
from codegen.inputs.gradients.python_gradient import PythonGradient, reason_of, shown
from codegen.inputs.posterior_data import bad_rows
from codegen.module import Module
from codegen.printing.estimator import Estimator
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

MAX_CHECKED_ROWS = 50
CHANGED = (
    "the gradient of your own changes its arguments; it may write into its {} ones only, which are"
    " the results"
)
NOT_WRITTEN = (
    "the gradient of your own does not write a finite number into every coordinate of its results;"
    " they are not zero when it is called, so set them before you add to them"
)
# Single precision passes, and a wrong sign or scale does not.
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-3, 1e-12


def user_gradients(module: Module, gradient: Any) -> dict[Potential, Any]:
    """Return the compiled gradient of the user for every potential that needs one.

    Args:
        module: the generated module.
        gradient: the argument ``gradient=``: a function, or functions by potential or its name.

    Returns:
        The functions by potential, in the order of the plan: from the posterior where the potential
        is bound to data, from ``gradient`` where it is not.

    Raises:
        RecipeError: where a function is missing, not needed, or not a Python function.
    """
    posteriors = {
        U: e.gradient.posterior.user_gradient
        for U, e in module.estimators.items()
        if e.gradient.derived is None
    }
    needed = [U for U in module.plan.potentials if U not in module.estimators]
    if gradient is not None and not needed:
        raise RecipeError(
            "gradient= is not needed: every potential of this recipe is bound; leave it out"
        )
    given = (
        {_potential(key, needed): f for key, f in gradient.items()}
        if isinstance(gradient, Mapping)
        else {}
    )
    if gradient is not None and not isinstance(gradient, Mapping):
        if len(needed) > 1:
            raise RecipeError(
                f"there are {len(needed)} potentials without data: give gradient={{{needed[0]}:"
                f" ..., {needed[1]}: ...}}"
            )
        given = {needed[0]: gradient}
    return {
        U: _callable(U, {**posteriors, **given}.get(U), module.estimators.get(U))
        for U in module.plan.potentials
        if U in posteriors or U in needed
    }


def gradient_argument(module: Module, users: Mapping[Potential, Any]) -> Any:
    """Return the argument ``gradient`` of ``run``: an empty tuple, one function, or a tuple of a
    function for each potential.
    """
    if not users:
        return ()
    found = tuple(
        calling_python(place) if isinstance(users.get(U), PythonGradient) else users.get(U)
        for place, U in enumerate(module.plan.potentials)
    )
    return found[0] if len(found) == 1 else tuple(f or _no_gradient for f in found)


def python_calls(module: Module, users: Mapping[Potential, Any]) -> Calls:
    """Return the calls of Python that a run of the module makes."""
    places = enumerate(module.plan.potentials)
    return Calls({n: users[U] for n, U in places if isinstance(users.get(U), PythonGradient)})


@njit
def _no_gradient() -> None:
    """Do nothing: the entry of a potential whose gradient the module contains."""


def _potential(key: Any, needed: list[Potential]) -> Potential:
    for U in needed:
        if key in (U, U.name):
            return U
    raise RecipeError(
        f"gradient= names {key}, which is no potential without data; {did_you_mean(key, needed)}the"
        f" potentials without data are {', '.join(map(str, needed))}"
    )


def _callable(U: Potential, function: Any, estimator: Estimator | None) -> Any:
    """Return a gradient as a function of Numba, or as one that Python calls."""
    if function is None:
        named = ", ".join(b.name for b in U.blocks)
        raise RecipeError(
            f"{U} has no gradient: give its posterior or expression, sample(recipe, posterior), or"
            f" gradient=f with f({named}), which returns it"
        )
    if not callable(function):
        raise RecipeError(f"gradient={short_text(function)} is not a function; give one")
    blocks = U.blocks if estimator is None else estimator.gradient.posterior.blocks
    data = () if estimator is None else ("rows", *map(name_of, estimator.gradient.fields))
    require_form(function, blocks, data)
    if is_for_python(function, len(blocks) + len(data)):
        return PythonGradient(function, blocks, results_first=estimator is None)
    return function if isinstance(function, Dispatcher) else njit(error_model="numpy")(function)


def call_user_gradient(
    posterior: Posterior,
    function: Any,
    blocks: Sequence[np.ndarray],
    rows: np.ndarray,
    data: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """Return the gradient that a user's function computes from some rows, one array a block.

    Args:
        posterior: the posterior of which it is the gradient.
        function: the compiled function.
        blocks: the values of the blocks, arrays of the shape (length,).
        rows: the numbers of the rows.
        data: the data, in the order in which the posterior declares them.

    Raises:
        RecipeError: where it cannot be compiled or called, leaves a result unwritten, or changes
            its arguments.
    """
    results = [np.full(b.size, np.nan) for b in blocks]
    before = [*(b.copy() for b in blocks), rows.copy()]
    try:
        function(*blocks, rows, *data, *results)
    except NumbaError as error:
        raise RecipeError(
            f"Numba cannot compile the gradient of your own: {reason_of_numba(error)}"
        ) from None
    except Exception as error:  # the function is the user's program, and may raise anything
        raise RecipeError(reason_of(error)) from None
    if not all(np.array_equal(a, b) for a, b in zip([*blocks, rows], before, strict=True)):
        raise RecipeError(CHANGED.format("last"))
    finite = all(np.all(np.isfinite(g)) for g in results)
    bad = [] if finite else bad_rows([posterior])
    if bad:
        raise RecipeError(
            f"the gradient of your own is not finite: {'; '.join(bad)}; correct it, or leave the"
            " row out"
        )
    if isinstance(function, PythonGradient):
        points = zip(posterior.blocks, blocks, strict=True)
        require_finite(
            posterior.blocks, results, ", ".join(f"{b} = {shown(b, p)}" for b, p in points)
        )
    if not finite:
        raise RecipeError(NOT_WRITTEN)
    return results


def check_user_gradient(
    posterior: Posterior,
    function: Any,
    data: Sequence[np.ndarray],
    density: Density | None,
    at: Sequence[np.ndarray],
    minibatches: bool,
) -> None:
    """Call a user's gradient at one point, and compare it with the derived one if there is one;
    else see that it is a gradient, and of minibatches an unbiased one.

    Args:
        posterior: the posterior of which it is the gradient.
        function: the compiled function.
        data: the data, in the order in which the posterior declares them.
        density: the compiled posterior with the derived gradient; None without a log likelihood.
        at: the point, one array a block of the posterior.
        minibatches: whether the run takes some of the rows in a step.

    Raises:
        RecipeError: where the function cannot be used, or the two gradients differ; with the
            coordinate and both values.
    """
    count = data[0].shape[0] if data else 1
    size = min(MAX_CHECKED_ROWS, max(1, count // 2))  # of all rows a missing N/n would not be seen
    rows = np.unique(np.linspace(0, count - 1, size).astype(np.int64))
    found = call_user_gradient(posterior, function, at, rows, data)
    if isinstance(function, PythonGradient):
        require_same(found, call_user_gradient(posterior, function, at, rows, data))
        function.remember([*(a.copy() for a in at), rows, *data], found)
    if density is None:

        def slope(
            arrays: Sequence[np.ndarray], some: np.ndarray = rows, needed: bool = False
        ) -> list[np.ndarray]:
            try:
                return call_user_gradient(posterior, function, arrays, some, data)
            except RecipeError:
                if needed:
                    raise
                return [np.full(a.size, np.nan) for a in arrays]

        coarse = isinstance(function, PythonGradient) and function.few_digits
        if minibatches and not coarse:
            require_estimate(lambda some: slope(at, some, True), rows)
        require_gradient(slope, posterior.blocks, at)
        return
    derived = density.slopes(at, rows)
    gaps = [theirs - ours for theirs, ours in zip(found, derived, strict=True)]
    require_prior_once(gaps, density.prior_slopes(at), derived)
    scale = max(float(np.max(np.abs(g))) for g in derived)
    for block, ours, theirs in zip(posterior.blocks, derived, found, strict=True):
        worst = int(np.argmax(np.abs(ours - theirs)))
        if not abs(ours[worst] - theirs[worst]) <= RELATIVE_TOLERANCE * scale + ABSOLUTE_TOLERANCE:
            raise RecipeError(
                f"the gradient of your own by {block}[{worst}] is {theirs[worst]:.6g} from"
                f" {rows.size} of the {count} rows, and the one derived from log_likelihood and"
                f" log_prior is {ours[worst]:.6g}; correct one of them"
            )


def check_numba_gradient(function: Any, blocks: Sequence[Block], at: Sequence[np.ndarray]) -> None:
    """Call the gradient of a potential without data that Numba compiles, ``f(*results, *blocks)``,
    at one point, and see that it is a gradient.

    Args:
        function: the compiled function.
        blocks: the blocks of the potential.
        at: the point, one array a block.

    Raises:
        RecipeError: where it fails, leaves a result unwritten, changes its arguments, or is the
            gradient of nothing.
    """
    given, first = [a.copy() for a in at], [np.full(a.size, np.nan) for a in at]
    try:
        function(*first, *given)
    except NumbaError:  # the module that calls it says so, with the same reason
        return
    except Exception as error:  # the function is the user's program, and may raise anything
        raise RecipeError(reason_of(error)) from None
    if not all(np.array_equal(a, b) for a, b in zip(given, at, strict=True)):
        raise RecipeError(CHANGED.format("first"))
    if not all(np.isfinite(g).all() for g in first):
        raise RecipeError(NOT_WRITTEN)

    def slope(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = [np.full(a.size, np.nan) for a in arrays]
        try:
            function(*results, *arrays)
        except Exception:  # beside the first state it need not be defined
            return [np.full(a.size, np.nan) for a in arrays]
        return results

    require_gradient(slope, blocks, at)


def reason_of_numba(error: NumbaError) -> str:
    """Return the first line of Numba's message that says more than where it failed."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in")), "unknown")
