"""The Dirichlet process mixture: its sweeps against the enumerated posterior of four users, counts
of minibatches, bad data, and that the page is what its command writes.
"""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles.enumerated_partitions import posterior

from recipe import RecipeError
from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]
USERS = np.array([[4, 0, 0], [2, 1, 0], [1, 1, 1], [0, 0, 2]])


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "models"))


def ordered(labels):
    """Labels in the order of their first use."""
    seen = {}
    return tuple(seen.setdefault(k, len(seen)) for k in labels)


def visited(settings, sweeps, seed=0):
    """How often each partition is visited, in twenty parts of a run, and alpha after each sweep."""
    import dirichlet_process_sweep as dp

    x, rng = dp.matrix(USERS), np.random.default_rng(seed)
    state = dp.begun(x, settings, 2, rng)
    partitions, alphas = [], []
    for _ in range(sweeps):
        dp.sweep(state, x, settings, rng)
        partitions.append(ordered(state.labels.tolist()))
        alphas.append(state.alpha)
    return partitions, np.array(alphas)


def far(values, wanted):
    """How many standard errors the mean of a chain is from a number, by means of twenty parts."""
    parts = np.array([p.mean() for p in np.array_split(np.asarray(values, float), 20)])
    return abs(parts.mean() - wanted) / (parts.std(ddof=1) / np.sqrt(20))


def furthest(settings, sweeps):
    """The largest distance of a probability of a partition, or of the mean of alpha."""
    partitions, alphas = visited(settings, sweeps)
    laws, mean = posterior(USERS, settings.a, *settings.concentration)
    common = [p for p in laws if laws[p] > 0.02]
    assert len(common) > 6
    distances = [far([q == p for q in partitions], laws[p]) for p in common]
    distances.append(
        far([max(q) + 1 for q in partitions], sum(laws[p] * (max(p) + 1) for p in laws))
    )
    return max(*distances, far(alphas, mean))


def test_exact_slice_gibbs_has_the_enumerated_law():
    """The seed is fixed; the distance is 1.4. Ten wrong sweeps, such as slices that are ignored,
    halved or of another law, and sticks or rows from another prior, come to 4.2 or more.
    """
    import dirichlet_process_sweep as dp

    assert furthest(dp.Settings("Gibbs", concentration=(8.0, 2.0)), 6000) < 3.5


def test_steps_of_scir_with_all_users_keep_the_enumerated_law():
    """With all users each step keeps its conditional law, however small it is."""
    import dirichlet_process_sweep as dp

    assert furthest(dp.Settings("SCIR", None, 1.0, 1.0, concentration=(8.0, 2.0)), 1000) < 4


def test_counts_of_a_minibatch_are_unbiased(monkeypatch):
    """Averaged over minibatches, what the steps are told is what all users say."""
    import dirichlet_process_sweep as dp

    x, rng = dp.matrix(USERS), np.random.default_rng(0)
    told = []
    monkeypatch.setitem(
        dp.MOVERS, "SCIR", lambda rows, prior, counts, *_: told.append(counts) or rows
    )
    for _ in range(600):
        ones = np.ones((2, 2)), np.ones((2, 3))
        state = dp.State(np.array([0, 1, 1, 1]), *ones, 1.0)
        dp.sweep(state, x, dp.Settings("SCIR", 2), rng)
    pairs, rows = np.mean(told[::2], axis=0), np.mean(told[1::2], axis=0)
    np.testing.assert_allclose(pairs, [[1, 3], [3, 0]], atol=0.2)
    np.testing.assert_allclose(rows, [[4, 0, 0], [3, 2, 3]], atol=0.4)


def test_labels_and_gradient_are_proved():
    import dirichlet_process as dp

    assert verify(dp.members).verdict is Verdict.PROVED
    lines = {line.name: line.outcome.verdict for line in verify(dp.expanded_mean).lines}
    assert lines["stationarity"] is Verdict.PROVED


def test_a_short_run_of_sgrld_finds_components():
    """One multinomial for all users scores 12.36, and 60 sweeps come to about 11.7."""
    import dirichlet_process as dp

    data, held_out = dp.small_users()
    found = dp.run(data, held_out, dp.QUICK[2], sweeps=60, components=8)
    assert found.averaged < dp.one_law(data, held_out) - 0.4
    assert found.steps == [10, 20, 30, 40, 50, 60]


