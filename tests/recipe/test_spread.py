"""``spread``: a recipe on several blocks is the recipe of one vector, cut into pieces.

The judge is ``explicit``: the recipe of one vector at d = the number of all coordinates, its
coordinates renamed.
"""

import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from generators.random_recipes import STATES, Vocabulary
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracles import explicit as oracle
from oracles.explicit import ExplicitRecipe, World, explicit_limit
from sympy import Function, Interval, Matrix, S, Symbol, exp, log, oo, sqrt

from codegen import sample
from recipe import (
    Data,
    Dense,
    Field,
    Noise,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    grad,
    outer,
    spread,
    total,
)
from recipe.language.symbols import Length
from verify import Verdict, verify

CATALOG = catalog_recipes()
ONE_VECTOR_ONLY = ("fisher_sgld", "sgrld")
# What has no potential has nothing that a posterior of several blocks could be bound to; a
# transform is spread before it is made.
WITH_A_POTENTIAL = {
    n
    for n, e in CATALOG.items()
    if e.transform is None and any(isinstance(a, Potential) for a in e.abstract)
}
SPREADABLE = sorted(WITH_A_POTENTIAL - set(ONE_VECTOR_ONLY))

theta, phi = Vector("theta"), Vector("phi")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
mu, eta, beta = Scalar("mu"), Vector("eta"), Vector("beta")
epsilon, C = Symbol("epsilon", positive=True), Symbol("C", positive=True)


def potential_of(recipe):
    return next(a for a in recipe.abstract if isinstance(a, Potential))


def pieces(recipe):
    """A number, two vectors of one length and a vector of another one, where the recipe's vector
    lives.
    """
    domain = potential_of(recipe).blocks[0].domain
    b = Vector("b", domain=domain)
    return (
        Scalar("a", domain=domain),
        b,
        Vector("c", like=b, domain=domain),
        Vector("e", domain=domain),
    )


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", SPREADABLE)
def test_what_is_proved_for_one_vector_is_proved_for_its_pieces(name):
    recipe = CATALOG[name]
    one, several = verify(recipe), verify(spread(recipe, potential_of(recipe), pieces(recipe)))
    verdicts = {line.name: line.outcome.verdict for line in one.lines}
    assert {line.name: line.outcome.verdict for line in several.lines} == verdicts
    assert verdicts["agrees-with-update"] is Verdict.PROVED


# Explicit coordinates

DIMS: dict[Length, int] = {theta.dim: 3, phi.dim: 2, eta.dim: 2}


def explicit_pair(one: Recipe, several: Recipe, dims=DIMS):
    """Both in explicit coordinates, and how those of one vector are called on the pieces."""
    a, b = (ExplicitRecipe(x, World(dims)) for x in (one, several))
    assert len(a.z) == len(b.z)
    return a, b, dict(zip(a.z, b.z, strict=True))


def check_same(one: Recipe, several: Recipe, dims=DIMS) -> None:
    a, b, renamed = explicit_pair(one, several, dims)
    for ours, theirs in ((b.drift, a.drift), (b.D, a.D), (b.Q, a.Q), ([b.H], [a.H])):
        assert b.agree(list(ours), [e.xreplace(renamed) for e in theirs])


@pytest.mark.by_default(5)
@pytest.mark.parametrize("name", SPREADABLE)
def test_the_pieces_have_the_drift_and_diffusion_of_the_vector(name):
    recipe = CATALOG[name]
    V = potential_of(recipe)
    domain = V.blocks[0].domain
    number, vector = Scalar("mu", domain=domain), Vector("eta", domain=domain)
    for blocks in ((number, vector), (vector, number)):
        check_same(recipe, spread(recipe, V, blocks))


@pytest.mark.parametrize("name", ["sghmc", "sgnht", "sgrhmc_bounded"])
def test_the_pieces_of_the_published_rule_have_its_limit(name):
    recipe = CATALOG[name]
    a, b, renamed = explicit_pair(recipe, spread(recipe, potential_of(recipe), (mu, eta)))
    (drift, D), (drift_of_pieces, D_of_pieces) = (
        explicit_limit(recipe.update, a),
        explicit_limit(b.recipe.update, b),
    )
    assert b.agree([*drift_of_pieces, *D_of_pieces], [e.xreplace(renamed) for e in [*drift, *D]])


