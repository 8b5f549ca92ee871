"""Answers that are words with an order: the labels of an ordered logistic law."""

import numpy as np
import pytest

from codegen.inputs.evaluate import Values
from recipe import Data, Ordered, Posterior, RecipeError, Scalar
from recipe.laws import normal, ordered_logistic

B, C = Scalar("b", prior=normal(0, 1)), Ordered("c", 2, prior=normal(0, 3))
X, Y = Data("x", [0.5, 1.0, -1.0, 2.0]), Data("y")
WORDS = ["low", "high", "medium", "low"]
ORDER = ["low", "medium", "high"]
NUMBERS = [0, 2, 1, 0]


def of(answers):
    return Posterior((B, C), ordered_logistic(Y, B * X, C), data={Y: answers})


def column(kind):
    if kind == "polars":
        polars = pytest.importorskip("polars")
        return polars.Series(WORDS, dtype=polars.Enum(ORDER))
    if kind == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        return pyarrow.DictionaryArray.from_arrays(pyarrow.array(NUMBERS), ORDER, ordered=True)
    pandas = pytest.importorskip("pandas")
    categories = pandas.Categorical(WORDS, categories=ORDER, ordered=True)
    return pandas.Series(categories) if kind == "series" else categories


@pytest.mark.parametrize("kind", ["categorical", "series", "polars", "pyarrow"])
def test_ordered_categories_are_the_numbers_of_their_order(kind):
    posterior, plain = of(column(kind)), of(NUMBERS)
    assert list(posterior.given[Y]) == NUMBERS
    assert posterior.categories[Y] == tuple(ORDER)
    assert "y (4,) low < medium < high" in repr(posterior)
    at = {s: np.array([0.7]) for s in posterior.blocks}
    made = [
        Values(at, {s: np.asarray(v) for s, v in p.data}).at(p.log_likelihood)
        for p in (posterior, plain)
    ]
    assert np.array_equal(*made)


def test_a_category_that_no_row_has_keeps_its_place():
    pandas = pytest.importorskip("pandas")
    answers = pandas.Categorical(["low", "high"] * 2, categories=ORDER, ordered=True)
    assert list(of(answers).given[Y]) == [0, 2, 0, 2]


def test_words_of_new_data_have_the_order_of_those_before():
    answers = column("categorical")
    new = of(answers).with_data({X: [1.0, 2.0], Y: ["high", "low"]})
    assert list(new.given[Y]) == [2, 0]
    with pytest.raises(RecipeError, match=r"row 1 of the data of y is 'none'.* low, med"):
        of(answers).with_data({X: [1.0, 2.0], Y: ["high", "none"]})


def ordered(*words, order):
    pandas = pytest.importorskip("pandas")
    return pandas.Categorical(words, categories=list(order), ordered=True)


@pytest.mark.parametrize(
    "order", [("bad", "fair", "high"), ("high", "medium", "low"), ("low", "mean", "medium", "high")]
)
def test_new_answers_with_other_categories_or_another_order_are_refused(order):
    new = ordered("high", "high", order=order)
    said = rf"categories {' < '.join(order)}, and those of the data before are low < medium < high;"
    with pytest.raises(RecipeError, match=said):
        of(column("categorical")).with_data({X: [1.0, 2.0], Y: new})


def test_new_answers_may_lack_categories_and_numbers_keep_the_words():
    before = of(column("categorical"))
    some = ordered("high", "low", order=("low", "high"))
    assert list(before.with_data({X: [1.0, 2.0], Y: some}).given[Y]) == [2, 0]
    numbers = before.with_data({X: [1.0, 2.0], Y: [2, 0]})
    left_out = before.with_data({X: [1.0, 2.0]})
    for between in (numbers, left_out):
        assert between.categories[Y] == tuple(ORDER)
        with pytest.raises(RecipeError, match="no < so < yes, and those of the data before are"):
            between.with_data({Y: ordered("yes", "no", order=("no", "so", "yes"))})


@pytest.mark.parametrize("kind", ["text", "categories without an order"])
def test_words_without_an_order_are_refused_with_the_repair(kind):
    pandas = pytest.importorskip("pandas")
    answers = WORDS if kind == "text" else pandas.Series(WORDS, dtype="category")
    with pytest.raises(
        RecipeError, match=rf"data of y are {kind} \(high, low, medium\).*ordered=T"
    ):
        of(answers)
    ordered = pandas.Categorical(answers, categories=["low", "medium", "high"], ordered=True)
    assert list(of(ordered).given[Y]) == NUMBERS  # what the message says


def test_other_numbers_of_categories_and_missing_answers_are_refused():
    pandas = pytest.importorskip("pandas")
    two = pandas.Categorical(["no", "yes"] * 2, categories=["no", "yes"], ordered=True)
    with pytest.raises(
        RecipeError, match=r"2 categories, no < yes, .* 2 cutpoints has 3; give it 1"
    ):
        of(two)
    missing = pandas.Categorical(["low", None] * 2, categories=ORDER, ordered=True)
    with pytest.raises(RecipeError, match="missing value in row 1"):
        of(missing)
