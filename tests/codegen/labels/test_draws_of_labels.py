"""Compiled draws of labels: their law beside enumeration, and their bits for any threads."""

from fractions import Fraction

import numpy as np
import pytest
from cases.topic_models import alpha, beta, theta, topics, z
from oracles.enumerated_labels import Document
from sympy import log, loggamma

from codegen import CountTable
from codegen.device.labels import drawn_label
from codegen.labels.sweeps import LabelKernel, Workers
from codegen.labels.text import label_module_text
from codegen.labels.weight import weight_of
from codegen.printing.common_functions import common_names, common_text
from codegen.store import modules
from recipe import RecipeError, total

ROWS = ((Fraction(1, 3), Fraction(2), Fraction(5, 7)), (Fraction(3), Fraction(1, 5), Fraction(1)))
COPIES = 40_000


def kernel_of(model, labels, seed=1, **params):
    weight = weight_of(model)
    text = label_module_text(model, weight)
    loaded = modules.load("labels", text, modules.Common(common_text(), common_names()))
    return LabelKernel(loaded, loaded.Params(**params), labels, seed, 0)


def copies(words, number=COPIES, width=3):
    columns, counts = np.unique(words, return_counts=True)
    size = columns.size
    return CountTable(
        np.arange(number + 1) * size, np.tile(columns, number), np.tile(counts, number), width
    )


@pytest.mark.parametrize("words", [(1,), (0, 2), (0, 2, 0), (0, 0, 1, 1)])
def test_mean_counts_are_those_of_the_enumerated_law(words):
    """A mean of 40,000 independent documents; a count between 0 and the length of the document has
    a standard deviation of at most half of it, so five standard errors are 0.0125 of it. The seed
    is fixed; a right program fails with a probability below 1e-5.
    """
    document = Document(tuple(sorted(words)), ROWS, Fraction(3, 10))
    expected = np.zeros((3, 2))
    for labels, p in document.law().items():
        for word, k in zip(document.words, labels, strict=True):
            expected[word, k] += float(p)
    kernel = kernel_of(topics(), 2, alpha=0.3)
    data = copies(words)
    with Workers(1) as workers:
        counted = kernel.count(
            np.array(ROWS, dtype=float), data.rows(range(len(data))), 0, 12, 11, workers
        )
    found = np.zeros((3, 2))
    found[counted.columns] = counted.table / COPIES
    assert np.abs(found - expected).max() < 0.0125 * len(words)


def test_a_count_that_is_not_decremented_would_be_seen():
    """The same bound refuses the law that such a rule leaves."""
    words = (0, 0, 1, 1)
    document = Document(words, ROWS, Fraction(3, 10))

    def wrong(k, word, others, own):
        row = document.theta[k]
        return (document.alpha + others[k] + own) * row[word] / sum(row)

    law = document.law()
    for _ in range(12):
        moved = dict.fromkeys(law, 0.0)
        for i in range(len(words)):
            moved = dict.fromkeys(law, 0.0)
            for labels, p in law.items():
                for k, chance in enumerate(document.drawn_with(wrong, labels, i)):
                    moved[(*labels[:i], k, *labels[i + 1 :])] += float(p) * float(chance)
            law = moved
    means = [
        sum(float(p) * labels.count(0) for labels, p in one.items())
        for one in (document.law(), law)
    ]
    assert abs(means[0] - means[1]) > 0.0125 * len(words)


def test_the_bits_are_the_same_for_any_number_of_threads():
    rng = np.random.default_rng(5)
    rows = rng.gamma(0.3, size=(13, 40)) + 1e-3
    data = CountTable(*copies((0, 3, 3, 17, 39), 60, 40).rows(range(60)), 40)
    kernel, found = kernel_of(topics(), 13, alpha=0.1), []
    for threads in (1, 2, 5):
        with Workers(threads) as workers:
            c = kernel.count(rows, data.rows(range(60)), 7, 6, 2, workers, with_shares=True)
        found.append((c.table.tobytes(), c.shares.tobytes()))
    assert len(set(found)) == 1


def test_a_draw_takes_each_label_as_often_as_its_weight_says():
    """Over an even grid of uniform numbers the shares are those of the weights, to one part in the
    size of the grid for each of the 24 labels.
    """
    weights = np.array([0, 3, 0, 1, 0.5, 0, 0, 2, 0, 0, 4, 0, 0, 0, 1e-9, 0.25, 7, 0] + [0] * 6)
    cumulative = np.cumsum(weights.reshape(3, 8), axis=0).ravel()
    grid = 20_000
    drawn = [int(drawn_label(cumulative, np.uint64(24), (i + 0.5) / grid)) for i in range(grid)]
    shares = np.bincount(drawn, minlength=24) / grid
    assert np.abs(shares - weights / weights.sum()).max() <= 2 / grid
    assert (shares[weights == 0] == 0).all()
    assert drawn_label(np.zeros(8), np.uint64(8), 0.5) == 8
    assert drawn_label(np.full(8, np.nan), np.uint64(8), 0.5) == 8


def test_the_text_has_the_factors_of_the_weight():
    text = label_module_text(topics(), weight_of(topics()))
    assert "return params.alpha + count" in text
    assert "row_sum_0 += row[w]" in text
    assert "row[which[i]] / row_sum_0" in text
    assert "z_labels" not in text  # the number of labels is an argument


def test_another_law_of_counts_is_compiled_as_it_is_written():
    """With ``log p = sum of (n_k alpha + log of theta)`` labels are independent."""
    model = topics(
        log_joint=z.sum(alpha * z.count + total(z.counts * log(theta))),
        conditional=None,
        gradient=None,
    )
    kernel = kernel_of(model, 2)
    data = copies((0, 1))
    rows = np.array([[1.0, 3.0, 9.0], [2.0, 1.0, 9.0]])
    with Workers(1) as workers:
        counted = kernel.count(rows, data.rows(range(COPIES)), 3, 2, 1, workers)
    expected = rows[:, :2].T / rows[:, :2].sum(axis=0)[:, None]
    assert np.abs(counted.table / COPIES - expected).max() < 0.0125  # five standard errors


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {
                "log_joint": z.sum(total(loggamma(beta + z.counts) + z.counts * log(theta))),
                "conditional": None,
                "gradient": None,
            },
            "reads counts by column",
        ),
        (
            {
                "log_joint": z.sum(loggamma(beta + z.count + total(theta))),
                "conditional": None,
                "gradient": None,
            },
            "no product",
        ),
    ],
)
def test_a_weight_without_a_compiled_form_is_named(changes, said):
    with pytest.raises(RecipeError, match=said):
        weight_of(topics(**changes))


def test_weights_that_vanish_are_said():
    kernel = kernel_of(topics(), 2, alpha=0.3)
    data = copies((0, 1), 3)
    with Workers(1) as workers, pytest.raises(RecipeError, match="datum 0 of the minibatch"):
        kernel.count(np.full((2, 3), np.nan), data.rows(range(3)), 4, 2, 1, workers)


def test_a_printed_weight_that_is_wrong_is_not_what_is_sampled():
    right = label_module_text(topics(), weight_of(topics()))
    wrong = topics(conditional=(beta + z.others) * theta[z.item])
    assert label_module_text(wrong, weight_of(wrong)) == right
