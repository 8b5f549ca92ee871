"""Several chains over data with labels, scores that do not depend on the order of labels, and data
of the user's own that are wrong.
"""

import threading
import time

import numpy as np
import pytest
from cases.topic_models import beta, mixture, topics, z

from catalog.scir import scir
from catalog.sgld import sgld
from codegen import (
    Completion,
    CountTable,
    Fit,
    count_labels,
    read_draws,
    sample_label_chains,
    sample_labels,
)
from codegen.files.counts import count_table, halves
from codegen.labels.arguments import checked_options
from codegen.labels.chain import DivergedError
from codegen.labels.prepare import label_kernel
from codegen.labels.side_by_side import SideBySide
from codegen.labels.sweeps import Workers
from codegen.labels.text import label_module
from codegen.labels.trial import time_labels
from recipe import RecipeError

PARAMS = {"a": beta + z.data / z.batch * z.summed, "alpha": 0.1, "beta": 0.5}
OPTIONS = {"labels": 3, "scheme": "exact", "step_size": 0.5, "params": PARAMS, "sweeps": 4}
OPTIONS |= {"batch_size": 8, "progress": False}


def documents(number=30, width=20, length=25, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(width, 0.2), 3)
    mixed = rng.dirichlet(np.full(3, 0.3), number) @ rows
    return np.array([rng.multinomial(length, p) for p in mixed])


def chains(**changes):
    arguments = {"sampler": scir, "steps": 30, "chains": 2, "seed": 4, **OPTIONS}
    return sample_label_chains(topics(), data=documents(), **arguments | changes)


def test_chains_are_those_of_sample_labels_and_show_their_scores():
    runs = chains()
    assert runs["theta"].shape == (2, 3, 20)
    for chain, run in enumerate(runs.runs):
        alone = sample_labels(topics(), scir, documents(), steps=30, seed=4, chain=chain, **OPTIONS)
        assert run.blocks["theta"].tobytes() == alone.blocks["theta"].tobytes()
    assert runs["log_likelihood"].shape == (2, 16)  # steps 15 to 30
    assert runs.runs[0].reducers[0].steps.tolist() == list(range(15, 31))
    assert ((runs["concentration"] >= 1 / 3) & (runs["concentration"] <= 1)).all()
    assert "log_likelihood" in repr(runs)
    assert "r_hat" in runs._repr_html_()
    assert {row.coordinate for row in runs.summary().rows} == {"log_likelihood", "concentration"}


def test_chains_in_two_places_are_told_apart():
    """One chain of three topics beside one that is kept at one: R-hat is far above 1.01."""
    runs = chains(steps=200, warmup=50)
    other = sample_label_chains(
        topics(), scir, documents(), steps=200, warmup=50, chains=1, **OPTIONS | {"labels": 1}
    )
    joined = {n: np.array([runs[n][0], other[n][0]]) for n in runs.scores}
    apart = type(runs)(runs.runs, joined).summary()
    assert max(row.r_hat for row in apart.rows if row.coordinate == "log_likelihood") > 1.5


def test_reducers_with_scores_are_diagnosed():
    given, held = halves(count_table(documents(8, seed=5)))
    runs = chains(reducers=lambda chain: (Completion(given, held, every=1, after=15),))
    assert runs["log_perplexity"].shape == (2, 16)
    with pytest.raises(RecipeError, match="different numbers of draws"):
        chains(reducers=lambda chain: (Completion(given, held, every=2),))


def test_stopped_chains_go_on_bit_for_bit(tmp_path):
    asked = []

    def stop():
        asked.append(1)
        return len(asked) == 37  # in the second chain

    first = chains(checkpoint=tmp_path / "run", stop=stop)
    assert [run.steps for run in first.runs] == [30, 7]
    assert first.summary().attributes["interrupted"] == 1
    rest, whole = chains(checkpoint=tmp_path / "run"), chains()
    assert rest["theta"].tobytes() == whole["theta"].tobytes()
    assert rest["log_likelihood"].tobytes() == whole["log_likelihood"].tobytes()
    assert rest.warnings == ()


