"""Weights of a mixture, one number a label: compiled draws beside enumeration, bits for any threads
and after a stop, and the posterior.
"""

from fractions import Fraction

import numpy as np
import pytest
from cases.topic_models import OF_MEMBERS, alpha, beta, mixture, theta, topics, w, weighted, y
from oracles.enumerated_mixture import (
    label_law,
    mean_square_of_shares,
    mean_square_of_weights,
)
from sympy import Interval, Matrix, Symbol, log, oo

from catalog.scir import scir
from catalog.sgrld import sgrld_reciprocal
from codegen import (
    Completion,
    Kept,
    LabelWeights,
    count_labels,
    sample_label_chains,
    sample_labels,
)
from codegen.labels.numbers import sampler_of_numbers
from codegen.labels.rows import row_sampler
from codegen.labels.weight import weight_of
from recipe import Parameter, Recipe, RecipeError, Vector, mirror, total
from recipe.language.calculus import gradient
from recipe.language.symbols import name_of

F = Fraction
ROWS = ((F(1, 3), F(2), F(5, 7)), (F(3), F(1, 5), F(1)), (F(4, 3), F(1, 2), F(9, 2)))
WEIGHTS = (F(3, 2), F(1, 5), F(4))
SCIR = {"a": beta + y.data / y.batch * y.summed, "alpha": 0.7, "beta": 0.5}
OF_WEIGHTS = LabelWeights(scir, params={"a": alpha + OF_MEMBERS})


def numbers(rows):
    return np.array(rows, dtype=object).astype(float)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("x", [(1, 0, 0), (2, 0, 1)])
def test_labels_are_drawn_with_their_exact_law(K, x):
    """100,000 independent draws; a share has a standard deviation of at most 1/2, so that five
    standard errors are 0.008. The seed is fixed; a right program fails with a chance below 1e-5.
    """
    rows, weights = ROWS[:K], WEIGHTS[:K]
    counted = count_labels(
        weighted(), numbers(rows), np.array([x]), params={}, sweeps=100_000,
        weights=numbers(weights),
    )  # fmt: skip
    law = np.array([float(p) for p in label_law(x, rows, weights)])
    assert np.abs(counted.members - law).max() < 0.008
    without = np.array([float(p) for p in label_law(x, rows)])
    assert np.abs(without - law).max() > 0.008, "weights that are left out would be noticed"


def users(number=40, width=15, seed=0):
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(width, 0.3), 3)[rng.choice(3, number, p=[0.6, 0.3, 0.1])]
    return np.array([rng.multinomial(6, p) for p in laws])


def run(**changes):
    arguments = {"labels": 3, "steps": 12, "batch_size": 8, "sweeps": 3, "seed": 2}
    arguments |= {"params": SCIR, "step_size": 0.5, "scheme": "exact", "weights": OF_WEIGHTS}
    return sample_labels(weighted(), scir, users(), **arguments | changes)


def test_the_bits_are_the_same_for_any_number_of_threads():
    ends = [run(threads=n) for n in (1, 2, 3)]
    assert len({end.weights["w"].tobytes() + end.blocks["theta"].tobytes() for end in ends}) == 1


def test_a_run_in_two_pieces_is_the_run_in_one(tmp_path):
    def reducers():
        return (Completion(users(), users(), every=3, sweeps=4), Kept(5))

    whole = run(steps=14, reducers=reducers())
    run(steps=6, reducers=reducers(), checkpoint=tmp_path / "run.npz")
    rest = run(steps=14, reducers=reducers(), checkpoint=tmp_path / "run.npz")
    assert rest.weights["w"].tobytes() == whole.weights["w"].tobytes()
    assert rest.blocks["theta"].tobytes() == whole.blocks["theta"].tobytes()
    for one, other in zip(whole.reducers, rest.reducers, strict=True):
        for name, array in one.state().items():
            assert array.tobytes() == other.state()[name].tobytes(), name
    moved_otherwise = LabelWeights(scir, params=OF_WEIGHTS.params, step_size=0.25)
    with pytest.raises(RecipeError, match="checkpoint of another run"):
        run(steps=14, reducers=reducers(), checkpoint=tmp_path / "run.npz", weights=moved_otherwise)


DATA = ((9, 0), (8, 0), (0, 9))


