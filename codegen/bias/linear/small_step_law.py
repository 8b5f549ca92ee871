"""The law that is wanted: the stationary law of small steps with all of the data."""

from __future__ import annotations

import numpy as np

from codegen.bias.linear.compare import Law, law_of
from codegen.bias.linear.linearise import SMALL_STEP, Linear, Setting, linearised, with_size
from codegen.bias.step.unpredictable import UnpredictableError

NOT_CONCAVE = (
    "in the middle of the draws the log density is not concave: it has several modes, or no mode"
    " there, or the potential has the wrong sign"
)


def small_step_law(setting: Setting, here: Linear, scale: np.ndarray) -> Law:
    """Return the stationary law for small steps with all of the data.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        scale: the order of magnitude of deviations from that point, shape (n,).

    Raises:
        UnpredictableError: where there is none.
    """
    small = linearised(with_size(setting, SMALL_STEP * setting.step_size), here.point, scale)
    law = law_of(small)
    if law is None or not np.all(np.diag(law.draws) > 0):
        if _grows(small):
            raise UnpredictableError(
                "the log density is not concave where the step stands still", NOT_CONCAVE
            )
        raise UnpredictableError(
            "the linear step has no stationary law where it stands still: a direction has no"
            " friction, or the density is flat there"
        )
    return law


def _grows(here: Linear) -> bool:
    """Return whether deviations grow in a direction without going to and fro, as they do where the
    potential has a maximum.
    """
    n = here.point.size
    change = np.linalg.eigvals(here.slopes[:n]) - 1.0
    real = np.abs(change.imag) < 1e-3 * np.abs(change)
    return bool(np.any(change.real[real] > 1e-3 * np.max(np.abs(change))))
