"""Markov kernels as data: one sweep, composed of steps of schemes, Metropolis tests and jumps.

Imports ``recipe.scheme`` and below.
"""

from recipe.kernel.averaged import averaged
from recipe.kernel.estimates import refusal_of_estimates
from recipe.kernel.flip import flip
from recipe.kernel.kernel import Kernel, compose
from recipe.kernel.metropolis import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    metropolis,
)
from recipe.kernel.part import Move, Part, Repeat, RepeatForEvery, repeat, updates_of
from recipe.kernel.refresh import refresh
from recipe.kernel.step import step

__all__ = [
    "Kernel",
    "MetropolisHastings",
    "MetropolisedMap",
    "MetropolisedPath",
    "Move",
    "Part",
    "Repeat",
    "RepeatForEvery",
    "averaged",
    "compose",
    "flip",
    "metropolis",
    "refresh",
    "refusal_of_estimates",
    "repeat",
    "step",
    "updates_of",
]
