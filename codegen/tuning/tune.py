"""``tune``: the pipeline from a sampler and a posterior to a setting within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.check_arguments import short_text
from codegen.tuning.metropolis import Tested, tuned_kernel
from codegen.tuning.pilot import Pilot, pilot_run
from codegen.tuning.prepared import scaled
from codegen.tuning.request import Request
from codegen.tuning.target import Target, target_of
from codegen.tuning.tuning import Alternative, Tuning
from codegen.tuning.untunable import UntunableError
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.kernel import Kernel
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

USE_A_TEST = "use a kernel with Metropolis tests, such as hmc_kernel, which is exact at every step"


def tune(
    what: Recipe | Kernel | Sequence[Recipe | Kernel],
    posterior: Any,
    *,
    max_bias: float = 0.1,
    max_error: float = 0.05,
    params: Mapping[Any, Any] | None = None,
    scheme: str | None = None,
    batch_size: int | None = None,
    chains: int = 4,
    seed: int = 0,
    threads: int | None = None,
    lengths: Mapping[Any, int] | None = None,
    initial: Mapping[Any, Any] | None = None,
    names: Sequence[str] = (),
) -> Tuning:
    """Find the cheapest setting of a sampler for a posterior within a budget.

    A pilot run finds where the law is and how wide. Of a recipe the bias and the cost of each
    setting are then predicted from its compiled step; the step size of a kernel with Metropolis
    tests is tuned by its acceptance rate. Everything is a function of the arguments.

    Args:
        what: a recipe or a kernel that is not bound yet, or several, of which the cheapest is
            chosen.
        posterior: a ``Posterior`` with a log likelihood, or an expression.
        max_bias: the largest bias of a mean in posterior standard deviations, and of a standard
            deviation relative to it.
        max_error: the largest Monte Carlo error of a mean in posterior standard deviations.
        params: values of parameters; one positive parameter of a sampler that is left out, such as
            a friction, is chosen.
        scheme: the discretisation of a recipe; None to choose it.
        batch_size: the rows of a minibatch; None to choose it.
        chains, seed, threads, lengths, initial: as for ``sample``.
        names: the names of the samplers in the table; by default their own.

    Returns:
        The setting; ``sample(**tuning.settings)`` samples with it.

    Raises:
        UntunableError: where no setting is known to be within the budget.
        RecipeError: for an argument out of range, or a sampler that cannot have this posterior.
    """
    request = Request(
        params=params or {},
        scheme=scheme,
        batch_size=batch_size,
        chains=chains,
        seed=seed,
        threads=threads,
        lengths=lengths,
        initial=initial,
        max_bias=max_bias,
        max_error=max_error,
    )
    samplers = [what] if isinstance(what, Recipe | Kernel) else list(what)
    if not samplers or not all(isinstance(s, Recipe | Kernel) for s in samplers):
        raise RecipeError(
            f"{short_text(what)} is no Recipe and no Kernel: tune(sghmc, posterior)"
        )
    called = [n or s.name or f"sampler {k + 1}" for k, (s, n) in enumerate(zip(samplers, [*names, *[""] * len(samplers)]))]  # noqa: B905
    target = target_of(posterior, request.params)
    pilot = pilot_run(target, max(2, request.chains), request.seed)
    _require_agreement(pilot)
    found = [
        _tuned(name, sampler, posterior, target, pilot, request)
        for name, sampler in zip(called, samplers, strict=True)
    ]
    return _chosen(posterior, found, target, pilot, request)


Found = Tested | Alternative


def _tuned(
    name: str,
    sampler: Recipe | Kernel,
    posterior: Any,
    target: Target,
    pilot: Pilot,
    request: Request,
) -> tuple[list[Alternative], Tested | None]:
    what = scaled(sampler, posterior, target, pilot, request.params)
    if isinstance(sampler, Kernel):
        tested = tuned_kernel(name, what, target, pilot, request)
        return [tested.alternative], tested
    raise UntunableError("not yet")


def _require_agreement(pilot: Pilot) -> None:
    if not pilot.agrees:
        raise UntunableError(
            f"the chains of the pilot run do not agree (R-hat {pilot.r_hat:.2f} in {pilot.worst}):"
            " the posterior has several modes, or a shape that no scale of the coordinates fits, so"
            " no setting can be trusted; write the model so that it has one mode (order what can be"
            " exchanged, use the non-centred form of a hierarchy), or sample it with many chains,"
            " long, and a step size of your own"
        )


def _chosen(
    posterior: Any,
    found: list[tuple[list[Alternative], Tested | None]],
    target: Target,
    pilot: Pilot,
    request: Request,
) -> Tuning:
    usable = [t for _, t in found if t is not None]
    best = min(usable, key=lambda t: t.alternative.rows or np.inf)
    settings = {
        **best.settings,
        "posterior": posterior,
        "chains": request.chains,
        "seed": request.seed,
        "max_bias": request.max_bias,
    }
    listed = [a for alternatives, _ in found for a in alternatives if a is not best.alternative]
    listed.sort(key=lambda a: (a.rows is None, a.rows))
    return Tuning(
        settings, best.alternative, (best.alternative, *listed), request.max_bias,
        request.max_error, (), tuple(target.labels), None,
    )  # fmt: skip
