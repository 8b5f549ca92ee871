"""``tune``: the pipeline from a sampler and a posterior to a setting within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from codegen.check_arguments import checked_flag, short_text
from codegen.module import Module
from codegen.system.doing import doing, told
from codegen.system.progress_bar import changing_line
from codegen.tuning.explanation import explanation, said_of_recipe
from codegen.tuning.law.pilot import Pilot, pilot_run
from codegen.tuning.law.target import Target, target_of
from codegen.tuning.law.untunable import UntunableError
from codegen.tuning.law.why_no_agreement import why_no_agreement
from codegen.tuning.many import with_batch
from codegen.tuning.metropolis import tuned_kernel
from codegen.tuning.prepared import Prepared, Scaled, module_of_tests, scaled
from codegen.tuning.recipes import mode_for_control, run_settings, settings_of
from codegen.tuning.request import Request, require_rows, require_rows_that_it_can_use
from codegen.tuning.standardise import with_columns
from codegen.tuning.trial import from_given
from codegen.tuning.tuning import Alternative, Tuning
from codegen.tuning.within_budget import Setting, corrected
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
    control_variates: bool | Mapping[Any, Any] | None = None,
    chains: int = 4,
    seed: int = 0,
    threads: int | None = None,
    lengths: Mapping[Any, int] | None = None,
    initial: Mapping[Any, Any] | None = None,
    names: Sequence[str] = (),
    check: Callable[[Module], None] | None = None,
    progress: bool | Callable[[str], None] = True,
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
        control_variates: whether minibatches have control variates; True, or the mode as a dict by
            block, to consider no others; None to choose.
        chains, seed, threads, lengths: as for ``sample``.
        initial: first values, as for ``sample``, at which the pilot run begins. Where every block
            has some, the run does so, too, and has the warm-up that it needs from there.
        names: the names of the samplers in the table; by default their own.
        check: called with each module that is tried before any of it is compiled; it raises where
            the module should not run.
        progress: whether a line on a terminal says what is being tried; a function is called with
            that text instead.

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
        control_variates=control_variates,
        chains=chains,
        seed=seed,
        threads=threads,
        lengths=lengths,
        initial=initial,
        max_bias=max_bias,
        max_error=max_error,
        check=check,
    )
    if not callable(progress):
        checked_flag("progress", progress)
    samplers: list[Any] = list(what) if isinstance(what, list | tuple) else [what]
    if not samplers or not all(isinstance(s, Recipe | Kernel) for s in samplers):
        raise RecipeError(f"{short_text(what)} is no Recipe and no Kernel: tune(sghmc, posterior)")
    given = [*names, *[""] * len(samplers)]
    alone = len(samplers) == 1
    called = [
        given[k] or s.name or ("this sampler" if alone else f"sampler {k + 1}")
        for k, s in enumerate(samplers)
    ]
    for sampler in samplers:
        _require_a_step(sampler)
    if alone:
        require_rows_that_it_can_use(samplers[0], request)
    with _told(progress):
        doing("tuning: compiling the posterior")
        kernel = module_of_tests(samplers, posterior)
        target = target_of(posterior, request.params, request.lengths, kernel)
        require_rows(target, request)
        try:
            return _tuned(list(zip(called, samplers, strict=True)), posterior, target, request)
        except UntunableError as reason:
            raise with_columns(reason, target, posterior) from None


@contextmanager
def _told(progress: bool | Callable[[str], None]) -> Iterator[None]:
    """Tell a function, or a line on a terminal, what is being tried."""
    with (
        changing_line(wanted=progress is True) as line,
        told(progress if callable(progress) else line),
    ):
        yield


def _tuned(
    samplers: Sequence[tuple[str, Recipe | Kernel]],
    posterior: Any,
    target: Target,
    request: Request,
) -> Tuning:
    """Return the cheapest setting of these samplers, each with its name."""
    count = max(2, request.chains)
    starts = target.points(request.initial, request.chains)
    if starts is not None:
        starts = np.resize(starts, (count, target.dimension))
    pilot = pilot_run(target, count, request.seed, starts)
    _require_agreement(target, pilot)
    tuner = _Tuner(posterior, target, pilot, request, len(samplers) == 1)
    found, alternatives = [], []
    for name, sampler in samplers:
        best, others = tuner.best(name, sampler)
        found += [] if best is None else [best]
        alternatives += others
    _require_one(found, alternatives)
    best = min(found, key=lambda b: b.alternative.rows or np.inf)
    alternatives += [b.alternative for b in found if b is not best]
    return _tuning(tuner, best, alternatives)


@dataclass(frozen=True, eq=False)
class _Best:
    """The best setting of a sampler.

    Attributes:
        alternative: it in short.
        settings: the arguments of ``sample``.
        scaled: the sampler with its scales.
        said: how its step size was found, a sentence.
        made: the compiled sampler, with its minibatch.
        time: the steps for one effective draw.
    """

    alternative: Alternative
    settings: dict[str, Any]
    scaled: Scaled
    said: str
    made: Prepared
    time: float


@dataclass(frozen=True, eq=False)
class _Tuner:
    """A posterior, the pilot run of it, what is asked, and whether of one sampler alone."""

    posterior: Any
    target: Target
    pilot: Pilot
    request: Request
    alone: bool

    def best(self, name: str, sampler: Recipe | Kernel) -> tuple[_Best | None, list[Alternative]]:
        """Return the best setting of a sampler, None where there is none, and its alternatives."""
        try:
            return self._best(name, sampler)
        except UntunableError as reason:
            scheme = "composed" if isinstance(sampler, Kernel) else self.request.scheme or "-"
            return None, [Alternative(name, scheme, None, reason=str(reason))]

    def _best(self, name: str, sampler: Recipe | Kernel) -> tuple[_Best | None, list[Alternative]]:
        given = self.request.params
        if not self.alone:  # a parameter that was given may be one of another sampler
            own = {name_of(s) for s in sampler.parameters}
            given = {k: v for k, v in given.items() if name_of(k) in own}
        what = scaled(sampler, self.posterior, self.target, self.pilot, given, name)
        if isinstance(sampler, Kernel):
            self._require_all_rows(sampler)
            tested = tuned_kernel(name, what, self.target, self.pilot, self.request)
            said = (
                f"Its step size is where {tested.acceptance:.0%} of the Metropolis tests accept"
                f" (dual averaging); a trial made an effective draw in {tested.sweeps:.2g} sweeps."
            )
            best, made, time = tested.alternative, tested.made, tested.sweeps
            return _Best(best, tested.settings, what, said, made, time), []
        return self._best_of_recipe(name, what)

    def _require_all_rows(self, kernel: Kernel) -> None:
        """Require that no minibatch was asked for that this kernel, one of several, cannot have."""
        try:
            require_rows_that_it_can_use(kernel, self.request)
        except RecipeError as reason:
            raise UntunableError(str(reason)) from None

    @cached_property
    def mode_for_control(self) -> Mapping[Any, Any] | str | None:
        """The mode around which control variates are taken, searched for once for all samplers."""
        return mode_for_control(self.target, self.request)

    def _best_of_recipe(self, name: str, what: Scaled) -> tuple[_Best | None, list[Alternative]]:
        listed = list(
            settings_of(name, what, self.target, self.pilot, self.request, self.mode_for_control)
        )
        failed = [a for a in listed if isinstance(a, Alternative)]
        usable = [s for s in listed if isinstance(s, Setting)]
        usable.sort(key=lambda s: s.alternative.rows or np.inf)
        best = None
        for k, candidate in enumerate(usable):
            if best is not None and best.alternative.rows <= candidate.alternative.rows:  # type: ignore[operator]
                rest = [s.alternative for s in usable[k:]]
                failed = [*rest, *failed]
                break
            found = corrected(candidate, self.target, self.pilot, self.request)
            if isinstance(found, Alternative):
                failed.append(found)
            elif best is None or found.alternative.rows < best.alternative.rows:  # type: ignore[operator]
                failed += [] if best is None else [best.alternative]
                best = found
            else:
                failed.append(found.alternative)
        if best is None:
            return None, failed
        settings = run_settings(best, what, self.target, self.pilot, self.request)
        said = said_of_recipe(best)
        short, made = best.alternative, with_batch(best.made, best.alternative.batch_size)
        return _Best(short, settings, what, said, made, best.predicted.time), failed


def _require_a_step(sampler: Recipe | Kernel) -> None:
    if isinstance(sampler, Kernel) and sampler.step is None:
        raise RecipeError(f"no part of {sampler.name or 'this kernel'} has a step size to tune")


def _require_agreement(target: Target, pilot: Pilot) -> None:
    reason = why_no_agreement(target, pilot)
    if reason is not None:
        raise UntunableError(reason)


def _require_one(found: list[_Best], alternatives: list[Alternative]) -> None:
    if found:
        return
    first = {a.sampler: a.reason for a in reversed(alternatives) if a.reason}
    reasons = [f"{sampler}: {reason}" for sampler, reason in reversed(first.items())]
    raise UntunableError(f"no setting is within the budget; {'; '.join(reasons)}; {USE_A_TEST}")


def _tuning(tuner: _Tuner, best: _Best, alternatives: list[Alternative]) -> Tuning:
    request, target = tuner.request, tuner.target
    found, said = best.settings, best.said
    starts = target.points(request.initial, request.chains)
    if starts is not None and not np.isnan(starts).any():
        found, more = from_given(best.made, target, tuner.pilot, starts, found, best.time)
        found, said = {**found, "initial": request.initial}, f"{said} {more}"
    settings = {
        **found,
        "posterior": tuner.posterior,
        "chains": request.chains,
        "seed": request.seed,
        "max_bias": request.max_bias,
        "name": best.scaled.name,
    }
    others = sorted(alternatives, key=lambda a: np.inf if a.rows is None else a.rows)
    return Tuning(
        settings,
        best.alternative,
        (best.alternative, *others),
        request.max_bias,
        request.max_error,
        explanation(tuner.target, tuner.pilot, best.scaled, found, request, said),
        tuple(target.labels),
        best.scaled.scales,
    )
