"""Joint laws of data with labels: what may be written, and what is said of the rest."""

import pytest
from cases.topic_models import LOG_JOINT, LOG_PRIOR, alpha, beta, theta, topics, z
from sympy import Interval, Symbol, log, loggamma, oo

from recipe import (
    LabelledPosterior,
    Labels,
    OutsideLanguageError,
    RecipeError,
    Scalar,
    Simplex,
    Vector,
    total,
)

OTHER = Vector("eta", domain=Interval.open(0, oo))
REFUSED = {
    "another block": (
        {"blocks": OTHER},
        "the labels z are like theta, which is not in blocks=",
    ),
    "no labels": ({"labels": theta}, "z = Labels"),
    "no sum over labels": ({"log_joint": total(log(theta))}, "log_joint has no sum over labels"),
    "a square of a sum": ({"log_joint": z.sum(z.count) ** 2}, "is no sum over the labels z"),
    "a row outside of the sum": (
        {"log_joint": LOG_JOINT + total(theta)},
        "total(theta) depends on theta, which belongs to one label; it must stand in z.sum(...)",
    ),
    "a count outside of the sum": (
        {"log_joint": LOG_JOINT + z.count},
        "z_count depends on z_count, which belongs to one label",
    ),
    "a row in a factor of the sum": (
        {"log_joint": total(log(theta)) * z.sum(z.count)},
        "total(log(theta)) depends on theta, which belongs to one label",
    ),
    "labels of another datum": (
        {"log_joint": Labels("y", like=theta).sum(z.count)},
        "is no sum over the labels z",
    ),
    "a count in the prior": ({"log_prior": z.count}, "z_count has no meaning there"),
    "counts of a minibatch in a draw": (
        {"conditional": total(z.summed)},
        "conditional: z_summed has no meaning there",
    ),
    "a count of one datum in the estimate": (
        {"gradient": theta * z.count},
        "gradient of theta: z_count has no meaning there",
    ),
    "a vector as the weight": ({"conditional": theta}, "is a vector where a number must be"),
    "a gradient of another block": ({"gradient": {OTHER: 1}}, "gradient= must be a dict"),
    "a name of the labels' own": (
        {"conditional": Symbol("z_others_k", integer=True, nonnegative=True) * theta[z.item]},
        "conditional: the name z_others_k begins with z_",
    ),
    "an expectation": ({"expect": "good"}, "expect='good' must be"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_joint_law_is_refused_in_one_sentence(name):
    changes, said = REFUSED[name]
    with pytest.raises((RecipeError, OutsideLanguageError)) as caught:
        topics(**changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_need_a_block_and_a_kind():
    with pytest.raises(RecipeError, match="give that block"):
        Labels("z", like=Scalar("w"))
    with pytest.raises(RecipeError, match="each='item'"):
        Labels("z", like=theta, each="word")
    with pytest.raises(RecipeError, match="is not a usable name"):
        Labels("z z", like=theta)


def test_the_estimate_is_derived_from_the_joint_law():
    expected = (
        (beta - 1) / theta
        - 1
        + z.data / z.batch * (z.summed / theta - total(z.summed) / total(theta))
    )
    assert (topics().estimate[theta] - expected).expand() == 0


NOT_DETERMINED = {
    "a square of a count": (z.count**2, "not shown to be affine"),
    "squares of counts by column": (total(z.counts**2), "see .*z.counts[*][*]2"),
    "a product of two counts": (z.count * total(z.counts * log(theta)), "not shown to be affine"),
    "a quotient of degree one": (total(z.counts**2) / z.count, "not shown to be affine"),
    "the size of a datum": (z.count * z.size, "reads z.size of each datum"),
    "a gamma function of a count": (loggamma(alpha + z.count), "not shown to be affine"),
}


@pytest.mark.parametrize("name", NOT_DETERMINED)
def test_an_estimate_that_sums_of_counts_do_not_determine_is_refused(name):
    term, said = NOT_DETERMINED[name]
    law = z.sum(total(z.counts * log(theta)) - term * total(theta))
    model = topics(log_joint=law, conditional=None, gradient=None)
    with pytest.raises(OutsideLanguageError, match=said) as caught:
        model.estimate
    assert "gradient of theta" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_estimate_of_a_number_a_label_counts_the_data_that_have_it():
    whole, w = Labels("z", like=theta, each="datum"), Scalar("w", Interval.open(0, oo))
    law = whole.sum(whole.count * log(w) + total(whole.counts * log(theta)))
    model = LabelledPosterior((theta, w), whole, law, total((beta - 1) * log(theta)) - w)
    expected = (beta - 1) / theta + whole.data / whole.batch * whole.summed / theta
    assert (model.estimate_of(theta) - expected).expand() == 0
    of_w = whole.data / whole.batch * whole.members / w - 1
    assert (model.estimate_of(w) - of_w).expand() == 0
    assert "z.data*z.members/(w*z.batch)" in whole.text_of(of_w)


def test_a_block_whose_gradient_is_determined_has_its_estimate():
    """Another block of the same model may have none."""
    whole, w = Labels("z", like=theta, each="datum"), Scalar("w", Interval.open(0, oo))
    law = whole.sum(whole.size * whole.count * log(w) + total(whole.counts * log(theta)))
    model = LabelledPosterior((theta, w), whole, law, total((beta - 1) * log(theta)) - w)
    expected = (beta - 1) / theta + whole.data / whole.batch * whole.summed / theta
    assert (model.estimate_of(theta) - expected).expand() == 0
    with pytest.raises(OutsideLanguageError, match=r"gradient of w reads z\.size of each datum"):
        model.estimate_of(w)


def test_parameters_are_those_of_the_model_and_not_of_the_labels():
    assert topics().parameters == (alpha, beta)


def test_a_prompt_shows_the_weight_as_it_would_be_written():
    assert "weight of a label in a draw: theta[z.item]*(alpha + z.others)/total(theta)" in repr(
        topics()
    )


def test_a_count_of_all_items_is_the_count():
    twice = z.sum(loggamma(alpha + total(z.counts)) + total(z.counts * log(theta)))
    assert (
        topics(log_joint=twice).weight
        == topics(log_joint=z.sum(loggamma(alpha + z.count) + total(z.counts * log(theta)))).weight
    )


def test_rows_on_a_simplex_may_be_declared():
    row = Vector("p", domain=Simplex())
    labels = Labels("y", like=row)
    model = topics(
        blocks=row,
        labels=labels,
        log_joint=labels.sum(loggamma(alpha + labels.count) + total(labels.counts * log(row))),
        log_prior=total(log(row)),
        conditional=None,
        gradient=None,
    )
    assert labels.text_of(model.weight) == "p[y.item]*(alpha + y.others)"
    assert LOG_PRIOR.free_symbols.isdisjoint({Symbol("p")})
