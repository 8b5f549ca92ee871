"""Ordered blocks, and quantities that are derived of draws."""

from itertools import pairwise

import pytest
from sympy import exp

from recipe import Data, Ordered, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import half_normal, normal, ordered_logistic

C, Y, B = Ordered("c", 3), Data("y"), Scalar("b")
PRIOR = normal(B, 0, 2) + sum(normal(k, 0, 5) for k in C)


def ordinal(**more):
    return Posterior((B, C), ordered_logistic(Y, B, C), PRIOR, {Y: [0, 1, 2, 3]}, **more)


def test_the_numbers_of_an_ordered_block_increase():
    assert all((high - low).is_positive for low, high in pairwise(C))
    assert [b.name for b in C.blocks] == ["c_0", "c_gap_1", "c_gap_2"]


def test_a_posterior_takes_it_as_a_block_and_derives_its_numbers():
    posterior = ordinal(derived={"width": C[2] - C[0]})
    assert [b.name for b in posterior.blocks] == ["b", "c_0", "c_gap_1", "c_gap_2"]
    assert list(posterior.derived) == ["c", "width"]
    assert posterior.derived["c"] == tuple(C)


@pytest.mark.parametrize("length", [1, 0, -2, 2.0, True, "3"])
def test_a_length_below_two_is_refused(length):
    with pytest.raises(RecipeError, match="2 or more"):
        Ordered("c", length)


def test_a_name_that_two_blocks_have_is_refused():
    with pytest.raises(RecipeError, match="two blocks are called c"):
        Posterior((Scalar("c"), C), ordered_logistic(Y, 0, C), PRIOR, {Y: [0, 1, 2, 3]})


THETA, NEW = Vector("theta"), Data("new")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"b": B}, "a block has this name"),
        ({"not a name": B}, "name"),
        ({"q": Scalar("z")}, "z"),
        ({"q": NEW * B}, "derived= uses new"),
        ({"q": exp(Scalar("c_9"))}, "c_9"),
        ({"q": []}, "empty list"),
        ([B], "must be a dict"),
    ],
)
def test_what_is_no_derived_quantity_is_refused(given, message):
    with pytest.raises(RecipeError, match=message):
        ordinal(derived=given)


def test_a_value_for_each_coordinate_of_each_datum_is_refused():
    x = Data("x", like=THETA)
    with pytest.raises(RecipeError, match="each coordinate of each datum"):
        Posterior(
            THETA,
            -total((x - THETA) ** 2),
            -total(THETA**2),
            {x: [[1.0]]},
            derived={"q": x * THETA},
        )


def test_data_that_only_a_derived_quantity_uses_are_no_data_of_the_likelihood():
    posterior = Posterior(
        (B, C),
        ordered_logistic(Y, B, C),
        PRIOR,
        {Y: [0, 1, 2, 3], NEW: [0.5, 1.5]},
        derived={"at_new": B * NEW},
    )
    assert NEW not in dict(posterior.data)
    assert NEW in posterior.given


def test_a_law_of_an_ordered_block_is_that_of_each_of_its_numbers():
    assert normal(C, 0, 5).expression == sum(normal(k, 0, 5) for k in C).expression
    with pytest.raises(RecipeError, match="leave total out"):
        total(normal(C, 0, 5))
    with pytest.raises(RecipeError, match="half_normal"):
        half_normal(C, 5)  # the first number may be negative


EXPRESSION = r"c is 3 numbers, and an expression needs one; name it, c\[0\]"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: C[Y], r"c\[y\]: an ordered block is indexed by a number"),
        (lambda: normal(Y, C, 1), EXPRESSION),
        (lambda: exp(C), EXPRESSION),
        (lambda: C**2, EXPRESSION),
        (lambda: 2 * C, EXPRESSION),
        (lambda: 1 - C, EXPRESSION),
        (lambda: B * C, EXPRESSION),
        (lambda: total(C), EXPRESSION),
        (lambda: sum(C) + C, EXPRESSION),
    ],
)
def test_an_ordered_block_is_no_expression(wrong, said):
    with pytest.raises(RecipeError, match=said):
        wrong()
