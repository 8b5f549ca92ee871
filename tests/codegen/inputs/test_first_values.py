"""First values of blocks: of ordered ones, of some blocks alone, and from a file of draws."""

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from codegen import sample
from codegen.inputs.preimages import without_ordered
from codegen.tuning.law.pilot import pilot_run
from codegen.tuning.law.target import target_of
from recipe import Data, Ordered, Posterior, RecipeError, Scalar
from recipe.laws import normal
from recipe_cli.sampling.initial_typed import initial_typed

TINY = {"steps": 1, "step_size": 1e-9, "progress": False}  # draws are where chains start


def ordinal():
    b, c = Scalar("b", prior=normal(0, 2)), Ordered("c", 3, prior=normal(0, 5))
    law = normal(Data("y", [0.5, 1.5]), b + c[1], 1)
    return c, Posterior(log_likelihood=law, derived={"square": b**2})


def test_chains_start_at_the_numbers_of_an_ordered_block_and_at_the_draws_of_a_file(tmp_path):
    c, posterior = ordinal()
    for key in ("c", c):
        draws = sample(hmc_kernel, posterior, initial={key: [-1, 0, 2]}, **TINY)
        np.testing.assert_allclose(draws["c"][:, -1], np.tile([-1, 0, 2], (4, 1)), atol=1e-6)
    rows = np.array([[-1, 0, 2], [0, 1, 2], [-3, -2, 5], [1.5, 2, 4]])
    draws = sample(hmc_kernel, posterior, initial={"c": rows}, **TINY)
    np.testing.assert_allclose(draws["c"][:, -1], rows, atol=1e-6)
    file = tmp_path / "draws.nc"
    draws.save(file)
    again = sample(hmc_kernel, posterior, initial=initial_typed([str(file)]), **TINY)
    np.testing.assert_allclose(again["c"][:, -1], rows, atol=1e-6)
    np.testing.assert_allclose(again["b"][:, -1], draws["b"][:, -1], atol=1e-6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"c": [0.0, 0.0, 1.0]}, "must increase"),
        ({"c": [0.0, 1.0]}, "has 2 numbers, and c 3"),
        ({"c": 1.0}, "initial\\['c'\\]"),
        ({"c": [0.0, 1.0, np.inf]}, "initial\\['c'\\]"),
        ({"c": [0.0, 1.0, 2.0], "c_0": 3.0}, "has c_0, and the ordered block"),
    ],
)
def test_values_that_no_ordered_block_has_are_refused(given, said):
    c, _ = ordinal()
    with pytest.raises(RecipeError, match=said):
        without_ordered(given, [c])


def test_scalars_that_agree_with_their_ordered_block_may_stand_beside_it():
    c, _ = ordinal()
    found = without_ordered({"c": [0.0, 1.0, 3.0], "c_gap_2": 2.0, "r": 1.0}, [c])
    assert found == {"c_0": 0.0, "c_gap_1": 1.0, "c_gap_2": 2.0, "r": 1.0}


X1, Y1 = Scalar("x"), Scalar("y")
TWO_PLACES = ((X1**2 - 25) / 5) ** 2 / 2 + (Y1 - X1) ** 2 / 2


@pytest.mark.parametrize("at", [-5.0, 5.0])
def test_a_pilot_run_begins_at_the_first_values_of_some_blocks(at):
    """The law has two modes, x near -5 and near 5, and y follows x."""
    target = target_of(TWO_PLACES, {})
    starts = target.points({"x": at}, 4)
    assert np.isnan(starts[:, 1]).all()
    found = pilot_run(target, 4, 0, starts)
    assert found.agrees
    assert np.allclose(found.mean, at, atol=0.5)


def test_a_tuned_run_begins_where_a_pilot_run_from_some_first_values_ends():
    draws = sample(
        hmc_kernel, TWO_PLACES, step_size="auto", steps=50, initial={"x": -5.0}, progress=False
    )
    assert np.all(draws["x"] < 0)
    assert np.allclose(draws["y"][:, 0], -5, atol=4)  # and not at 0, the centre of its domain
