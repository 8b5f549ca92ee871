"""One label a datum: compiled draws beside enumeration, bits for any threads, and the posterior."""

from fractions import Fraction

import numpy as np
import pytest
from cases.topic_models import beta, members, mixture, theta, topics
from oracles.enumerated_mixture import label_law, mean_square_of_shares
from sympy import log

from catalog.scir import scir
from codegen import Completion, CountTable, Kept, count_labels, sample_labels
from codegen.device.labels import running_sums
from codegen.labels.text import label_module
from codegen.labels.weight import weight_of
from recipe import RecipeError, Scalar, Vector, total

F = Fraction
ROWS = (
    (F(1, 3), F(2), F(5, 7)),
    (F(3), F(1, 5), F(1)),
    (F(4, 3), F(1, 2), F(9, 2)),
)
SCIR = {"a": beta + members.data / members.batch * members.summed, "beta": 0.5}


def rows_of(rows):
    return np.array([[float(x) for x in row] for row in rows])


@pytest.mark.parametrize("x", [(1, 0, 0), (2, 0, 1), (0, 3, 2)])
def test_labels_are_drawn_with_their_exact_law(x):
    """100,000 independent draws; a share has a standard deviation of at most 1/2, so that five
    standard errors are 0.008. The seed is fixed; a right program fails with a chance below 1e-5.
    """
    data = np.array([x])
    counted = count_labels(mixture(), rows_of(ROWS), data, params={}, sweeps=100_000)
    law = np.array([float(p) for p in label_law(x, ROWS)])
    assert np.abs(counted.shares[0] - law).max() < 0.008
    for column, found in zip(counted.columns, counted.table, strict=True):
        assert found == pytest.approx(x[column] * counted.shares[0])


def test_the_bound_would_notice_a_weight_without_the_sum_of_the_row():
    x = (2, 0, 1)
    wrong = np.array([float(np.prod([float(row[w]) ** x[w] for w in range(3)])) for row in ROWS])
    law = np.array([float(p) for p in label_law(x, ROWS)])
    assert np.abs(wrong / wrong.sum() - law).max() > 0.008


def test_log_weights_far_apart_make_no_zero_and_no_infinity():
    """A datum of a million items: the weights themselves are far below the smallest number."""
    data = np.array([[10**6, 10**6]])
    counted = count_labels(mixture(), [[1.0, 1.0], [1.0, 1.0001]], data, params={}, sweeps=4)
    assert counted.table.sum() == pytest.approx(2 * 10**6)


def users(number=40, width=15, seed=0):
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(width, 0.3), 3)[rng.integers(0, 3, number)]
    return np.array([rng.multinomial(6, p) for p in laws])


def run(**changes):
    arguments = {
        "labels": 3,
        "steps": 12,
        "batch_size": 8,
        "sweeps": 3,
        "seed": 2,
        "scheme": "exact",
    }
    arguments |= {"params": SCIR, "step_size": 0.5}
    return sample_labels(mixture(), scir, users(), **arguments | changes)


def test_the_bits_are_the_same_for_any_number_of_threads():
    assert len({run(threads=n).blocks["theta"].tobytes() for n in (1, 2, 3)}) == 1


def test_a_run_in_two_pieces_is_the_run_in_one(tmp_path):
    def reducers():
        return (Completion(users(), users(), every=3, sweeps=4), Kept(5))

    whole = run(steps=14, reducers=reducers())
    run(steps=6, reducers=reducers(), checkpoint=tmp_path / "run.npz")
    rest = run(steps=14, reducers=reducers(), checkpoint=tmp_path / "run.npz")
    assert rest.blocks["theta"].tobytes() == whole.blocks["theta"].tobytes()
    for one, other in zip(whole.reducers, rest.reducers, strict=True):
        for name, array in one.state().items():
            assert array.tobytes() == other.state()[name].tobytes(), name


DATA = ((9, 0), (8, 0), (0, 9))


def test_the_posterior_of_three_data_is_that_of_all_labellings():
    """All data, one draw of each label, and steps so long that a row is a draw from its law given
    the labels: an exact Gibbs sampler. The sum of squared shares is between 1 and 2, and so has a
    standard deviation of at most 1/2; 5,000 draws have an effective size of 1,500 or more by their
    own autocorrelation, so that four standard errors are at most 0.052.
    """
    kept = Kept(1)
    sample_labels(
        mixture(), scir, np.array(DATA), labels=2, steps=5000, sweeps=1, seed=3, scheme="exact",
        params=SCIR, step_size=40.0, reducers=(kept,),
    )  # fmt: skip
    shares = kept.draws / kept.draws.sum(axis=2, keepdims=True)
    found = (shares**2).sum(axis=(1, 2))[100:]
    expected = float(mean_square_of_shares(DATA, 2, F(1, 2)))
    lags = [np.corrcoef(found[:-lag], found[lag:])[0, 1] for lag in range(1, 30)]
    effective = len(found) / (1 + 2 * sum(max(r, 0) for r in lags))
    assert effective > 1500
    assert abs(found.mean() - expected) < 0.052
    prior = float(mean_square_of_shares(((0, 0),), 2, F(1, 2)))
    assert abs(prior - expected) > 0.104, "the bound would not notice that data are ignored"


def test_with_one_label_the_predictive_probability_is_that_of_the_row():
    data = users(6)
    completion = Completion(data, data, every=2, sweeps=2)
    done = sample_labels(
        mixture(), scir, data, labels=1, steps=2, sweeps=3, scheme="exact", params=SCIR,
        step_size=0.5, reducers=(completion,),
    )  # fmt: skip
    row = done.blocks["theta"][0]
    expected = np.exp(-(data * np.log(row / row.sum())).sum() / data.sum())
    assert completion.perplexity == pytest.approx(expected, rel=1e-12)


def test_what_all_labels_share_stands_in_no_text():
    shared = members.sum(total(members.counts * log(theta)) + members.count * log(beta))
    assert weight_of(mixture(log_joint=shared)).parameters == ()
    assert "beta" not in label_module(mixture(log_joint=shared)).source.split("class Params")[1]


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (total(members.counts**2 * log(theta)), "no product over the items of the datum"),
        (members.count * log(total(theta)), "no product over the items of the datum"),
        (total(members.counts * log(theta)) * total(members.counts), "no product over the items"),
    ],
)
def test_a_weight_that_is_no_product_over_items_is_named(law, said):
    with pytest.raises(RecipeError, match=said) as caught:
        weight_of(mixture(log_joint=members.sum(law)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (mixture(blocks=(theta, Scalar("w"), Scalar("v"))), "its row theta a label has w, v: "),
        (mixture(blocks=(theta, Vector("w"))), "its row theta a label has w: "),
        (topics(blocks=(theta, Scalar("w")), gradient=None), "one number a label at most"),
    ],
)
def test_further_blocks_of_a_label_are_refused(model, said):
    with pytest.raises(RecipeError, match=said) as caught:
        weight_of(model)
    assert "\n" not in str(caught.value)


def test_running_sums_are_sums_in_eight_lanes():
    factors, found = np.arange(16.0), np.zeros(16)
    running_sums(found, factors, np.uint64(16))
    assert found.tolist() == np.cumsum(factors.reshape(2, 8), axis=0).ravel().tolist()


def test_a_table_of_counts_serves_as_data():
    assert isinstance(CountTable([0, 1], [0], [2], 3), CountTable)
    counted = count_labels(
        mixture(), rows_of(ROWS), CountTable([0, 1], [0], [2], 3), params={}, sweeps=8
    )
    assert counted.table.sum() == pytest.approx(2)
