"""The text of a module that draws labels: proved, and no mistake in it is."""

import dataclasses

import pytest
from cases.topic_models import alpha, beta, mixture, theta, topics, z
from generators.text_mutants import mutants
from sympy import Symbol, log, loggamma, sqrt

from codegen.labels.text import label_module
from recipe import Labels, Simplex, Vector, total
from recipe_cli.program.translation import (
    NotTranslatedError,
    comparison_of,
    require_translation,
    translation_of,
    trusted_texts,
)
from recipe_cli.sandbox.process_limits import Limits
from verify.translation import weights_agree
from verify.translation.labels import validate
from verify.verdict import Verdict, undecided

MODULE = label_module(topics())

# Mistakes in draws: what the text says, and what stands in its place.
DRAWS = [
    ("number[old] -= 1.0\n", "number[old] -= 0.0\n"),  # the item stays in its count
    ("number[old] -= 1.0\n", "number[old] -= 2.0\n"),
    ("number[old] -= 1.0\n", "number[old] += 1.0\n"),
    ("                factors[old] = count_factor(number[old], params)\n", ""),
    ("count_factor(number[old], params)", "count_factor(number[old] + 1.0, params)"),
    ("                number[k] += 1.0\n                factors", "                factors"),
    ("                number[k] += 1.0\n", "                number[old] += 1.0\n"),
    ("                drawn[i] = k\n", ""),  # the label is not written back
    ("                drawn[i] = k\n", "                drawn[i] = old\n"),
    ("factors[k] = count_factor(number[k], params)\n            if", "pass\n            if"),
    ("running_weights(cumulative, factors, w", "running_weights(cumulative, number, w"),
    ("weights, words[i], width", "weights, words[i + 1], width"),
    ("weights, words[i], width", "weights, words[0], width"),
    ("drawn_label(cumulative, width, u)", "drawn_label(cumulative, width, 1.0 - u)"),
    ("drawn_label(cumulative, width, u)", "drawn_label(cumulative, width, other)"),
    ("drawn_label(cumulative, width, u)", "drawn_label(factors, width, u)"),
    ("                if k >= width:\n                    return s\n", ""),
    ("if k >= width:", "if k > width:"),
    ("                    counter += np.uint64(1)\n", ""),  # numbers are used again
    ("counter += np.uint64(1)", "counter += np.uint64(0)"),
    ("                    u = other\n", "                    pass\n"),
    ("u, other = two_uniforms(key, t, counter)", "other, u = two_uniforms(key, t, counter)"),
    ("two_uniforms(key, t, counter)", "two_uniforms(key, counter, counter)"),
    ("two_uniforms(key, t, counter)", "two_uniforms(key, sweeps, counter)"),
    ("if i & np.uint64(1) == np.uint64(0)", "if i & np.uint64(1) == np.uint64(1)"),
    ("if i & np.uint64(1) == np.uint64(0)", "if i & np.uint64(2) == np.uint64(0)"),
    ("        for sweep in range(sweeps):\n", "        for sweep in range(sweeps):\n"
     "            counter = np.uint64(s) << np.uint64(40)\n"),
    ("np.uint64(s) << np.uint64(40)", "np.uint64(first) << np.uint64(40)"),
    ("np.uint64(s) << np.uint64(40)", "np.uint64(s)"),
    ("stream_key(seed, purpose, chain)", "stream_key(seed, purpose, first)"),
    ("stream_key(seed, purpose, chain)", "stream_key(seed, chain, purpose)"),
    ("np.uint64(columns[entry]) * width", "np.uint64(columns[entry] + 1) * width"),
    ("np.uint64(columns[entry]) * width", "np.uint64(columns[entry])"),
    ("range(counts[entry])", "range(1)"),
    ("range(starts[s], starts[s + 1])", "range(starts[s], starts[s + 1] - 1)"),
    ("range(starts[s], starts[s + 1])", "range(starts[s + 1])"),
    ("                words[items] = ", "                words[0] = "),
    ("for s in range(first, last)", "for s in range(last)"),
    ("for sweep in range(sweeps):", "for sweep in range(1):"),
    ("            number[k] = 0.0\n", ""),  # counts of the datum before it
    ("            factors[k] = 0.0\n", ""),
    ("            number[k] = 0.0\n", "            number[k] = 1.0\n"),
    ("np.uint64(u * labels)", "np.uint64(u * width)"),
    ("np.uint64(labels) - np.uint64(1))", "np.uint64(labels))"),
    ("        for k in range(np.uint64(labels)):\n", "        for k in range(width):\n"),
    ("if sweep >= burn_in:", "if sweep > burn_in:"),
    ("if sweep >= burn_in:", "if sweep >= 0:"),
    ("table[words[i] + drawn[i]] += 1", "table[words[i] + drawn[i]] += 2"),
    ("table[words[i] + drawn[i]] += 1", "table[words[i] + drawn[i]] = 1"),
    ("table[words[i] + drawn[i]] += 1", "table[words[i] + drawn[0]] += 1"),
    ("table[words[i] + drawn[i]] += 1", "table[words[i] + old] += 1"),
    ("np.uint64(s) * width + k] += factors[k]", "np.uint64(s) * width + k] += number[k]"),
    ("np.uint64(s) * width + k] += factors[k]", "np.uint64(s) * width + k] = factors[k]"),
    ("    return -1\n", "    return 0\n"),
    ("    key = stream_key", "    sweeps = 1\n    key = stream_key"),
    ("        items = np.uint64(0)\n", "        labels = width\n        items = np.uint64(0)\n"),
    ("    target = u * total\n", "    target = 0.5 * total\n"),  # in a text that is trusted
    ("    return uniform(x), uniform(y)", "    return uniform(x), uniform(x)"),
    ("\n@run_kernel\ndef row_norm", "\ndrawn_label = last_label\n@run_kernel\ndef row_norm"),
]  # fmt: skip