def test_chains_side_by_side_have_the_same_draws(tmp_path):
    """A check sees each module once, before there are threads; the first chain that is stopped
    stops all.
    """
    seen, asked = [], []

    def stop():
        asked.append(1)
        return len(asked) == 20

    one_by_one = chains(chains=3)
    together = chains(chains=3, side_by_side=2, check=lambda module: seen.append(module.name))
    assert seen == ["labels", "rows"]
    assert together["theta"].tobytes() == one_by_one["theta"].tobytes()
    assert together["log_likelihood"].tobytes() == one_by_one["log_likelihood"].tobytes()
    given = {"chains": 3, "side_by_side": 2, "checkpoint": tmp_path / "run"}
    first = chains(**given, stop=stop)
    assert len(first.runs) == 2
    assert all(0 < run.steps < 30 for run in first.runs)
    assert first.summary().attributes["interrupted"] == 1
    assert chains(**given)["theta"].tobytes() == one_by_one["theta"].tobytes()


def test_a_chain_that_fails_ends_those_beside_it_and_none_begins():
    begun, together = [], threading.Barrier(2)

    def one(chain, stopping):
        begun.append(chain)
        together.wait(10)
        if chain == 1:
            raise DivergedError("row 3")
        while not stopping():
            time.sleep(0.001)

    with pytest.raises(DivergedError, match="row 3"):
        SideBySide(2, lambda: False, lambda made: None).each(one, 6)
    assert sorted(begun) == [0, 1]


def test_scores_and_rows_are_saved_as_netcdf(tmp_path):
    runs = chains()
    runs.save(tmp_path / "rows.nc")
    found = read_draws(tmp_path / "rows.nc")
    assert found.keys() == ["log_likelihood", "concentration"]
    assert (found["log_likelihood"] == runs["log_likelihood"]).all()
    rows = runs.groups()["last_rows"]
    assert rows.sizes == {"chain": 2, "label": 3, "column": 20}
    assert (rows.variables["theta"].values == runs["theta"]).all()
    assert rows.variables["steps"].values.tolist() == [30, 30]


def test_the_parts_of_a_step_are_timed(monkeypatch):
    """A step has four sweeps in it, and a score of this fit two hundred."""
    monkeypatch.setattr("codegen.labels.trial.SECONDS", 0.1)
    seen = []
    options = {"labels": 3, "step_size": 0.5, "steps": 30, "batch_size": 30, "sweeps": 4}
    options |= {"burn_in": None, "seed": 0, "threads": 1}
    fit = Fit(np.tile(documents(), (10, 1)), every=1, sweeps=40)
    found = time_labels(
        topics(), scir, documents(), params=PARAMS, scheme="exact",
        check=lambda module: seen.append(module.name), reducers=(fit,), **options,
    )  # fmt: skip
    assert seen == ["labels", "rows"]
    assert found.blocks == {"theta": (3, 20)}
    assert 0 < found.sweep_seconds < found.step_seconds < found.score_seconds


def kernel(model, rows, **numbers):
    options = {"labels": len(rows), "steps": 1, "batch_size": None, "sweeps": 2, "burn_in": 0}
    options |= {"step_size": 1.0, "seed": 0, "chain": 0, "threads": 1}
    data = count_table(documents())
    return label_kernel(label_module(model), checked_options(data, options), numbers)


def test_the_fit_does_not_depend_on_the_order_of_labels():
    """Rows that are far apart: each datum has one label for certain, in any order."""
    rows = np.full((3, 9), 1e-12)
    for k in range(3):
        rows[k, 3 * k : 3 * k + 3] = [1.0, 2.0, 3.0]
    data = np.array([[3, 1, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 4, 0, 0, 0]] * 3)
    found = []
    for order in ([0, 1, 2], [2, 0, 1]):
        fit = Fit(data, every=1, sweeps=2)
        with Workers(1) as workers:
            fit.update(1, rows[order], kernel(mixture(), rows), workers)
        found.append((fit.log_likelihood[0], fit.concentration[0]))
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    expected = (data * np.log(np.array([1, 2, 3] * 3) / 6)).sum()
    assert found[0] == pytest.approx((expected, 0.5), rel=1e-9)


def test_with_one_label_the_log_likelihood_is_that_of_the_row():
    row, fit = np.random.default_rng(1).gamma(1.0, size=(1, 20)) + 0.01, Fit(documents(), every=1)
    with Workers(1) as workers:
        fit.update(1, row, kernel(topics(), row, alpha=0.1), workers)
    expected = (documents() * np.log(row[0] / row.sum())).sum()
    assert fit.log_likelihood[0] == pytest.approx(expected, rel=1e-12)
    assert fit.concentration[0] == 1.0


