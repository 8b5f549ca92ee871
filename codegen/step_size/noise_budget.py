"""The budget of compensated gradient noise: the largest step at which ``2 D - eps B_hat`` is still
positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.generate import Module, module_of
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_params
from recipe.declare.recipe import Recipe
from recipe.language.symbols import Block, Scalar, Vector, name_of
from recipe.scheme.compensation import largest_step


@dataclass(frozen=True)
class Budget:
    """Evaluates ``2 D / B_hat`` at a state of a run, with the variances of gradients that are
    estimated in it.
    """

    module: Module
    loaded: Any
    params: Any
    blocks: tuple[Block, ...]
    constant: bool

    def largest_step(self, state: Any) -> float:
        """The smallest ``2 D / B_hat`` over all coordinates."""
        plan = self.module.plan
        ours, out = (
            self.loaded.allocate(*(getattr(state, f) for f in plan.fields.values()))
            for _ in range(2)
        )
        for fields in plan.variances.values():
            for field in fields:
                getattr(ours, field)[:] = getattr(state, field)
        self.loaded.step(out, ours, (), 0.0, self.params, ())
        return min(float(np.min(getattr(out, plan.fields[b]))) for b in self.blocks)


def budget_of(recipe: Recipe, params: Mapping[str, Any], lengths: Lengths) -> Budget:
    """The budget of a recipe; ``constant`` where it does not depend on the state, but on the
    variances alone.
    """
    bounds = largest_step(recipe)
    compensated = tuple(b for b, e in bounds.rule if e != b)
    constant = not any(e.atoms(Vector, Scalar) for b, e in bounds.rule if b in compensated)
    module = module_of(
        bounds, bounds, {}, bounds.name or "largest_step", "as printed"
    )  # bounds lie in no domain
    loaded = module.load()
    needed = {name_of(s): params[name_of(s)] for s in module.plan.settings}
    values = resolved_params(module, needed, (), lengths)
    return Budget(module, loaded, loaded.Params(**values) if values else (), compensated, constant)