@st.composite
def plain_recipes(draw: st.DrawFn) -> Recipe:
    """Recipes with a vector theta and anything in them that does not hold for one vector only."""
    words = Vocabulary(draw(st.sampled_from([state for state in STATES if theta in state])))
    terms = [
        words.number,
        *(words.elementwise(v).map(lambda e, v=v: total(e, over=v)) for v in words.vectors),
    ]
    H = (
        Potential("W", theta)
        + Potential("U", *words.state)
        + draw(st.one_of(terms)) * draw(st.one_of(terms))
    )
    n = len(words.state)
    D, Q = Matrix.zeros(n, n), Matrix.zeros(n, n)
    for a, row in enumerate(words.state):
        D[a, a] = draw(words.elementwise(row) if isinstance(row, Vector) else words.number)
        for b, column in enumerate(words.state[:a]):
            vectors = [x for x in (row, column) if isinstance(x, Vector)]
            if len({v.length for v in vectors}) == 1:
                D[a, b] = D[b, a] = draw(words.elementwise(vectors[0]))
                Q[a, b] = draw(words.elementwise(vectors[0]) if len(vectors) == 1 else words.number)
                Q[b, a] = -Q[a, b]
    recipe = Recipe(words.state, H, D, Q)
    return bind(
        recipe,
        {F: (2 + F.block) / (1 + F.block**2) for F in recipe.abstract if isinstance(F, Field)},
    )


SAME_NUMBER = {
    "a_d_theta_mu": "a_d_theta_0",
    "a_d_theta_eta_0": "a_d_theta_1",
    "a_d_theta_eta_1": "a_d_theta_2",
}


def check_random(recipe, monkeypatch):
    constant = oracle.constant
    with monkeypatch.context() as patch:  # a vector parameter has the same numbers on the pieces
        patch.setattr(oracle, "constant", lambda key: constant(SAME_NUMBER.get(key, key)))
        check_same(recipe, spread(recipe, Potential("W", theta), (mu, eta)))


SETTINGS = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


@settings(SETTINGS, max_examples=2)
@given(recipe=plain_recipes())
def test_random_recipes_are_cut_into_pieces(recipe, monkeypatch):
    check_random(recipe, monkeypatch)


@pytest.mark.slow
@settings(SETTINGS, max_examples=60)
@given(recipe=plain_recipes())
def test_many_random_recipes_are_cut_into_pieces(recipe, monkeypatch):
    check_random(recipe, monkeypatch)


@pytest.mark.slow
def test_sums_in_sums_and_derivatives_are_cut():
    g = Function("g")
    inner = total(g(theta) * total(theta * r) + exp(r * total(theta**2)))
    recipe = Recipe(
        (theta, r, phi),
        U + inner + total(phi) * inner,
        Matrix.diag(1 / theta.dim, 1 + total(grad(U, theta) ** 2), 1),
        0 * Matrix.eye(3),
    )
    check_same(recipe, spread(recipe, U, (eta, mu)))
    hessian = total(grad(total(grad(U, theta) * r), theta) * sqrt(1 + theta**2))
    recipe = Recipe((theta, r), U + hessian, Matrix.eye(2), Matrix([[0, -1], [1, 0]]))
    check_same(recipe, spread(recipe, U, (mu, eta)))


# What is copied, and under which names


