"""Draws of labels and gradients from their counts: proved for symbolic K, W and length, refuted
where they are wrong, and equal to what enumeration gives.
"""

from fractions import Fraction
from itertools import product

import pytest
from cases.topic_models import (
    CONDITIONAL,
    MISTAKES,
    PI,
    alpha,
    beta,
    theta,
    topics,
    z,
)
from oracles.enumerated_labels import Document
from sympy import Integer, Interval, Rational, Symbol, exp, log, loggamma, oo

from recipe import LabelledPosterior, Labels, OutsideLanguageError, Scalar, Simplex, Vector, total
from recipe.language.symbols import Indexed
from recipe.language.total import Total
from verify import Verdict, verify

F = Fraction
REQUIRED = ["well-defined", "conditional", "invariance", "fisher-identity"]
ROWS = (
    (F(1, 3), F(2), F(5, 7)),
    (F(3), F(1, 5), F(1)),
    (F(4, 3), F(1, 2), F(9, 2)),
)
DOCUMENTS = [
    Document(words, ROWS[:K], F(3, 10)) for K in (2, 3) for words in ((1,), (0, 2), (0, 2, 0))
]


def verdicts(model):
    return {line.name: line.outcome.verdict for line in verify(model).lines}


def test_topics_are_proved_for_symbolic_sizes():
    report = verify(topics())
    assert report.verdict is Verdict.PROVED
    assert [line.name for line in report.lines if line.required] == [
        *REQUIRED,
        "agrees-with-gradient",
    ]
    assert verdicts(topics())["uniqueness"] is Verdict.PROVED
    for part in ("every number of labels z_labels", "every number of items z_size", "d_theta"):
        assert part in report.scope
    assert "after finitely many sweeps" in str(report)


def test_what_is_not_printed_is_derived():
    derived = topics(conditional=None, gradient=None)
    assert verify(derived).verdict is Verdict.PROVED
    assert derived.weight == CONDITIONAL
    assert "agrees-with-gradient" not in verdicts(derived)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refuted_with_a_witness_and_the_repair(name):
    changes, broken = MISTAKES[name]
    report = verify(topics(**changes))
    assert report.verdict is Verdict.REFUTED
    outcome = {line.name: line.outcome for line in report.lines}[broken]
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness is not None
    repaired = "theta[z.item]*(alpha + z.others)/total(theta)"
    assert (repaired if broken == "conditional" else "z.data") in outcome.repair


@pytest.mark.parametrize(
    "name", [n for n, (_, broken) in MISTAKES.items() if broken == "conditional"]
)
def test_wrong_weights_do_not_keep_the_law(name):
    changes, _ = MISTAKES[name]
    assert verdicts(topics(**changes))["invariance"] is not Verdict.PROVED


def test_a_count_that_is_not_decremented_is_refuted_in_the_state_that_shows_it():
    outcome = {
        line.name: line.outcome for line in verify(topics(conditional=(alpha + z.count) * PI)).lines
    }
    assert "the item has label k before its draw" in outcome["conditional"].by
    assert outcome["invariance"].verdict is Verdict.REFUTED


def test_a_factor_that_all_labels_share_does_not_matter():
    shared = CONDITIONAL / (z.labels * alpha + z.size - 1)
    assert verify(topics(conditional=shared)).verdict is Verdict.PROVED


def test_a_count_with_the_item_less_one_is_wrong_where_the_item_has_another_label():
    assert verify(topics(conditional=(alpha + z.count) * PI - PI)).verdict is not Verdict.PROVED


def test_a_support_that_depends_on_theta_makes_no_claim():
    moved = z.sum(total(z.counts * log(theta - 1)))
    found = verdicts(topics(log_joint=moved, conditional=None, gradient=None))
    assert found["well-defined"] is Verdict.REFUTED
    assert found["fisher-identity"] is Verdict.UNDECIDED
    assert found["invariance"] is Verdict.UNDECIDED


def test_a_prior_that_may_be_negative_is_refuted():
    free = Symbol("alpha", real=True)
    joint = z.sum(loggamma(free + z.count) + total(z.counts * log(theta)))
    assert verdicts(topics(log_joint=joint, conditional=None))["well-defined"] is Verdict.REFUTED


def test_counts_within_gamma_functions_are_followed_to_the_column_of_the_item():
    collapsed = z.sum(
        total(loggamma(beta + z.counts)) - loggamma(beta * theta.dim + total(z.counts))
    )
    model = topics(log_joint=collapsed, conditional=None, gradient=None)
    assert verify(model).verdict is Verdict.PROVED
    assert z.text_of(model.weight) == ("(beta + z.others_counts[z.item])/(d_theta*beta + z.others)")
    wrong = model.weight.subs(beta, alpha)
    assert (
        verdicts(topics(log_joint=collapsed, conditional=wrong, gradient=None))["conditional"]
        is Verdict.REFUTED
    )


