"""Schedules of parameters: which there may be, and the pieces of a run that they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import expand

from codegen.inputs.options import SamplingOptions
from codegen.inputs.schedule import Schedule, step_sizes
from codegen.module import Module
from recipe.declare.derived_quantities import expressions_of
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Dense, is_joint, written_image
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import Indexed, name_of


@dataclass(frozen=True)
class Pieces:
    """The pieces of some steps, in each of which the step size and all parameters are constant.

    Attributes:
        sizes: the step size of each piece, of the shape (pieces,).
        begins: the first step of each piece, and the step after the last one, (pieces + 1,).
        values: the scheduled parameters, (pieces, parameters).
        anew: where a parameter of a gradient differs from its value in the step before, (pieces,).
    """

    sizes: np.ndarray
    begins: np.ndarray
    values: np.ndarray
    anew: np.ndarray


def pieces(module: Module, options: SamplingOptions, begin: int, count: int) -> Pieces:
    """Return the pieces of the steps begin, ..., begin + count - 1.

    They depend on the numbers of these steps alone, so that a run may be split anywhere.

    Args:
        module: the generated module.
        options: the options of the run.
        begin, count: the first step, and the number of steps.
    """
    before = min(begin, 1)  # the step before the first one, if there is one
    values = np.stack(
        [
            step_sizes(schedule, begin - before, count + before, name)
            for name, schedule in options.schedules.items()
        ],
        axis=1,
    )
    differ: np.ndarray = np.not_equal(values[1:], values[:-1])
    changed = differ if before else np.vstack([np.zeros_like(values[:1], dtype=bool), differ])
    values = values[before:]
    sizes = step_sizes(options.schedule, begin, count)
    own = np.array([name in module.of_gradients for name in options.schedules])
    starts = np.any(changed, axis=1)
    starts[1:] |= sizes[1:] != sizes[:-1]
    starts[:1] = True
    at = np.flatnonzero(starts)
    return Pieces(
        sizes[at],
        np.append(begin + at, begin + count).astype(np.int64),
        np.ascontiguousarray(values[at]),
        np.any(changed & own, axis=1)[at],
    )


def require_schedules_that_fit(module: Module, options: SamplingOptions) -> None:
    """Require that the parameters with a schedule may change from step to step.

    Args:
        module: the module of the sampler, made with these parameters as ``scheduled``.
        options: the options of the run.

    Raises:
        RecipeError: naming the parameter, and what needs it to be one number.
    """
    symbols = {name_of(s): s for s in module.plan.settings}
    used = _used_elsewhere(module)
    for name, schedule in options.schedules.items():
        if name not in symbols:
            continue  # ``resolved_params`` says that it is unknown
        s = symbols[name]
        if isinstance(s, Indexed | Dense):
            raise RecipeError(
                f"params[{name!r}]={schedule}: only a parameter that is one number has a schedule,"
                f" and {name} has coordinates"
            )
        if s.is_integer:
            raise RecipeError(
                f"params[{name!r}]={schedule}: {name} is declared as a whole number; give a number"
            )
        if name in used:
            raise RecipeError(f"params[{name!r}]={schedule}: {used[name]}; give a number")
        step_sizes(schedule, 0, 1)
        if name in module.of_gradients and (module.controlled or module.references):
            raise RecipeError(
                f"params[{name!r}]={schedule}: the gradient of the data depends on {name}, and is"
                " compared with one of earlier steps; leave control_variates, svrg and saga out"
            )
    if options.schedules and options.compensate:
        raise RecipeError(
            "compensate= judges the noise of a sampler whose parameters stay; leave it out, or give"
            f" {next(iter(options.schedules))} as a number"
        )


def _used_elsewhere(module: Module) -> dict[str, str]:
    """Return what needs a parameter to be one number, by its name."""
    found = {
        name_of(s): f"the sampler is declared where {c}"
        for c in module.moves.where
        for s in parameters_of([c.e])
    }
    for b in module.plan.state:
        if b.image is not None and not is_joint(b):
            for s in parameters_of([written_image(b)]):
                found[name_of(s)] = (
                    f"{b.name} stands for {b.image.name} by a map that depends on it"
                )
    for e in module.estimators.values():
        for name, quantity in e.gradient.posterior.derived.items():
            for s in parameters_of(expressions_of(quantity)):
                found[name_of(s)] = f"the derived quantity {name} depends on it"
    return found


def said_of_schedules(options: SamplingOptions) -> tuple[str, ...]:
    """Return what is said of the bias of a run whose parameters have schedules."""
    names = " and ".join(options.schedules)
    said = f"no bias of the step size is predicted, as {names} changes in this run"
    return (said,) if names else ()


def kept_values(schedule: Schedule, options: SamplingOptions) -> tuple[float, float, bool]:
    """Return the values at the first and the last step after the warm-up, and whether they differ
    from one another anywhere in between.

    Args:
        schedule: of a parameter.
        options: the options of the run.
    """
    first, last, changes = None, 0.0, False
    for begin in range(options.warmup, options.steps, 2**16):
        values = step_sizes(schedule, begin, min(2**16, options.steps - begin))
        first = float(values[0]) if first is None else first
        last, changes = float(values[-1]), changes or bool(np.any(values != first))
    assert first is not None
    return first, last, changes


def energy_of(what: Recipe | Update | Kernel) -> Any:
    """Return the energy of the law that a sampler is declared to keep.

    Args:
        what: the sampler.
    """
    return what.H if isinstance(what, Recipe) else what.target


def with_value(energy: Any, name: str, value: int) -> Any:
    """Return an energy with a whole number in the place of a parameter."""
    return energy.xreplace({s: value for s in parameters_of([energy]) if name_of(s) == name})


def is_temperature(energy: Any, name: str) -> bool:
    """Return True if the energy is another one over a parameter.

    Args:
        energy: the energy.
        name: the name of the parameter.
    """
    symbols = [s for s in parameters_of([energy]) if name_of(s) == name]
    return bool(symbols) and expand(energy * symbols[0] - with_value(energy, name, 1)) == 0


def require_numbers(params: Iterable[Any], where: str) -> None:
    """Refuse schedules among parameters.

    Raises:
        RecipeError: naming where a number is needed.
    """
    for value in params:
        if isinstance(value, Schedule):
            raise RecipeError(f"{where} needs numbers as parameters, and not {value}")
