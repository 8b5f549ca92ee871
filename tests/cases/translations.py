"""Modules that are validated in the tests: what they are made from, and their text."""

from functools import cache

import numpy as np
from sympy import Matrix, Symbol, exp, log, sqrt

from cases.catalog_recipes import catalog_recipes
from catalog.hmc import ghmc, hmc_kernel
from codegen import generate
from recipe import (
    Data,
    Dense,
    Kernel,
    Noise,
    Posterior,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    bind,
    dot,
    grad,
    total,
)
from recipe.scheme import discretise
from recipe_cli.declarations.posteriors import posterior_in
from recipe_cli.program.translation import legend_of, trusted_texts
from verify.translation import validate

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
X, y = Data("x", like=theta), Data("y")
h, k = Symbol("h", positive=True), Symbol("k", positive=True)
M = Dense("M", theta, positive=True)
logits = total(X * theta)
LOGISTIC = Posterior(
    theta,
    y * logits - log(1 + exp(logits)),
    -total(theta**2) / (2 * k**2),
    {X: np.ones((4, 2)), y: np.array([0.0, 1.0, 1.0, 0.0])},
)
ROWS_ONE_BY_ONE = Posterior(  # with terms that have no form for eight coordinates
    theta,
    -((y - total(exp(X * theta))) ** 2) / 2,
    -total(theta**2) / 2,
    {X: np.ones((4, 2)), y: np.ones(4)},
)
PRECONDITIONED = Recipe(theta, U, Matrix([[M]]), Matrix([[0]]), name="preconditioned")
RECORDED = Update(
    h,
    {theta: theta - h * grad(U, theta) + sqrt(2 * h) * Noise("w", like=theta)},
    U,
    observe={theta: theta + sqrt(h / 2) * Noise("v", like=theta)},
)
x, p = Scalar("x"), Scalar("p")
TWO_NOISES = Update(
    h,
    [
        (theta, theta - h * dot(M, grad(U, theta)) + sqrt(h) * Noise("w", like=theta)),
        (r, r + h * theta * total(theta * r) + h * Noise("v", like=theta) * Noise("w", like=theta)),
        (x, x + sqrt(h) * Noise("a", like=x) - h * total(r**2) / 10),
    ],
    U + total(r**2) / 2 + x**2 / 2,
)
R_NEW = r - h * grad(U, theta) - h * k * r + sqrt(2 * h * k) * Noise("w", like=theta)
SIMULTANEOUS = Update(h, {theta: theta + h * R_NEW, r: R_NEW}, U + total(r**2) / 2)


class Case:
    """A module, and what it must be proved to be."""

    def __init__(self, what, moves=None, posteriors=None, **options):
        self.module = generate(
            what, posteriors=posteriors if isinstance(what, Update) else None, **options
        )
        self.moves = what if moves is None else moves
        self.posteriors = {V: e.gradient.posterior for V, e in self.module.estimators.items()}
        self.text = self.module.source

    def outcome(self, text=None):
        return validate(
            text or self.text, self.moves, legend_of(self.module), trusted_texts(), self.posteriors
        )

    def verdict(self, text=None):
        return self.outcome(text).verdict.value


def step(recipe, scheme, compensate=False, **options):
    moves = discretise(recipe, scheme, compensate=compensate)
    return Case(recipe, moves, scheme=scheme, compensate=compensate, **options)


def with_posterior(recipe, posterior):
    V = next(a for a in recipe.abstract if isinstance(a, Potential))
    return bind(recipe, {V: posterior})


@cache
def example(name):
    return posterior_in(name)


def recipe_called(name):
    return catalog_recipes()[name]


@cache
def case(name):
    """The cases that are also mutated."""
    sghmc = with_posterior(recipe_called("sghmc"), LOGISTIC)
    made = {
        "sgnht": lambda: step(recipe_called("sgnht"), "semi-implicit"),
        "baoab": lambda: step(recipe_called("sghmc"), "baoab"),
        "carried": lambda: step(sghmc, "baoab"),
        "scir": lambda: step(recipe_called("scir"), "exact"),
        "reflected": lambda: step(recipe_called("mirror_sgld"), "semi-implicit"),
        "simplex": lambda: step(recipe_called("sgrld_simplex_reduced_natural"), "euler"),
        "corv": lambda: step(recipe_called("corv_sgld"), "euler"),
        "dense": lambda: step(PRECONDITIONED, "euler"),
        "recorded": lambda: Case(RECORDED),
        "two noises": lambda: Case(TWO_NOISES),
        "hmc": lambda: Case(with_posterior(hmc_kernel, LOGISTIC)),
        "ghmc": lambda: Case(bind(ghmc, {a: total(theta**4) / 10 for a in ghmc.abstract})),
        "nested": lambda: Case(Kernel(hmc_kernel.parts * 2, posteriors={U: LOGISTIC})),
        "controlled": lambda: step(sghmc, "euler", control_variates=True),
        "svrg": lambda: step(sghmc, "euler", svrg=True),
        "saga": lambda: step(sghmc, "euler", saga=True),
        "compensated": lambda: step(sghmc, "euler", compensate=True),
        "row by row": lambda: step(with_posterior(recipe_called("sgld"), ROWS_ONE_BY_ONE), "euler"),
        "functions times matrix": lambda: Case(
            Update(h, {theta: theta - h * dot(M, exp(theta))}, U)
        ),
        "transposed": lambda: Case(
            Update(h, {theta: theta - h * dot(Dense("B", theta, theta).T, theta)}, U)
        ),
        "posterior": lambda: step(with_posterior(recipe_called("sgld"), LOGISTIC), "euler"),
        "simultaneous": lambda: Case(SIMULTANEOUS),
    }
    return made[name]()


CASES = [
    "sgnht", "baoab", "carried", "scir", "reflected", "simplex", "corv", "dense", "recorded",
    "two noises", "hmc", "ghmc", "nested", "controlled", "compensated", "posterior", "row by row",
    "functions times matrix", "transposed", "svrg", "saga", "simultaneous",
]  # fmt: skip
