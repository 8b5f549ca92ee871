"""Names that draws or a sampler have already are refused before a run, with the block to rename."""

import re

import pytest

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from codegen import sample, sample_posterior_predictive
from recipe import Data, Posterior, RecipeError, Scalar, Vector, bind, total
from recipe.laws import half_normal, normal

Y = Data("y", [0.1, 0.3, 1.0])
A = Scalar("a", prior=normal(0, 1))


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
        (hmc_kernel, "epsilon", "the step size in this kernel"),
        (hmc_kernel, "U", "the potential in this kernel"),
        (sghmc, "C", "a parameter in this recipe"),
    ],
)
@pytest.mark.parametrize("law", [normal(0, 1), half_normal(1)])  # the line, and a map onto it
def test_names_of_a_sampler_name_no_block(sampler, name, meaning, law):
    posterior = Posterior(log_likelihood=normal(Y, Scalar(name, prior=law), 1))
    said = re.escape(f"{name} is the name of {meaning}, and of a block; rename the block")
    with pytest.raises(RecipeError, match=said):
        bind(sampler, posterior)


def test_names_that_a_sampler_copies_are_free():
    posterior = Posterior(log_likelihood=normal(Y, Scalar("r", prior=normal(0, 1)), 1))
    assert [b.name for b in bind(hmc_kernel, posterior).state] == ["r", "r_r"]
