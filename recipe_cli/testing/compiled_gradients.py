"""Compiled gradients of the potentials of a trial, which the module of a sampler calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numba import njit

from verify.statistics.trial.potentials import ON_HALF_LINE, ON_LINE, TrialPotential

COMPILED_GRADIENTS: Mapping[TrialPotential, Any] = {
    potential: njit(error_model="numpy")(potential.write_gradient)
    for potential in (ON_LINE, ON_HALF_LINE)
}
