"""The calculus of symbolic lengths against explicit coordinates, for the catalog and for random
recipes.
"""

import pytest
from cases.catalog_recipes import catalog_recipes
from generators.random_recipes import updates
from generators.strategies.samplers import recipes
from hypothesis import HealthCheck, Phase, given, settings
from oracles.explicit import ExplicitRecipe, explicit, explicit_limit
from sympy import Expr, Matrix, Symbol, exp, sin, sqrt

from catalog.fisher_sgld import fisher_sgld
from catalog.hmc import hmc
from catalog.sghmc import sghmc
from catalog.sgnht import sgnht
from catalog.sgrhmc import sgrhmc
from catalog.sgrld import sgrld, sgrld_reciprocal
from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    bind,
    derive,
    discretise,
    dot,
    grad,
    limit_of,
    total,
)
from recipe.language.blocks import Block

CATALOG = catalog_recipes()
SETTINGS = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
over_catalog = pytest.mark.parametrize("name", sorted(CATALOG))
over_lengths = pytest.mark.parametrize("d", [1, 2, 3])


theta, r = sghmc.state
xi = Scalar("xi")
G, U, M = Field("G", theta, positive=True), Potential("U", theta), Dense("M", theta)
h = Symbol("h", positive=True)
K = total(G * r**2) / 2
with_field = Recipe(  # its force holds the derivative of each value of G by each coordinate
    (theta, r),
    U + K,
    Matrix.zeros(2),
    Matrix([[0, -1], [1, 0]]),
    update=Update(h, {theta: theta + h * G * r, r: r - h * grad(U + K, theta)}, U + K),
)
V = U + total(r * grad(U, theta)) ** 2
with_hessian = Recipe(
    (theta, r),
    V,
    Matrix([[1, 0], [0, 1]]),
    Matrix.zeros(2),
    update=Update(
        h, {b: b - h * grad(V, b) + sqrt(2 * h) * Noise(f"w_{b}", like=b) for b in (theta, r)}, V
    ),
)


def check_derivation(x: ExplicitRecipe) -> None:
    ours = derive(x.recipe)
    assert x.agree(x.gradient, x.components(ours.gradient))
    assert x.agree(x.gamma, x.components(ours.gamma))
    assert x.agree(x.drift, x.components(ours.dynamics.drift))
    assert x.agree(list(x.D), x.diffusion(ours.dynamics))


def check_limit(x: ExplicitRecipe, update: Update) -> None:
    ours = limit_of(update)
    drift, D = explicit_limit(update, x)
    assert x.agree(drift, x.components(ours.drift))
    assert x.agree(list(D), x.diffusion(ours))


# The catalog


@pytest.mark.by_default(26)
@over_catalog
@over_lengths
def test_catalog_derivation_is_that_of_explicit_coordinates(name: str, d: int) -> None:
    check_derivation(explicit(CATALOG[name], d))


@pytest.mark.by_default(26)
@over_catalog
@over_lengths
def test_catalog_leaves_its_target_stationary(name: str, d: int) -> None:
    x = explicit(CATALOG[name], d)
    assert x.is_zero(x.residual())


@pytest.mark.by_default(10)
@over_catalog
@over_lengths
def test_limit_of_the_published_update_is_the_derived_dynamics(name: str, d: int) -> None:
    x = explicit(CATALOG[name], d)
    limit = limit_of(CATALOG[name].update)
    assert x.agree(x.drift, x.components(limit.drift))
    assert x.agree(list(x.D), x.diffusion(limit))


@pytest.mark.by_default(10)
@pytest.mark.slow_for("corv_sgnht", "corv_sghmc")
@pytest.mark.parametrize(
    "name", sorted(CATALOG.keys() - {"scir", "scir_posterior"})
)  # their draws: tests/codegen/device/test_chi_squared_draws.py
def test_limit_of_the_published_update_is_that_of_explicit_steps(name: str) -> None:
    check_limit(explicit(CATALOG[name], 2), CATALOG[name].update)


@over_catalog
def test_catalog_entry_is_complete(name: str) -> None:
    entry = CATALOG[name]
    assert entry.source
    assert entry.update is not None
    if entry.transform is None:
        assert entry.update.target == entry.H
    else:  # the paper writes f', and the library its logarithm
        system = explicit(entry, 2)
        assert system.is_zero(system.world.read(entry.update.target, {}) - system.H)


# Random recipes


def _smallest_lengths(recipe: Recipe) -> list[tuple[int, ...]]:
    lengths = {b.length for b in recipe.state if isinstance(b, Vector)}
    return [(1, 2), (2, 1)] if len(lengths) == 2 else [(1,) * len(lengths), (2,) * len(lengths)]


def check_random_recipe(recipe: Recipe) -> None:
    for dims in _smallest_lengths(recipe):
        x = explicit(recipe, dims)
        check_derivation(x)
        assert x.is_zero(x.residual())


@settings(SETTINGS, max_examples=3)
@given(recipes())
def test_random_recipe(recipe: Recipe) -> None:
    check_random_recipe(recipe)


@pytest.mark.slow
@settings(SETTINGS, max_examples=60)
@given(recipes())
def test_many_random_recipes(recipe: Recipe) -> None:
    check_random_recipe(recipe)


@settings(SETTINGS, max_examples=2)
@given(recipes(largest_state=2))
def test_random_recipe_in_three_coordinates(recipe: Recipe) -> None:
    check_derivation(explicit(recipe, 3))