# Mistakes in the weight itself.
WEIGHTS = [
    ("params.alpha + count", "2.0 * params.alpha + count"),
    ("params.alpha + count", "count"),
    ("params.alpha + count", "params.alpha + count + 1.0"),
    ("params.alpha + count", "params.alpha - count"),
    ("row[which[i]] / row_sum_0", "row[which[i]]"),
    ("row[which[i]] / row_sum_0", "1.0 / row_sum_0"),
    ("row[which[i]] / row_sum_0", "row[which[i]] / (1.0 + row_sum_0)"),
    ("row[which[i]] / row_sum_0", "row[which[0]] / row_sum_0"),
    ("np.uint64(i) * width + label]", "np.uint64(i) * width]"),
    ("np.uint64(i) * width + label]", "np.uint64(which[i]) * width + label]"),
    ("range(np.uint64(which.size))", "range(np.uint64(which.size) - np.uint64(1))"),
    ("range(np.uint64(row.size))", "range(np.uint64(which.size))"),
    ("norm += row[w] / row_sum_0", "norm += row[w]"),
    ("    return norm", "    return row_sum_0"),
    ("def row_norm(row, params):", "def row_norm(params, row):"),
    ("        row_sum_0 += row[w]\n", "        row_sum_0 += row[w]\n        row_sum_0 += 1.0\n"),
    ("    row_sum_0 = 0.0\n", "    row_sum_0 = 1.0\n"),
]


