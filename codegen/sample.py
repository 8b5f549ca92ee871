"""``sample``: check the arguments, generate a module, compile it, run chains, collect draws."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from codegen.bias.checks import plain_faults
from codegen.bias.judge import judged
from codegen.bias.prediction import BiasWarning, Prediction
from codegen.check_arguments import checked_flag, require_sampler, short_text
from codegen.generate import bound, generate
from codegen.inputs.alphabetical import said_of_orders
from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.flat_priors import said_of_priors
from codegen.inputs.float32_data import with_float32_data
from codegen.inputs.gradients.control_variates import Mode, control_data, find_modes, snapshot_data
from codegen.inputs.gradients.first_calls import call_for_effect, check_python_gradient
from codegen.inputs.gradients.python_gradient import PythonGradient
from codegen.inputs.gradients.user_gradient import (
    check_numba_gradient,
    check_user_gradient,
    gradient_argument,
    python_calls,
    user_gradients,
)
from codegen.inputs.initial_states import first_state, given_blocks
from codegen.inputs.lengths import Lengths, learn_given
from codegen.inputs.options import SamplingOptions, ordered_blocks, require_options_that_fit
from codegen.inputs.parameter_schedules import (
    require_schedules_that_fit,
    said_of_schedules,
)
from codegen.inputs.parameters import require_conditions, resolved_data, resolved_params
from codegen.inputs.preimages import (
    check_maps,
    into_state,
    out_of_state,
    with_images,
    without_ordered,
)
from codegen.inputs.schedule import Schedule, schedule_of
from codegen.module import Module
from codegen.results.assemble_draws import collected, small_quantities, specimen
from codegen.results.draws import DivergenceWarning, Draws
from codegen.results.law_in_words import said_of_given, said_of_law
from codegen.results.of_the_sampler import with_verdict
from codegen.running.batches import Bundles, in_bundles
from codegen.running.chains import Chain, run_chains
from codegen.running.checkpoint import Checkpoint
from codegen.running.compiled import Compiled
from codegen.running.fingerprint import fingerprint
from codegen.running.gradient_source import ReadGradient, read_gradient
from codegen.running.memory_needed import require_room
from codegen.step_size import advice
from codegen.step_size.noise_budget import Budget, budget_of
from codegen.system.progress_bar import line_while
from codegen.system.signals import Signals
from codegen.tuning.auto import is_auto, tuned_run
from codegen.verdict_before import verdict_before
from recipe.declare.coordinate_names import coordinate_names
from recipe.declare.recipe import Recipe
from recipe.declare.transformations.ordered import Ordered
from recipe.declare.update import Update
from recipe.kernel import Kernel, refusal_of_estimates
from recipe.language.abstract import Potential
from recipe.language.blocks import Block, Scalar
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers, names_to_give
from recipe.language.symbols import name_of
from recipe.rebuild.potentials import potentials_of
from recipe.scheme import DEFAULT_SCHEME


@dataclass(frozen=True)
class Caller:
    """What a program that calls ``sample`` wants done around a run.

    Attributes:
        before: called before the first step with one draw of the kind that will be returned, all
            zeros, and the bytes of all draws; it raises where they could not be saved.
        after: called with the draws, to save them, while a signal that arrives still waits.
        signals: the signals that stop a run, which then returns its draws so far; afterwards their
            handlers are as before. By default these are SIGINT, SIGTERM and SIGHUP, each only where
            its handler raises ``KeyboardInterrupt``: in plain Python that is SIGINT.
        check: called with the module before any of it is compiled; it raises where the module
            should not run.
        progress: True to show a progress bar, where standard error is a terminal.
        judge: False where the draws are thrown away: no bias is predicted, and no advice is given.
    """

    before: Callable[[Draws, int], None] | None = None
    after: Callable[[Draws], None] | None = None
    signals: Signals = field(default_factory=Signals)
    check: Callable[[Module], None] | None = None
    progress: bool = True
    judge: bool = True


EXAMPLE = "sample(sghmc, posterior, ...)"


def sample(
    what: Recipe | Update | Kernel,
    posterior: Any = None,
    *,
    steps: int | None = None,
    step_size: float | Schedule | str | None = None,
    params: Mapping[Any, Any] | None = None,
    scheme: str = DEFAULT_SCHEME,
    order: Sequence[Block | str] | None = None,
    chains: int = 4,
    seed: int = 0,
    batch_size: int | None = None,
    replace: bool = True,
    control_variates: bool | Mapping[Any, Any] | None = None,
    svrg: int | None = None,
    saga: bool = False,
    compensate: bool = False,
    warmup: int | None = None,
    thin: int = 1,
    keep: Sequence[Block | Ordered | str] | None = None,
    threads: int | None = None,
    initial: Mapping[Any, Any] | None = None,
    lengths: Mapping[Any, int] | None = None,
    coords: Mapping[Any, Any] | None = None,
    gradient: Any = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    float32_data: bool = False,
    max_bias: float = 0.1,
    max_error: float = 0.05,
    progress: bool = True,
    name: str | None = None,
    unproved: bool = False,
    check: Callable[[Module], None] | None = None,
    caller: Caller | None = None,
) -> Draws:
    """Draw samples: compile a recipe, a printed rule or a composed kernel, and run chains of it.

    Args:
        what: a recipe; an ``Update``, which is taken as printed; or a composed ``Kernel``, one
            sweep of which is a step.
        posterior: what to sample: the meaning of the potential of a recipe, rule or kernel, a
            ``Posterior`` or an expression, or those of several potentials by name, as for ``bind``.
            None where it is bound already, is written in the recipe, or has a ``gradient``.
        steps: the number of steps of each chain, the ``warmup`` included; None only where tuning
            finds it.
        step_size: a number above 0, or a schedule: ``Constant``, ``Polynomial``, ``Cyclical`` or
            ``Geometric``. None for a kernel that has no step size. "auto" tunes what is left open
            before the run, as ``codegen.tune`` does: step size, scales, scheme, minibatch, a
            friction, steps.
        params: the value of every parameter, by name or symbol: a number, an array of the shape
            (length,) for a vector parameter, (rows, columns) for a ``Dense`` matrix. A number may
            change from step to step by a schedule, such as ``{"T": Geometric(4, 0.05, 20_000)}``.
        scheme, order: the discretisation of a recipe, as for ``generate``.
        chains: the number of chains. Chain c of a seed has the same draws whatever the number of
            chains and of threads.
        seed: a whole number from 0 to 2^64 - 1.
        batch_size: rows of a minibatch; None to use all of the data in every step.
        replace: True to draw the rows of a minibatch with replacement, False for distinct rows.
        control_variates: True to estimate each gradient by its difference to the gradient at a
            mode, which is searched for; or the mode itself, ``{block: value}``. Chains start at the
            mode, where ``initial`` says nothing else. None is False, and leaves "auto" the choice.
        svrg: estimate each gradient by its difference to the gradient at a snapshot of the chain,
            which is taken anew at every so many gradients and costs one gradient from all rows.
        saga: True to estimate each gradient by its difference to what was last seen of every row.
            Each chain remembers as many numbers as there are rows times coordinates. It needs
            ``replace=False``.
        compensate: True to estimate the variance of the gradient's noise during the run and to draw
            that much less noise. A chain stops where that variance exceeds the noise of the recipe.
        warmup, thin: the state after every ``thin``-th step that follows the ``warmup`` is a draw.
        keep: the blocks to keep, by symbol or name, or "all". None keeps those that the posterior
            or the potential depends on, and leaves momenta and other auxiliary blocks out; it keeps
            all where a recipe or kernel has neither. What is kept changes no draw.
        threads: the number of threads; None for one a chain, at most one a processor. Chains with a
            ``gradient`` that Python calls run in one thread, unless it is ``thread_safe``.
        initial: first values by block, of the shape (length,) for all chains or (chains, length).
            Any other block starts near the centre of its domain (``codegen.inputs.initial_states``
            says where).
        lengths: the number of coordinates of a block, by block, where neither data nor parameters
            determine it.
        coords: names of the coordinates of vector blocks, by block, such as ``{"theta": ["age",
            "income"]}``. By default they are those of the posterior, or the columns of its tables.
        gradient: the gradient of a potential that is not bound: any function ``gradient(theta)``
            that returns an array (of several blocks: takes several, and returns a tuple), which
            Python calls in each step; or a function ``gradient(g_theta, theta)`` that Numba can
            compile and that writes into its first arguments, one a block; ``{U: function}`` for
            several potentials.
        checkpoint: a folder in which the run is saved. If it holds this run already, the run goes
            on from there, and its draws are those of a run that was never stopped; ``steps`` may
            have grown.
        checkpoint_seconds: the seconds from one saving to the next.
        float32_data: True to round float64 data to float32. This halves their memory, and takes
            less time where there are many. The arithmetic stays float64, and the law that is
            sampled is the posterior of the rounded data.
        max_bias: the largest bias that is no warning, in posterior standard deviations: of means,
            and relative of standard deviations. It changes no draw of a step size that is given.
        max_error: for "auto": the largest Monte Carlo error of a mean, in posterior standard
            deviations.
        progress: True to show a progress bar, where standard error is a terminal.
        name: the name of a recipe that has none of its own.
        unproved: True to sample a recipe, rule or kernel that the verifier refutes, or cannot
            judge as its rule has no limit; its draws then say so. By default it is refused. One
            that is undecided is sampled, and its draws say so. Draws of a rule that is proved say
            by which order of the step size their law is off (``draws.attributes["proved"]``).
        check: called with the module before any of it is compiled; it raises where the module
            should not run.
        caller: what to do before the first step and with the draws, and which signals stop the run;
            by default Ctrl-C stops it. ``check`` and ``progress`` replace its own.

    Returns:
        The draws. A chain that diverges stops, and the draws say so; it is no exception.

    Warns:
        BiasWarning: where step size or minibatches are predicted to bias the draws by more than
            ``max_bias``, nothing can be predicted about draws from minibatches, or these were
            seen on some of the rows only.
        DivergenceWarning: where chains stopped early, or never moved.

    Raises:
        RecipeError: for an argument that is missing, unknown or out of range, and for a sampler
            that is refuted, before anything runs.
        UntunableError: for "auto", where no setting is known to be within the budget.

    Example:
        >>> from sympy import Matrix
        >>> from codegen import sample
        >>> from recipe import Potential, Recipe, Vector, total
        >>> theta = Vector("theta")
        >>> langevin = Recipe((theta,), Potential("U", theta), D=Matrix([[1]]), Q=Matrix([[0]]))
        >>> normal = total(theta**2) / 2
        >>> draws = sample(
        ...     langevin, normal, steps=500, step_size=0.1, lengths={theta: 2}, progress=False
        ... )
        >>> draws["theta"].shape
        (4, 500, 2)
    """
    require_sampler(what, EXAMPLE)
    auto = is_auto(step_size)
    if steps is None and not auto:
        raise RecipeError('steps= is missing; give it, or let step_size="auto" find it')
    first = 0 if warmup is None else warmup  # and not "or": False is no number
    options = SamplingOptions(
        steps=first + thin if steps is None else steps,
        step_size=1.0 if isinstance(step_size, str) else step_size,
        params=params,
        scheme=scheme,
        order=order,
        chains=chains,
        seed=seed,
        batch_size=batch_size,
        replace=replace,
        control_variates=control_variates,
        svrg=svrg,
        saga=saga,
        compensate=compensate,
        warmup=first,
        thin=thin,
        keep=keep,
        threads=threads,
        initial=initial,
        lengths=lengths,
        coords=coords,
        gradient=gradient,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
        float32_data=float32_data,
        max_bias=max_bias,
        name=name,
    )
    if check is not None and not callable(check):
        raise RecipeError(
            f"check={short_text(check)} is no function; it is called with the module before that is"
            " compiled. The sampler is verified without it: see unproved="
        )
    target = bound(what, posterior, EXAMPLE)  # what can never run is refused as such
    said = verdict_before(what, name, checked_flag("unproved", unproved))
    if auto:
        what, options, _ = tuned_run(
            what, posterior, options, steps=steps, warmup=warmup, max_error=max_error, check=check,
            progress=checked_flag("progress", progress),
        )  # fmt: skip
        target = bound(what, posterior, EXAMPLE)
    caller = dataclasses.replace(caller or Caller(), check=check, progress=progress)
    draws = sample_with(target, options, caller, Declared(what, said.refuted))
    draws = with_verdict(draws, said.note, said.proved)
    for sentence in () if draws.bias is None else (draws.bias.sentence, draws.bias.unseen):
        if sentence is not None:
            warnings.warn(sentence, BiasWarning, stacklevel=2)
    if draws.lost is not None:
        warnings.warn(draws.lost, DivergenceWarning, stacklevel=2)
    return draws


@dataclass(frozen=True)
class Declared:
    """A sampler before its potentials were bound.

    Attributes:
        what: the sampler as it was declared.
        refuted: whether it is refuted.
    """

    what: Recipe | Update | Kernel
    refuted: bool = False

    def said_of_expressions(
        self, target: Recipe | Update | Kernel, options: SamplingOptions
    ) -> tuple[str, ...]:
        """Return what is said of the law of potentials that expressions have replaced in the
        sampler that runs.

        Args:
            target: the sampler that runs, with its potentials replaced.
            options: its options.
        """
        left = {V.name.rstrip("_") for V in potentials_of(target)}  # one may have stepped aside
        replaced = [U for U in potentials_of(self.what) if U.name.rstrip("_") not in left]
        return said_of_given(self.what, options, replaced)


def sample_with(
    what: Recipe | Update | Kernel,
    options: SamplingOptions,
    caller: Caller,
    declared: Declared | None = None,
) -> Draws:
    """Draw as ``sample`` does, from options that were checked when they were built.

    Args:
        what: as for ``sample``.
        options: its keywords.
        caller: what to do around the run.
        declared: the sampler before its potentials were bound; None where it is the same.

    Returns:
        The draws.

    Raises:
        RecipeError: for an option that does not fit ``what``, before anything runs.
    """
    _require_options_that_have_a_use(what, options)
    module = generate(
        what,
        scheme=options.scheme,
        order=options.order,
        name=options.name,
        control_variates=options.controlled,
        svrg=options.svrg is not None,
        saga=options.saga,
        compensate=options.compensate,
        scheduled=tuple(options.schedules),
    )
    require_schedules_that_fit(module, options)
    if caller.check is not None:
        caller.check(module)
    if options.float32_data:
        module = with_float32_data(module)
    lengths = Lengths()
    learn_given(lengths, options.lengths, with_images(module.plan.state))
    data, rows = resolved_data(module, lengths)
    require_options_that_fit(options, module, rows)
    lengths.learn_names(coordinate_names(options.coords, with_images(module.plan.state)))
    given = options.params if not options.schedules else options.numbers
    params = resolved_params(module, given, what.parameters, lengths)
    require_conditions(module.moves.where, given, lengths)
    named = {name_of(key): value for key, value in (given or {}).items()}
    named |= known_numbers(module.plan.settings)
    inputs = _Inputs(module, options, data, params, named, lengths, declared or Declared(what))
    return _sampled(what, inputs, caller)


@dataclass(frozen=True)
class _Inputs:
    """The checked arguments of a run.

    Attributes:
        module: the generated module.
        options: as given.
        data: the arrays of the data, by field of ``Data``.
        params: the values of the parameters, by field of ``Params``.
        named: the values of the parameters as they were given, by name.
        lengths: the lengths of blocks that are known so far.
        declared: the sampler before its potentials were bound.
    """

    module: Module
    options: SamplingOptions
    data: dict[str, np.ndarray]
    params: dict[str, Any]
    named: Mapping[str, Any]
    lengths: Lengths
    declared: Declared

    def in_state(self, values: Mapping[Block, np.ndarray], argument: str) -> dict[Block, Any]:
        """Return values by block of the state, from values of these blocks or of their images."""
        return into_state(values, self.module.plan.state, self.named, argument)


def _sampled(what: Recipe | Update | Kernel, inputs: _Inputs, caller: Caller) -> Draws:
    module, options, lengths = inputs.module, inputs.options, inputs.lengths
    state = module.plan.state
    check_maps(state, inputs.named)
    # Now, as the first values of all chains are allocated next; a length that is not known yet
    # counts as 1.
    require_room(module, options, lengths)
    initial = without_ordered(options.initial, ordered_blocks(module))
    given = inputs.in_state(
        given_blocks(initial, state, options.chains, lengths, declared=_of_posteriors(module)),
        "initial=",
    )
    users = user_gradients(module, options.gradient)
    derives = any(e.gradient.posterior.derived for e in module.estimators.values())
    if caller.before is not None or derives:
        form = specimen(what, module, options, lengths)
        if caller.before is not None:
            caller.before(*form)
    data = inputs.data
    densities = _densities(inputs, users)
    _check_user_gradients(inputs, users, densities, given)
    if module.controlled:
        modes = find_modes(module.estimators, options.control_variates, densities, lengths)
        at_modes = inputs.in_state(_at_modes(modes, options.chains), "control_variates=")
        given = {**at_modes, **given}
        data = data | _control_fields(inputs, modes, users, densities)
    data = data | snapshot_data(module, options.svrg, data)
    data = data | {field: np.ones(1) for field in module.adapting}
    rows = max((array.shape[0] for array in inputs.data.values()), default=0)
    require_room(module, options, lengths, rows)
    with line_while(f"compiling {module.name}", wanted=caller.progress):
        kernel = Compiled(
            module,
            module.load(),
            options,
            gradient_argument(module, users),
            data,
            inputs.params,
            python_calls(module, users),
        )
        runner = Bundles(kernel) if in_bundles(module, options, lengths) else kernel
        running = runner.begin(
            first_state(kernel.loaded, module.plan, given, lengths, (options.seed, c))
            for c in range(options.chains)
        )
        runner.compile(running[0])
    budget = _budget(what, inputs)
    if budget is not None:
        for chain in running:
            advice.check_budget_at_start(kernel, budget, chain)
    of_law = said_of_law(what, module, options) or inputs.declared.said_of_expressions(
        what, options
    )
    said = (
        *said_of_priors(module),
        *said_of_orders(module),
        *of_law,
        *said_of_schedules(options),
    )
    saved, went_on = _opened_checkpoint(runner, running, _read_users(inputs, users, given))
    said = (*said, *went_on)
    first = runner.first_state(running)
    with caller.signals.held():  # until the caller has the draws
        began = perf_counter()
        interrupted = _run(runner, running, saved, caller)
        seconds = perf_counter() - began
        chains, faults = runner.chains(running), dict(kernel.calls.faults)
        judge = caller.judge and not interrupted
        with line_while("predicting the bias", wanted=caller.progress and judge):
            bias, warned = _judged(runner, chains, inputs) if judge else (None, ())
        draws = collected(
            what,
            module,
            options,
            chains,
            lengths,
            interrupted=interrupted,
            seconds=seconds,
            warnings=(*said, *_advice(runner, chains, budget, seconds, first), *warned)
            if judge
            else said,
            budget=budget,
            faults=faults,
            bias=bias,
            of_law=of_law,
        )
        if caller.after is not None:
            caller.after(draws)
        stopped = caller.signals.first is not None
        return dataclasses.replace(draws, interrupted=True) if stopped else draws


def _of_posteriors(module: Module) -> tuple[str, ...]:
    """Return the names of the blocks of posteriors: of the state, those that the user declared."""
    posteriors = [e.gradient.posterior for e in module.estimators.values()]
    return tuple(dict.fromkeys(b.name for p in posteriors for b in p.blocks))


def _judged(
    runner: Compiled | Bundles, chains: list[Chain], inputs: _Inputs
) -> tuple[Prediction | None, tuple[str, ...]]:
    """Return the predicted bias of a run, and sentences about it; chains that run in bundles have
    no data, and no prediction. Nor has a run whose parameters change, of which the faults that are
    plain to see are said all the same.
    """
    if not isinstance(runner, Compiled):
        return None, ()
    if runner.options.schedules:
        return None, tuple(plain_faults(runner, chains))
    quantities = partial(small_quantities, runner.module, runner.options)
    return judged(runner, chains, inputs.lengths, quantities, inputs.declared.refuted)


def _budget(what: Recipe | Update | Kernel, inputs: _Inputs) -> Budget | None:
    """Return the noise budget of a recipe whose steps compensate for the noise of a gradient; None
    for all others.
    """
    if not inputs.module.plan.variances or not isinstance(what, Recipe):
        return None
    return budget_of(what, inputs.named, inputs.lengths)


def _opened_checkpoint(
    runner: Compiled | Bundles, running: list[Chain], own: list[ReadGradient]
) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """Open the checkpoint, and put the chains where it stands; None where the run is not saved.
    Return it with what is said of a run that goes on.
    """
    kernel, options = runner.kernel, runner.kernel.options
    if options.folder is None:
        return None, ()
    run = fingerprint(
        kernel.module,
        options,
        kernel.data,
        kernel.params,
        own,
        (runner.unit, running),
    )
    saved = Checkpoint(
        options.folder,
        run,
        options.draws_after,
        options.checkpoint_seconds,
        len(kernel.module.plan.state),
        kernel.module.redrawn,
    )
    goes_on = saved.open(running, options.steps)
    return saved, tuple(s for one in own for s in one.said) if goes_on else ()


def _read_users(
    inputs: _Inputs, users: Mapping[Potential, Any], given: Mapping[Block, np.ndarray]
) -> list[ReadGradient]:
    """Read the gradients of the user, if the run is saved."""
    if inputs.options.folder is None:
        return []
    read = []
    for U, user in users.items():
        estimator = inputs.module.estimators.get(U)
        fields = () if estimator is None else estimator.gradient.fields.values()
        arrays = [inputs.data[f] for f in fields]
        _, at = _first_point(inputs, U, given)
        call = partial(call_for_effect, user, at, arrays)
        read.append(read_gradient(user, call if isinstance(user, PythonGradient) else None))
    return read


def _advice(
    runner: Compiled | Bundles,
    chains: list[Chain],
    budget: Budget | None,
    seconds: float,
    first: Any,
) -> tuple[str, ...]:
    """Return warnings about the step size; an error in judging it is a warning too, and costs no
    draws.
    """
    if runner.kernel.options.schedules:
        return ()  # a step size is judged at parameters that stay
    try:
        return advice.step_size_warnings(runner, chains, budget, seconds, first)
    except Exception as error:
        return (
            (
                f"the step size could not be judged ({type(error).__name__}: {error}); the draws"
                " are all there"
            ),
        )


def _require_options_that_have_a_use(
    what: Recipe | Update | Kernel, options: SamplingOptions
) -> None:
    """Require a step size where there is a step, and refuse a step size or minibatches that a
    kernel does not use.
    """
    size, rows = options.step_size, options.batch_size
    refusal = refusal_of_estimates(what) if isinstance(what, Kernel) else None
    if rows is not None and refusal is not None:
        raise RecipeError(f"batch_size={rows}: {refusal}")
    if not isinstance(what, Kernel) or what.step is not None:
        schedule_of(size)  # raises for None
    elif size is not None:
        raise RecipeError(
            f"step_size={short_text(size)}: no part of this kernel has a step size; leave it out"
        )


def _run(
    runner: Compiled | Bundles,
    chains: list[Chain],
    saved: Checkpoint | None,
    caller: Caller,
) -> bool:
    """Run all chains, and save them on the way; return True if a signal interrupted them."""
    options = runner.kernel.options
    between_chunks: Callable[[Chain], None] | None = None
    if saved is not None:

        def between_chunks(chain: Chain) -> None:
            saved.visit(chain, chains, lambda c: c.finished(options.steps))

    try:
        interrupted = run_chains(
            runner.advance,
            chains,
            options.steps,
            runner.kernel.workers,
            caller.progress,
            between_chunks,
            caller.signals,
        )
        if saved is not None:
            saved.close(chains)
    finally:
        if saved is not None:
            saved.release()
    return interrupted


def _at_modes(modes: Mapping[Potential, Mode], chains: int) -> dict[Block, np.ndarray]:
    """Return the modes as first values by block, of the shape (chains, length)."""
    return {
        b: np.broadcast_to(v, (chains, v.size)) for mode in modes.values() for b, v in mode.items()
    }


def _densities(inputs: _Inputs, users: Mapping[Potential, Any]) -> dict[Potential, Density]:
    """Return the compiled posteriors that a gradient of the user is compared with, or whose mode is
    searched for.

    Each of them checks all of its data, so it is made only once.
    """
    module, lengths = inputs.module, inputs.lengths
    needed = {
        U: e.gradient.posterior
        for U, e in module.estimators.items()
        if U in users or module.controlled
    }
    return {
        U: Density(
            posterior,
            {n: inputs.named[n] for n in names_to_give(posterior.parameters)},
            lengths={b: lengths.of(b) for b in posterior.blocks if not isinstance(b, Scalar)},
        )
        for U, posterior in needed.items()
        if posterior.log_likelihood is not None
    }


def _control_fields(
    inputs: _Inputs,
    modes: Mapping[Potential, Mode],
    users: Mapping[Potential, Any],
    densities: Mapping[Potential, Density],
) -> dict[str, np.ndarray]:
    """Return the fields of ``Data`` that hold the modes and the gradients there."""
    fields: dict[str, np.ndarray] = {}
    for U, estimator in inputs.module.estimators.items():
        arrays = [inputs.data[f] for f in estimator.gradient.fields.values()]
        fields |= control_data(estimator, modes[U], users.get(U), densities.get(U), arrays)
    return fields


def _first_point(
    inputs: _Inputs, U: Potential, given: Mapping[Block, np.ndarray]
) -> tuple[Sequence[Block], list[np.ndarray]]:
    """Return the blocks of a potential, and their values at the first state of chain 0."""
    module, seed = inputs.module, inputs.options.seed
    estimator = module.estimators.get(U)
    blocks = U.blocks if estimator is None else estimator.gradient.posterior.blocks
    first = first_state(module.load(), module.plan, given, inputs.lengths, (seed, 0))
    state = {b: first[field] for b, field in module.plan.fields.items()}
    return blocks, [out_of_state(b, state, inputs.named) for b in blocks]


def _check_user_gradients(
    inputs: _Inputs,
    users: Mapping[Potential, Any],
    densities: Mapping[Potential, Density],
    given: Mapping[Block, np.ndarray],
) -> None:
    """Compare each gradient of the user that replaces a derived one with the derived one, at the
    first state of chain 0; see there that each other one is a gradient.
    """
    for U, user in users.items():
        estimator = inputs.module.estimators.get(U)
        blocks, at = _first_point(inputs, U, given)
        if isinstance(user, PythonGradient) and estimator is None:
            check_python_gradient(user, at)
        elif estimator is None:
            check_numba_gradient(user, blocks, at)
        else:
            arrays = [inputs.data[f] for f in estimator.gradient.fields.values()]
            posterior = estimator.gradient.posterior
            minibatches = inputs.options.batch_size is not None
            check_user_gradient(posterior, user, arrays, densities.get(U), at, minibatches)