def test_everything_else_of_the_declaration_is_kept():
    k = Parameter("k", like=theta, positive=True)
    w = Noise("w", like=theta)
    rule = {theta: theta - epsilon * grad(U, theta) + sqrt(2 * epsilon) * w, r: r}
    one = Recipe(
        (theta, r),
        U + total(k * r**2),
        Matrix.diag(1, 0),
        Matrix.zeros(2),
        name="mine",
        noise_factor=Matrix.diag(1, 0),
        marginal={theta: U},
        require=["marginal"],
        source="here",
        update=Update(epsilon, rule, U, name="theirs"),
    )
    V = Potential("U", mu, eta)
    r_mu, r_eta = Scalar("r_mu"), Vector("r_eta", like=eta)
    k_mu, k_eta = Parameter("k_mu", positive=True), Parameter("k_eta", like=eta, positive=True)
    steps = {
        b: b - epsilon * grad(V, b) + sqrt(2 * epsilon) * Noise(f"w_{b}", like=b) for b in (mu, eta)
    }
    assert spread(one, U, (mu, eta)) == Recipe(
        (mu, eta, r_mu, r_eta),
        V + k_mu * r_mu**2 + total(k_eta * r_eta**2),
        Matrix.diag(1, 1, 0, 0),
        Matrix.zeros(4),
        name="mine",
        noise_factor=Matrix.diag(1, 1, 0, 0),
        marginal={(mu, eta): V},
        require=["marginal"],
        source="here",
        update=Update(epsilon, {**steps, r_mu: r_mu, r_eta: r_eta}, V, name="theirs"),
    )


def test_names_are_new():
    used = Symbol("r_mu", positive=True)
    hidden = Parameter("r_eta", like=phi)  # stands in a sum only
    recipe = Recipe(
        (theta, r, phi),
        U + used * total(r**2) + total(hidden * phi**2),
        Matrix.eye(3),
        Matrix.zeros(3),
    )
    several = spread(recipe, U, (mu, eta), avoid=[Symbol("r_mu_")])
    assert [b.name for b in several.state] == ["mu", "eta", "r_mu__", "r_eta_", "phi"]


def test_the_same_block_changes_nothing_and_another_name_does():
    sghmc = CATALOG["sghmc"]
    assert spread(sghmc, U, theta) is sghmc
    assert [b.name for b in spread(sghmc, U, eta).state] == ["eta", "r_eta"]
    assert [b.name for b in spread(sghmc, U, (r, theta)).state] == ["r", "theta", "r_r", "r_theta"]


def test_a_block_of_another_length_or_a_number_stays():
    D = Matrix([[1, theta, 0], [theta, 1, 0], [0, 0, 1 + outer(phi, phi)]])
    recipe = Recipe((xi, theta, phi), U + total(phi**2) * total(theta) + xi**2, D, Matrix.zeros(3))
    several = spread(recipe, U, (mu, eta))
    assert several.state == (xi, mu, eta, phi)
    assert several.D.written == Matrix(
        [[1, mu, eta, 0], [mu, 1, 0, 0], [eta, 0, 1, 0], [0, 0, 0, 1 + outer(phi, phi)]]
    )
    check_same(recipe, several)


def test_a_list_of_new_values_cannot_move_pieces_at_once():
    def with_rule(rule):
        return Recipe(theta, U, 1, 0, update=Update(epsilon, rule, U))

    gradient_step = theta - epsilon * grad(U, theta) + sqrt(2 * epsilon) * Noise("w", like=theta)
    assert spread(with_rule({theta: gradient_step}), U, (mu, eta)).update is not None
    twice = [(theta, gradient_step), (theta, 2 * theta)]
    assert spread(with_rule(twice), U, (mu, eta)).update is None
    assert spread(with_rule(twice), U, eta).update is not None
    alone = spread(with_rule([(theta, gradient_step)]), U, (mu, eta)).update  # a list of one
    assert alone.rule == spread(with_rule({theta: gradient_step}), U, (mu, eta)).update.rule
    assert not alone.sequential


# Refusals


def friction():
    return Recipe(
        (theta, r), U + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
    )


