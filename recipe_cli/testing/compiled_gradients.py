"""Compiled gradients of the potentials of a trial, which the module of a sampler calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from verify.statistics.trial.potentials import ON_HALF_LINE, ON_LINE, TrialPotential


@njit(error_model="numpy")
def _line(g: np.ndarray, x: np.ndarray) -> None:
    for i in range(x.size):
        slope = (i + 4) / 4 * x[i] + np.tanh(x[i] - 0.5)
        if i > 0:
            slope += x[i - 1] / 4
        if i + 1 < x.size:
            slope += x[i + 1] / 4
        g[i] = slope


@njit(error_model="numpy")
def _half_line(g: np.ndarray, x: np.ndarray) -> None:
    for i in range(x.size):
        g[i] = 1.0 - (i + 2) / (2 * x[i])


COMPILED_GRADIENTS: Mapping[TrialPotential, Any] = {ON_LINE: _line, ON_HALF_LINE: _half_line}
