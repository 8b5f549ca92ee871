"""What a run would do, and how long it would take: it is prepared, its module is compiled, and some
steps are timed whose draws are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from codegen import Draws
from codegen.inputs.options import SamplingOptions
from codegen.module import Module
from codegen.sample import Caller
from codegen.sample import sample_with as sample_kernel
from recipe import Kernel, Posterior, Recipe, RecipeError, Update
from recipe.declare.derived_data import CoordinateAt, LabelAt, LabelIs, LabelIsLast
from recipe.language.free_symbols import names_to_give
from recipe.language.symbols import name_of
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.program.generating import bound_to
from recipe_cli.render.catalog_table import ListedParameter, parameters_listed
from recipe_cli.sampling.sample_posterior import generated_within, options_for
from recipe_cli.sampling.text_check import TextCheck

FIRST_STEPS = 50  # of each chain, to see how long a step takes
TIMED_SECONDS = 0.5  # of steps that are timed after that


@dataclass(frozen=True)
class RunPlan:
    """What a run would do.

    Attributes:
        sampler, scheme, posterior: what was typed, and the discretisation of the module.
        module_name: the name of the generated module.
        module_lines: the number of lines of its text.
        blocks: the number of coordinates of each block that is kept.
        priors: the laws that blocks were declared with, by name of the block.
        data: the shape of each array of data.
        parameters: each parameter, and the value or the schedule that was given.
        options: all numbers of the run.
        draw_bytes: the bytes of all draws, in memory and in a file.
        compile_seconds: what generating, proving and compiling took, less if it was in the cache.
        step_seconds: what a step of all chains takes.
        unproved: the warning about a text that is not proved; empty if it is.
    """

    sampler: str
    scheme: str
    posterior: str
    module_name: str
    module_lines: int
    blocks: dict[str, int]
    priors: dict[str, str]
    data: dict[str, tuple[int, ...]]
    parameters: list[tuple[ListedParameter, Any]]
    options: SamplingOptions
    draw_bytes: int
    compile_seconds: float
    step_seconds: float
    unproved: str

    @property
    def run_seconds(self) -> float:
        """The seconds of sampling."""
        return self.step_seconds * self.options.steps


class _SeenError(Exception):
    """Enough is known: the run need not begin."""


def dry_run(
    declaration: Declaration,
    posterior: str,
    law: Posterior,
    options: SamplingOptions,
    text: TextCheck,
) -> RunPlan:
    """Prepare a run, compile it, and time some steps; nothing is sampled or saved.

    Only the cache of compiled modules is written, as the run itself will read it.

    Args:
        declaration: a recipe or a kernel with one potential.
        posterior: what the user typed for the posterior.
        law: the posterior.
        options: all numbers of the run.
        text: the check of the module's text, with the limits of generating and proving.

    Raises:
        RecipeError: whatever would keep the run from beginning.
    """
    began = perf_counter()
    generated_within(declaration, law, options, text.limits)
    target = bound_to(declaration, law)
    options = replace(options_for(target, options, declaration), checkpoint=None)
    modules: list[Module] = []

    def check(module: Module) -> None:
        modules.append(module)
        text.check(module)

    specimen, draw_bytes = _specimen(target, options, check)
    prepared = _timed(target, options, FIRST_STEPS)
    compile_seconds = perf_counter() - began
    seconds = prepared / FIRST_STEPS
    more = int(TIMED_SECONDS / max(seconds, 1e-9))
    if more > 2 * FIRST_STEPS and options.steps > FIRST_STEPS:
        number = min(more, options.steps)
        seconds = _timed(target, options, number) / number
    (module, *_) = modules
    values: dict[str, Any] = {name_of(key): value for key, value in options.numbers.items()}
    values |= options.schedules
    listed = [
        (p, values[p.name])
        for p in (*parameters_listed(declaration), *_of_posterior(law))
        if p.name in values
    ]
    return RunPlan(
        declaration.name,
        module.scheme,
        posterior,
        module.name,
        module.source.count("\n"),
        {name: array[0, 0].size for name, array in specimen.values.items()},
        dict(law.priors),
        {name_of(s): _shape(array) for s, array in law.data},
        listed,
        options,
        draw_bytes,
        compile_seconds,
        seconds,
        text.unproved,
    )


def _specimen(
    target: Recipe | Update | Kernel, options: SamplingOptions, check: Any
) -> tuple[Draws, int]:
    """Return one draw, all zeros, and the bytes of all draws, after every check of the options."""
    found: list[tuple[Draws, int]] = []

    def stop(draws: Draws, size: int) -> None:
        found.append((draws, size))
        raise _SeenError

    try:
        sample_kernel(target, options, Caller(before=stop, check=check, progress=False))
    except _SeenError:
        return found[0]
    raise RecipeError("the run could not be prepared")


def _timed(target: Recipe | Update | Kernel, options: SamplingOptions, steps: int) -> float:
    """Return the seconds of some steps of all chains."""
    trial = replace(options, steps=steps, warmup=0, thin=steps)
    draws = sample_kernel(target, trial, Caller(progress=False, judge=False))
    return float(draws.attributes["seconds"])


def _of_posterior(law: Posterior) -> list[ListedParameter]:
    return [ListedParameter(n, "number", "", "") for n in names_to_give(law.parameters)]


def _shape(array: Any) -> tuple[int, ...]:
    if isinstance(array, CoordinateAt):
        return ()
    if isinstance(array, LabelAt | LabelIs | LabelIsLast):
        array = array.labels  # which are what is stored
    shape = getattr(array, "shape", None)
    return (len(array),) if shape is None else tuple(map(int, shape))
