"""The noise budget of a recipe that compensates for the noise of its gradients: the largest step
size eps at which ``2 D - eps B_hat`` is still positive semidefinite.

``recipe.scheme.compensation`` says what ``B_hat`` is (Ma, Chen & Fox 2015, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.generate import module_of
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_params
from codegen.module import Module
from recipe.declare.recipe import Recipe
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.free_symbols import names_to_give
from recipe.scheme.compensation import largest_step


@dataclass(frozen=True)
class Budget:
    """The bound ``2 D / B_hat`` on the step size, compiled as a function of the state.

    Attributes:
        module: a generated module whose step writes ``2 D / B_hat`` of each coordinate.
        loaded: that module, imported.
        params: its ``Params``; an empty tuple where it has no parameters.
        blocks: the blocks whose noise is compensated for.
        constant: True if the bound depends on the estimated variances alone, and on no block of
            the state.
    """

    module: Module
    loaded: Any
    params: Any
    blocks: tuple[Block, ...]
    constant: bool

    def largest_step(self, state: Any) -> float:
        """Return the smallest ``2 D / B_hat`` over all coordinates, with the variances of gradients
        that are estimated in ``state``.
        """
        plan = self.module.plan
        copied, bounds = (
            self.loaded.allocate(*(getattr(state, f) for f in plan.fields.values()))
            for _ in range(2)
        )
        for fields in plan.variances.values():
            for field in fields:
                getattr(copied, field)[:] = getattr(state, field)
        self.loaded.step(bounds, copied, (), 0.0, self.params, ())
        return min(float(np.min(getattr(bounds, plan.fields[b]))) for b in self.blocks)


def budget_of(recipe: Recipe, params: Mapping[str, Any], lengths: Lengths) -> Budget:
    """Return the noise budget of a recipe.

    Args:
        recipe: a recipe that is sampled with ``compensate=True``.
        params: the values of its parameters, by name.
        lengths: the known lengths of its blocks.
    """
    bounds = largest_step(recipe)
    compensated = tuple(b for b, e in bounds.rule if e != b)
    constant = not any(e.atoms(Vector, Scalar) for b, e in bounds.rule if b in compensated)
    # ``generate`` would require that the bounds lie in the domains of their blocks
    module = module_of(bounds, bounds, {}, bounds.name or "largest_step", "as printed")
    loaded = module.load()
    needed = {name: params[name] for name in names_to_give(module.plan.settings)}
    values = resolved_params(module, needed, (), lengths)
    return Budget(module, loaded, loaded.Params(**values) if values else (), compensated, constant)
