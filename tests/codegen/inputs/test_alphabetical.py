"""An order of answers that nobody may have chosen, that of the alphabet, is said in the draws."""

import pytest

from catalog.hmc import hmc_kernel
from codegen import sample
from recipe import Data, Ordered, Posterior, Scalar
from recipe.declare.ordered_answers import is_of_the_alphabet
from recipe.laws import normal, ordered_logistic

pandas = pytest.importorskip("pandas")
COLUMN = pandas.Series(["low", "high", "medium", "low"])


def warnings_of(answers):
    c, b = Ordered("c", 2, prior=normal(0, 3)), Scalar("b", prior=normal(0, 1))
    x = Data("x", [0.5, 1.0, -1.0, 2.0])
    posterior = Posterior(log_likelihood=ordered_logistic(Data("y", answers), b * x, c))
    return sample(hmc_kernel, posterior, step_size=0.1, steps=4, chains=1, progress=False).warnings


def test_the_order_of_the_alphabet_is_said_with_the_repair():
    said = "".join(warnings_of(COLUMN.astype("category").cat.as_ordered()))
    assert "the order of the answers y is high < low < medium, that of the alphabet" in said
    assert "y.astype(pandas.CategoricalDtype([the lowest, ..., the highest], ordered=True))" in said
    chosen = pandas.CategoricalDtype(["low", "medium", "high"], ordered=True)
    assert "alphabet" not in "".join(warnings_of(COLUMN.astype(chosen)))


@pytest.mark.parametrize(
    ("names", "is_it"),
    [
        (("high", "low", "medium"), True),
        (("low", "medium", "high"), False),
        (("no", "yes"), False),  # of two words half of all orders are that
        (("1", "2", "3"), False),
        (("1", "10", "2"), True),
    ],
)
def test_three_words_or_more_that_are_no_numbers_in_order(names, is_it):
    assert is_of_the_alphabet(names) is is_it