@pytest.mark.parametrize("K", [2, 3])
def test_the_posterior_of_three_data_is_that_of_all_labellings(K):
    """All data, one draw of each label, and steps so long that rows and weights are draws from
    their laws given the labels: an exact Gibbs sampler. The sum of squared shares is between 1/K
    and 1 for weights, and between 1 and K for rows, and so has a standard deviation of at most 1/3
    and (K - 1)/2; 5,000 draws have an effective size of 1,500 or more by their own autocorrelation,
    so that four standard errors are at most 0.035 and 0.052 (K - 1).
    """
    kept = Kept(1)
    sample_labels(
        weighted(), scir, np.array(DATA), labels=K, steps=5000, sweeps=1, seed=3, scheme="exact",
        params=SCIR, step_size=40.0, reducers=(kept,), weights=OF_WEIGHTS,
    )  # fmt: skip
    alike, equal = (F(1, 2), F(7, 10)), (F(1, 2), None)
    for found, oracle, bound in (
        (square_of_shares(kept.weights), mean_square_of_weights, 0.035),
        (square_of_shares(kept.draws).sum(axis=1), mean_square_of_shares, 0.052 * (K - 1)),
    ):
        expected = float(oracle(DATA, K, *alike))
        assert effective_size(found[100:]) > 1500
        assert abs(found[100:].mean() - expected) < bound
        prior = float(oracle(((0, 0),), K, *alike))
        assert abs(prior - expected) > 1.3 * bound, "it would not notice that data are ignored"
    assert mean_square_of_shares(DATA, K, *equal) != mean_square_of_shares(DATA, K, *alike)
    assert kept.weights.shape == (5000, K)


def effective_size(found):
    lags = [np.corrcoef(found[:-lag], found[lag:])[0, 1] for lag in range(1, 30)]
    return len(found) / (1 + 2 * sum(max(r, 0) for r in lags))