SHARE = Vector("share", domain=Simplex())
Y = Labels("y", like=SHARE)
OF_SHARES = {
    "blocks": SHARE,
    "labels": Y,
    "log_joint": Y.sum(loggamma(alpha + Y.count) + total(Y.counts * log(SHARE))),
    "log_prior": total((beta - 1) * log(SHARE)),
}


def test_rows_on_a_simplex_and_a_prior_that_all_labels_share_are_proved():
    """Logarithms of products of positive numbers are sums."""
    shared = z.sum(loggamma(alpha / z.labels + z.count) + total(z.counts * log(theta)))
    for changes in (OF_SHARES, {"log_joint": shared}):
        model = topics(conditional=None, gradient=None, **changes)
        assert verdicts(model)["conditional"] is Verdict.PROVED
        wrong = topics(gradient=None, conditional=model.weight.subs(alpha, 2 * alpha), **changes)
        assert verdicts(wrong)["conditional"] is not Verdict.PROVED


def test_one_item_that_changes_a_sum_of_counts_in_two_places_is_outside():
    with pytest.raises(OutsideLanguageError, match="a sum of counts inside of a sum of counts"):
        topics(log_joint=z.sum(total(log(theta + total(z.counts * theta)))))


def test_a_gradient_that_is_not_affine_in_counts_is_not_summed():
    power = Symbol("p", positive=True)
    joint = z.sum(total(z.counts * log(theta)) - z.count**2 * total(theta) * power)
    model = topics(log_joint=joint, conditional=None, gradient=1 / theta)
    assert verdicts(model)["agrees-with-gradient"] is Verdict.UNDECIDED


def test_a_mixture_has_one_label_for_each_datum():
    whole, w = Labels("z", like=theta, each="datum"), Scalar("w", Interval.open(0, oo))
    model = LabelledPosterior(
        (theta, w),
        whole,
        whole.sum(whole.count * log(w) + total(whole.counts * log(theta / total(theta)))),
        total((beta - 1) * log(theta) - theta) - w,
        conditional=w * exp(total(whole.row * log(theta / total(theta)))),
    )
    assert verify(model).verdict is Verdict.PROVED
    wrong = LabelledPosterior(
        model.blocks,
        whole,
        model.log_joint,
        model.log_prior,
        conditional=exp(total(whole.row * log(theta / total(theta)))),
    )
    assert verdicts(wrong)["conditional"] is Verdict.REFUTED


# -- beside enumeration


def at(e, model, document, k, others=None, word=None, counts=None, w=None):
    """A derived expression of the label k in exact numbers: sums are written out."""
    row = [Rational(x.numerator, x.denominator) for x in document.theta[k]]
    labels = model.labels

    def value(s, column):
        if s.base == theta.base:
            return row[column]
        if s.base == labels.counts.base:
            return Integer(counts[column])
        return Integer(int(column == word))  # the column of the item

    def walk(e, column):
        if isinstance(e, Total):
            return sum(walk(e.body, c) for c in range(len(row)))
        if isinstance(e, Indexed):
            return value(e, column)
        if not e.args:
            a = Rational(document.alpha.numerator, document.alpha.denominator)
            known = {alpha: a, labels.others: others}
            if counts is not None:
                known[labels.count] = sum(counts)
            return Integer(known[e]) if isinstance(known.get(e), int) else known.get(e, e)
        return e.func(*(walk(x, column) for x in e.args))

    found = walk(e, w)
    assert found.is_Rational, found
    return F(int(found.p), int(found.q))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: f"K{len(d.theta)}-{len(d.words)}")
def test_derived_weights_are_the_conditional_law_and_a_sweep_keeps_it(document):
    model = topics()

    def weight(k, word, others, own):
        return at(model.weight, model, document, k, others[k], word)

    for labels, i in product(document.labellings(), range(len(document.words))):
        assert document.drawn_with(weight, labels, i) == document.conditional(labels, i)
    assert document.after_sweep(weight) == document.law()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: f"K{len(d.theta)}-{len(d.words)}")
def test_the_mean_of_the_derived_gradient_is_that_of_the_marginal_likelihood(document):
    model, law = topics(), document.law()
    for k, w in product(range(len(document.theta)), range(3)):
        mean = F(0)
        for labels, p in law.items():
            counts = [
                sum(
                    word == c and topic == k
                    for word, topic in zip(document.words, labels, strict=True)
                )
                for c in range(3)
            ]
            mean += p * at(model.datum_gradient[theta], model, document, k, counts=counts, w=w)
        assert mean == document.marginal_slope(k, w)


def test_enumeration_notices_a_count_that_is_not_decremented():
    document = DOCUMENTS[2]

    def weight(k, word, others, own):
        row = document.theta[k]
        return (document.alpha + others[k] + own) * row[word] / sum(row)

    assert document.after_sweep(weight) != document.law()