def test_a_stopped_run_goes_on_with_the_same_numbers(tmp_path):
    import dirichlet_process as dp
    from experiment_command import BadDataError

    data, held_out = dp.small_users()
    options = {"sweeps": 40, "components": 8, "every": 2}
    whole = dp.run(data, held_out, dp.QUICK[1], **options)

    def stop(sweep):
        if sweep == 27:
            raise KeyboardInterrupt

    half = tmp_path / "half.npz"
    with pytest.raises(KeyboardInterrupt):
        dp.run(data, held_out, dp.QUICK[1], **options, checkpoint=half, show=stop)
    told = []
    again = dp.run(data, held_out, dp.QUICK[1], **options, checkpoint=half, show=told.append)
    assert told[0] == 21  # it was saved after twenty
    assert vars(again) == vars(whole)
    with pytest.raises(BadDataError, match="belongs to a run with other settings"):
        dp.run(data, held_out, dp.QUICK[0], **options, checkpoint=half)
    half.write_bytes(half.read_bytes()[:500])
    with pytest.raises(BadDataError, match="is no saved run"):
        dp.run(data, held_out, dp.QUICK[1], **options, checkpoint=half)


def test_released_sticks_are_those_that_the_audit_refutes():
    """One step of the rule of the catalog, with the same noise."""
    import dirichlet_process_sweep as dp

    from catalog.audits.baker_et_al_2018 import released_stick

    rows, prior, counts = np.array([[2.0, 3.0]]), np.array([1.0, 0.7]), np.array([[5.0, 4.0]])
    noise = np.random.default_rng(1).standard_normal((1, 2))[0]
    names = {"h": 0.01, "g": 2, "k": 3, "alpha": 1, "beta": 0.7, "m_g": 5, "m_k": 4}
    names |= {"w_g": noise[0], "w_k": noise[1]}
    expected = [
        float(abs(e.subs({s: names[str(s)] for s in e.free_symbols})))
        for _, e in released_stick.rule
    ]
    found = dp.by_released_sticks(rows, prior, counts, 0.01, np.random.default_rng(1))
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("users", "said"),
    [([[1, 0], [0, 0]], "datum 1 has no items"), ([[1, 0], [2, -1]], "datum 1 has the count -1")],
)
def test_impossible_users_are_refused_in_a_sentence(users, said):
    import dirichlet_process_sweep as dp

    with pytest.raises(RecipeError, match=said):
        dp.matrix(np.array(users))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('A,7,1,"x","/x"\nC,"1",1\nC,"2",2\nV,7,1\n', "line 2: the user 1 has no page"),
        ('A,7,1,"x","/x"\nC,"1",1\nV,8,1\n', "line 3: a line V names a page"),
        ('A,7,1,"x","/x"\n', "has no user"),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, text, said):
    import dirichlet_process_page as script

    path = tmp_path / "users.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(script.BadDataError, match=said):
        script.read_users(path)


def test_where_the_data_are_is_said(monkeypatch, tmp_path, capsys):
    import dirichlet_process_page as script

    monkeypatch.setenv("RECIPE_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["dirichlet_process_page.py", "--run", str(tmp_path / "out")])
    assert script.main() == 1
    assert "the msweb data are not here" in capsys.readouterr().err


def test_the_page_is_what_its_command_writes():
    import dirichlet_process_page as script

    data = json.loads(script.RESULTS.read_text())
    text = script.PAGE.read_text()
    assert script.page(text, script.tables(data)) == text
    assert {r["name"] for r in data["runs"]} == set(script.RUNS)


def test_the_picture_has_every_run():
    import dirichlet_process_page as script

    data = json.loads(script.RESULTS.read_text())
    scores, used = script.drawn(data).axes
    assert len(used.lines) == len(data["runs"])
    assert len(scores.lines) == len(data["runs"]) + 1  # one multinomial
    np.testing.assert_array_equal(scores.lines[0].get_ydata(), data["runs"][0]["single"])