# Texts that read like the draws, and are others: names that mean two things.
DRAW, OLD = "                drawn[i] = k\n", "                old = drawn[i]\n"
LOOKALIKES = [
    ("        for k in range(width):\n            number[k]",
     "        for counter in range(width):\n            number[counter]"),
    ("for sweep in range(sweeps):", "for counter in range(sweeps):"),
    ("for sweep in range(sweeps):", "for items in range(sweeps):"),
    ("for sweep in range(sweeps):", "for s in range(sweeps):"),
    ("for sweep in range(sweeps):", "for i in range(sweeps):"),
    ("for entry in range(starts[s]", "for s in range(starts[s]"),
    ("for repetition in range(counts[entry])", "for entry in range(counts[entry])"),
    ("for repetition in range(counts[entry])", "for items in range(counts[entry])"),
    (OLD, "                items = drawn[i]\n                old = items\n"),
    (OLD, "                other = drawn[i]\n                old = other\n"),
    ("                old = drawn[i]\n", "                i = drawn[i]\n                old = i\n"),
    ("                old = drawn[i]\n", "                old = drawn[k]\n"),
    (OLD, OLD + "                other = 0.5\n"),
    (DRAW, "                k = drawn[i]\n" + DRAW),
    ("for sweep in range(sweeps):", "for sweep in range(other):"),
    ("count_factor(number[k], params)", "count_factor(number[old], params)"),
    ("def count_factor(count, params):\n", "def count_factor(params, count):\n"),
    ("def count_factor(count, params):\n", "def count_factor(count, params=1):\n"),
    ("    alpha: float", "    alpha: float = 0.1"),
    ("    alpha: float", "    beta: float"),
    ("return params.alpha + count", "return params.alpha + count if count > 0.0 else params.alpha"),
]  # fmt: skip
MIXTURE = label_module(mixture())

# Mistakes in draws of a label a datum.
OF_DATA = [
    ("            number[k] = 0.0\n", ""),
    ("            factors[k] = 0.0\n", ""),
    ("float(counts[entry]) * weights", "weights"),
    ("float(counts[entry]) * weights[np.uint64(columns[entry]) * width + k]", "weights[k]"),
    ("weights[np.uint64(columns[entry]) * width + k]", "weights[np.uint64(columns[entry]) + k]"),
    ("weights[np.uint64(columns[entry]) * width + k]", "weights[np.uint64(entry) * width + k]"),
    ("number[k] += float", "number[k] = float"),
    ("number[k] += float", "number[k] -= float"),
    ("exp(number[k] - most)", "exp(number[k])"),  # the same law, written in another way
    ("exp(number[k] - most)", "exp(most - number[k])"),
    ("exp(number[k] - most)", "number[k] - most"),
    ("exp(number[k] - most)", "exp(number[0] - most)"),
    ("most = max(most, number[k])", "most = number[k]"),
    ("        most = number[0]\n", "        most = number\n"),
    ("running_sums(cumulative, factors, width)", "running_sums(cumulative, number, width)"),
    ("        running_sums(cumulative, factors, width)\n", ""),
    ("range(starts[s], starts[s + 1])", "range(starts[s], starts[s + 1] - 1)"),
    ("drawn_label(cumulative, width, u)", "drawn_label(cumulative, width, other)"),
    ("                counter += np.uint64(1)\n", ""),
    ("            if k >= width:\n                return s\n", ""),
    ("for i in range(np.uint64(sweeps)):", "for i in range(np.uint64(burn_in)):"),
    ("width + k] += counts[entry]", "width + k] += 1"),
    ("width + k] += counts[entry]", "width] += counts[entry]"),
    ("width + k] += 1.0", "width + k] += factors[k]"),
    ("row[which[i]]) - log(row_sum_0)", "row[which[i]])"),
    ("norm += exp(log(row[w]) - log(row_sum_0))", "norm += log(row[w]) - log(row_sum_0)"),
    ("np.uint64(s) << np.uint64(40)", "np.uint64(first)"),
    ("    running = running + factors[at]\n", "    running = factors[at]\n"),  # a trusted text
]


def verdict(module, old, new, everywhere=True):
    assert old in module.source, "the mutant is none"
    at = module.source.rindex(old)
    text = module.source
    text = text.replace(old, new) if everywhere else text[:at] + new + text[at + len(old) :]
    return translation_of(dataclasses.replace(module, source=text)).verdict


@pytest.fixture
def without_weights(monkeypatch):
    """The weight is right in these texts, and is not proved again for each."""
    monkeypatch.setattr(validate, "_check_weight", lambda text: None)


def test_the_text_is_proved():
    outcome = translation_of(MODULE)
    assert outcome.verdict is Verdict.PROVED, outcome.by


@pytest.mark.parametrize(("old", "new"), DRAWS)
def test_a_mistake_in_the_draws_is_never_proved(without_weights, old, new):
    assert verdict(MODULE, old, new) is not Verdict.PROVED
    if MODULE.source.count(old) > 1:
        assert verdict(MODULE, old, new, everywhere=False) is not Verdict.PROVED


