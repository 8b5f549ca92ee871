"""Declared samplers as hypothesis draws them: right ones, mutants, and runs of catalog samplers on
a target.

The constructions are those of ``random_samplers``; ``random_cases`` numbers the same samplers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cases.catalog_recipes import catalog_recipes
from hypothesis import strategies as st
from sympy import Expr, Interval, Matrix, S, Symbol, oo

from generators.random_cases import FAMILIES, Case, drawn
from generators.random_samplers import any_symmetric
from generators.strategies.numbers import frictions, masses, metrics, step_sizes, temperatures
from generators.strategies.targets import Target, targets
from recipe import Potential, Recipe, Vector, bind, spread, total

randoms = st.randoms(
    use_true_random=False
)  # its numbers are drawn by hypothesis, so that what is made of them shrinks


def recipes(largest_state: int = 3) -> st.SearchStrategy[Recipe]:
    """Valid recipes with any symmetric D."""
    return randoms.map(lambda random: any_symmetric(random, largest_state)[0])


@st.composite
def samplers(
    draw: st.DrawFn, families: Sequence[str] = tuple(FAMILIES), mutated: bool = False
) -> Case:
    """A sampler of one of the families, as it was built or with one mutation."""
    family = draw(st.sampled_from(families))
    return drawn(family, draw(randoms), draw(randoms) if mutated else None)


METRIC = "sgld with a metric"  # D is a function of the position
MASS = "sghmc with a mass"
ON = {
    S.Reals: ("sgld", "sghmc", "sgnht", "sgrhmc_bounded", MASS, METRIC),
    Interval(0, oo): ("mirror_sgld", "mirror_sghmc"),
}
OF_ONE_BLOCK = ("leimkuhler-matthews",)
SCHEMES = {
    "sgld": ("euler", "leimkuhler-matthews"),
    "sghmc": ("semi-implicit", "baoab", "obabo", "euler"),
    "sgnht": ("badodab",),
    MASS: ("semi-implicit", "baoab", "obabo", "euler"),
    METRIC: ("euler",),
}


@dataclass(frozen=True)
class Run:
    """A sampler on a target at a temperature, with a scheme and the numbers that it needs; a mass
    or a metric where it has one.
    """

    sampler: str
    recipe: Recipe
    scheme: str
    target: Target
    step_size: Expr
    temperature: Expr
    params: dict[str, Any]
    mass: Expr | None = None
    metric: Expr | None = None

    def __repr__(self) -> str:
        named = {"T": self.temperature, "mass": self.mass, "metric": self.metric}
        said = [f"{k}={v}" for k, v in named.items() if v is not None]
        said += [f"{k}={v}" for k, v in self.params.items() if k not in self.target.params]
        return (
            f"{self.sampler} by {self.scheme}, step {self.step_size}, {', '.join(said)}, on"
            f" {self.target!r}"
        )


def with_mass(m: Expr) -> Recipe:
    """Underdamped Langevin dynamics with a mass: D is C m, so that the friction is C whatever the
    mass is.
    """
    theta = Vector("theta")
    r, U, C = Vector("r", like=theta), Potential("U", theta), Symbol("C", positive=True)
    return Recipe(
        (theta, r),
        U + total(r**2) / (2 * m),
        Matrix([[0, 0], [0, C * m]]),
        Matrix([[0, -1], [1, 0]]),
    )


def with_metric(G: Expr) -> Recipe:
    """Overdamped Langevin dynamics with D = G, so that it needs the correction Gamma."""
    theta = Vector("theta")
    return Recipe((theta,), Potential("U", theta), Matrix([[G]]), Matrix([[0]]))


@st.composite
def runs(draw: st.DrawFn, of: st.SearchStrategy[Target] = targets) -> Run:
    """A sampler that fits the domain of a target: those of the catalog, one with a mass, one with a
    metric.
    """
    target = draw(of.filter(lambda t: t.blocks[0].domain in ON))
    several = len(target.blocks) > 1
    name = draw(
        st.sampled_from([n for n in ON[target.blocks[0].domain] if not (several and n == METRIC)])
    )
    mass, metric = (
        draw(masses) if name == MASS else None,
        draw(metrics(Vector("theta"))) if name == METRIC else None,
    )
    recipe = (
        with_mass(mass)
        if mass is not None
        else with_metric(metric)
        if metric is not None
        else catalog_recipes()[name]
    )
    U = next(a for a in recipe.abstract if isinstance(a, Potential))
    if several:
        recipe = spread(recipe, U, target.blocks)
        U = next(a for a in recipe.abstract if isinstance(a, Potential))
    temperature = draw(temperatures)
    bound = bind(recipe, {U: target.U / temperature})
    fitting = [
        s
        for s in SCHEMES.get(name, ("semi-implicit", "euler"))
        if not several or s not in OF_ONE_BLOCK
    ]
    scheme = draw(st.sampled_from(fitting))
    own = {
        s.name: float(draw(frictions))
        for s in bound.parameters
        if type(s) is Symbol and s.name not in target.params
    }
    return Run(
        name,
        bound,
        scheme,
        target,
        draw(step_sizes),
        temperature,
        {**target.params, **own},
        mass,
        metric,
    )