M = Dense("M", theta, positive=True)
W = Noise("w", like=theta, covariance=M)
x, p, q = (
    Vector("x", domain=Interval.open(0, oo)),
    Vector("p", domain=Simplex()),
    Vector("q", domain=Simplex()),
)
U_p, U_xi, U_two = Potential("U", p), Potential("U", xi), Potential("U", theta, xi)
ALMOST_SGLD = Recipe(theta, U, 1, 0, update=Update(epsilon, {theta: theta + W}, U))
CROSS = Matrix([[0, outer(theta, phi)], [-outer(phi, theta), 0]])
REFUSED = {
    "a matrix": (
        lambda: spread(CATALOG["fisher_sgld"], U, (mu, eta)),
        r"D\[theta, theta\]: M is a matrix.*one vector only",
    ),
    "a field": (
        lambda: spread(CATALOG["sgrld"], U, (mu, eta)),
        "the field G depends on all of theta.*one vector only",
    ),
    "outer": (
        lambda: spread(Recipe(theta, U, 1 + outer(theta, theta), 0), U, (mu, eta)),
        r"outer\(theta, theta\) is a matrix",
    ),
    "outer across": (
        lambda: spread(Recipe((theta, phi), U, Matrix.zeros(2), CROSS), U, mu),
        r"Q\[theta, phi\]: outer\(theta",
    ),
    "a covariance": (
        lambda: spread(ALMOST_SGLD, U, (mu, eta)),
        "w has the covariance M.*one vector only",
    ),
    "a simplex": (
        lambda: spread(Recipe(p, U_p, 1, 0), U_p, (p, q)),
        "coordinates of p are a simplex.*one vector only",
    ),
    "another domain": (
        lambda: spread(friction(), U, (mu, x)),
        r"the block x lives on Interval.open\(0, oo\), and theta on Reals",
    ),
    "a block's name": (lambda: spread(CATALOG["sgnht"], U, (xi, eta)), "has a block xi of its own"),
    "a parameter's name": (
        lambda: spread(friction(), U, (Scalar("C"), eta)),
        "C is the name of a parameter in this recipe, and of a block; rename the block",
    ),
    "U of two blocks": (
        lambda: spread(Recipe((theta, xi), U_two, Matrix.eye(2), Matrix.zeros(2)), U_two, mu),
        "one Vector block",
    ),
    "U of a number": (
        lambda: spread(Recipe(xi, U_xi, 1, 0), U_xi, (mu, eta)),
        r"U\(xi\) does not depend on one Vector block",
    ),
    "another potential": (
        lambda: spread(friction(), Potential("V", theta), mu),
        "V is no potential of this recipe, which has: U",
    ),
    "no block": (lambda: spread(friction(), U, ()), "has no block"),
    "a block twice": (
        lambda: spread(friction(), U, (eta, eta)),
        "two blocks called eta",
    ),
    "a bound potential": (
        lambda: spread(bind(friction(), {U: law(theta)}), U, (mu, eta)),
        "U has its posterior already",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_for_one_vector_only_is_refused(name):
    build, message = REFUSED[name]
    with pytest.raises(RecipeError, match=message):
        build()


# Posteriors


def law(*blocks):
    """Independent normal coordinates with the mean 1 and the variance 1/4."""
    each = [2 * (b - 1) ** 2 for b in blocks]
    return Posterior(
        blocks,
        S.Zero,
        -sum(
            (total(e) if isinstance(b, Vector) else e for e, b in zip(each, blocks, strict=True)),
            S.Zero,
        ),
        {},
    )


def test_bind_spreads_a_recipe_over_the_blocks_of_a_posterior():
    posterior = law(mu, eta)
    bound = bind(CATALOG["sghmc"], {U: posterior})
    assert bound.posteriors == ((Potential("U", mu, eta), posterior),)
    assert bound.H == spread(CATALOG["sghmc"], U, (mu, eta)).H
    assert bind(CATALOG["sghmc"], {U: law(theta)}).state == CATALOG["sghmc"].state
    assert bind(CATALOG["sghmc"], {U: law(eta)}).state[0] == eta


def test_bind_takes_the_other_values_in_the_blocks_of_the_recipe():
    G = Field("G", theta, positive=True)
    bound = bind(CATALOG["sgrld"], {U: law(mu, eta), G: 1 / (1 + theta**2)})
    assert bound.D.written == Matrix.diag(1 + mu**2, 1 + eta**2)
    V = Potential("V", theta)
    two = Recipe(theta, U + V, 1, 0)
    assert len(bind(two, {U: law(mu, eta), V: law(eta, mu)}).posteriors) == 2
    with pytest.raises(RecipeError, match="U has its posterior already, a law of theta"):
        bind(two, {U: law(theta), V: law(mu, eta)})
    with pytest.raises(RecipeError, match="must be the same"):
        bind(two, {U: law(mu, eta), V: law(theta)})


def test_bind_keeps_the_names_of_a_posterior_apart():
    r_mu = Parameter("r_mu", positive=True)
    posterior = Posterior((mu, eta), S.Zero, -r_mu * mu**2 - total(eta**2), {})
    assert [b.name for b in bind(CATALOG["sghmc"], {U: posterior}).state] == [
        "mu",
        "eta",
        "r_mu_",
        "r_eta",
    ]


def test_bind_spreads_over_a_posterior_whose_likelihood_is_not_written():
    """Of such a posterior there is a gradient of the user's own."""
    a, b, x = Scalar("a"), Vector("b"), Data("x")
    sampler = Recipe(theta, Potential("U", theta), D=1, Q=0)
    posterior = Posterior((a, b), data={x: [1.0]}, gradient=lambda a, b, rows, x: (a, b))
    assert bind(sampler, posterior).state == (a, b)


def test_bind_moves_a_simplex_to_real_coordinates():
    on_simplex = Vector("x", domain=Simplex())
    bound = bind(CATALOG["sghmc"], {U: law(eta, on_simplex)})
    assert [b.image for b in bound.state] == [None, on_simplex, None, None]


def test_bind_refuses_a_posterior_on_another_domain():
    positive = Vector("theta", domain=Interval.open(0, oo))
    langevin = Recipe(positive, Potential("U", positive), 1, 0)
    with pytest.raises(RecipeError, match=r"on Interval.open\(0, oo\)\); they must be the same"):
        bind(langevin, {Potential("U", positive): law(eta)})


@pytest.mark.slow
def test_sghmc_draws_a_number_and_a_vector():
    X, y = Data("x", like=eta), Data("y")
    rng = np.random.default_rng(0)
    x_values, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, size=60).astype(float)
    logit = mu + total(X * eta)
    posterior = Posterior(
        (mu, eta),
        y * logit - log(1 + exp(logit)),
        -(mu**2) / 2 - total(eta**2) / 2,
        {X: x_values, y: labels},
    )
    draws = sample(
        bind(CATALOG["sghmc"], {U: posterior}),
        step_size=0.05,
        steps=200,
        params={"C": 1.0},
        chains=2,
        batch_size=10,
        progress=False,
    )
    assert {name: values.shape for name, values in draws.values.items()} == {
        "mu": (2, 200),
        "eta": (2, 200, 3),
        "r_mu": (2, 200),
        "r_eta": (2, 200, 3),
    }
    assert all(np.isfinite(values).all() and np.ptp(values) > 0 for values in draws.values.values())


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["euler", "semi-implicit"])
def test_sgld_on_pieces_has_the_variance_of_the_target(scheme):
    """theta' = (1 - 4h) theta + ...: the variance is 1/(4 (1 - 2h)), as for one vector."""
    h = 0.02
    draws = sample(
        bind(CATALOG["sgld"], {U: law(eta, mu, beta)}),
        scheme=scheme,
        step_size=h,
        steps=6000,
        warmup=500,
        chains=2,
        lengths={eta: 40, beta: 30},
        progress=False,
    )
    for block, tolerance in ((eta, 0.03), (beta, 0.03), (mu, 0.15)):
        values = draws[block.name]
        assert abs(values.mean() - 1) < tolerance
        assert abs(4 * (1 - 2 * h) * values.var() - 1) < tolerance


@pytest.mark.slow
def test_a_posterior_of_numbers_only_is_sampled():
    tau = Scalar("tau")
    draws = sample(
        bind(CATALOG["sgnht"], {U: law(mu, tau)}),
        step_size=0.05,
        steps=4000,
        params={"A": 1.0},
        chains=2,
        keep="all",
        progress=False,
    )
    assert abs(draws["tau"].mean() - 1) < 0.2
    assert draws["xi"].shape == (2, 4000)
