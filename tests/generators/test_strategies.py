"""What the strategies draw: valid samplers that shrink to what can be read, and laws whose draws
are draws of them.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from scipy.integrate import quad
from sympy import Interval, S

from codegen import generate
from generators.strategies.samplers import recipes, runs, samplers
from generators.strategies.targets import (
    betas,
    bounded,
    dirichlets,
    double_wells,
    funnels,
    gammas,
    heavy_tailed,
    mixtures,
    normals,
    on_the_line,
    quartics,
    skewed,
    targets,
)
from recipe import Recipe, Scalar, Simplex, derive
from recipe.language.symbols import name_of
from recipe_cli.program.translation import translation_of
from verify import Verdict
from verify.statistics.numbers.arrays import Meanings

QUIET = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
    "database": None,
}
DRAWS = 40_000
BOUND = np.sqrt(
    np.log(2 / 1e-10) / (2 * DRAWS)
)  # Dvoretzky, Kiefer, Wolfowitz and Massart: 1e-10 for each law


def density(target):
    """``exp(-U)`` of one coordinate, as a function of a number."""
    (block,) = target.blocks
    values = {k: np.asarray(v, dtype=float) for k, v in target.params.items()}
    meanings = Meanings(values, {block.length.name: 1})
    one = Scalar("one")
    return lambda x: float(
        np.exp(-meanings.with_values({block.name: np.array([[x]])}).of(target.U, one)[0, 0])
    )


def ends(target, drawn):
    """Where the law lives: its domain, or far beyond all draws."""
    domain = target.blocks[0].domain
    if isinstance(domain, Simplex) or domain == Interval.open(0, 1):
        return 0, 1
    middle, width = np.median(drawn), np.subtract(*np.quantile(drawn, [0.999, 0.001]))
    return (0 if domain != S.Reals else middle - 20 * width), middle + 20 * width


def distance(target):
    """The largest distance of the distribution of the draws from that of the density, at some
    places.
    """
    drawn = np.sort(target.draw(np.random.default_rng(1), DRAWS)["theta"][:, 0])
    p, (low, high) = density(target), ends(target, drawn)
    cuts = np.quantile(drawn, [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    pieces = [quad(p, a, b, limit=200)[0] for a, b in zip([low, *cuts], [*cuts, high], strict=True)]
    there = np.cumsum(pieces)[:-1] / np.sum(pieces)
    return np.abs(np.searchsorted(drawn, cuts, side="right") / DRAWS - there).max()


ONE = [
    normals(),
    mixtures(),
    quartics(),
    double_wells(),
    skewed(),
    heavy_tailed(),
    gammas(),
    gammas(closed=True),
    betas(),
    dirichlets(),
]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("strategy", ONE, ids=str)
def test_draws_of_one_coordinate_have_the_density(strategy):
    @settings(max_examples=3, **QUIET)
    @given(strategy.filter(lambda t: t.length == 1))
    def check(target):
        assert distance(target) < BOUND + 1e-6, target

    check()


def test_a_wrong_potential_is_seen():
    target = find(skewed(), lambda t: t.length == 1, settings=settings(database=None))
    wrong = type(target)(
        target.name, target.blocks, target.U * 11 / 10, 1, target.params, target.draw
    )
    assert distance(target) < BOUND < distance(wrong)


@settings(max_examples=20, **QUIET)
@given(targets)
def test_draws_have_the_blocks_and_stay_inside(target):
    drawn = target.draw(np.random.default_rng(0), 50)
    assert set(drawn) == {name_of(b) for b in target.blocks}
    assert all(np.isfinite(x).all() and x.shape[0] == 50 for x in drawn.values())
    if isinstance(target.blocks[0].domain, Simplex):
        assert (drawn["theta"].sum(axis=1) < 1).all()


@pytest.mark.slow
def test_few_laws_are_even():
    """Where U is even and of unit scale, many mistakes are not seen."""
    seen = {
        find(s, lambda t: True, settings=settings(database=None)).name
        for s in (*ONE, funnels(), on_the_line, bounded)
    }
    assert len(seen) == 10 + 1
    assert (
        find(
            normals(),
            lambda t: t.length == 2 and t.params["P"][0, 1] != 0,
            settings=settings(database=None),
        ).length
        == 2
    )


SHRINK = settings(
    database=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=True,
)


def size(recipe):
    """What a person has to read: operations in H, D and Q."""
    return sum(int(e.count_ops()) for e, _ in recipe.written())


@pytest.mark.slow
def test_a_recipe_with_a_correction_shrinks_to_one_block():
    """As a fault in the derivative of D would be shown."""
    found = find(
        recipes(), lambda r: any(g != 0 for g in derive(r).gamma.values()), settings=SHRINK
    )
    assert len(found.state) == 1
    assert size(found) <= 12


@pytest.mark.slow
def test_a_mutant_shrinks_with_its_name():
    found = find(
        samplers(("blocks", "scalars"), mutated=True),
        lambda c: c.mutation.startswith("Q"),
        settings=SHRINK,
    )
    assert isinstance(found.declared, Recipe)
    assert len(found.declared.state) <= 3
    assert size(found.declared) <= 12
    assert found.mutation in repr(found)
    assert "Recipe(" in repr(found)


@pytest.mark.slow
def test_a_wrong_belief_about_momenta_shrinks_to_a_mass():
    """Whoever believes that theta always moves by r is shown the first mass other than 1, and
    nothing else that is unusual.
    """

    def believed(run):
        named = {name_of(b): b for b in run.recipe.state}
        return (
            not {"theta", "r"} <= set(named)
            or derive(run.recipe).dynamics.drift[named["theta"]] == named["r"]
        )

    found = find(runs(), lambda run: run.mass is not None and not believed(run), settings=SHRINK)
    assert repr(found) == (
        "sghmc with a mass by semi-implicit, step 1/10, T=1, mass=2, C=1.0, on normal, length 1: "
        "U = total((theta - m)*total_k((theta[k] - m[k])*P[i, k]))/2 with P=[[1.0]], m=[0.0]"
    )


def is_soon_validated(run):
    """The gradient of a mixture at a position that has moved by another one is compared in minutes
    (docs/limits.md).
    """
    return run.target.name != "mixture" or run.scheme in ("euler", "semi-implicit")


@settings(max_examples=3, **QUIET)
@given(runs().filter(is_soon_validated))
def test_what_is_generated_for_any_sampler_and_law_is_the_rule(run):
    module = generate(run.recipe, scheme=run.scheme)
    assert translation_of(module).verdict is Verdict.PROVED


@pytest.mark.slow
@settings(max_examples=30, **QUIET)
@given(runs().filter(is_soon_validated))
def test_what_is_generated_for_many_is_the_rule(run):
    module = generate(run.recipe, scheme=run.scheme)
    assert translation_of(module).verdict is Verdict.PROVED