def square_of_shares(draws):
    return ((draws / draws.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)


def test_minibatches_count_each_datum_as_many():
    """The mean of the sum of all weights is K alpha + N, whatever the minibatch: N/n is there."""
    kept = Kept(1)
    run(batch_size=8, steps=400, step_size=40.0, reducers=(kept,), sweeps=1)
    whole = kept.weights[20:].sum(axis=1)
    assert whole.mean() == pytest.approx(3 * 0.7 + 40, abs=4 * 42.1**0.5 / 380**0.5)


def test_a_potential_is_bound_to_the_log_posterior_given_the_counts():
    model = weighted()
    bound = sampler_of_numbers(model, w, LabelWeights(sgrld_reciprocal), {})
    vector = bound.state[0]
    members = next(s for s in bound.parameters if name_of(s) == "y_members")
    expected = -model.estimate[w].xreplace({w: vector, y.members: members})
    assert (gradient(bound.H, vector) - expected).expand() == 0
    of_row = row_sampler(model, sgrld_reciprocal, {}).H
    assert not of_row.has(w), "the number of a label does not reach the sampler of rows"


@pytest.mark.slow  # two more modules are compiled
def test_langevin_dynamics_sample_as_well():
    langevin = mirror(sgrld_reciprocal, sgrld_reciprocal.state[0])
    weights = LabelWeights(langevin, step_size=0.002, initial=[5.0, 3.0, 2.0])
    end = sample_labels(
        weighted(), langevin, users(), labels=3, steps=50, batch_size=20, sweeps=2,
        step_size=0.0005, params={"alpha": 2.0, "beta": 2.0}, weights=weights,
    )  # fmt: skip
    assert end.weights["w"].shape == (3,)
    assert (end.weights["w"] > 0).all()


def test_chains_have_weights_of_all_labels(tmp_path):
    runs = sample_label_chains(
        weighted(), scir, users(), labels=3, step_size=0.5, steps=12, batch_size=8, sweeps=3,
        scheme="exact", params=SCIR, chains=2, every=3, weights=OF_WEIGHTS, progress=False,
    )  # fmt: skip
    assert runs["w"].shape == (2, 3)
    assert not np.array_equal(runs["w"][0], runs["w"][1])
    variables = runs.groups()["last_rows"].variables
    assert variables["w"].dims == ("chain", "label")
    assert variables["theta"].dims == ("chain", "label", "column")
    assert runs.save(tmp_path / "runs.nc").exists()


REFUSED = {
    "nothing that moves them": ({"weights": None}, "beside its row a label has the number w: give"),
    "no counts": (
        {"weights": LabelWeights(scir, params={"a": 2.0})},
        "the sampler of the numbers w of labels takes no notice of the counts",
    ),
    "no recipe": ({"weights": LabelWeights("scir")}, "the numbers w of labels must be a Recipe"),
    "another parameter": (
        {"weights": LabelWeights(scir, params={"b": OF_MEMBERS})},
        "params= has b, which is no parameter of the sampler",
    ),
    "counts of columns": (
        {"weights": LabelWeights(scir, params={"a": alpha + y.summed})},
        "y_summed",
    ),
    "other numbers to begin with": (
        {"weights": LabelWeights(scir, params=OF_WEIGHTS.params, initial=[1.0, 2.0])},
        "LabelWeights(initial=) has the shape (2,), and must be 3 numbers in",
    ),
    "a negative number to begin with": (
        {"weights": LabelWeights(scir, params=OF_WEIGHTS.params, initial=[1.0, 2.0, -1.0])},
        "one w for each label",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_moves_no_weights_is_refused_in_one_sentence(name):
    changes, said = REFUSED[name]
    with pytest.raises(RecipeError) as caught:
        run(**changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_of_labels_without_any_are_refused():
    with pytest.raises(RecipeError, match="labels of the model have no number but their row"):
        sample_labels(
            mixture(), scir, users(), labels=3, step_size=0.5, steps=1, params=SCIR,
            scheme="exact", weights=OF_WEIGHTS,
        )  # fmt: skip
    with pytest.raises(RecipeError, match="one number a label, and labels of the model have no"):
        count_labels(mixture(), np.ones((2, 15)), users(), params={}, sweeps=1, weights=[1, 1])
    with pytest.raises(RecipeError, match="have the number w beside their row"):
        count_labels(weighted(), np.ones((2, 15)), users(), params={}, sweeps=1)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (y.count * log(w + total(theta)), "no product"),
        (w * total(y.counts * log(theta)), "no product of a factor of w and of factors of items"),
    ],
)
def test_a_weight_that_mixes_the_number_and_the_items_is_named(law, said):
    with pytest.raises(RecipeError, match=said) as caught:
        weight_of(weighted(log_joint=y.sum(law), conditional=None, gradient=None))
    assert "\n" not in str(caught.value)


def test_a_prior_of_the_number_and_the_row_together_is_refused():
    prior = total((beta - 1) * log(theta) - w * theta) + (alpha - 1) * log(w) - w
    model = weighted(log_prior=prior, gradient=None)
    with pytest.raises(RecipeError, match="neither moves without the other"):
        sampler_of_numbers(model, w, LabelWeights(sgrld_reciprocal), {})
    with pytest.raises(RecipeError, match="neither moves without the other"):
        row_sampler(model, sgrld_reciprocal, {})


def test_labels_of_items_are_sampled_without_numbers_of_labels():
    with pytest.raises(RecipeError, match="where a datum has one label"):
        weight_of(topics(blocks=(theta, w), gradient=None))


def test_members_of_labels_of_items_are_their_items():
    """They once were 0 as a parameter, although the proof of an estimate reads them as n_k."""
    t = Vector("t", domain=Interval.open(0, oo))
    a, n = Parameter("a", like=t, positive=True), Symbol("n", real=True)
    H = total(t) - total(a * log(t)) + n * log(total(t))
    sampler = mirror(Recipe(t, H, Matrix([[t]]), Matrix([[0]])), t)
    z = topics().labels
    data = np.random.default_rng(0).multinomial(8, np.ones(6) / 6, size=30)

    def rows(members):
        shapes = {"a": 1 + z.data / z.batch * z.summed, "n": members, "alpha": 0.5, "beta": 1.5}
        return sample_labels(
            topics(), sampler, data, params=shapes, labels=2, step_size=1e-4, steps=3,
            batch_size=10, sweeps=4, seed=1, progress=False,
        ).blocks["t"]  # fmt: skip

    by_members = rows(z.data / z.batch * z.members)
    assert np.allclose(by_members, rows(z.data / z.batch * total(z.summed)), rtol=1e-12)
    assert not np.allclose(by_members, rows(0.0), rtol=1e-6)


def test_a_number_among_the_parameters_of_weights_is_refused():
    """It once replaced the number of the same name in the model and the sampler of the rows."""
    moved = LabelWeights(scir, params={"a": alpha + OF_MEMBERS, "beta": 50.0})
    with pytest.raises(RecipeError, match=r"LabelWeights\(params=\) gives beta a number"):
        sample_labels(
            weighted(), scir, np.ones((4, 3), dtype=int), labels=2, step_size=0.5, steps=1,
            scheme="exact", params=SCIR, weights=moved, progress=False,
        )  # fmt: skip
