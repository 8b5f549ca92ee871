"""A sampler that takes shapes from counts is compared with the law that the model declares."""

import warnings

import numpy as np
import pytest
from cases.topic_models import OF_MEMBERS, alpha, beta, mixture, theta, weighted, y
from sympy import log

from catalog.scir import scir
from catalog.sgrld import sgrld_reciprocal
from codegen import LabelWeights, sample_labels
from recipe import Parameter, mirror, total

DATA = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1]])
SHAPES = beta + y.data / y.batch * y.summed


def said(model, sampler, weights=None, **params):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        sample_labels(
            model, sampler, DATA, labels=2, step_size=0.01, steps=1, params=params, weights=weights,
            scheme="euler" if sampler is not scir else "exact", progress=False,
        )  # fmt: skip
    return [str(w.message) for w in found]


def test_a_total_that_follows_the_counts_is_said():
    """Shares given the labels are right; small steps sample another law all the same."""
    (sentence,) = said(mixture(), scir, a=SHAPES, beta=0.5)
    assert "the total follows the counts" in sentence
    assert "-y_data*total(y_summed)/(y_batch*total(theta))" in sentence


def test_a_rate_for_each_column_is_another_law_of_the_shares():
    rate = Parameter("b", like=theta, positive=True)
    law = total((beta - 1) * log(theta) - rate * theta)
    (sentence,) = said(mixture(log_prior=law), scir, a=SHAPES, beta=0.5, b=[1.0, 2.0, 3.0])
    assert "was not seen to have the declared law" in sentence


@pytest.mark.parametrize("shapes", [y.data / y.batch * y.summed + 1, beta + y.summed, 4 * SHAPES])
def test_shapes_of_another_prior_are_said(shapes):
    (sentence,) = said(mixture(), scir, a=shapes, beta=0.5)
    assert "was not seen to have the declared law" in sentence


def test_the_gradient_of_the_model_has_its_law():
    assert said(mixture(), mirror(sgrld_reciprocal, sgrld_reciprocal.state[0]), beta=0.5) == []


@pytest.mark.parametrize(("shapes", "wrong"), [(alpha + OF_MEMBERS, False), (9 + y.members, True)])
def test_shapes_of_the_weights_are_compared_too(shapes, wrong):
    own = LabelWeights(scir, params={"a": shapes})
    found = said(weighted(), scir, own, a=SHAPES, alpha=0.7, beta=0.5)
    assert any("numbers w of labels was not seen" in s for s in found) == wrong
