"""Labels that are categories or text, and symbols that numpy is given."""

import numpy as np
import pytest

from recipe import Data, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import normal

THETA, Y, G = Vector("theta"), Data("y"), Data("g")
CITIES = ["London", "Paris", "London", "Rome"]


def of(labels, **more):
    prior = total(normal(THETA, 0, 1))
    return Posterior(THETA, normal(Y, THETA[G], 1), prior, {Y: [1.0, 2, 3, 4], G: labels}, **more)


def categories(kind):
    if kind == "polars":
        polars = pytest.importorskip("polars")
        return polars.Series(CITIES, dtype=polars.Categorical)
    if kind == "pyarrow":
        return pytest.importorskip("pyarrow").array(CITIES).dictionary_encode()
    pandas = pytest.importorskip("pandas")
    if kind == "series":
        return pandas.Series(CITIES, dtype="category")
    return pandas.Categorical(CITIES, categories=["London", "Paris", "Rome", "Oslo"])


@pytest.mark.parametrize("kind", ["series", "categorical", "polars", "pyarrow"])
def test_categories_number_the_labels_and_name_the_coordinates(kind):
    posterior = of(categories(kind))
    names = posterior.label_names[THETA.length]
    assert [names[k] for k in posterior.given[G]] == CITIES
    assert len(names) == 3 + (kind == "categorical")


def test_text_is_numbered_by_the_names_that_are_given():
    posterior = of(CITIES, coords={THETA: ["Paris", "London", "Rome"]})
    assert posterior.given[G].tolist() == [1, 0, 1, 2]


def test_names_that_are_given_say_the_order_of_categories_as_well():
    posterior = of(categories("series"), coords={THETA: ["Rome", "Paris", "London"]})
    assert posterior.given[G].tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize(
    ("labels", "more", "message"),
    [
        (CITIES, {}, "are text, and nothing says"),
        (["London", "Rom", "Rome", "Rome"], {"coords": {THETA: ["London", "Rome"]}}, "Rome"),
        ([None, "Rome"], {"coords": {THETA: ["London", "Rome"]}}, "None|missing|must be"),
    ],
)
def test_text_without_names_or_with_another_one_is_refused(labels, more, message):
    from codegen.inputs.lengths import Lengths
    from codegen.inputs.posterior_data import resolved_arrays

    with pytest.raises(RecipeError, match=message):
        resolved_arrays(of(labels, **more), Lengths())


def test_a_missing_category_is_refused_with_its_row():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(RecipeError, match="missing value in row 1"):
        of(pandas.Categorical(["a", None, "b", "a"]))


@pytest.mark.parametrize("symbol", [THETA, Scalar("mu"), Y, Data("x", like=THETA)])
def test_functions_of_numpy_are_refused_with_the_repair(symbol):
    with pytest.raises(RecipeError, match="from sympy import exp"):
        np.exp(symbol)
    with pytest.raises(RecipeError, match=r"write log\(1 \+ x\)"):  # sympy has no log1p
        np.log1p(symbol)
    with pytest.raises(RecipeError, match="total"):
        np.ones(3) @ symbol
    with pytest.raises(RecipeError, match="total"):
        symbol @ np.ones(3)


def test_arithmetic_with_numbers_of_numpy_is_that_of_sympy():
    assert np.float64(2) * THETA == 2.0 * THETA
    assert list(np.arange(3) * Scalar("mu")) == [0, Scalar("mu"), 2 * Scalar("mu")]
