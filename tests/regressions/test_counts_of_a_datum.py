"""Labels of one label a datum took the sum of its counts for 1, and a product of counts changed
in one factor only: wrong weights were proved. Counts that no datum can have refuted a joint law.
"""

import pytest
from cases.topic_models import PI, beta, theta, topics, z
from sympy import exp, log

from recipe import LabelledPosterior, Labels, total
from verify import Verdict, verify


def verdicts(model):
    return {line.name: line.outcome.verdict for line in verify(model).lines}


def mixture(joint, conditional=None, gradient=None, blocks=theta):
    whole = Labels("z", like=theta, each="datum")
    prior = total((beta - 1) * log(theta) - theta)
    return LabelledPosterior(
        blocks, whole, whole.sum(joint(whole)), prior, conditional=conditional, gradient=gradient
    )


def test_the_counts_of_a_datum_with_one_label_add_up_to_its_size():
    """And not to ``count``, which is 1: a row of n items has the factor total(theta)^-n."""

    def joint(z):
        return total(z.counts * log(theta)) - total(z.counts) * log(total(theta))

    of_row = total(z.row * log(theta))
    for size in (z.size, total(z.row)):
        right = mixture(joint, conditional=exp(of_row - size * log(total(theta))))
        assert verify(right).verdict is Verdict.PROVED
    wrong = mixture(joint, conditional=exp(of_row) / total(theta))
    assert verdicts(wrong)["conditional"] is Verdict.REFUTED
    assert verdicts(wrong)["invariance"] is Verdict.REFUTED


def test_sums_of_counts_by_column_do_not_say_how_many_data_have_a_label():
    def joint(z):
        return total(z.counts * log(theta)) - z.count * total(theta)

    z = Labels("z", like=theta, each="datum")
    prior = (beta - 1) / theta - 1
    right = prior + z.data / z.batch * (z.summed / theta - z.members)
    assert (mixture(joint).estimate[theta] - right).expand() == 0
    assert verdicts(mixture(joint, gradient=right))["agrees-with-gradient"] is Verdict.PROVED
    every = -total(z.summed)  # what the estimate was, with the sum of counts for the count
    printed = mixture(joint, gradient=prior + z.data / z.batch * (z.summed / theta + every))
    assert verdicts(printed)["agrees-with-gradient"] is Verdict.REFUTED


def test_an_item_changes_both_factors_of_a_product_of_counts():
    """The weight is exp((n + 1)(T + log theta_w) - n T), where T is a sum over counts of others."""
    joint = z.sum(z.count * total(z.counts * log(theta)))
    own = log(PI * total(theta))
    others = total(z.others_counts * log(theta))
    right = exp(others + (z.others + 1) * own)
    found = verdicts(topics(log_joint=joint, conditional=right, gradient=None))
    assert found["conditional"] is Verdict.PROVED
    wrong = verdicts(topics(log_joint=joint, conditional=exp(others), gradient=None))
    assert wrong["conditional"] is Verdict.REFUTED


@pytest.mark.parametrize(("least", "verdict"), [(0, "refuted"), (1, "undecided")])
@pytest.mark.parametrize("words", [0, 1])
def test_counts_above_the_size_refute_nothing(least, verdict, words):
    joint = z.sum(log(z.size + least - z.count) + words * total(z.counts * log(theta)))
    found = verdicts(topics(log_joint=joint, conditional=None, gradient=None))
    assert found["well-defined"] is Verdict(verdict)


def test_a_count_above_one_refutes_no_mixture():
    """1 + count - total(counts) is 2 - size: neither 1, nor refuted by a count of 2."""
    fine = mixture(lambda z: log(2 - z.count) + total(z.counts * log(theta)))
    assert verdicts(fine)["well-defined"] is Verdict.UNDECIDED
    bad = mixture(lambda z: log(1 + z.count - total(z.counts)))
    assert verdicts(bad)["well-defined"] is Verdict.REFUTED