def test_the_text_of_labels_of_data_is_proved():
    outcome = translation_of(MIXTURE)
    assert outcome.verdict is Verdict.PROVED, outcome.by
    assert weights_agree(comparison_of(MIXTURE))


@pytest.mark.parametrize(("old", "new"), LOOKALIKES)
def test_a_text_that_reads_like_the_draws_is_not_proved(without_weights, old, new):
    found = verdict(MODULE, old, new)
    assert found is not Verdict.PROVED


@pytest.mark.parametrize(("old", "new"), OF_DATA)
def test_a_mistake_in_draws_of_data_is_never_proved(old, new):
    assert verdict(MIXTURE, old, new) is not Verdict.PROVED
    if MIXTURE.source.count(old) > 1:
        assert verdict(MIXTURE, old, new, everywhere=False) is not Verdict.PROVED


def test_a_wrong_weight_of_a_datum_is_refuted():
    outcome = verdict(MIXTURE, "row[which[i]]) - log(row_sum_0)", "row[which[i]])")
    assert outcome is Verdict.REFUTED


def test_the_text_of_items_is_none_for_data():
    wrong = dataclasses.replace(MIXTURE, source=MODULE.source)
    assert translation_of(wrong).verdict is not Verdict.PROVED


@pytest.mark.slow
def test_no_small_change_of_draws_of_data_is_proved(without_weights):
    skipped = frozenset({*trusted_texts().functions, "row_weights", "row_norm"})
    proved = [
        kind
        for kind, _, text in mutants(MIXTURE.source, skipped)
        if translation_of(dataclasses.replace(MIXTURE, source=text)).verdict is Verdict.PROVED
    ]
    assert len(proved) <= 6, proved


@pytest.mark.by_default(5)
@pytest.mark.parametrize(("old", "new"), WEIGHTS)
def test_a_mistake_in_the_weight_is_never_proved(old, new):
    assert verdict(MODULE, old, new, everywhere=False) is not Verdict.PROVED


def test_there_are_many_mutants():
    assert len(DRAWS) + len(WEIGHTS) + len(OF_DATA) >= 90


REFUTED = [
    ("number[old] -= 1.0\n", "number[old] -= 0.0\n", "must be taken out of the count"),
    ("                drawn[i] = k\n", "                drawn[i] = old\n", "number does not hold"),
    ("                    counter += np.uint64(1)\n", "", "the counter does not grow"),
    ("                factors[old] = count_factor(number[old], params)\n", "", "an earlier count"),
    (
        "                old = drawn[i]\n",
        "                k = drawn[i]\n                old = k\n",
        None,
    ),
    ("            number[k] = 0.0\n", "", "counts of the datum before"),
]


@pytest.mark.parametrize(("old", "new", "said"), REFUTED)
def test_a_mistake_is_named_by_its_line(without_weights, old, new, said):
    text = MODULE.source.replace(old, new)
    outcome = translation_of(dataclasses.replace(MODULE, source=text))
    assert outcome.by.startswith("line ")
    if said is None:
        assert outcome.verdict is Verdict.UNDECIDED
    else:
        assert outcome.verdict is Verdict.REFUTED
        assert said in outcome.by
        assert outcome.witness.point, "a refutation shows where"


@pytest.mark.parametrize(("old", "new"), DRAWS[:5])
def test_counts_that_no_weight_reads_refute_nothing(without_weights, old, new):
    """Labels are independent here: whatever counts are, the draws have the right law."""
    law = {"log_joint": z.sum(alpha * z.count + total(z.counts * log(theta)))}
    module = label_module(topics(conditional=None, gradient=None, **law))
    assert verdict(module, old, new) is Verdict.UNDECIDED


def test_a_wrong_weight_is_refuted_with_a_state_that_can_occur():
    text = MODULE.source.replace("params.alpha + count", "2.0 * params.alpha + count")
    outcome = translation_of(dataclasses.replace(MODULE, source=text))
    assert outcome.verdict is Verdict.REFUTED
    assert "theta[z.item]*(2*alpha + z.others)/total(theta), and must be" in outcome.by
    assert "alpha" in outcome.witness.point


