"""The oracle of numbers, against plain differentiation and on what is known to hold."""

from decimal import Decimal

import mpmath
import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from sympy import (
    Integer,
    Interval,
    Matrix,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    loggamma,
    oo,
    pi,
    polygamma,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

from catalog.corv_sgld import corv_sgld
from catalog.scir import scir
from oracles.decimals import binary
from oracles.explicit import explicit
from oracles.judge import (
    JUDGEMENTS,
    Explicit,
    Judge,
    can_be_undefined,
    of_recipe,
    residual_terms,
    smallest_eigenvalue,
)
from recipe import Parameter, Potential, Recipe, Scalar, Update, grad


@pytest.mark.by_default(
    "sgld",
    "sgrld",
    "ito_sgld",
    "mirror_sgld",
    "third_order_langevin",
)
@pytest.mark.parametrize(
    "name", sorted(catalog_recipes().keys() - {"scir", "scir_posterior"})
)  # no normal noise
def test_the_catalog_and_its_printed_rules_hold_by_numbers(name):
    recipe = catalog_recipes()[name]
    judge = Judge(recipe)
    assert all(
        judge(obligation)
        for obligation in JUDGEMENTS
        if obligation != "marginal" or recipe.marginal
    )
    assert Judge(recipe.update)("stationarity")


def changed(name, old, new):
    """The printed rule of an entry with one part of it replaced."""
    update = catalog_recipes()[name].update
    rule = [
        (block, e.xreplace({old: Integer(new) if isinstance(new, int) else new}))
        for block, e in update.rule
    ]
    assert rule != list(update.rule)
    return Update(update.step, rule if update.sequential else dict(rule), update.target)


h, epsilon, rate = (Symbol(letter, positive=True) for letter in ("h", "epsilon", "b"))
MUTANTS = {
    "another shape": changed("scir", Parameter("a", like=scir.state[0], positive=True), 1),
    "another prior": changed(
        "scir_posterior", grad(Potential("U", scir.state[0]), scir.state[0]), 1
    ),
    "half of the variance": changed("lognormal_exp_ou", sqrt(2), Integer(1)),
    "twice the noise of a reflected step": changed("mirror_sgld", sqrt(epsilon), 2 * sqrt(epsilon)),
    "friction without its noise": changed("mirror_sghmc", sqrt(epsilon), 0),
    "a transform without its potential": changed(
        "corv_sgld", grad(Potential("U", corv_sgld.state[0].image), corv_sgld.state[0].image), 0
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_a_printed_rule_does_not_hold_by_numbers(mutant):
    assert Judge(MUTANTS[mutant])("stationarity") is False


x = Scalar("x", domain=Interval.open(0, oo))
y, z = Scalar("y"), Scalar("z")
ROUGH = Recipe(
    (x, y, z),
    x**3 * sin(y) + log(x) * atan(z) + erf(x * y) + tan(z / 9) + loggamma(x) + polygamma(0, x),
    Matrix([[x**y, cos(z), 0], [cos(z), cosh(y) / x, sinh(z)], [0, sinh(z), sqrt(x)]]),
    Matrix([[z, tanh(x), 2], [-tanh(x), x / y, exp(z)], [-2, -y * exp(z), pi]]),
)


def test_jets_find_the_residual_that_plain_differentiation_finds():
    """Q is not skew, so the residual is not zero; every elementary function of the language is in
    it.
    """
    at = Explicit(ROUGH.state, 1, 0)
    process, H = of_recipe(ROUGH, at)
    at_hundredths = {b.name: round(100 * at.place.values[b.name, 0].value) for b in ROUGH.state}
    there = {Symbol(f"{name}_0", real=True): Rational(n, 100) for name, n in at_hundredths.items()}
    slow = explicit(ROUGH, 1).residual().xreplace(there).evalf(40)
    assert abs(sum(residual_terms(process, H)) - Decimal(str(slow))) < Decimal("1e-30")


@pytest.mark.parametrize(
    ("D", "holds"),
    [([[1, 1], [1, 1]], True), ([[1, 2], [2, 1]], False), ([[y**2, y], [y, 1]], True)],
)
def test_a_negative_eigenvalue_is_found(D, holds):
    assert Judge(Recipe((y, z), y**2 + z**2, Matrix(D), Matrix.zeros(2)))("diffusion-psd") is holds


@pytest.mark.parametrize(
    "D", [[[2, 1], [1, 2]], [[1, 1], [1, 1]], [[1, 2], [2, 1]], [[1, 0], [0, "1e-12"]], [[3]]]
)
def test_the_smallest_eigenvalue_is_that_of_60_digits(D):
    exact = min(mpmath.eigsy(mpmath.matrix(D), eigvals_only=True)) if len(D) > 1 else D[0][0]
    assert abs(binary(smallest_eigenvalue(decimals(D))) - exact) < 1e-14


def decimals(rows):
    return np.array([[Decimal(x) for x in row] for row in rows])


def test_a_sign_that_floating_point_cannot_tell_is_told():
    tiny, huge = Decimal("1e-30"), Decimal("1e400")
    assert smallest_eigenvalue(decimals([[1, 1], [1, 1 - tiny]])) < 0
    assert smallest_eigenvalue(decimals([[huge, huge], [huge, huge / 2]])) < 0


EVERYWHERE = [
    y**2 * exp(y) - sin(y),
    1 / (1 + y**2),
    (1 + y**4 + exp(y)) ** -2,
    sqrt(Rational(1, 2) + exp(-y)),
    log(1 + exp(y)),
    sqrt(pi) / x,
]
SOMEWHERE = [
    1 / y,
    sqrt(y),
    1 / (y**2 - 1),
    1 / (y**2 + z),
    1 / y**2,
    log(y**2),
    tan(y),
    loggamma(y),
    y**z,
    1 / (1 + 1 / (y - 1)),
    1 / exp(1 / y),
]


def test_what_may_be_undefined_is_known_at_a_glance():
    assert [e for e in EVERYWHERE if can_be_undefined(e)] == [
        sqrt(pi) / x
    ]  # pi is no name; what is not seen is only looked at
    assert all(map(can_be_undefined, SOMEWHERE))


@pytest.mark.parametrize(
    ("e", "holds"),
    [
        (1 / y, False),
        (sqrt(y), False),
        (log(1 + y**2), True),
        (1 / (y - 1), False),
        (log(2 + sin(y) + exp(exp(exp(y)))), True),
        (log((2 + tanh(y)) * exp(-exp(exp(exp(y))))), True),
    ],
)
def test_a_place_without_a_value_is_found(e, holds):
    assert Judge(Recipe((y,), y**2 + e, 1, 0))("well-defined") is holds
