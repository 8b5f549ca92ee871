"""Gradients that the user programs: of a potential without data, or in the place of the derived
gradient of a posterior.

A gradient of a posterior is called as ``f(*blocks, rows, *data, *results)``, a gradient without
data as ``f(*results, *blocks)``; it writes into the results, one array a block.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from codegen.check_arguments import short_text
from codegen.generate import Module
from codegen.inputs.compiled_posterior import Density
from codegen.inputs.posterior_data import bad_rows
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError

MAX_CHECKED_ROWS = 50
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
        U: _compiled(U, {**posteriors, **given}.get(U))
        for U in module.plan.potentials
        if U in posteriors or U in needed
    }


def gradient_argument(module: Module, users: Mapping[Potential, Any]) -> Any:
    """Return the argument ``gradient`` of ``run``: an empty tuple, one function, or a tuple of a
    function for each potential.
    """
    if not users:
        return ()
    if len(module.plan.potentials) == 1:
        return next(iter(users.values()))
    return tuple(users.get(U, _no_gradient) for U in module.plan.potentials)


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


def _compiled(U: Potential, function: Callable[..., None] | None) -> Any:
    if function is None:
        blocks = ", ".join(b.name for b in U.blocks)
        results = ", ".join(f"g_{b.name}" for b in U.blocks)
        raise RecipeError(
            f"{U} has no gradient: bind it, bind(recipe, {{{U}: Posterior(...) or an expression}}),"
            f" or give gradient=f with f({results}, {blocks})"
        )
    if not isinstance(function, FunctionType | Dispatcher):
        raise RecipeError(
            f"gradient={short_text(function)} is not a function; give one that Numba can compile"
        )
    return function if isinstance(function, Dispatcher) else njit(error_model="numpy")(function)


def source_text(function: Any) -> str:
    """Return the text of a function, of the functions that it calls, and of the values of its
    globals. Two functions with equal texts compute the same, as far as this can be seen.
    """
    texts: dict[Any, str] = {}
    _collect_sources(function, texts)
    return "\n".join(texts.values())


def _collect_sources(function: Any, texts: dict[Any, str]) -> None:
    plain = getattr(function, "py_func", function)
    if id(plain) in texts or not isinstance(plain, FunctionType):
        return
    try:
        texts[id(plain)] = inspect.getsource(plain)
    except (OSError, TypeError):  # typed at a prompt, so that only its bytecode is known
        texts[id(plain)] = repr(plain.__code__.co_code) + repr(plain.__code__.co_consts)
    outside = inspect.getclosurevars(plain)
    for name, value in sorted({**outside.globals, **outside.nonlocals}.items()):
        if isinstance(value, np.ndarray):
            texts[id(plain), name] = (
                f"{name} = {value.dtype} {value.shape}"
                f" {hashlib.sha256(value.tobytes()).hexdigest()}"
            )
        elif isinstance(value, int | float | complex | str | tuple):
            texts[id(plain), name] = f"{name} = {value!r}"
        else:
            _collect_sources(value, texts)


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
        raise RecipeError(
            f"the gradient of your own fails: {type(error).__name__}: {error}"
        ) from None
    if not all(np.array_equal(a, b) for a, b in zip([*blocks, rows], before, strict=True)):
        raise RecipeError(
            "the gradient of your own changes its arguments; it may write into its last ones only,"
            " the results"
        )
    finite = all(np.all(np.isfinite(g)) for g in results)
    bad = [] if finite else bad_rows([posterior])
    if bad:
        raise RecipeError(
            f"the gradient of your own is not finite: {'; '.join(bad)}; correct it, or leave the"
            " row out"
        )
    if not finite:
        raise RecipeError(
            "the gradient of your own does not write a finite number into every coordinate of its"
            " results; they are not zero when it is called, so set them before you add to them"
        )
    return results


def check_user_gradient(
    posterior: Posterior,
    function: Any,
    arrays: Sequence[np.ndarray],
    density: Density | None,
    at: Sequence[np.ndarray],
) -> None:
    """Call a user's gradient at one point, and compare it with the derived one if there is one.

    Args:
        posterior: the posterior of which it is the gradient.
        function: the compiled function.
        arrays: the data, in the order in which the posterior declares them.
        density: the compiled posterior with the derived gradient; None without a log likelihood.
        at: the point, one array a block of the posterior.

    Raises:
        RecipeError: where the function cannot be used, or the two gradients differ; with the
            coordinate and both values.
    """
    count = arrays[0].shape[0] if arrays else 1
    size = min(MAX_CHECKED_ROWS, max(1, count // 2))  # of all rows a missing N/n would not be seen
    rows = np.unique(np.linspace(0, count - 1, size).astype(np.int64))
    found = call_user_gradient(posterior, function, at, rows, arrays)
    if density is None:
        return
    derived = density.slopes(at, rows)
    scale = max(float(np.max(np.abs(g))) for g in derived)
    for block, ours, theirs in zip(posterior.blocks, derived, found, strict=True):
        worst = int(np.argmax(np.abs(ours - theirs)))
        if not abs(ours[worst] - theirs[worst]) <= RELATIVE_TOLERANCE * scale + ABSOLUTE_TOLERANCE:
            raise RecipeError(
                f"the gradient of your own by {block}[{worst}] is {theirs[worst]:.6g} from"
                f" {rows.size} of the {count} rows, and the one derived from log_likelihood and"
                f" log_prior is {ours[worst]:.6g}; correct one of them"
            )


def reason_of_numba(error: NumbaError) -> str:
    """Return the first line of Numba's message that says more than where it failed."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in")), "unknown")
