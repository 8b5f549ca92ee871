"""The linear step of a thermostat: at each step size and minibatch its number is held where it does
not move in the mean (``codegen.bias.thermostat``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from codegen.bias.around_draws import Around
from codegen.bias.linear.compare import Law
from codegen.bias.linear.linearise import (
    SMALL_STEP,
    Linear,
    Setting,
    require_additive_noise,
    with_size,
)
from codegen.bias.thermostat import Balanced, balanced, thermostats
from codegen.running.compiled import Compiled
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.linear_step import LinearStep, by_kernel, with_reported
from codegen.tuning.prepared import Prepared
from codegen.tuning.trial import Trial

SETTLING, LATE = 4000, 40  # steps until a thermostat is where it stays, and pieces that say where
WITHOUT_TEMPERATURE = 1.0  # of a thermostat that has stayed below 0


@dataclass(frozen=True, eq=False)
class ThermostatStep(LinearStep):
    """A step with thermostats near the middle of the law of a pilot run.

    Attributes:
        whole: the step at its reference size, with its thermostats free.
        names: the fields of the thermostats.
        start, scale: the middle of the draws as a point of ``whole``, and the size of deviations.
    """

    whole: Setting
    names: tuple[str, ...]
    start: np.ndarray
    scale: np.ndarray

    @property
    def settling(self) -> int:
        """The steps until a chain that starts elsewhere has its temperature."""
        return SETTLING

    def at(self, step_size: float) -> Linear:
        """Return the linear step at another size; the thermostats are held where they stay."""
        return self._balanced(step_size, None).here

    def estimating_by(self, kernel: Compiled) -> ThermostatStep:
        """Return the same step with minibatches as another kernel takes them."""
        own, whole = (by_kernel(setting, kernel) for setting in (self.setting, self.whole))
        return replace(self, setting=own, whole=whole)

    def law(self, near: Linear, step_size: float, noise: np.ndarray | None) -> Law | None:
        """Return the stationary law with the thermostats held where minibatches let them stay.

        Raises:
            UnpredictableError: where they stay nowhere, or move so far within a step that its noise
                depends on the state: nothing would be predicted of a run, either.
        """
        found = self._balanced(step_size, noise)
        require_additive_noise(found.setting, found.here, self.target.points)
        return found.law

    def _balanced(self, step_size: float, noise: np.ndarray | None) -> Balanced:
        setting = with_size(self.whole, step_size)
        return balanced(setting, self.names, self.start, self.scale, noise)


def thermostat_step(
    made: Prepared,
    target: Target,
    pilot: Pilot,
    setting: Setting,
    middle: tuple[np.ndarray, np.ndarray],
    around: Around,
) -> ThermostatStep | None:
    """Return the linear step of a thermostat; None where the state has none.

    Args:
        made: the compiled sampler.
        target: the law.
        pilot: its pilot run.
        setting: the step at its reference size.
        middle: the middle of the draws as a point, and the size of deviations from it.
        around: where the draws are.

    Raises:
        UnpredictableError: where its number has no place where it stays.
    """
    start, scale = middle
    names = tuple(thermostats(setting, start, scale))
    if not names:
        return None
    start = _at_temperature(made, target, pilot, setting, start, names)
    small = with_size(setting, SMALL_STEP * setting.step_size)
    law = with_reported(balanced(small, names, start, scale).law, made, setting.step, pilot)
    own = balanced(setting, names, start, scale)
    return ThermostatStep(
        own.setting,
        own.here,
        law,
        replace(around, start=around.start[own.others], scale=around.scale[own.others]),
        target.labels,
        setting,
        names,
        start,
        scale,
    )


def _at_temperature(
    made: Prepared,
    target: Target,
    pilot: Pilot,
    setting: Setting,
    start: np.ndarray,
    names: tuple[str, ...],
) -> np.ndarray:
    """Return a point with the thermostats where a short run leaves them, as they begin anywhere."""
    trial = Trial(made, target, pilot.last)
    trial.move(setting.step_size, SETTLING)
    seen = []
    for _ in range(LATE):
        trial.move(setting.step_size, SETTLING // LATE)
        seen.append(trial.fields(names))
    found = start.copy()
    for name, values in zip(names, np.mean(seen, axis=0), strict=True):
        part = setting.step.fields[name]
        found[part] = np.where(values > 0, values, WITHOUT_TEMPERATURE)
    return found
