"""Data outside the support of the law that they are said to have are refused, naming the row."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from codegen import Density
from codegen.inputs.label_arrays import LabelWarning
from codegen.inputs.lengths import Lengths
from codegen.inputs.posterior_data import resolved_arrays
from recipe import Data, Posterior, RecipeError, Scalar, Simplex, Vector, total
from recipe.laws import (
    bernoulli_logit,
    binomial_logit,
    categorical,
    categorical_logit,
    dirichlet,
    exponential,
    normal,
    poisson_log,
)

a, theta = Scalar("a"), Vector("theta")
y, s, x = Data("y"), Data("s"), Data("x", like=theta)

REFUSED = {
    "a label": (bernoulli_logit(y, a), {y: [0, 1, 2]}, "row 2 of the data of y is 2"),
    "a label of -1": (bernoulli_logit(y, a), {y: [-1, 1]}, "must be 0 or 1"),
    "a count": (poisson_log(y, a), {y: [0, 1.5]}, "a whole number, 0 or more"),
    "more than all": (binomial_logit(y, s, a), {y: [1, 4], s: [3, 3]}, "row 1 .* from 0 to 3"),
    "a class": (categorical_logit(y, [0, a]), {y: [0, 1, 2]}, "row 2 of the data of y is 2"),
    "a scale of 0": (normal(y, a, s), {y: [1, 2], s: [1, 0]}, "the sd of normal must be a number"),
    "a time": (exponential(y, 1) + 0 * a, {y: [1, -1]}, "a value of exponential must be"),
    "a class that is no number": (categorical_logit(y, [0, a]), {y: ["a", "b"]}, "the data of y"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_data_outside_the_support_are_one_sentence(name):
    law, data, said = REFUSED[name]
    with pytest.raises(RecipeError, match=said):
        Density(Posterior(a, law, -(a**2), data))


def test_data_within_the_support_are_taken():
    labels = np.array([0, 1, 2, 1])
    law = categorical_logit(y, [0, a, 2 * a])
    density = Density(Posterior(a, law, normal(a, 0, 1), {y: labels}))
    scores = np.exp([[0, 0.3, 0.6]])
    expected = (
        -np.sum(np.log(scores[0, labels] / scores.sum())) + 0.3**2 / 2 + np.log(2 * np.pi) / 2
    )
    assert density.potential({a: 0.3}) == pytest.approx(expected)


def test_columns_of_a_vector_are_checked_too():
    law = normal(total(theta * x), 0, 1) + total(exponential(x, 1))
    with pytest.raises(RecipeError, match="row 1 of the data of x is -1"):
        Density(Posterior(theta, law, -total(theta**2), {x: [[1, 2], [3, -1]]}))


counts, trials = Data("counts", like=theta), Data("trials", like=theta)


@pytest.mark.parametrize(
    ("n", "given", "said"),
    [
        (s, [3, 3], "row 1 .* counts is 4, .* from 0 to 3"),
        (trials, [[3, 2], [9, 1]], "row 0 .* counts is 3, .* from 0 to 2"),
        (s, [2, 9], "row 0 .* counts is 3, .* from 0 to 2"),
        (trials, [[3, 3], [9, 9]], None),
    ],
)
def test_columns_are_compared_with_another_number_of_the_datum(n, given, said):
    law = total(binomial_logit(counts, n, theta))
    declared = Posterior(theta, law, -total(theta**2), {counts: [[1, 3], [4, 1]], n: given})
    if said is None:
        Density(declared)
        return
    with pytest.raises(RecipeError, match=said):
        Density(declared)


def test_a_label_names_a_coordinate():
    """theta[group] is the coordinate with that number, in values, gradients and lengths."""
    group, labels, values = Data("group"), [2, 0, 2, 1], np.array([1.0, -1.0, 0.5, 2.0])
    law = Posterior(theta, normal(y, theta[group], 1), -total(theta**2), {group: labels, y: values})
    at = np.array([0.3, -0.2, 0.7])
    density = Density(law)
    apart = at[labels] - values
    expected = apart @ apart / 2 + at @ at + 2 * np.log(2 * np.pi)
    assert density.potential({theta: at}) == pytest.approx(expected)
    slopes = 2 * at + np.bincount(labels, apart)
    np.testing.assert_allclose(density.gradient({theta: at})[theta], slopes)
    assert Density(law, lengths={theta: 5}).dimension == 5
    with pytest.raises(RecipeError, match=r"row 0 .* group is 2, .* from 0 to 1"):
        Density(law, lengths={theta: 2})


WRONG_LABELS = {
    "a label of -1": ([0, -1], "row 1 of the data of group is -1"),
    "half a label": ([0, 0.5], "row 1 of the data of group is 0.5"),
    "text": (["a", "b"], "the data of group"),
}


@pytest.mark.parametrize("name", WRONG_LABELS)
def test_labels_that_name_no_coordinate_are_one_sentence(name):
    labels, said = WRONG_LABELS[name]
    group = Data("group")
    law = normal(y, theta[group], 1)
    with pytest.raises(RecipeError, match=said):
        Density(Posterior(theta, law, -total(theta**2), {group: labels, y: [1, 2]}))


@pytest.mark.parametrize("index", [-1, 0.5, True, "London", slice(0, 2), Data("x", like=theta)])
def test_a_block_is_indexed_by_numbers_and_by_labels_in_the_data(index):
    with pytest.raises(RecipeError, match="indexed by a number from 0"):
        theta[index]


def test_a_coordinate_by_its_number_stands_in_a_likelihood_only():
    with pytest.raises(RecipeError, match=r"theta\[0\], a coordinate by its number, .* Parameter"):
        Posterior(theta, normal(y, theta[0], 1), normal(theta[0], 0, 1), {y: [1, 2]})


def test_groups_without_data_are_said():
    group = Data("group")
    data = {y: [1, 2], group: [0, 3]}
    posterior = Posterior(theta, normal(y, theta[group], 1), -total(theta**2), data)
    with pytest.warns(LabelWarning, match="no row with the labels 1, 2, so 2 of 4 coordinates"):
        resolved_arrays(posterior, Lengths())
    named = Posterior(
        theta,
        normal(y, theta[group], 1),
        -total(theta**2),
        data,
        coords={theta: ["a", "b", "c", "d"]},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resolved_arrays(named, Lengths())


def test_categories_without_data_are_counted_with_the_last():
    w, label = Vector("w", domain=Simplex()), Data("label")
    law, prior = categorical(label, w), dirichlet(w, 1)
    with pytest.warns(LabelWarning, match="the label 1, so 1 of 4 categories") as said:
        resolved_arrays(Posterior(w, law, prior, {label: [0, 2, 3]}), Lengths())
    assert "group" not in str(said[0].message)
    named = Posterior(w, law, prior, {label: [0, 1, 2]}, coords={w: ["a", "b", "c"]})
    with pytest.warns(LabelWarning, match="label 3, the last of 4 .* are 3 .* give it 2 co"):
        resolved_arrays(named, Lengths())


def test_labels_need_their_data():
    with pytest.raises(RecipeError, match="no array for it; add group"):
        Posterior(theta, normal(y, theta[Data("group")], 1), -total(theta**2), {y: [1, 2]})


def test_labels_that_begin_with_1_are_said_to_count_from_0():
    group = Data("group")
    law, data = normal(y, theta[group], 1), {y: [1, 2], group: [1, 2]}
    with pytest.warns(LabelWarning, match="the label 0, so 1 of 3 .* subtract 1 where yours begin"):
        resolved_arrays(Posterior(theta, law, -total(theta**2), data), Lengths())
