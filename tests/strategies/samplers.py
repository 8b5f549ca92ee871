"""Declared samplers as hypothesis draws them: right ones, mutants, and runs of catalog samplers on a target.

The constructions are those of ``random_samplers``; ``random_cases`` numbers the same samplers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from random_cases import FAMILIES, Case, drawn
from random_samplers import any_symmetric
from samplers import catalog_recipes
from sympy import Expr, Interval, S, Symbol, oo

from recipe import Potential, Recipe, bind, spread
from strategies.numbers import frictions, step_sizes
from strategies.targets import Target, targets

randoms = st.randoms(use_true_random=False)  # its numbers are drawn by hypothesis, so that what is made of them shrinks


def recipes(largest_state: int = 3) -> st.SearchStrategy[Recipe]:
    """Valid recipes with any symmetric D."""
    return randoms.map(lambda random: any_symmetric(random, largest_state)[0])


@st.composite
def samplers(draw: st.DrawFn, families: Sequence[str] = tuple(FAMILIES), mutated: bool = False) -> Case:
    """A sampler of one of the families, as it was built or with one mutation."""
    family = draw(st.sampled_from(families))
    return drawn(family, draw(randoms), draw(randoms) if mutated else None)


ON = {
    S.Reals: ("sgld", "sghmc", "sgnht", "sgrhmc_bounded"),
    Interval(0, oo): ("mirror_sgld", "mirror_sghmc"),
}
OF_ONE_BLOCK = ("leimkuhler-matthews",)
SCHEMES = {"sgld": ("euler", "leimkuhler-matthews"), "sghmc": ("semi-implicit", "baoab", "obabo", "euler"), "sgnht": ("badodab",)}


@dataclass(frozen=True)
class Run:
    """A sampler of the catalog on a target, with a scheme and the numbers that it needs."""

    sampler: str
    recipe: Recipe
    scheme: str
    target: Target
    step_size: Expr
    params: dict[str, Any]

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v}" for k, v in self.params.items() if k not in self.target.params)
        return f"{self.sampler} by {self.scheme}, step {self.step_size}, {settings or 'no parameters'}, on {self.target!r}"


@st.composite
def runs(draw: st.DrawFn, of: st.SearchStrategy[Target] = targets) -> Run:
    """A sampler of the catalog that fits the domain of a target."""
    target = draw(of.filter(lambda t: t.blocks[0].domain in ON))
    name = draw(st.sampled_from(ON[target.blocks[0].domain]))
    recipe = catalog_recipes()[name]
    U = next(a for a in recipe.abstract if isinstance(a, Potential))
    if len(target.blocks) > 1:
        recipe = spread(recipe, U, target.blocks)
        U = next(a for a in recipe.abstract if isinstance(a, Potential))
    bound = bind(recipe, {U: target.U})
    fitting = [s for s in SCHEMES.get(name, ("semi-implicit", "euler")) if len(target.blocks) == 1 or s not in OF_ONE_BLOCK]
    scheme = draw(st.sampled_from(fitting))
    own = {s.name: float(draw(frictions)) for s in bound.parameters if type(s) is Symbol and s.name not in target.params}
    return Run(name, bound, scheme, target, draw(step_sizes), {**target.params, **own})
