"""A compiled step near the middle of a law, at any step size and minibatch: its bias and the cost
of an effective draw, from the linear recursion ``z' = M z + noise``.

The law of the recursion, and the one for small steps, are those of ``codegen.bias``. The integrated
autocorrelation time of a coordinate x in stationarity is ``((I + M)(I - M)^-1 S)_xx / S_xx``, and
that of its square ``sum over k of rho_k^2``, with ``rho_k = (M^k S)_xx / S_xx``: for an eigenbasis
of M both are sums of geometric series.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from codegen.bias.all_rows import noise_of_minibatches
from codegen.bias.around_draws import Around, require_draws_of_this_law
from codegen.bias.linear.compare import Bias, Law, law_of
from codegen.bias.linear.linearise import (
    Linear,
    Middle,
    Setting,
    at_fixed_point,
    linearised,
    require_additive_noise,
    with_size,
)
from codegen.bias.linear.minibatch_noise import noise_around
from codegen.bias.linear.shift import points_of_law, shift_of_means
from codegen.bias.linear.small_step_law import small_step_law
from codegen.bias.linear.work import size_of_data, work
from codegen.bias.prediction import LARGEST_FACTOR
from codegen.bias.reported import slopes_of_reported
from codegen.bias.step.step_map import StepMap, step_map
from codegen.bias.step.streams import noise_lengths
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.results.assemble_draws import small_quantities
from codegen.running.compiled import Compiled
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.prepared import Prepared

BATCHES = 96  # minibatches that their noise is first estimated from
PARTS = 400  # of all rows, in which that noise is measured where a setting is judged
ROWS_NUMBERS = 4_000_000  # of the data: more are stood for by some rows
SAMPLE = 4000  # draws of the pilot that stand for its law


@dataclass(frozen=True, eq=False)
class Predicted:
    """What is predicted of a setting.

    Attributes:
        bias: of each coordinate; without shifts of means where they were not looked at.
        law: its stationary law; None where there is none.
        time: the largest integrated autocorrelation time of a coordinate or of its square, in
            steps; at least 1.
    """

    bias: Bias
    law: Law | None
    time: float


@dataclass(frozen=True, eq=False)
class LinearStep:
    """A compiled step near the middle of the law of a pilot run.

    Attributes:
        setting: the step at its reference size.
        here: it near its fixed point, at that size.
        target: the law for small steps with all of the data, with what is reported beside the
            coordinates: a run is judged in that, too.
        around: where the draws of the pilot run are.
        labels: the names of the coordinates.
    """

    setting: Setting
    here: Linear
    target: Law
    around: Around
    labels: list[str]

    @property
    def settling(self) -> int:
        """The steps until a chain that starts in a draw of the pilot may be judged."""
        return 0

    def at(self, step_size: float) -> Linear:
        """Return the linear step at another size."""
        scale = np.sqrt(np.maximum(np.diag(self.target.points), 1e-300))
        return linearised(with_size(self.setting, step_size), self.here.point, scale)

    def predicted(self, near: Linear, step_size: float, batch: int | None) -> Predicted:
        """Return what is predicted of a step size and a minibatch, without shifts of means.

        Args:
            near: the linear step at that size.
            step_size: that size.
            batch: the rows of a minibatch; None for all of the data.
        """
        noise = None if batch is None else self.noise_of_batches(near, step_size, batch)
        return self._of_law(near, self.law(near, step_size, noise))

    def law(self, near: Linear, step_size: float, noise: np.ndarray | None) -> Law | None:
        """Return the stationary law; None where there is none.

        Args:
            near: the linear step at that size.
            step_size: that size.
            noise: the covariance that minibatches add to a result; None without them.
        """
        return law_of(near, noise)

    def refined(self, near: Linear, step_size: float, batch: int | None) -> Predicted:
        """Return what is predicted with the noise of minibatches over the law that they make, from
        all rows as far as they may be read, and with the shifts of means; arguments as for
        ``predicted``.
        """
        noise = None
        if batch is not None:
            try:
                noise = self._noise_of_all_rows(near, step_size, batch)
            except UnpredictableError:  # it grows with the law that it widens
                return self.without_law()
        found = self._of_law(near, self.law(near, step_size, noise))
        return self._with_shifts(found, near, step_size)

    def _noise_of_all_rows(self, near: Linear, step_size: float, batch: int) -> np.ndarray:
        """Return the covariance that minibatches add to a result; a run is judged by the same."""

        def law_with(noise: np.ndarray) -> np.ndarray | None:
            law = self.law(near, step_size, noise)
            if law is None or not law.is_within(LARGEST_FACTOR, self.target):
                return None
            return law.points

        setting = with_size(self.setting, step_size)
        rows, columns = size_of_data(setting.step.kernel)
        free = work(run_steps=0, data_rows=rows, batch=batch, columns=columns, steps=1, more=0)
        most = replace(free, batches=PARTS)
        found = noise_of_minibatches(setting, near, batch, most, law_with, self.target.points)
        return found.around

    def without_law(self) -> Predicted:
        """Return what is predicted where there is no stationary law."""
        k = self.target.judged
        return Predicted(Bias(np.full(k, np.inf), np.zeros(k)), None, np.inf)

    def _of_law(self, near: Linear, law: Law | None) -> Predicted:
        if law is None:
            return self.without_law()
        bias = Bias(law.variances(self.target), np.zeros(self.target.judged))
        return Predicted(bias, law, self._time(near, law))

    def _with_shifts(self, found: Predicted, near: Linear, step_size: float) -> Predicted:
        """Return a prediction with the shifts of means, averaged over the law of the pilot."""
        if found.law is None:
            return found
        points = points_of_law(found.law, self.around.sample)
        setting = with_size(self.setting, step_size)
        moved = shift_of_means(setting, near, points, self.around.start, found.law, self.target)
        shift = self.target.in_deviations(moved)
        return replace(found, bias=Bias(found.bias.variance, shift))

    def require_normal(self, found: Predicted) -> None:
        """Require that the pilot's draws are where the linear law is, and about as wide.

        Raises:
            UnpredictableError: where they are not.
        """
        none = Bias(np.ones_like(found.bias.variance), np.zeros_like(found.bias.shift))
        require_draws_of_this_law(
            self.around, self.labels, self.target, self.here, none, self.target
        )

    def estimating_by(self, kernel: Compiled) -> LinearStep:
        """Return the same step with minibatches as another kernel takes them.

        Args:
            kernel: a compiled module whose steps with all of the data are the same.
        """
        return replace(self, setting=by_kernel(self.setting, kernel))

    def noise_of_batches(self, near: Linear, step_size: float, batch: int) -> np.ndarray:
        """Return the covariance that minibatches add to a result, shape (m, m), over the target,
        from some that are drawn; arguments as for ``predicted``.
        """
        setting = with_size(self.setting, step_size)
        return noise_around(setting, near, batch, BATCHES, self.target.points)

    def _time(self, near: Linear, law: Law) -> float:
        """Return the largest autocorrelation time of what is judged."""
        n = near.point.size
        judged = np.eye(n)[self.setting.step.judged]
        if self.target.reported is not None:
            judged = np.vstack([judged, self.target.reported @ judged])
        values, vectors = np.linalg.eig(near.slopes[:n])
        left = np.linalg.solve(vectors, law.points.astype(complex))
        # rho_k of a judged number i is sum_j weight_ij values_j^k
        size = np.einsum("in,nm,im->i", judged, law.points, judged)
        weight = (judged @ vectors) * (judged @ left.T) / size[:, None]
        mean = np.real(weight @ ((1 + values) / (1 - values)))
        both = values[:, None] * values[None, :]
        square = np.real(np.einsum("ij,jl,il->i", weight, (1 + both) / (1 - both), weight))
        worst = float(np.nanmax([*mean, *square]))
        return max(1.0, worst) if np.isfinite(worst) else np.inf


def setting_near(
    made: Prepared, target: Target, pilot: Pilot, step_size: float, batch: int | None
) -> tuple[Setting, tuple[np.ndarray, np.ndarray], Around]:
    """Return a compiled step as a function, the middle of the draws of a pilot run as a point of
    it with the size of deviations, and where these draws are.

    Args:
        made: the compiled sampler.
        target: the law.
        pilot: its pilot run.
        step_size: a step size well inside of the stable ones.
        batch: the rows of the largest minibatch that will be asked for; None for none.

    Raises:
        UnpredictableError: where a step draws numbers that are not normal.
    """
    kernel = made.kernel
    step = step_map(kernel, made.state(target, pilot.mean), made.fields)
    streams = noise_lengths(kernel.module, made.lengths)
    setting = Setting(step, streams, _rows(made, batch), step_size)
    middle = _start(setting, made, target, pilot)
    return replace(setting, middle=Middle(middle[0], 0)), middle, _around(*middle, pilot)


def with_reported(law: Law, made: Prepared, step: StepMap, pilot: Pilot) -> Law:
    """Return the law of small steps with what a run reports beside the coordinates of the draws,
    such as the cutpoints of an ordered block: their derivatives at the mean of the pilot run.

    Args:
        law: the law.
        made: the compiled sampler.
        step: its step as a function.
        pilot: the pilot run.
    """
    module = made.kernel.module
    of_field = {field: block for block, field in module.plan.fields.items()}
    quantities = partial(small_quantities, module, made.kernel.options)
    blocks = [of_field[field] for field in made.fields]
    slopes, _ = slopes_of_reported(step, blocks, pilot.mean, law.draws, quantities)
    return replace(law, reported=slopes)


def linear_step(
    made: Prepared,
    pilot: Pilot,
    setting: Setting,
    middle: tuple[np.ndarray, np.ndarray],
    around: Around,
    labels: list[str],
) -> LinearStep:
    """Return a compiled step near the middle of a law.

    Args:
        made: the compiled sampler.
        pilot: the pilot run of the law.
        setting, middle, around: as ``setting_near`` returns them.
        labels: the names of the coordinates.

    Raises:
        UnpredictableError: where nothing can be predicted of this sampler.
    """
    start, scale = middle
    here = at_fixed_point(setting, start, scale)
    law = small_step_law(setting, here, scale)
    require_additive_noise(setting, here, law.points)
    law = with_reported(law, made, setting.step, pilot)
    return LinearStep(setting, here, law, around, labels)


def by_kernel(setting: Setting, kernel: Compiled) -> Setting:
    """Return a step by another kernel of the same state."""
    step = replace(setting.step, kernel=kernel, states={}, entry=[])
    return replace(setting, step=step, same={})


def _rows(made: Prepared, batch: int | None) -> int:
    """Return the rows that stand for all of the data; 0 for all of them."""
    data: Mapping[str, np.ndarray] = made.kernel.data
    rows = min((a.shape[0] for a in data.values()), default=1)
    numbers = sum(a.size for a in data.values())
    if numbers <= ROWS_NUMBERS:
        return 0
    fewer = max(200, 4 * (batch or 0), int(rows * ROWS_NUMBERS / numbers))
    return 0 if fewer >= rows else fewer


def _start(
    setting: Setting, made: Prepared, target: Target, pilot: Pilot
) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle of the pilot's draws as a point, and the size of deviations from it."""
    step = setting.step
    start = step.pack(made.state(target, pilot.mean))
    scale = np.ones(step.size)
    parts = zip(made.fields, target.parts(pilot.mean), target.parts(pilot.sd), strict=True)
    for name, mean, sd in parts:
        start[step.fields[name]], scale[step.fields[name]] = mean, sd
    if step.block_size < step.size:  # the gradient that the scheme keeps
        kept = slice(step.block_size, step.size)
        start[kept] = step(start, 0, 0.0, setting.rows, True, fresh=True)[kept]
        scale[kept] = 1.0 + np.abs(start[kept])
    return start, scale


def _around(start: np.ndarray, scale: np.ndarray, pilot: Pilot) -> Around:
    draws = pilot.draws
    flat = draws.reshape(-1, draws.shape[-1])
    return Around(
        start,
        scale,
        draws.mean(axis=1),
        np.sqrt(np.mean(draws.var(axis=1), axis=0)),
        flat.std(axis=0),
        draws.shape[1],
        flat[:: max(1, len(flat) // SAMPLE)],
    )
