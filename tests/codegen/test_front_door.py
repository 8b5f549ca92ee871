"""``sample(sampler, posterior)``: which blocks it keeps, and that this changes no number."""

import numpy as np
import pytest
from sympy import Matrix, zeros

from catalog.corv_sgld import corv_sgld
from catalog.posteriors.bioassay import posterior
from catalog.posteriors.pumps import posterior as pumps
from catalog.sghmc import sghmc
from catalog.sgnht import sgnht
from codegen import generate, sample
from codegen.inputs.options import SamplingOptions
from recipe import (
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Vector,
    bind,
    compose,
    metropolis,
    refresh,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
x, y = Scalar("x"), Scalar("y")
U = Potential("U", theta)
hmc = Recipe((theta, r), H=U + total(r**2) / 2, D=zeros(2), Q=Matrix([[0, -1], [1, 0]]))
kernel = compose(refresh(hmc, r), metropolis(hmc, "leapfrog", times=3, flip=r))
banana = x**2 / 2 + 5 * (y - x**2) ** 2


def kept(module, **options):
    chosen = SamplingOptions(steps=1, **options).kept(module)
    return [b.image.name if b.image else b.name for b in chosen]


@pytest.mark.parametrize(
    ("sampler", "law", "names"),
    [
        (sghmc, posterior, ["a", "b"]),
        (sgnht, banana, ["x", "y"]),  # from its marginal law
        (sghmc.update, None, ["theta"]),
        (kernel, posterior, ["a", "b"]),
        (bind(kernel, total(theta**2)), None, ["theta", "r"]),  # no part of it tells them apart
    ],
    ids=["posterior", "expression", "printed", "kernel", "unknown"],
)
def test_by_default_the_blocks_of_the_law_are_kept(sampler, law, names):
    module = generate(sampler, law, scheme="semi-implicit")
    assert kept(module) == names
    state = [b.name for b in module.plan.state]
    assert kept(module, keep="all") == kept(module, keep=["all"]) == state


def test_of_a_block_that_stands_for_another_the_image_is_kept():
    assert kept(generate(corv_sgld)) == ["theta"]
    assert kept(generate(corv_sgld, pumps)) == [b.name for b in pumps.blocks]


@pytest.mark.parametrize("of", [generate, lambda what: sample(what, steps=1)])
def test_a_posterior_without_a_sampler_is_refused(of):
    with pytest.raises(RecipeError, match="the sampler comes first and the posterior second"):
        of(posterior)


@pytest.mark.parametrize("what", ["hmc_kernel", None, banana])
@pytest.mark.parametrize("size", [0.1, "auto"])
def test_what_is_no_sampler_is_refused_with_an_import(what, size):
    with pytest.raises(RecipeError, match=r"is no sampler.*from catalog.hmc import hmc_kernel"):
        sample(what, posterior, step_size=size)


def test_a_name_that_is_no_block_is_refused():
    with pytest.raises(RecipeError, match="which is no block; the blocks are a, b, r_a, r_b, and"):
        kept(generate(sghmc, posterior), keep="r")


@pytest.mark.slow
def test_what_is_kept_changes_no_number():
    options = {"step_size": 0.05, "steps": 40, "params": {"C": 1.0}, "progress": False}
    some = sample(sghmc, posterior, **options)
    everything = sample(bind(sghmc, posterior), keep="all", **options)
    assert list(some.values) == ["a", "b"]
    assert list(everything.values) == ["a", "b", "r_a", "r_b"]
    for name in some.values:
        np.testing.assert_array_equal(some[name], everything[name])
