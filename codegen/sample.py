"""``sample``: check everything, generate, compile, run chains, collect."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from codegen.check_arguments import worded
from codegen.generate import Module, generate
from codegen.inputs.compiled_posterior import Density
from codegen.inputs.control_variates import Mode, control_data, find_modes
from codegen.inputs.float32_data import with_float32_data
from codegen.inputs.initial_states import given_blocks, start
from codegen.inputs.lengths import Lengths, learn_given
from codegen.inputs.options import SamplingOptions, require_options_that_fit
from codegen.inputs.parameters import resolved_data, resolved_params
from codegen.inputs.preimages import check_maps, into_state, out_of_state, with_images
from codegen.inputs.schedule import Schedule, schedule_of
from codegen.inputs.user_gradient import check_own_gradient, gradient_argument, own_gradients
from codegen.results.assemble_draws import collected, specimen
from codegen.results.draws import Draws
from codegen.running.batches import Bundles, in_bundles
from codegen.running.chains import Chain, run_chains
from codegen.running.checkpoint import Checkpoint
from codegen.running.compiled import Compiled
from codegen.running.fingerprint import fingerprint
from codegen.running.memory_needed import require_room
from codegen.step_size import advice
from codegen.step_size.noise_budget import Budget, budget_of
from codegen.system.signals import Signals
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel, refusal_of_estimates
from recipe.language.abstract import Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, Scalar, name_of


@dataclass(frozen=True)
class Caller:
    """What whoever calls ``sample`` does around a run.

    Attributes:
        check: called with the module before any of it is compiled; it raises where the module
            should not run.
        progress: whether to show a progress bar, if standard error is a terminal.
        before: called before the first step with one draw of the kind that will be returned, and
            the bytes of all draws; it raises where they could not be saved.
        after: called with the draws while signals still wait, to save them.
        signals: those that stop the run: the draws so far are returned then, and the handlers are
            as they were. By default those of SIGINT, SIGTERM and SIGHUP that raise
            ``KeyboardInterrupt``, which by itself SIGINT does.
    """

    before: Callable[[Draws, int], None] | None = None
    after: Callable[[Draws], None] | None = None
    signals: Signals = field(default_factory=Signals)
    check: Callable[[Module], None] | None = None
    progress: bool = True


def sample(
    what: Recipe | Update | Kernel,
    *,
    steps: int,
    step_size: float | Schedule | None = None,
    params: Mapping[Any, Any] | None = None,
    scheme: str = "semi-implicit",
    order: Sequence[Block | str] | None = None,
    chains: int = 4,
    seed: int = 0,
    batch_size: int | None = None,
    replace: bool = True,
    control_variates: bool | Mapping[Any, Any] = False,
    compensate: bool = False,
    warmup: int = 0,
    thin: int = 1,
    keep: Sequence[Block | str] | None = None,
    threads: int | None = None,
    initial: Mapping[Any, Any] | None = None,
    lengths: Mapping[Any, int] | None = None,
    gradient: Any = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    float32_data: bool = False,
    progress: bool = True,
    name: str | None = None,
    check: Callable[[Module], None] | None = None,
    caller: Caller | None = None,
) -> Draws:
    """Draw from a recipe, a printed rule or a composed kernel, compiled.

    Args:
        what: the recipe; its potentials are bound to a ``Posterior`` or an expression, or
            ``gradient`` is given. One sweep of a composed ``Kernel`` is a step.
        steps: how many steps each chain makes, the ``warmup`` included.
        step_size: the step, above 0, or a schedule: ``Constant``, ``Polynomial``, ``Cyclical``;
            None where a kernel has no step.
        params: the value of every parameter, by name or symbol; arrays for vector parameters and
        Dense matrices. scheme, order: the discretisation. chains, seed: chain c of a seed is the
        same whatever the number of chains and threads.
        batch_size: rows of a minibatch; None is all of the data.
        replace: whether the rows of a minibatch are drawn with replacement; without, they are
            distinct.
        control_variates: estimate gradients by their difference to that at a mode, searched for
            (``True``) or given by block, at which chains start.
        compensate: estimate the variance of the gradient's noise while running, and add that much
            less noise. A chain stops where there is more of it than the recipe adds.
        warmup, thin: the state after every ``thin``-th step that follows the warmup is a draw.
        keep: the blocks to keep; by default all.
        threads: by default one a chain, at most one a processor.
        initial: first values by block, of the shape (length,) or (chains, length); by default see
            ``codegen.inputs.initial_states``.
        lengths: the number behind the length of a block, where data and parameters do not tell.
        gradient: for a potential without posterior: ``gradient(g_theta, theta)``, a function that
            Numba can compile and that writes the gradient of the potential into its first
            arguments; ``{U: function}`` if there are several potentials.
        checkpoint: a folder to save the run in every ``checkpoint_seconds``. If it holds this run,
            the run goes on from there, and the draws are those of a run that was never stopped;
            ``steps`` may have grown.
        float32_data: round arrays of float64 data to float32, which takes less time where there are
            many data; the arithmetic stays float64, and what is sampled is the posterior of the
            rounded data.
        progress, name: a progress bar, if standard error is a terminal; the name of a recipe that
        has none of its own.
        check: called with the module before any of it is compiled, to raise where it should not
            run.
        caller: what is done before the first step and with the draws, and which signals stop the
            run; by default Ctrl-C does.

    Raises:
        RecipeError: for any argument that is missing, unknown or out of range, before anything
            runs.
    """
    options = SamplingOptions(
        steps=steps,
        step_size=step_size,
        params=params,
        scheme=scheme,
        order=order,
        chains=chains,
        seed=seed,
        batch_size=batch_size,
        replace=replace,
        control_variates=control_variates,
        compensate=compensate,
        warmup=warmup,
        thin=thin,
        keep=keep,
        threads=threads,
        initial=initial,
        lengths=lengths,
        gradient=gradient,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
        float32_data=float32_data,
        name=name,
    )
    caller = dataclasses.replace(caller or Caller(), check=check, progress=progress)
    return sample_with(what, options, caller)


def sample_with(what: Recipe | Update | Kernel, options: SamplingOptions, caller: Caller) -> Draws:
    """Draw as ``sample`` does, from options that are checked already.

    Raises:
        RecipeError: for an option that does not fit what is sampled, before anything runs.
    """
    _require_steps_as_given(what, options)
    module = generate(
        what,
        scheme=options.scheme,
        order=options.order,
        name=options.name,
        control_variates=options.controlled,
        compensate=options.compensate,
    )
    if caller.check is not None:
        caller.check(module)
    if options.float32_data:
        module = with_float32_data(module)
    known = Lengths()
    data, rows = resolved_data(module, known)
    require_options_that_fit(options, module, rows)
    values = resolved_params(module, options.params, what.parameters, known)
    learn_given(known, options.lengths, with_images(module.plan.state))
    named = {name_of(key): value for key, value in (options.params or {}).items()}
    return _sampled(what, _Inputs(module, options, data, values, named, known), caller)


@dataclass(frozen=True)
class _Inputs:
    """What the arguments come to: ``params`` by field of the module, ``named`` as they were
    given.
    """

    module: Module
    how: SamplingOptions
    data: dict[str, np.ndarray]
    params: dict[str, Any]
    named: Mapping[str, Any]
    lengths: Lengths


def _sampled(what: Recipe | Update | Kernel, inputs: _Inputs, caller: Caller) -> Draws:
    module, how, known = inputs.module, inputs.how, inputs.lengths
    check_maps(module.plan.state, inputs.named)
    require_room(
        module, how, known
    )  # as far as lengths are known: first values are made for all chains
    given = into_state(
        given_blocks(how.initial, module.plan.state, how.chains, known),
        module.plan.state,
        inputs.named,
        "initial=",
    )
    own = own_gradients(module, how.gradient)
    if caller.before is not None:
        caller.before(*specimen(what, module, how, known))
    data = inputs.data
    densities = _densities(inputs, own)
    _check_own_gradients(inputs, own, densities, given)
    if module.controlled:
        modes = find_modes(module.estimators, how.control_variates, densities, known)
        given = {
            **into_state(
                _at_modes(modes, how.chains), module.plan.state, inputs.named, "control_variates="
            ),
            **given,
        }
        data = data | _control_fields(inputs, modes, own, densities)
    require_room(module, how, known)
    kernel = Compiled(
        module, module.load(), how, gradient_argument(module, own), data, inputs.params
    )
    runner = Bundles(kernel) if in_bundles(module, how, known) else kernel
    running = runner.begin(
        start(kernel.loaded, module.plan, given, known, (how.seed, c)) for c in range(how.chains)
    )
    runner.compile(running[0])
    budget = (
        budget_of(what, inputs.named, known)
        if module.plan.variances and isinstance(what, Recipe)
        else None
    )
    if budget is not None:
        for chain in running:
            advice.begin_budget(kernel, budget, chain)
    saved = None
    if how.folder is not None:
        run = fingerprint(module, how, data, inputs.params, own.values(), (runner.unit, running))
        blocks = len(module.plan.state)
        saved = Checkpoint(
            how.folder, run, how.draws_after, how.checkpoint_seconds, blocks, module.redrawn
        )
        saved.open(running, how.steps)
    first = runner.first_state(running)
    with caller.signals.held():  # until the caller has the draws
        began = perf_counter()
        interrupted = _run(runner, running, saved, caller)
        seconds = perf_counter() - began
        chains = runner.chains(running)
        said = () if interrupted else _advice(runner, chains, budget, seconds, first)
        draws = collected(
            what,
            module,
            how,
            chains,
            interrupted=interrupted,
            seconds=seconds,
            warnings=said,
            budget=budget,
        )
        if caller.after is not None:
            caller.after(draws)
        stopped = caller.signals.first is not None
        return dataclasses.replace(draws, interrupted=True) if stopped else draws


def _advice(
    runner: Compiled | Bundles,
    chains: list[Chain],
    budget: Budget | None,
    seconds: float,
    first: Any,
) -> tuple[str, ...]:
    """What is said of the step size; that nothing can be said costs no draws."""
    try:
        return advice.warnings(runner, chains, budget, seconds, first)
    except Exception as error:
        return (
            (
                f"the step size could not be judged ({type(error).__name__}: {error}); the draws"
                " are all there"
            ),
        )


def _require_steps_as_given(what: Recipe | Update | Kernel, options: SamplingOptions) -> None:
    """Require a step size and minibatches of what has them, and none of a kernel that has none."""
    size, rows = options.step_size, options.batch_size
    refusal = refusal_of_estimates(what) if isinstance(what, Kernel) else None
    if rows is not None and refusal is not None:
        raise RecipeError(f"batch_size={rows}: {refusal}")
    if not isinstance(what, Kernel) or what.step is not None:
        schedule_of(size)  # which refuses None
    elif size is not None:
        raise RecipeError(
            f"step_size={worded(size)}: no part of this kernel has a step size; leave it out"
        )


def _run(
    runner: Compiled | Bundles,
    chains: list[Chain],
    saved: Checkpoint | None,
    caller: Caller,
) -> bool:
    how = runner.kernel.how
    rest: Callable[[Chain], None] | None = None
    if saved is not None:

        def rest(chain: Chain) -> None:
            saved.visit(chain, chains, lambda c: c.finished(how.steps))

    try:
        interrupted = run_chains(
            runner.advance, chains, how.steps, how.workers, caller.progress, rest, caller.signals
        )
        if saved is not None:
            saved.close(chains)
    finally:
        if saved is not None:
            saved.let_go()
    return interrupted


def _at_modes(modes: Mapping[Potential, Mode], chains: int) -> dict[Block, np.ndarray]:
    return {
        b: np.broadcast_to(v, (chains, v.size)) for mode in modes.values() for b, v in mode.items()
    }


def _densities(inputs: _Inputs, own: Mapping[Potential, Any]) -> dict[Potential, Density]:
    """The densities that something is compared with, or searched for in: each reads all of its
    data, so each is made once.
    """
    module, lengths = inputs.module, inputs.lengths
    needed = {
        U: e.gradient.posterior
        for U, e in module.estimators.items()
        if U in own or module.controlled
    }
    return {
        U: Density(
            posterior,
            {name_of(s): inputs.named[name_of(s)] for s in posterior.parameters},
            lengths={b: lengths.of(b) for b in posterior.blocks if not isinstance(b, Scalar)},
        )
        for U, posterior in needed.items()
        if posterior.log_likelihood is not None
    }


def _control_fields(
    inputs: _Inputs,
    modes: Mapping[Potential, Mode],
    own: Mapping[Potential, Any],
    densities: Mapping[Potential, Density],
) -> dict[str, np.ndarray]:
    fields: dict[str, np.ndarray] = {}
    for U, estimator in inputs.module.estimators.items():
        arrays = [inputs.data[f] for f in estimator.gradient.fields.values()]
        fields |= control_data(estimator, modes[U], own.get(U), densities.get(U), arrays)
    return fields


def _check_own_gradients(
    inputs: _Inputs,
    own: Mapping[Potential, Any],
    densities: Mapping[Potential, Density],
    given: Mapping[Block, np.ndarray],
) -> None:
    """Compare a gradient in the place of a posterior's with the derived one, at the first state of
    a chain.
    """
    module, seed = inputs.module, inputs.how.seed
    for U, estimator in module.estimators.items():
        if U in own:
            posterior = estimator.gradient.posterior
            first = start(module.load(), module.plan, given, inputs.lengths, (seed, 0))
            state = {b: first[field] for b, field in module.plan.fields.items()}
            at = [out_of_state(b, state, inputs.named) for b in posterior.blocks]
            arrays = [inputs.data[f] for f in estimator.gradient.fields.values()]
            check_own_gradient(posterior, own[U], arrays, densities.get(U), at)
