"""What this project makes of a recipe of the catalog, run as its own chains run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit
from sympy import Expr

from codegen import Module, generate
from recipe import Field, Potential, Recipe, bind, total


@njit(error_model="numpy")
def standard_normal_gradient(gradient, theta):
    for i in range(theta.size):
        gradient[i] = theta[i]


def on_standard_normal(recipe: Recipe, metric: Callable[[Expr], Expr], *, fused: bool) -> Module:
    """The module of a recipe whose target is the standard normal law: as an expression, or as a
    gradient that is passed in.

    If the recipe has a metric, it is bound to ``metric(theta)``.
    """
    theta = recipe.state[0]
    meaning: dict[Any, Expr] = {G: metric(theta) for G in recipe.abstract if isinstance(G, Field)}
    if fused:
        meaning |= {U: total(theta**2) / 2 for U in recipe.abstract if isinstance(U, Potential)}
    return generate(bind(recipe, meaning) if meaning else recipe)


class Chain:
    """One chain of a generated module, that goes on where it stopped."""

    def __init__(
        self,
        module: Any,
        blocks: Sequence[np.ndarray],
        step: float,
        params: Sequence[float] = (),
        gradient: Any = (),
        data: Any = (),
        batch: int | None = None,
    ) -> None:
        self.module, self.step, self.gradient, self.data = module, step, gradient, data
        self.state = module.allocate(*blocks, *([] if batch is None else [batch]))
        self.draws = module.Draws(*(np.empty((0, b.size)) for b in blocks))
        self.params = module.Params(*params) if params else ()
        self.done = 0

    def run(self, steps: int) -> None:
        """Make so many steps."""
        self.done, invalid = self.module.run(
            self.state,
            self.draws,
            self.gradient,
            self.data,
            self.step,
            self.params,
            np.uint64(1),
            0,
            self.done,
            steps,
            0,
            1,
        )
        if invalid >= 0:
            raise SystemExit("our chain diverged")
