"""Names that draws or a sampler have already are refused before a run, with the block to rename."""

import re

import numpy as np
import pytest
from cases.translations import Case
from sympy import Function, Symbol

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from catalog.sgnht import sgnht
from codegen import sample, sample_posterior_predictive
from recipe import (
    Data,
    Noise,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    grad,
    total,
)
from recipe.laws import half_normal, normal
from verify.verdict import Verdict

Y = Data("y", [0.1, 0.3, 1.0])
A = Scalar("a", prior=normal(0, 1))
THETA = Vector("theta")
NOISY = Recipe(
    THETA, H=Potential("U", THETA), D=Function("G", positive=True)(THETA), Q=0, name="noisy"
)


@pytest.mark.parametrize("name", ["chain", "draw"])
def test_dimensions_of_draws_name_no_quantity(name):
    with pytest.raises(RecipeError, match=f"the quantity {name} has the name of a dimension"):
        Posterior(log_likelihood=normal(Y, A, 1), derived={name: 2 * A})


@pytest.mark.parametrize("kind", [Scalar, Vector])
def test_dimensions_of_draws_name_no_block_of_a_posterior(kind):
    chain = kind("chain", prior=normal(0, 1))
    with pytest.raises(RecipeError, match=r"the block chain .* rename it, for instance chain_1"):
        Posterior(log_likelihood=normal(Y, total(chain) if kind is Vector else chain, 1))


def test_dimensions_of_draws_name_no_block_of_an_expression():
    draw = Scalar("draw")
    with pytest.raises(RecipeError, match="the block draw has the name of a dimension"):
        sample(hmc_kernel, draw**2 / 2, step_size=0.3, steps=20)


def test_dimensions_of_draws_name_no_data_that_are_drawn():
    posterior = Posterior(log_likelihood=normal(Data("draw", [0.1, 0.3]), A, 1))
    draws = sample(hmc_kernel, posterior, step_size=0.3, steps=20)
    with pytest.raises(RecipeError, match="the data symbol draw has the name of a dimension"):
        sample_posterior_predictive(draws, posterior)


@pytest.mark.parametrize(
    ("sampler", "name", "meaning"),
    [
        (sghmc, "C", "a parameter in this recipe"),
        (NOISY, "G", "a function in this recipe"),
    ],
)
@pytest.mark.parametrize("law", [normal(0, 1), half_normal(1)])  # the line, and a map onto it
def test_names_that_values_are_given_by_name_no_block(sampler, name, meaning, law):
    posterior = Posterior(log_likelihood=normal(Y, Scalar(name, prior=law), 1))
    said = re.escape(f"{name} is the name of {meaning}, and of a block; rename the block")
    with pytest.raises(RecipeError, match=said):
        bind(sampler, posterior)


def drawn(sampler, name, law, **params):
    posterior = Posterior(log_likelihood=normal(Y, Scalar(name, prior=law), 1))
    how = {"step_size": 0.1, "steps": 20, "seed": 2, "params": params, "progress": False}
    return sample(sampler, posterior, **how)


@pytest.mark.parametrize("law", [normal(0, 1), half_normal(1)])
@pytest.mark.parametrize("name", ["epsilon", "U"])
def test_a_symbol_of_the_sampler_steps_aside(name, law):
    """The draws are those of any other name, and the sampler and its text are proved as ever."""
    draws = drawn(hmc_kernel, name, law)
    assert list(draws.values) == [name]
    assert np.array_equal(draws[name], drawn(hmc_kernel, "a", law)["a"])
    posterior = Posterior(log_likelihood=normal(Y, Scalar(name, prior=law), 1))
    bound = bind(hmc_kernel, {"U": posterior})
    assert Case(bound).outcome().verdict is Verdict.PROVED
    assert name in {b.name for block in bound.state for b in (block, block.image) if b}


def test_the_rules_of_the_sampler_are_the_same_but_for_the_name():
    """The step and the potential of a kernel, and the noise of a rule."""
    h, w = Symbol("h", positive=True), Noise("w", like=Scalar("x"))
    x = Vector("x")
    rule = Update(h, {x: x - h * grad(Potential("V", x), x) + h * w}, target=Potential("V", x))
    named = [Scalar(name, prior=normal(0, 1)) for name in ("h", "w", "V")]
    posterior = Posterior(log_likelihood=normal(Y, sum(named), 1))
    bound = bind(rule, posterior)
    assert [b.name for b in bound.state] == ["V", "h", "w"]
    assert str(bound.step) == "h_"
    assert str(bound.rule[1][1]) == "h + w_*h_ - h_*grad(V_, h)"
    assert str(bound.posteriors[0][0]) == "V_"


def test_an_expression_has_any_names_as_well():
    a, eps = Scalar("a"), Scalar("epsilon")
    how = {"step_size": 0.3, "steps": 20, "seed": 2, "progress": False}
    one, other = (sample(hmc_kernel, s**2 / 2, **how)[s.name] for s in (a, eps))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("law", [normal(0, 1), half_normal(1)])
def test_a_block_of_the_sampler_that_stays_is_named(law):
    posterior = Posterior(log_likelihood=normal(Y, Scalar("xi", prior=law), 1))
    with pytest.raises(RecipeError, match=r"xi is the name of another block|a block xi of its own"):
        bind(sgnht, posterior)


def test_names_that_a_sampler_copies_are_free():
    posterior = Posterior(log_likelihood=normal(Y, Scalar("r", prior=normal(0, 1)), 1))
    assert [b.name for b in bind(hmc_kernel, posterior).state] == ["r", "r_r"]