# Changes that are none: what they change is read nowhere, or is the same in another order.
HARMLESS = ("wide()", "u = other =", "old = drawn[i]", "running_weights(")


@pytest.mark.parametrize("every", [80, pytest.param(1, marks=pytest.mark.slow)])
def test_no_small_change_of_the_draws_is_proved(without_weights, every):
    """Of every small change those are proved that state a thing twice, or exchange two statements
    that do not see each other; they are counted, so that another one is noticed.
    """
    skipped = frozenset({*trusted_texts().functions, "count_factor", "row_weights", "row_norm"})
    proved = [
        kind
        for kind, _, text in mutants(MODULE.source, skipped, every)
        if translation_of(dataclasses.replace(MODULE, source=text)).verdict is Verdict.PROVED
    ]
    assert set(proved) <= {
        *("statement dropped", "statements swapped", "statement twice", "constant")
    }
    assert len(proved) <= 21


def test_a_factor_that_all_labels_share_is_no_mistake():
    assert verdict(MODULE, "row_sum_0 += row[w]", "row_sum_0 += 2.0 * row[w]") is Verdict.PROVED


c, p = Symbol("c", positive=True), Symbol("p", positive=True)
share = Vector("share", domain=Simplex())
y = Labels("y", like=share)
OTHER_LAWS = {
    "no counts": {"log_joint": z.sum(alpha * z.count + total(z.counts * log(theta)))},
    "a power": {"log_joint": z.sum(total(z.counts * log(1 + theta**p)))},
    "two sums": {
        "log_joint": z.sum(
            loggamma(c + z.count)
            + total(z.counts * (log(theta) - log(total(theta) + total(sqrt(theta)))))
        )
    },
    "the number of labels": {
        "log_joint": z.sum(loggamma(alpha / z.labels + z.count) + total(z.counts * log(theta)))
    },
    "rows on a simplex": {
        "blocks": share,
        "labels": y,
        "log_joint": y.sum(loggamma(alpha + y.count) + total(y.counts * log(share))),
        "log_prior": total((beta - 1) * log(share)),
    },
    "an exponential of the count": {
        "log_joint": z.sum(-c * z.count**2 + total(z.counts * log(theta)))
    },
}


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", OTHER_LAWS)
def test_texts_of_other_laws_are_proved(name):
    module = label_module(topics(conditional=None, gradient=None, **OTHER_LAWS[name]))
    outcome = translation_of(module)
    assert outcome.verdict is Verdict.PROVED, outcome.by


# -- a proof that is left open


@pytest.fixture
def nothing_is_proved(monkeypatch):
    monkeypatch.setattr(validate, "decide_conditional", lambda subject: undecided("left open"))


def test_a_comparison_is_no_proof(nothing_is_proved):
    assert translation_of(MODULE).verdict is Verdict.UNDECIDED
    found = comparison_of(MODULE)
    assert found.verdict is Verdict.UNDECIDED
    assert weights_agree(found)


@pytest.mark.by_default(4)
@pytest.mark.parametrize(
    ("old", "new"),
    [(old, new) for old, new in WEIGHTS if "norm" not in old][:8] + DRAWS[:3],
)
def test_a_comparison_finds_mistakes(old, new):
    text = MODULE.source.replace(old, new)
    assert not weights_agree(comparison_of(dataclasses.replace(MODULE, source=text)))


LIMITS = Limits(seconds=120)


def test_an_open_proof_is_a_warning_and_may_be_refused(nothing_is_proved):
    checked = require_translation(MODULE, LIMITS)
    assert "the text of the module labels is not proved" in checked.unproved
    assert "at 8 points the weights of the text" in checked.unproved
    with pytest.raises(NotTranslatedError, match="is not proved to be what it was made from"):
        require_translation(MODULE, LIMITS, validated=True)


def test_a_wrong_text_is_refused():
    text = MODULE.source.replace("number[old] -= 1.0\n", "number[old] -= 0.0\n")
    with pytest.raises(NotTranslatedError, match="is not what it was made from"):
        require_translation(dataclasses.replace(MODULE, source=text), LIMITS)