@settings(SETTINGS, max_examples=4)
@given(updates())
def test_limit_of_random_update(update: Update) -> None:
    check_limit(
        explicit(Recipe(update.state, 0, *[Matrix.zeros(len(update.state))] * 2), 2), update
    )


@pytest.mark.slow
@settings(SETTINGS, max_examples=60)
@given(updates())
def test_limit_of_many_random_updates(update: Update) -> None:
    check_limit(
        explicit(Recipe(update.state, 0, *[Matrix.zeros(len(update.state))] * 2), 2), update
    )


def test_limit_of_a_total_that_is_constant_at_step_zero() -> None:
    update = Update(h, {theta: theta, xi: xi + total(exp(h * theta)) - theta.dim}, U)
    assert limit_of(update).drift[xi] == total(theta)


# Made from recipes: discretised, and with a meaning given to abstract functions


@pytest.mark.by_default(10)
@over_catalog
@pytest.mark.parametrize("scheme", ["euler", "semi-implicit"])
def test_limit_of_a_discretisation_is_the_derived_dynamics(name: str, scheme: str) -> None:
    x = explicit(CATALOG[name], 2)
    limit = limit_of(discretise(CATALOG[name], scheme))
    assert x.agree(x.drift, x.components(limit.drift))
    assert x.agree(list(x.D), x.diffusion(limit))


METRICS = [1 + theta**2, 1 / (1 + theta**2), exp(theta) * (2 + sin(total(theta)))]


def check_bound(bound: Recipe) -> None:
    x = explicit(bound, 2)
    check_limit(x, bound.update)
    assert x.agree(x.drift, x.components(limit_of(bound.update).drift))


@pytest.mark.parametrize("metric", [*METRICS, 1 + total(theta**2)])
def test_update_of_a_bound_recipe_still_has_its_dynamics(metric: Expr) -> None:
    check_bound(bind(sgrld, {G: metric}))


@pytest.mark.parametrize("metric", METRICS)
def test_update_with_every_derivative_of_a_bound_field(metric: Expr) -> None:
    check_bound(bind(with_field, {G: metric}))


@pytest.mark.parametrize(
    "potential", [total(theta**4), total(theta**2) ** 2, total(theta * dot(M, sin(theta)))]
)
def test_update_with_the_hessian_of_a_bound_potential(potential: Expr) -> None:
    check_bound(bind(with_hessian, {U: potential}))


# The oracle can say no


def _without_gamma(x: ExplicitRecipe) -> Expr:
    return x.residual(drift=[f - g for f, g in zip(x.drift, x.gamma, strict=True)])


def _with_gamma_negated(x: ExplicitRecipe) -> Expr:
    return x.residual(drift=[f - 2 * g for f, g in zip(x.drift, x.gamma, strict=True)])


def _with_twice_the_noise(x: ExplicitRecipe) -> Expr:
    return x.residual(D=2 * x.D)


def _with_first_component_negated(x: ExplicitRecipe) -> Expr:
    return x.residual(drift=[-x.drift[0], *x.drift[1:]])


def _with_first_component_scaled(x: ExplicitRecipe) -> Expr:
    return x.residual(drift=[x.drift[0] * 11 / 10, *x.drift[1:]])


def _with_a_linear_force(x: ExplicitRecipe) -> Expr:
    return x.residual(drift=[x.drift[0] - x.z[0] / 10, *x.drift[1:]])


GAMMA = [_without_gamma, _with_gamma_negated]
ANY = [_with_first_component_negated, _with_first_component_scaled, _with_a_linear_force]
MUTANTS = [
    *((mutate, entry) for mutate in GAMMA for entry in (sgrld, sgrld_reciprocal, sgrhmc, sgnht)),
    *(
        (mutate, entry)
        for mutate in ANY
        for entry in (hmc, sghmc, sgnht, sgrhmc, sgrld, fisher_sgld)
    ),
    *((_with_twice_the_noise, entry) for entry in (sghmc, sgnht, sgrhmc, sgrld, fisher_sgld)),
]


@pytest.mark.parametrize(("mutate", "entry"), MUTANTS)
@pytest.mark.parametrize("d", [1, 2])
def test_a_mutant_is_not_stationary(mutate, entry: Recipe, d: int) -> None:
    x = explicit(entry, d)
    assert not x.is_zero(mutate(x))


@pytest.mark.parametrize("block", sghmc.state, ids=str)
def test_a_mutated_component_disagrees(block: Block) -> None:
    x = explicit(sghmc, 2)
    drift = derive(sghmc).dynamics.drift
    assert not x.agree(x.drift, x.components(drift | {block: -drift[block]}))


def test_a_mutated_update_has_another_limit() -> None:
    update = sghmc.update
    (theta, new_theta), (r, new_r) = update.rule
    C = Symbol("C", positive=True)
    mutant = Update(
        update.step, [(theta, new_theta), (r, new_r + sqrt(C * update.step) * r)], update.target
    )
    x = explicit(sghmc, 2)
    assert not x.agree(list(x.D), list(explicit_limit(mutant, x)[1]))


@settings(SETTINGS, max_examples=3)
@given(recipes(largest_state=2))
def test_a_random_mutant_is_not_stationary(recipe: Recipe) -> None:
    x = explicit(recipe, 2)
    assert not x.is_zero(_with_a_linear_force(x))
