"""Units in which a sampler treats all coordinates alike: the scales of a preconditioned sampler,
which are read off its step.

A sampler with a scale for each coordinate (``recipe.rebuild.preconditioned``) is the plain one in
``theta/scale``, so that in these units its step is a function of the curvature again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from codegen.bias.around_draws import Around
from codegen.bias.linear.linearise import Setting
from codegen.bias.linear.modes import FIRST, SECOND, copies, reaction

ALIKE = 1e-6  # of units, relative: less is rounding
PUSH = 1.0  # of all momenta, to see what they do to positions
SMALL = 0.1  # of a normal number: what is divided by it has lost digits


def in_own_units(
    setting: Setting, around: Around, places: Sequence[np.ndarray]
) -> tuple[Setting, Around]:
    """Return a step and where draws are, in units in which the sampler treats all coordinates
    alike, where it has such units.

    Args:
        setting: the step with its size.
        around: where the draws are.
        places: for each draw of normal numbers of a step, their places among all of them.

    Raises:
        UnpredictableError: where the state has other blocks than copies of the posterior's.
    """
    units = _units(setting, around.start, places)
    if units is None:
        return setting, around
    step, k = setting.step, len(units)
    blocks = set(step.kernel.module.plan.fields.values())
    found, gradients = np.ones(step.results), 0
    for name, part in step.fields.items():
        if name in step.recorded:
            own = step.recorded[name]
            found[part] = units[own.start - step.size : own.stop - step.size]
        elif name not in blocks:  # the gradient that a scheme keeps, block by block
            first = gradients % k
            found[part] = 1.0 / units[first : first + part.stop - part.start]
            gradients += part.stop - part.start
    found[step.size :] = units
    of_point = found[: step.size]
    sample = None if around.sample is None else around.sample / units
    own_around = Around(
        around.start / of_point,
        around.scale / of_point,
        around.means / units,
        around.within / units,
        around.sd / units,
        around.draws,
        sample,
    )
    return replace(setting, step=replace(step, units=found, states={}, entry=[])), own_around


def _units(setting: Setting, point: np.ndarray, places: Sequence[np.ndarray]) -> np.ndarray | None:
    """Return what each judged coordinate is multiplied by, by what momenta do to positions, or
    noise where there are no momenta; None where all are alike or nothing shows them.
    """
    copied = copies(setting.step, places)
    position = copied.point[0]
    if setting.step.block_size > len(position):
        pushed = point.copy()
        pushed[copied.point[1]] += PUSH
        seen = (setting.full(pushed, FIRST) - setting.full(point, FIRST))[position]
    else:
        normal = setting.normals(np.array([FIRST, SECOND]))
        given = (normal[1] - normal[0])[copied.noise[0]]
        answer = reaction(setting, point)[position]
        far = np.abs(given) > SMALL
        seen = np.where(far, answer / np.where(far, given, 1.0), np.nan)
        seen = np.where(far, seen, _of_more_steps(setting, point, copied.noise[0], position))
    size = np.abs(seen)
    if not np.isfinite(size).all() or not np.all(size > 0):
        return None
    return None if np.ptp(size) <= ALIKE * size.max() else size / np.exp(np.mean(np.log(size)))


def _of_more_steps(
    setting: Setting, point: np.ndarray, noise: np.ndarray, position: np.ndarray
) -> np.ndarray:
    """Return the effect of each normal number on its position from some more pairs of steps."""
    found = np.full(len(position), np.nan)
    for second in range(SECOND + 1, SECOND + 5):
        normal = setting.normals(np.array([FIRST, second]))
        given = (normal[1] - normal[0])[noise]
        answer = reaction(setting, point, second)[position]
        far = np.isnan(found) & (np.abs(given) > SMALL)
        found[far] = answer[far] / given[far]
    return found
