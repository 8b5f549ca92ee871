"""Normal laws that an affine step is proved to leave invariant, and their test.

Replicas start in the law. After any number of steps, whitened replicas are standard normal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, special
from sympy import Expr, eye

from recipe import Discretisation, RecipeError, Update
from recipe.language.symbols import name_of
from verify.discrete.linear import affine_step, stationary_covariance
from verify.discrete.linear.covariance import StationaryCovariance
from verify.discrete.linear.step import AffineStep
from verify.statistics.law.two_sample import not_finite_line
from verify.statistics.null import normal
from verify.statistics.null.findings import ComparisonLine
from verify.statistics.numbers.arrays import Array, State
from verify.statistics.numbers.callables import Stepper
from verify.statistics.numbers.inputs import Setting


@dataclass(frozen=True)
class NormalLaw:
    """A normal law of a state whose coordinates are independent copies of one another.

    It is an exact sampler: ``law(rng, n)`` returns n independent draws.

    Attributes:
        blocks: the names of the blocks.
        lengths: the number of coordinates of each block; all are equal.
        mean: the mean of one coordinate of each block, an array (blocks,).
        covariance: the covariance between the blocks at one coordinate, an array (blocks, blocks).
    """

    blocks: tuple[str, ...]
    lengths: tuple[int, ...]
    mean: Array
    covariance: Array

    def __call__(self, rng: np.random.Generator, n: int) -> State:
        """Return n independent draws, by block, arrays (n, length)."""
        root = np.linalg.cholesky(self.covariance)
        rows = self.mean + rng.standard_normal((n, self.lengths[0], len(self.blocks))) @ root.T
        return {name: rows[:, :, k] for k, name in enumerate(self.blocks)}

    def whitened(self, state: State) -> tuple[Array, list[str]]:
        """Return numbers that are independent and standard normal under the law, and their
        names.

        Args:
            state: states, by block, arrays (replicas, length).

        Returns:
            An array (replicas, numbers), and a name for each number.
        """
        rows = np.stack([state[name] for name in self.blocks], axis=2) - self.mean
        root = np.linalg.cholesky(self.covariance)
        white = linalg.solve_triangular(
            root, rows.reshape(-1, len(self.blocks)).T, lower=True
        ).T.reshape(rows.shape)
        names = [
            f"{name}[{j + 1}] given the blocks before"
            for j in range(self.lengths[0])
            for name in self.blocks
        ]
        return white.reshape(len(rows), -1), names


def normal_law(given: Setting, curvature: float | None) -> NormalLaw:
    """Return the normal law that an affine step is proved to leave invariant, with numbers.

    Args:
        given: the step with its numbers.
        curvature: see ``invariant_normal_law``.

    Raises:
        RecipeError: if the step is not affine, has no such law, or records another value than its
            state.
    """
    against = given.against
    if not isinstance(against, Update | Discretisation):
        raise RecipeError("no normal law is proved of a kernel: give an Update or a Discretisation")
    step = affine_step(against.update if isinstance(against, Discretisation) else against)
    if eye(len(step.coordinates)) != step.R or not step.S.is_zero_matrix:
        raise RecipeError(
            "this step records another value than its state, so the law of the records is not the"
            " law of the state: leave observe= out"
        )
    lengths = tuple(given.meanings.length_of(b) for b in step.coordinates)
    if len(set(lengths)) > 1 or (lengths[0] > 1 and not step.every_length):
        raise RecipeError(
            f"the law of this step is proved for {step.scope}, and length= gives {lengths}; try"
            " length=1"
        )
    found = stationary_covariance(step)
    if found is None:
        raise RecipeError(
            "no stationary covariance of this step is proved; give target= as a function instead"
        )
    return _with_numbers(step, found, _numbers(step, given, curvature), lengths)


def _numbers(step: AffineStep, given: Setting, curvature: float | None) -> Mapping[str, Any]:
    """Return the value of each symbol in the matrices of an affine step, by name."""
    numbers = {name: given.meanings.values[name] for name in given.scalars}
    if any(np.ndim(x) for x in numbers.values()):
        raise RecipeError(
            "a parameter has one value for each coordinate, so the coordinates have different laws:"
            " give it one number"
        )
    if (step.curvature is None) != (curvature is None):
        raise RecipeError(
            "give curvature=k, as the step has an abstract potential, and a kernel with the"
            " gradient k theta"
            if curvature is None
            else "the potential is written out, so curvature= has no meaning"
        )
    return numbers if step.curvature is None else {**numbers, step.curvature.name: curvature}


def _with_numbers(
    step: AffineStep,
    found: StationaryCovariance,
    numbers: Mapping[str, Any],
    lengths: tuple[int, ...],
) -> NormalLaw:
    """Return the law for numbers, after checking that the step is stable with them."""

    def value(e: Expr) -> float:
        return float(e.subs({s: numbers[s.name] for s in e.free_symbols}))

    M = np.array([[value(e) for e in step.M.row(i)] for i in range(step.M.rows)])
    if np.abs(np.linalg.eigvals(M)).max() >= 1:
        raise RecipeError(
            "the step is not stable with these numbers, so it has no stationary law: give a smaller"
            " step_size"
        )
    n = len(step.coordinates)
    covariance = np.empty((n, n))
    for i, a in enumerate(step.coordinates):
        for j in range(i, n):
            covariance[i, j] = covariance[j, i] = value(found.of_step[a, step.coordinates[j]])
    mean = np.array([value(found.means[b][0]) for b in step.coordinates])
    return NormalLaw(tuple(name_of(b) for b in step.coordinates), lengths, mean, covariance)


LINE_COUNT = 6  # lines of ``run``, among which the level is split


def run(
    law: NormalLaw,
    kernel: Stepper,
    rng: np.random.Generator,
    *,
    steps: int,
    replicas: int,
    level: float,
    power: float,
) -> list[ComparisonLine]:
    """Start replicas in the law, take the steps, and test the whitened replicas.

    Args:
        law: the law.
        kernel: the kernel to test.
        rng: the source of all random numbers.
        steps: the number of steps of each replica.
        replicas: the number of replicas.
        level: the significance level of all lines together.
        power: the probability with which an error is found that a line names as visible.

    Returns:
        Six lines; or one, if a state is not finite.
    """
    state = law(rng, replicas)
    for _ in range(steps):
        state = kernel.advance(state, rng)
    if (strange := not_finite_line(state)) is not None:
        return [strange]
    u, names = law.whitened(state)
    blocks = [(np.arange(len(u)), u, names)]
    each, reach = level / LINE_COUNT, float(special.ndtri(power))
    return [
        normal.whole_law("the normal law", u, each, power),
        normal.means("means", blocks, each, reach),
        normal.variances("variances", blocks, each, power),
        normal.correlations("covariances", blocks, each, reach),
        normal.between_replicas("replicas", u, each, reach),
        normal.between_replicas(
            "absolute values of replicas", normal.deviates_of_absolute_values(u), each, reach
        ),
    ]


def replicas_for(law: NormalLaw, level: float, power: float, factor: float) -> int:
    """Return how many replicas find a variance that is wrong by the factor, in any whitened
    coordinate.
    """
    columns = len(law.blocks) * law.lengths[0]
    n = 1000.0
    while normal.visible_scale(n, level / LINE_COUNT / columns, power) > np.sqrt(factor):
        n *= 1.05
    return int(n)
