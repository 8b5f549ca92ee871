"""The prediction of the bias of a run, after it: the pipeline in numbered steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.bias.all_rows import noise_of_minibatches
from codegen.bias.around_draws import (
    Around,
    require_distance_from_edges,
    require_draws_as_wide,
    require_draws_of_this_law,
    require_edges_far_from_draws,
    require_one_place,
    where_draws_are,
)
from codegen.bias.linear.compare import Bias, Law, bias_like, law_of, without_law
from codegen.bias.linear.linearise import (
    SMALL_STEP,
    Linear,
    Middle,
    Setting,
    at_fixed_point,
    require_additive_noise,
    with_size,
)
from codegen.bias.linear.minibatch_noise import BatchNoise
from codegen.bias.linear.modes import require_same_noise
from codegen.bias.linear.shift import (
    FLAT,
    POINTS,
    points_of_law,
    require_draws_where_the_step_is_linear,
    shift_of_means,
)
from codegen.bias.linear.small_step_law import small_step_law
from codegen.bias.linear.work import Work, size_of_data, work, work_of_many
from codegen.bias.many_coordinates import predict_many
from codegen.bias.prediction import LARGEST_FACTOR, Part, Prediction, Repairs
from codegen.bias.repairs import (
    larger_batch,
    proportional_repairs,
    repairs,
    rounded_down,
    smaller_step,
)
from codegen.bias.reported import Quantities, slopes_of_reported
from codegen.bias.step.step_map import step_map
from codegen.bias.step.streams import noise_lengths
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.bias.thermostat import balanced, thermostats
from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions
from codegen.inputs.preimages import reported_block
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.language.blocks import Block, Scalar
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import name_of

MAX_STEP_SIZES = 10_000  # of a schedule, whose mean is taken
LEAST_FACTOR = 1 / 3  # of a standard deviation: no step size makes a nearly normal law so narrow
MAX_SHIFT = 2.0  # standard deviations of a mean: more is outside of a small change
FAR = (
    f"means would move by more than {MAX_SHIFT:g} standard deviations, too far for what holds near"
    " one point"
)
MAX_COORDINATES = 300  # of a point: more are not predicted by matrices


def predict(
    kernel: Compiled,
    chains: Sequence[Chain],
    lengths: Lengths,
    budget: float,
    quantities: Quantities,
) -> Prediction | None:
    """Predict the bias of a run.

    Args:
        kernel: the compiled module of the run.
        chains: its chains, after the run.
        lengths: the lengths of its blocks.
        budget: the largest bias that is wanted, in posterior standard deviations.
        quantities: what is reported beside blocks, as a function of their draws.

    Returns:
        The prediction; None where there is nothing to predict: where Metropolis tests make the law
        exact, where no gradient is evaluated, and where no chain has draws.
    """
    module = kernel.module
    healthy = [c for c in chains if c.stopped_by < 0 and kernel.options.draws_after(c.done) > 0]
    if module.plan.statistics or not healthy:
        return None
    minibatches = bool(kernel.options.rows)
    try:
        return _predicted(kernel, healthy, lengths, budget, quantities)
    except (UnpredictableError, np.linalg.LinAlgError) as reason:
        said = (
            str(reason) if isinstance(reason, UnpredictableError) else "its equations are singular"
        )
        seen = reason.seen if isinstance(reason, UnpredictableError) else None
        seen = None if module.estimators else seen  # a likelihood of rows is no free expression
        return Prediction(budget, minibatches, said, seen=seen)


def _predicted(
    kernel: Compiled,
    chains: Sequence[Chain],
    lengths: Lengths,
    budget: float,
    quantities: Quantities,
) -> Prediction:
    module, options = kernel.module, kernel.options
    if module.references:
        raise UnpredictableError("the noise of their gradients depends on a reference that moves")
    # 1. Where the draws are, and which of their coordinates are judged.
    judged = _judged(kernel)
    fields = [module.plan.fields[b] for b in judged]
    step = step_map(kernel, chains[0].state, fields)
    around = where_draws_are(step, chains, options)
    labels = _labels(kernel, judged, step.recorded)
    require_one_place(around, labels)
    # 2. How much work that may be.
    streams = noise_lengths(module, lengths)
    size = _mean_step_size(options)
    rows, columns = size_of_data(kernel)
    done = sum(c.done for c in chains)
    if step.size > MAX_COORDINATES:
        require_edges_far_from_draws(kernel, step, around)
        most_of_many = work_of_many(
            run_steps=done,
            data_rows=rows,
            batch=options.rows,
            columns=columns,
            size=step.size,
            copies=len(step.fields) // len(step.recorded),
        )
        setting = Setting(step, streams, _rows_for_all(kernel, most_of_many.rows, rows), size)
        return predict_many(setting, chains, around, labels, budget, most_of_many, lengths)
    most = work(
        run_steps=done,
        data_rows=rows,
        batch=options.rows,
        columns=columns,
        steps=sum(n for _, n in streams) + 2 * step.size,
        more=2 * POINTS,
    )
    middle = Middle(around.start, _rows_for_all(kernel, 0, rows))
    setting = Setting(step, streams, _rows_for_all(kernel, most.rows, rows), size, middle)
    # 3. The laws of the step with and without minibatches, and of small steps.
    laws = _laws(setting, around, most)
    around, here, target = laws.around, laws.here, laws.target
    require_distance_from_edges(kernel, laws.setting.step, here.point, target)
    require_additive_noise(laws.setting, here, target.points)
    centre = here.point if around.sample is None else around.start
    require_draws_where_the_step_is_linear(laws.setting, here, around.sample, centre)
    # 4. Their biases, also in what is reported beside the coordinates.
    middle_of_draws = around.means.mean(axis=0)
    slopes, more = slopes_of_reported(step, judged, middle_of_draws, target.draws, quantities)
    target = replace(target, reported=slopes)
    laws = replace(laws, target=target)
    alone, total = _biases(laws)
    if np.min(total.sd) < LEAST_FACTOR:
        raise UnpredictableError(FLAT)
    if laws.law is not None and np.max(total.sd) <= LARGEST_FACTOR:
        require_draws_of_this_law(around, labels, laws.law, here, total, target)
        if np.max(np.abs(total.shift)) > MAX_SHIFT:
            raise UnpredictableError(FAR)
    elif np.max(alone.sd) <= LARGEST_FACTOR:
        require_draws_as_wide(around, labels, total, target)
    labels += more
    # 5. What would be within the budget.
    found = Repairs()
    if total.size > budget:
        found = _repairs(laws, alone, total, rows, budget)
    return Prediction(
        budget,
        bool(options.rows),
        None,
        _part(total, labels),
        _part(alone, labels),
        found,
        None if laws.noise is None else laws.noise.relative_error,
        step.size,
        **({} if laws.noise is None else _rows_of_noise(laws.noise)),
    )


def _rows_of_noise(noise: BatchNoise) -> dict[str, Any]:
    """Return what is said of the rows whose noise was seen."""
    heavy = None if noise.heavy_row < 0 else noise.heavy_row
    return {
        "rows": noise.rows,
        "rows_seen": noise.seen,
        "heavy_row": heavy,
        "heavy_share": noise.heavy_share,
    }


@dataclass(frozen=True, eq=False)
class _Laws:
    """The laws of a run, and what they come from.

    Attributes:
        setting: the step with its size; its thermostats, if it has any, are held.
        around: where the draws are.
        here: the step near its fixed point.
        target: the law of small steps with all of the data.
        alone: the law of the step with all of the data; None where there is none.
        law: the law of the step with its minibatches; None where there is none.
        noise: the noise of minibatches; None without them.
        held: whether thermostats are held.
    """

    setting: Setting
    around: Around
    here: Linear
    target: Law
    alone: Law | None
    law: Law | None
    noise: BatchNoise | None
    held: bool = False


def _laws(setting: Setting, around: Around, most: Work) -> _Laws:
    try:
        here = at_fixed_point(setting, around.start, around.scale)
    except UnpredictableError:
        names = thermostats(setting, around.start, around.scale)
        if not names:
            require_same_noise(setting, around.start, around.scale)  # else nothing is seen
            raise
        return _laws_of_thermostat(setting, around, most, names)
    target = small_step_law(setting, here, around.scale)
    alone = law_of(here)
    if not setting.step.kernel.options.rows:
        return _Laws(setting, around, here, target, alone, alone, None)
    noise = _batch_noise(setting, here, alone, target, most)
    return _Laws(setting, around, here, target, alone, law_of(here, noise.around), noise)


def _laws_of_thermostat(
    setting: Setting, around: Around, most: Work, names: Sequence[str]
) -> _Laws:
    """Return the laws with the thermostats held where each law lets them stay."""
    small = with_size(setting, SMALL_STEP * setting.step_size)
    target = balanced(small, names, around.start, around.scale)
    alone = balanced(setting, names, around.start, around.scale)
    own = alone.of_others(around)
    if not setting.step.kernel.options.rows:
        return _Laws(
            alone.setting, own, alone.here, target.law, alone.law, alone.law, None, held=True
        )
    noise = _batch_noise(alone.setting, alone.here, alone.law, target.law, most)
    total = balanced(setting, names, around.start, around.scale, noise.around)
    return _Laws(total.setting, own, total.here, target.law, alone.law, total.law, noise, held=True)


def _biases(laws: _Laws) -> tuple[Bias, Bias]:
    """Return the biases of the law of the step alone, and of that with minibatches."""
    here, around, target = laws.here, laws.around, laws.target
    alone, total = laws.alone, laws.law
    nothing = without_law(target.judged)
    if total is None:
        return nothing if alone is None else Bias(
            alone.variances(target), 0 * nothing.shift
        ), nothing
    points = points_of_law(total, around.sample)
    centre = here.point if around.sample is None else around.start
    moved = shift_of_means(laws.setting, here, points, centre, total, target)
    shift = target.in_deviations(moved)
    both = Bias(total.variances(target), shift)
    if alone is None or alone is total:
        return both if alone is total else nothing, both
    if np.max(np.abs(shift)) > MAX_SHIFT:  # a share of what is not small says nothing
        own = points_of_law(alone, None)
        moved = shift_of_means(laws.setting, here, own, here.point, alone, target)
        return Bias(alone.variances(target), target.in_deviations(moved)), both
    share = alone.distance(target) / max(total.distance(target), 1e-300)
    return Bias(alone.variances(target), share * shift), both


def _mean_step_size(options: SamplingOptions) -> float:
    """Return the mean size of the steps that draws are kept of; the bias is about linear in it."""
    kept = np.linspace(options.warmup, options.steps - 1, min(options.draws, MAX_STEP_SIZES))
    return float(np.mean(options.schedule.at(kept)))


def _judged(kernel: Compiled) -> list[Block]:
    """Return the blocks of the state that a potential depends on; those of interest where it is an
    expression of the recipe.
    """
    plan = kernel.module.plan
    found = {b for U in plan.potentials for b in blocks_in(U, plan.state)}
    found = found or set(kernel.module.of_interest)
    judged = [b for b in plan.state if b in found or reported_block(b) in found]
    if not judged:
        raise UnpredictableError("no block of the state is an argument of the potential")
    return judged


def _labels(kernel: Compiled, judged: Sequence[Block], recorded: Mapping[str, slice]) -> list[str]:
    """Return the names of the judged coordinates; those of the scalars of an ordered block, which
    is reported, are ``c[0]`` and ``c[k] - c[k-1]``.
    """
    left_out = kernel.options.left_out(kernel.module)
    within = {
        s.name: f"{c.name}[{k}]" + (f" - {c.name}[{k - 1}]" if k else "")
        for e in kernel.module.estimators.values()
        for c in e.gradient.posterior.ordered
        for k, s in enumerate(c.blocks)
        if s.name in left_out
    }
    labels: list[str] = []
    for block in judged:
        own = name_of(reported_block(block))
        name = within.get(own, own)
        part = recorded[kernel.module.plan.fields[block]]
        count = part.stop - part.start
        labels += [name] if isinstance(block, Scalar) else [f"{name}[{i}]" for i in range(count)]
    return labels


def _rows_for_all(kernel: Compiled, most: int, rows: int) -> int:
    """Return the rows of a step that stands for one with all of the data; 0 for all of them at
    once, which neither a gradient of the user nor a running variance allows.
    """
    estimators = kernel.module.estimators.values()
    row_by_row = any(e.average is not None or e.gradient.derived is None for e in estimators)
    return rows if most == 0 and row_by_row else most


def _batch_noise(
    setting: Setting, here: Linear, law: Law | None, target: Law, most: Work
) -> BatchNoise:
    """Return the noise of minibatches over the law of the run; over the target where that law is
    too wide to say.
    """
    batch = setting.step.kernel.options.rows

    def law_with(noise: np.ndarray) -> np.ndarray | None:
        found = None if law is None else law_of(here, noise)
        if found is None or not found.is_within(LARGEST_FACTOR, target):
            return None
        return found.points

    return noise_of_minibatches(setting, here, batch, most, law_with, target.points)


def _repairs(laws: _Laws, alone: Bias, total: Bias, rows: int, budget: float) -> Repairs:
    setting, here, target, noise = laws.setting, laws.here, laws.target, laws.noise
    options, plan = setting.step.kernel.options, setting.step.kernel.module.plan
    if laws.held:  # another step size would let them stay elsewhere
        return proportional_repairs(setting, alone, total, alone, budget)
    now = (total, laws.law)
    step = smaller_step(setting, here, target, now, noise, budget)
    if step is not None:
        step = rounded_down(step * options.schedule.a / setting.step_size)
    if noise is None or plan.variances:
        return Repairs(step)
    batch = larger_batch(alone, total, options.rows, rows, options.replace, budget)
    law = law_of(here, noise.differences)
    controlled = bias_like(law, target, *now).size <= budget
    controls = controlled and _can_be_controlled(setting)
    return repairs(step, batch, controls, rows)


def _can_be_controlled(setting: Setting) -> bool:
    module = setting.step.kernel.module
    return not module.controlled and all(
        e.gradient.posterior.log_likelihood is not None for e in module.estimators.values()
    )


def _part(bias: Bias, labels: list[str]) -> Part:
    worst = int(np.argmax(np.where(np.isfinite(bias.sd), np.abs(bias.sd - 1.0), np.inf)))
    moved = int(np.argmax(np.where(np.isfinite(bias.shift), np.abs(bias.shift), np.inf)))
    wide = not bias.sd[worst] <= LARGEST_FACTOR
    return Part(
        float(bias.sd[worst]),
        labels[worst],
        None if wide else float(abs(bias.shift[moved])),
        labels[moved],
    )
