"""``bind`` by symbol, by name, and of the one potential."""

import re

import pytest
from sympy import Matrix, zeros

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from recipe import (
    Data,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Vector,
    bind,
    compose,
    metropolis,
    refresh,
    spread,
    step,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
x, y = Scalar("x"), Scalar("y")
U, V = Potential("U", theta), Potential("V", theta)
two = Recipe(theta, H=U + V, D=Matrix([[1]]), Q=Matrix([[0]]))
datum = Data("datum")
posterior = Posterior((x, y), -((datum - x) ** 2), -(x**2) - y**2, {datum: [1.0, 2.0]})
banana = x**2 / 2 + 5 * (y - x**2) ** 2
(own,) = sghmc.abstract


def written(recipe):
    return recipe.H, recipe.state, recipe.D.written, recipe.Q.written, recipe.posteriors


def test_a_name_a_symbol_and_the_meaning_alone_say_the_same():
    by_symbol = bind(sghmc, {own: posterior})
    assert written(bind(sghmc, {"U": posterior})) == written(by_symbol)
    assert written(bind(sghmc, posterior)) == written(by_symbol)
    assert total(theta**2) + 1 == bind(two, {"U": total(theta**2), V: 1}).H


def test_an_expression_of_other_blocks_spreads_the_sampler_over_them():
    (U,) = sghmc.abstract
    by_hand = spread(sghmc, U, (x, y))
    (U,) = by_hand.abstract
    assert written(bind(sghmc, banana)) == written(bind(by_hand, {U: banana}))
    assert bind(sgld, banana).state == (x, y)


def test_an_expression_of_the_same_block_or_of_none_spreads_nothing():
    k = Parameter("k", positive=True)
    assert bind(sgld, k * total(theta**2)).state == (theta,)
    assert k == bind(sgld, k).H


def test_a_kernel_takes_the_meaning_alone():
    hmc = Recipe((theta, r), H=U + total(r**2) / 2, D=zeros(2), Q=Matrix([[0, -1], [1, 0]]))
    kernel = compose(refresh(hmc, r), metropolis(hmc, "leapfrog", times=3, flip=r))
    assert bind(kernel, posterior).posteriors == bind(kernel, {"U": posterior}).posteriors


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: bind(two, posterior),
            'this recipe has the potentials U, V; give each of them, {"U": ..., "V": ...}',
        ),
        (lambda: bind(bind(sgld, banana), banana), "this recipe has no potential that"),
        (lambda: bind(sgld, {"V": banana}), "V is no abstract function of this recipe, which has:"),
        (lambda: bind(sgld, {"U": 1, sgld.abstract[0]: 2}), "U has two meanings here; give one"),
        (lambda: bind(posterior, banana), "is neither a Recipe nor an Update nor a Kernel"),
        (lambda: bind(sgld, "theta**2"), "the value of U is the text 'theta**2'"),
    ],
)
def test_what_cannot_be_bound_is_said(wrong, said):
    with pytest.raises(RecipeError, match=re.escape(said)):
        wrong()


def test_the_kernel_of_an_update_is_bound_as_the_message_says():
    assert bind(compose(step(sgld.update)), posterior).state == (x, y)
