"""``step_size="auto"``: tune first, and put what was found in the place of what was left open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from codegen.check_arguments import short_text
from codegen.inputs.options import SamplingOptions
from codegen.inputs.parameter_schedules import require_numbers
from codegen.inputs.preimages import without_ordered
from codegen.module import Module
from codegen.tuning.explanation import said_of_given_steps, said_of_steps
from codegen.tuning.tune import tune
from codegen.tuning.tuning import Tuning
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.kernel import Kernel
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of
from recipe.scheme import DEFAULT_SCHEME

AUTO = "auto"


def is_auto(step_size: Any) -> bool:
    """Return whether the step size is to be found.

    Raises:
        RecipeError: for another text.
    """
    if isinstance(step_size, str) and step_size != AUTO:
        raise RecipeError(
            f'step_size={short_text(step_size)} must be a number above 0, a schedule, or "{AUTO}"'
        )
    return isinstance(step_size, str)


def tuned_run(
    what: Any,
    posterior: Any,
    options: SamplingOptions,
    *,
    steps: int | None,
    warmup: int | None,
    max_error: float,
    name: str = "",
    check: Callable[[Module], None] | None = None,
    progress: bool | Callable[[str], None] = True,
) -> tuple[Recipe | Kernel, SamplingOptions, Tuning]:
    """Tune a run.

    What was given stays as it is: parameters, the minibatch, a scheme other than the default one,
    the numbers of steps, and first values of all blocks. Where some blocks have first values, the
    pilot run begins at these, and the run where the pilot run ends.

    Args:
        what: the sampler, not bound yet.
        posterior: the posterior.
        options: the options of the run, whose step size is not read.
        steps, warmup: the numbers of steps that were given; None to find them.
        max_error: the largest Monte Carlo error of a mean, in posterior standard deviations.
        name: the name of the sampler.
        check, progress: as for ``tune``.

    Returns:
        The sampler to run, its options, and the tuning.

    Raises:
        UntunableError: where no setting is known to be within the budget.
        RecipeError: for an option that leaves nothing to tune by.
    """
    _require_what_can_be_tuned(what, posterior, options)
    tuning = tune(
        what,
        posterior,
        max_bias=options.max_bias,
        max_error=max_error,
        params=options.params,
        # tuning chooses a scheme in the place of the default one
        scheme=None if options.scheme == DEFAULT_SCHEME else options.scheme,
        batch_size=options.batch_size,
        control_variates=options.control_variates,
        chains=options.chains,
        seed=options.seed,
        threads=options.threads,
        lengths=options.lengths,
        initial=options.initial,
        names=[name or options.name or ""],
        check=check,
        progress=progress,
    )
    found = tuning.settings
    longer = 0 if warmup is None else warmup - found["warmup"]
    run_steps = found["steps"] + longer if steps is None else steps
    warm = found["warmup"] if warmup is None else warmup
    if steps is not None and warmup is None:
        warm = min(warm, steps // 2)
    tuning = _of_run(tuning, options.chains, run_steps, warm, given=steps is not None)
    run = replace(
        options,
        step_size=found["step_size"],
        params=found["params"],
        scheme=found["scheme"],
        batch_size=found["batch_size"],
        control_variates=found.get("control_variates", False),
        steps=run_steps,
        warmup=warm,
        thin=found["thin"] if steps is None and options.thin == 1 else options.thin,
        initial=_first_values(tuning, posterior, options.initial),
        tuning=json.dumps(_kept(tuning)),
    )
    return found["what"], run, tuning


def _first_values(
    tuning: Tuning, posterior: Any, given: Mapping[Any, Any] | None
) -> Mapping[Any, Any]:
    """Return the first values of a run: those that were given of all blocks of the posterior, or
    those at which the pilot run ended; and those that were given of other blocks.
    """
    ordered = posterior.ordered if isinstance(posterior, Posterior) else ()
    plain = without_ordered(given, ordered) or {}
    wanted = {label.partition("[")[0] for label in tuning.coordinates}
    if wanted <= {name_of(k) for k in plain}:
        return plain
    others = {name_of(k): v for k, v in plain.items() if name_of(k) not in wanted}
    return {**tuning.settings["initial"], **others}


def _of_run(tuning: Tuning, chains: int, steps: int, warmup: int, given: bool) -> Tuning:
    """Return the tuning with the numbers of steps that are run, and with words about these."""
    found, error = tuning.settings, tuning.max_error
    lengths = (steps, warmup), (found["steps"], found["warmup"])
    said = (
        said_of_given_steps(chains, *lengths, error)
        if given
        else said_of_steps(chains, steps, warmup, error)
    )
    return replace(
        tuning,
        settings={**found, "steps": steps, "warmup": warmup},
        explanation=(*tuning.explanation[:-1], said),
    )


def _kept(tuning: Tuning) -> dict[str, Any]:
    """Return what draws keep of a tuning."""
    values = tuning.as_json()
    del values["settings"]["initial"]
    values["scaled"] = tuning.scales is not None
    return values


def _require_what_can_be_tuned(what: Any, posterior: Any, options: SamplingOptions) -> None:
    if not isinstance(what, Recipe | Kernel):
        raise RecipeError(
            f'step_size="{AUTO}" tunes a Recipe or a Kernel, and this is'
            f" {short_text(what)}; give a step size"
        )
    if options.gradient is not None:
        raise RecipeError(
            f'step_size="{AUTO}" needs the log likelihood, from which the bias is known before the'
            " run, and a gradient of your own has none: give a step size, or a Posterior with"
            " log_likelihood="
        )
    if posterior is None:
        raise RecipeError(
            f'step_size="{AUTO}" needs the posterior as the second argument, and the sampler'
            " without one: sample(sghmc, posterior, ...)"
        )
    require_numbers(options.schedules.values(), f'step_size="{AUTO}"')
    for name in ("gradient", "svrg", "saga", "compensate", "order"):
        if getattr(options, name):
            raise RecipeError(
                f'{name}= and step_size="{AUTO}" do not go together: nothing is known of the bias'
                f" with {name}= before the run; give a step size"
            )
