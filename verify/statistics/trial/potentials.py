"""Default potentials for a step whose declaration leaves them abstract.

The null law of a test of one step is exact for any potential, so one is enough. It is neither even
nor of unit scale, it differs in every coordinate and, on the real line, its coordinates depend on
each other. A wrong sign, factor or index then shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from sympy import Interval

from recipe import Potential, RecipeError
from recipe.language.blocks import Simplex
from recipe.language.symbols import name_of
from verify.statistics.numbers.arrays import Array

LINE_TEXT = "U = sum((i + 3)/8*x[i]^2 + log(cosh(x[i] - 1/2))) + sum(x[i]*x[i+1])/4, i = 1 .. d"
HALF_LINE_TEXT = "U = sum(x[i] - (i + 1)/2*log(x[i])), i = 1 .. d"


@dataclass(frozen=True)
class TrialPotential:
    """A concrete potential of one block, whose coordinates are x[1] .. x[d].

    Attributes:
        text: its formula.
        value: the function from an array (replicas, d) to the potential of each replica, an array
            (replicas,).
        write_gradient: the function that writes the gradient at its second argument into its first
            one. Both have the shape (d,) for one replica or (d, replicas) for many. It is a plain
            loop, so that Numba can compile it.
    """

    text: str
    value: Callable[[Array], Array]
    write_gradient: Callable[[Array, Array], None]

    def gradient(self, x: Array) -> Array:
        """The gradient of each replica, from an array (replicas, d) to one of that shape."""
        g = np.empty(x.shape[::-1])
        self.write_gradient(g, x.T)
        return np.ascontiguousarray(g.T)


def _value_line(x: Array) -> Array:
    away = x - 0.5
    alone = (np.arange(x.shape[1]) + 4) / 8 * x**2 + np.logaddexp(away, -away) - np.log(2)
    return np.asarray(alone.sum(axis=1) + (x[:, 1:] * x[:, :-1]).sum(axis=1) / 4)


def _write_gradient_line(g: Array, x: Array) -> None:
    for i in range(len(x)):
        slope = (i + 4) / 4 * x[i] + np.tanh(x[i] - 0.5)
        if i > 0:
            slope += x[i - 1] / 4
        if i + 1 < len(x):
            slope += x[i + 1] / 4
        g[i] = slope


def _value_half_line(x: Array) -> Array:
    return np.asarray((x - (np.arange(x.shape[1]) + 2) / 2 * np.log(x)).sum(axis=1))


def _write_gradient_half_line(g: Array, x: Array) -> None:
    for i in range(len(x)):
        g[i] = 1.0 - (i + 2) / (2 * x[i])


ON_LINE = TrialPotential(LINE_TEXT, _value_line, _write_gradient_line)
ON_HALF_LINE = TrialPotential(HALF_LINE_TEXT, _value_half_line, _write_gradient_half_line)


def trial_potentials(potentials: Iterable[Potential]) -> dict[Potential, TrialPotential]:
    """Return a concrete potential for each abstract one.

    Raises:
        RecipeError: for a potential of several blocks, or on a simplex.
    """
    return {U: _trial_potential(U) for U in potentials}


def _trial_potential(U: Potential) -> TrialPotential:
    if len(U.blocks) > 1:
        blocks = ", ".join(map(name_of, U.blocks))
        raise RecipeError(
            f"{U.name} is a potential of {blocks}, and there is no default for several blocks: bind"
            " an expression to it"
        )
    domain = U.blocks[0].domain
    if isinstance(domain, Simplex):
        raise RecipeError(
            f"{U.name} is a potential on a simplex, and there is no default for it: bind an"
            " expression to it"
        )
    positive = isinstance(domain, Interval) and domain.start == 0 and domain.end.is_infinite
    return ON_HALF_LINE if positive else ON_LINE
