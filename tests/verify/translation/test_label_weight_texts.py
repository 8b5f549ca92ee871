"""The text that draws labels with weights of their own: proved, and no mistake in it is."""

import dataclasses

import pytest
from cases.topic_models import alpha, mixture, weighted, y
from generators.text_mutants import mutants
from sympy import exp, log

from codegen.labels.text import label_module
from recipe_cli.program.translation import comparison_of, translation_of, trusted_texts
from verify.translation import weights_agree
from verify.verdict import Verdict

MODULE = label_module(weighted())
ADDED = "            number[k] += label_weight(own[k], params)\n"
LOOP = f"        for k in range(np.uint64(labels)):\n{ADDED}"

# Mistakes, and whether they are shown by exact numbers.
MISTAKES = [
    (LOOP, "", False),  # the weights are left out
    (LOOP, LOOP + LOOP, False),  # and counted twice
    ("return log(own)", "return 0.0", True),
    ("return log(own)", "return own", True),
    ("return log(own)", "return 2.0 * log(own)", True),
    ("return log(own)", "return -log(own)", True),
    ("return log(own)", "return log(own + 1.0)", True),
    ("return log(own)", "return log(own) if own > 1.0 else 0.0", False),
    ("label_weight(own[k], params)", "own[k]", False),
    ("label_weight(own[k], params)", "label_weight(own[0], params)", False),
    ("label_weight(own[k], params)", "label_weight(own[s], params)", False),
    ("label_weight(own[k], params)", "label_weight(number[k], params)", False),
    ("label_weight(own[k], params)", "float(counts[0]) * label_weight(own[k], params)", False),
    ("number[k] += label", "number[k] -= label", False),
    ("number[k] += label", "number[k] = label", False),
    ("number[k] += label", "number[0] += label", False),
    ("number[k] += label", "factors[k] += label", False),
    (LOOP, LOOP.replace("np.uint64(labels)", "width"), False),
    (LOOP, LOOP.replace("np.uint64(labels)", "np.uint64(labels) - np.uint64(1)"), False),
    (LOOP, LOOP + "            own[k] = 1.0\n", False),
    (LOOP, LOOP + "            number[k] += 1.0\n", False),
    ("cumulative, own,\n", "own, cumulative,\n", False),
    ("def label_weight(own, params):", "def label_weight(params, own):", False),
]


def outcome(old, new):
    assert old in MODULE.source, "the mutant is none"
    return translation_of(dataclasses.replace(MODULE, source=MODULE.source.replace(old, new)))


def test_the_text_is_proved():
    found = translation_of(MODULE)
    assert found.verdict is Verdict.PROVED, found.by
    assert weights_agree(comparison_of(MODULE))


@pytest.mark.parametrize(("old", "new", "shown"), MISTAKES)
def test_a_mistake_is_never_proved(old, new, shown):
    found = outcome(old, new)
    assert found.verdict is (Verdict.REFUTED if shown else Verdict.UNDECIDED)
    assert found.by.startswith("line ")


def test_a_factor_that_all_labels_share_is_no_mistake():
    assert outcome("return log(own)", "return log(own) + 1.0").verdict is Verdict.PROVED


def test_a_text_without_weights_is_none_of_a_mixture_with_weights_and_the_other_way_round():
    equal = label_module(mixture())
    for module, other in ((MODULE, equal), (equal, MODULE)):
        swapped = dataclasses.replace(module, source=other.source)
        assert translation_of(swapped).verdict is Verdict.UNDECIDED


def test_another_law_of_the_number_is_proved_as_well():
    """A power of it, with a parameter."""
    law = y.sum(alpha * y.count * log(w_of()) + y.count * w_of())
    module = label_module(weighted(log_joint=law, conditional=None, gradient=None))
    assert translation_of(module).verdict is Verdict.PROVED
    assert "params.alpha * log(own)" in module.source
    assert weighted(log_joint=law, conditional=w_of() ** alpha * exp(w_of()), gradient=None)


def w_of():
    return weighted().blocks[1]


@pytest.mark.slow
def test_no_small_change_is_proved():
    skipped = frozenset({*trusted_texts().functions, "row_weights", "row_norm"})
    proved = [
        kind
        for kind, _, text in mutants(MODULE.source, skipped)
        if translation_of(dataclasses.replace(MODULE, source=text)).verdict is Verdict.PROVED
    ]
    assert len(proved) <= 8, proved
