"""A mixture whose components have weights, one number a label: proved for symbolic K and W, refuted
where it is wrong, and equal to what enumeration gives.
"""

from fractions import Fraction
from itertools import product

import pytest
from cases.topic_models import (
    WEIGHTED_GRADIENT,
    WEIGHTED_MISTAKES,
    theta,
    topics,
    w,
    weighted,
    y,
    z,
)
from oracles.enumerated_mixture import label_law, slope_by_weight
from sympy import Integer, Rational, log

from recipe import LabelledPosterior, total
from recipe.language.symbols import Indexed
from recipe.language.total import Total
from verify import Verdict, verify

F = Fraction
ROWS = ((F(1, 3), F(2), F(5, 7)), (F(3), F(1, 5), F(1)), (F(4, 3), F(1, 2), F(9, 2)))
WEIGHTS = (F(3, 2), F(1, 5), F(4))
CASES = [(K, x) for K in (2, 3) for x in ((1, 0, 0), (2, 0, 1), (0, 3, 2))]


def outcomes(model):
    return {line.name: line.outcome for line in verify(model).lines}


def test_a_mixture_with_weights_is_proved_for_symbolic_sizes():
    report = verify(weighted())
    assert report.verdict is Verdict.PROVED
    required = ["well-defined", "conditional", "invariance", "fisher-identity"]
    assert [line.name for line in report.lines if line.required] == [
        *required,
        "agrees-with-gradient",
    ]
    assert "every number of labels y_labels" in report.scope


def test_what_is_not_printed_is_derived():
    derived = weighted(conditional=None, gradient=None)
    assert verify(derived).verdict is Verdict.PROVED
    for block in (theta, w):
        assert (derived.estimate[block] - WEIGHTED_GRADIENT[block]).expand() == 0


@pytest.mark.parametrize("name", WEIGHTED_MISTAKES)
def test_a_mistake_is_refuted_with_a_witness_and_the_repair(name):
    changes, broken = WEIGHTED_MISTAKES[name]
    outcome = outcomes(weighted(**changes))[broken]
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness.point
    assert ("w" if broken == "conditional" else "y.members") in outcome.repair


def test_a_minibatch_of_a_refutation_can_occur():
    """No more data have the label than there are, and each has an item."""
    changes, broken = WEIGHTED_MISTAKES["items in the place of data"]
    point = outcomes(weighted(**changes))[broken].witness.point
    assert int(point["y_members"]) >= 1
    assert "y_batch" not in point, "it is the members and further data"


def test_a_weight_that_may_vanish_makes_no_claim():
    moved = y.sum(y.count * log(w - 1) + total(y.counts * log(theta)))
    found = outcomes(weighted(log_joint=moved, conditional=None, gradient=None))
    assert found["well-defined"].verdict is Verdict.REFUTED
    assert found["fisher-identity"].verdict is Verdict.UNDECIDED


def test_members_of_labels_of_items_are_the_items():
    """n_k is the sum of n_kw there, whichever of the two an estimate names."""
    joint = z.sum(z.count * log(w) + total(z.counts * log(theta)))
    for counted in (z.members, total(z.summed)):
        of_w = z.data / z.batch * counted / w - 1
        model = LabelledPosterior(
            (theta, w), z, joint, -total(theta) - w,
            gradient={theta: z.data / z.batch * z.summed / theta - 1, w: of_w},
        )  # fmt: skip
        assert outcomes(model)["agrees-with-gradient"].verdict is Verdict.PROVED
    assert topics().estimate[theta].has(total(z.summed))


# -- beside enumeration


def at(e, k, x, has):
    """A derived expression of label k in exact numbers, with its counts where it ``has`` them."""

    def walk(e, column):
        if isinstance(e, Total):
            return sum(walk(e.body, c) for c in range(len(x)))
        if isinstance(e, Indexed):
            number = ROWS[k][column] if e.base == theta.base else F(x[column] * has)
            return Rational(number.numerator, number.denominator)
        if e == w:
            return Rational(WEIGHTS[k].numerator, WEIGHTS[k].denominator)
        if e == y.count:
            return Integer(has)
        return e.func(*(walk(a, column) for a in e.args)) if e.args else e

    found = walk(e, None).simplify()
    assert found.is_Rational, found
    return F(int(found.p), int(found.q))


@pytest.mark.parametrize(("K", "x"), CASES)
def test_derived_weights_are_the_law_of_the_label(K, x):
    found = [at(weighted().weight, k, x, 1) for k in range(K)]
    assert [f / sum(found) for f in found] == label_law(x, ROWS[:K], WEIGHTS[:K])
    assert label_law(x, ROWS[:K], WEIGHTS[:K]) != label_law(x, ROWS[:K])


@pytest.mark.parametrize(("K", "x"), CASES)
def test_the_mean_of_the_derived_gradient_is_that_of_the_marginal_likelihood(K, x):
    """Fisher's identity: n_k is 1 with the probability of label k."""
    law = label_law(x, ROWS[:K], WEIGHTS[:K])
    for k, block in product(range(K), (w,)):
        slope = weighted().datum_gradient[block]
        mean = law[k] * at(slope, k, x, 1) + (1 - law[k]) * at(slope, k, x, 0)
        assert mean == slope_by_weight(x, ROWS[:K], WEIGHTS[:K], k)
