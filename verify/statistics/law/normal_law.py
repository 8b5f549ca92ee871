"""Normal laws that a kernel is proved to leave invariant: started there, whitened replicas are
standard normal after any step.
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
    """A normal law of the state whose coordinates are independent copies of one; ``mean`` and
    ``covariance`` are of its blocks.

    ``lengths`` are the coordinates of each block, in its order. It is an exact sampler: ``law(rng,
    n)``.
    """

    blocks: tuple[str, ...]
    lengths: tuple[int, ...]
    mean: Array
    covariance: Array

    def __call__(self, rng: np.random.Generator, n: int) -> State:
        """Independent draws."""
        root = np.linalg.cholesky(self.covariance)
        rows = self.mean + rng.standard_normal((n, self.lengths[0], len(self.blocks))) @ root.T
        return {name: rows[:, :, k] for k, name in enumerate(self.blocks)}

    def whitened(self, state: State) -> tuple[Array, list[str]]:
        """Numbers that are independent standard normal under the law, and how each is called."""
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
    """The law that an affine step is proved to leave invariant, with numbers.

    Raises:
        RecipeError: where the step is not affine, has no such law, or records another value than
            its state.
    """
    against = given.against
    if not isinstance(against, Update | Discretisation):
        raise RecipeError(
            "a normal law is proved of an Update or a Discretisation, not of a kernel"
        )
    step = affine_step(against.update if isinstance(against, Discretisation) else against)
    if eye(len(step.coordinates)) != step.R or not step.S.is_zero_matrix:
        raise RecipeError(
            "this step records another value than its state, so that its law is not that of the"
            " state"
        )
    lengths = tuple(given.meanings.length_of(b) for b in step.coordinates)
    if len(set(lengths)) > 1 or (lengths[0] > 1 and not step.every_length):
        raise RecipeError(
            f"the law of this step is proved for {step.scope}, and length= gives {lengths}; try"
            " length=1"
        )
    found = stationary_covariance(step)
    if found is None:
        raise RecipeError("no stationary covariance of this step is proved")
    return _with_numbers(step, found, _numbers(step, given, curvature), lengths)


def _numbers(step: AffineStep, given: Setting, curvature: float | None) -> Mapping[str, Any]:
    numbers = {name: given.meanings.values[name] for name in given.scalars}
    if any(np.ndim(x) for x in numbers.values()):
        raise RecipeError(
            "a parameter with one value a coordinate makes coordinates that are no copies of one"
            " another"
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
    def value(e: Expr) -> float:
        return float(e.subs({s: numbers[s.name] for s in e.free_symbols}))

    M = np.array([[value(e) for e in step.M.row(i)] for i in range(step.M.rows)])
    if np.abs(np.linalg.eigvals(M)).max() >= 1:
        raise RecipeError("the step is not stable with these numbers: it has no stationary law")
    n = len(step.coordinates)
    covariance = np.empty((n, n))
    for i, a in enumerate(step.coordinates):
        for j in range(i, n):
            covariance[i, j] = covariance[j, i] = value(found.of_step[a, step.coordinates[j]])
    mean = np.array([value(found.means[b][0]) for b in step.coordinates])
    return NormalLaw(tuple(name_of(b) for b in step.coordinates), lengths, mean, covariance)


LINE_COUNT = 6


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
    """Start in the law, take the steps, and test the whitened replicas."""
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
    """With so many a variance that is wrong by the factor is found, in any of the whitened
    coordinates.
    """
    columns = len(law.blocks) * law.lengths[0]
    n = 1000.0
    while normal.visible_scale(n, level / LINE_COUNT / columns, power) > np.sqrt(factor):
        n *= 1.05
    return int(n)
