"""Data rounded to float32: the posterior of the rounded data, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Matrix

from codegen import sample
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Vector, bind, total

theta = Vector("theta")
U = Potential("U", theta)
X, y = Data("x", like=theta), Data("y")
SGLD = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="sgld")
rng = np.random.default_rng(2)
x_values, y_values = rng.normal(size=(80, 9)), rng.integers(0, 5, size=80)


def draws(x, labels, **options):
    law = Posterior(
        theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x, y: labels}
    )
    how = {
        "progress": False,
        "step_size": 1e-3,
        "steps": 20,
        "chains": 1,
        "batch_size": 40,
        **options,
    }
    return sample(bind(SGLD, {U: law}), **how)["theta"]


@pytest.mark.slow
def test_the_draws_are_those_of_data_that_were_rounded_before():
    rounded = draws(x_values, y_values, float32_data=True)
    np.testing.assert_array_equal(rounded, draws(x_values.astype(np.float32), y_values))
    assert not np.array_equal(rounded, draws(x_values, y_values))
    np.testing.assert_allclose(rounded, draws(x_values, y_values), atol=1e-4)


def test_what_cannot_be_rounded_is_one_sentence(tmp_path):
    np.save(tmp_path / "x.npy", x_values)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    with pytest.raises(
        RecipeError, match="x is memory-mapped as float64, and float32_data= would copy all of it"
    ):
        draws(mapped, y_values, float32_data=True)
    with pytest.raises(RecipeError, match="float32_data='yes' must be True or False"):
        draws(x_values, y_values, float32_data="yes")
    with pytest.raises(
        RecipeError, match="the data of x contains a value that is not finite, in row 0"
    ):
        draws(x_values * 1e300, y_values, float32_data=True)
    with pytest.raises(RecipeError, match="float32_data= needs data"):
        sample(
            bind(SGLD, {U: total(theta**2)}),
            steps=5,
            step_size=0.1,
            lengths={theta: 2},
            float32_data=True,
            progress=False,
        )
    with pytest.raises(RecipeError, match="the data of y has masked values"):
        draws(
            x_values,
            np.ma.masked_array(y_values.astype(float), mask=y_values == 0),
            float32_data=True,
        )
    with pytest.raises(
        RecipeError, match="the data of y must be an array of one dimension of floats"
    ):
        draws(x_values, [str(y) for y in y_values], float32_data=True)


@pytest.mark.slow
def test_a_list_is_rounded_as_its_array_is():
    np.testing.assert_array_equal(
        draws(x_values.tolist(), y_values, float32_data=True),
        draws(x_values, y_values, float32_data=True),
    )