def test_halves_share_the_items_of_each_datum():
    table = CountTable([0, 2, 3, 6], [0, 4, 2, 1, 2, 3], [3, 2, 1, 1, 1, 1], 5)
    first, second = halves(table)
    assert len(first) == len(second) == 2  # the datum with a single item is left out
    assert [first.counts.tolist(), first.columns.tolist()] == [[2, 1, 1, 1], [0, 4, 1, 3]]
    assert [second.counts.tolist(), second.columns.tolist()] == [[1, 1, 1], [0, 4, 2]]
    with pytest.raises(RecipeError, match="no datum that is held out has two items"):
        halves(CountTable([0, 1], [0], [1], 2))


# -- data of the user's own


class Stream:
    """Data that are fetched by their numbers."""

    width, digest = 4, "s"

    def __init__(self, *rows, number=5, width=4):
        self.given, self.number, self.width = rows, number, width

    def __len__(self):
        return self.number

    def rows(self, which):
        return self.given


WRONG = {
    "a word out of range": (([0, 1, 2], [0, 4], [1, 1]), "datum 1 has an item in column 4"),
    "a word below 0": (([0, 1, 2], [0, -1], [1, 1]), "datum 1 has an item in column -1"),
    "a negative count": (([0, 1, 2], [0, 1], [1, -2]), "datum 1 has the count -2"),
    "a count of 0": (([0, 1, 2], [0, 1], [0, 1]), "an entry with the count 0"),
    "a fraction": (([0, 1, 2], [0, 1], [1, 0.5]), "counts are whole numbers"),
    "a datum without items": (([0, 1, 1], [0], [1]), "datum 1 has no items at all"),
    "too many data": (([0, 1, 2, 3], [0, 1, 2], [1, 1, 1]), "gives 3"),
    "no starts": (([0, 1],), "gives no starts, columns and counts"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_stream_is_refused_in_one_sentence(name):
    rows, said = WRONG[name]
    with pytest.raises(RecipeError, match=r"data\.rows\(which\) of 2 data") as caught:
        sample_labels(topics(), scir, Stream(*rows), steps=3, **OPTIONS | {"batch_size": 2})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (Stream(number=0), r"len\(data\) is 0"),
        (Stream(width=0), r"data\.width is 0"),
    ],
)
def test_a_stream_of_nothing_is_refused(stream, said):
    with pytest.raises(RecipeError, match=said):
        sample_labels(topics(), scir, stream, steps=3, **OPTIONS)


def test_rows_and_data_must_have_the_same_columns():
    wide = np.ones((2, 25), dtype=int)
    with pytest.raises(RecipeError, match="an item in column 24, and rows have 20 columns"):
        chains(fit_data=wide)
    with pytest.raises(RecipeError, match=r"rows= has the shape \(2, 3\)"):
        count_labels(topics(), np.ones((2, 3)), documents(), params={"alpha": 0.1}, sweeps=2)


def test_a_sampler_that_leaves_the_domain_of_the_model_is_stopped():
    """Negative rows would make negative weights, and other draws without a word."""
    with pytest.raises(DivergedError, match="left its domain"):
        chains(sampler=sgld, scheme="euler", step_size=0.05, params={"alpha": 0.1, "beta": 0.5})


def test_labels_that_never_move_are_no_fault():
    """With one label the concentration is 1 in every draw."""
    runs = chains(labels=1)
    assert (runs["concentration"] == 1).all()
    assert not any("never moved" in warning for warning in runs.summary().warnings)


def test_first_rows_must_be_in_the_domain():
    rows = np.ones((3, 20))
    rows[1, 7] = -0.5
    with pytest.raises(RecipeError, match=r"-0\.5 in the row of label 1, column 7"):
        chains(initial=rows)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chain": 1}, "chains= says how many"),
        ({"chains": 0}, "chains"),
        ({"warmup": 30}, "warmup"),
        ({"every": 0}, "every"),
        ({"side_by_side": 0}, "side_by_side"),
        ({"checkpoint": __file__}, "cannot be a folder"),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(changes, said):
    with pytest.raises(RecipeError) as caught:
        chains(**changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
