"""Gradients that are functions of the user's own: of a potential without data, or in the place of a posterior's derived one."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from codegen.density import Density
from codegen.generate import Module
from codegen.lengths import Lengths
from recipe.abstract import Potential
from recipe.errors import RecipeError
from recipe.posterior import Posterior
from recipe.symbols import Scalar, name_of

CHECKED_ROWS = 50
TOLERANCE = 1e-3  # a gradient in single precision passes, a wrong sign or scale does not


def own_gradients(module: Module, gradient: Any) -> dict[Potential, Any]:
    """The compiled function of the user for every potential that needs one, from the posteriors and from ``gradient=``.

    Raises:
        RecipeError: where one is missing, not needed, or not a function.
    """
    posteriors = {U: e.gradient.posterior.user_gradient for U, e in module.estimators.items() if e.gradient.derived is None}
    needed = [U for U in module.plan.potentials if U not in module.estimators]
    if gradient is not None and not needed:
        raise RecipeError("gradient= is not needed: every potential of this recipe is bound; leave it out")
    given = {_potential(key, needed): f for key, f in gradient.items()} if isinstance(gradient, Mapping) else {}
    if gradient is not None and not isinstance(gradient, Mapping):
        if len(needed) > 1:
            raise RecipeError(
                f"there are {len(needed)} potentials without data: give gradient={{{needed[0]}: ..., {needed[1]}: ...}}"
            )
        given = {needed[0]: gradient}
    return {U: _compiled(U, {**posteriors, **given}.get(U)) for U in module.plan.potentials if U in posteriors or U in needed}


def gradient_argument(module: Module, own: Mapping[Potential, Any]) -> Any:
    """What ``run`` takes: nothing, one function, or a tuple of functions by potential."""
    if not own:
        return ()
    if len(module.plan.potentials) == 1:
        return next(iter(own.values()))
    return tuple(own.get(U, _no_gradient) for U in module.plan.potentials)


@njit
def _no_gradient() -> None:
    """Stands in a tuple of gradients for one that the module contains."""


def _potential(key: Any, needed: list[Potential]) -> Potential:
    for U in needed:
        if key in (U, U.name):
            return U
    raise RecipeError(f"gradient= names {key}, which is no potential without data; those are {', '.join(map(str, needed))}")


def _compiled(U: Potential, function: Callable[..., None] | None) -> Any:
    if function is None:
        blocks = ", ".join(b.name for b in U.blocks)
        results = ", ".join(f"g_{b.name}" for b in U.blocks)
        raise RecipeError(
            f"{U} has no gradient: bind it, bind(recipe, {{{U}: Posterior(...) or an expression}}), "
            f"or give gradient=f with f({results}, {blocks})"
        )
    if not callable(function):
        raise RecipeError(f"gradient={function!r} is not a function")
    return function if isinstance(function, Dispatcher) else njit(error_model="numpy")(function)


def source_text(function: Any) -> str:
    """The text of a function with that of the functions it calls and the values of its globals, for a fingerprint."""
    texts: dict[Any, str] = {}
    _collect_sources(function, texts)
    return "\n".join(texts.values())


def _collect_sources(function: Any, texts: dict[Any, str]) -> None:
    plain = getattr(function, "py_func", function)
    if id(plain) in texts or not isinstance(plain, FunctionType):
        return
    try:
        texts[id(plain)] = inspect.getsource(plain)
    except (OSError, TypeError):  # typed at a prompt: its bytecode instead
        texts[id(plain)] = repr(plain.__code__.co_code) + repr(plain.__code__.co_consts)
    outside = inspect.getclosurevars(plain)
    for name, value in sorted({**outside.globals, **outside.nonlocals}.items()):
        if isinstance(value, np.ndarray):
            texts[id(plain), name] = f"{name} = {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif isinstance(value, int | float | complex | str | tuple):
            texts[id(plain), name] = f"{name} = {value!r}"
        else:
            _collect_sources(value, texts)


def check_own_gradient(
    posterior: Posterior, function: Any, params: Mapping[Any, Any], lengths: Lengths, at: Mapping[Any, np.ndarray]
) -> None:
    """Compare a gradient of the user with the derived one, at one point and from some rows of the data.

    Raises:
        RecipeError: where they differ, with the coordinate and both values; where Numba cannot compile the function.
    """
    if posterior.log_likelihood is None:
        return
    own = {name_of(s): params[name_of(s)] for s in posterior.parameters}
    sizes = {b: lengths.of(b) for b in posterior.blocks if not isinstance(b, Scalar)}
    density = Density(posterior, own, lengths=sizes)
    rows = np.unique(np.linspace(0, density.rows - 1, CHECKED_ROWS).astype(np.int64))
    derived = [np.atleast_1d(g) for g in density.gradient(at, rows).values()]
    result = [np.zeros_like(g) for g in derived]
    blocks = [np.atleast_1d(np.array(at[b], dtype=np.float64)) for b in posterior.blocks]
    try:
        function(*blocks, rows, *density.arrays, *result)
    except NumbaError as error:
        raise RecipeError(f"Numba cannot compile the gradient of your own: {first_line(error)}") from None
    scale = max(float(np.max(np.abs(g))) for g in derived)
    for block, ours, theirs in zip(posterior.blocks, derived, result, strict=True):
        worst = int(np.argmax(np.abs(ours - theirs)))
        if not abs(ours[worst] - theirs[worst]) <= TOLERANCE * scale + 1e-12:
            raise RecipeError(
                f"the gradient of your own by {block}[{worst}] is {theirs[worst]:.6g} from {rows.size} of the {density.rows} rows, "
                f"and the one derived from log_likelihood and log_prior is {ours[worst]:.6g}; mend one of them"
            )


def first_line(error: NumbaError) -> str:
    """The first line that Numba says."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "unknown")
