"""examples/models/nonnegative_factors.py: gradients against differences of scipy's densities,
predictions, bad data, runs that go on, and the tables of its page.
"""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
SPEC = importlib.util.spec_from_file_location(
    "nonnegative_factors", ROOT / "examples" / "models" / "nonnegative_factors.py"
)
program = importlib.util.module_from_spec(SPEC)
sys.modules["nonnegative_factors"] = program
SPEC.loader.exec_module(program)
import nonnegative_factors_page  # noqa: E402
import page_tables  # noqa: E402
import ratings_data  # noqa: E402


def log_density(law, W, H, user, item, rating):
    """The log likelihood of some ratings, and the log prior."""
    mean = (W[user] * H[item]).sum(axis=1)
    each = stats.poisson(mean).logpmf if law == "poisson" else stats.norm(mean, 1).logpdf
    prior = stats.expon.logpdf(W).sum() + stats.expon.logpdf(H).sum()
    return each(rating).sum(), prior


@pytest.mark.parametrize("law", ["poisson", "normal"])
def test_the_gradient_is_that_of_differences(law):
    """From all ratings, and from two of four, which count twice."""
    user, item = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])
    rating = np.array([3, 0, 5, 2], dtype=np.int8)
    W = np.random.default_rng(1).uniform(0.5, 2, (3, 2))
    H = np.random.default_rng(2).uniform(0.5, 2, (2, 2))
    gradient = program.gradient_of(law == "poisson", 2)
    for rows in (np.arange(4), np.array([1, 3])):
        found = [np.full(6, np.nan), np.full(4, np.nan)]
        gradient(W.ravel(), H.ravel(), rows, user, item, rating, *found)
        part = (user[rows], item[rows], rating[rows])
        for block, slope in zip((W, H), found, strict=True):
            for k in range(block.size):
                ends = []
                for h in (1e-6, -1e-6):
                    block.ravel()[k] += h
                    likelihood, prior = log_density(law, W, H, *part)
                    ends.append(-4 / rows.size * likelihood - prior)
                    block.ravel()[k] -= h
                assert slope[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", program.SAMPLERS)
def test_the_samplers_leave_every_law_stationary(name):
    lines = {line.name: line.outcome.verdict for line in verify(program.SAMPLERS[name]).lines}
    assert lines["stationarity"] is Verdict.PROVED


def test_a_mean_that_rounds_to_zero_has_no_finite_gradient():
    """The chain then stops as diverged: a search for step sizes tries such steps."""
    one = (np.array([0]), np.array([0]), np.array([0]), np.array([3]))
    found = [np.zeros(2), np.zeros(2)]
    program.gradient_of(True, 2)(np.full(2, 1e-300), np.full(2, 1e-300), *one, *found)
    assert not np.isfinite(found[0]).all()


def test_predictions_are_means_of_products_so_far():
    ratings = program.drawn()
    rng = np.random.default_rng(1)
    w, h = rng.uniform(1, 2, (3, 60, 2)), rng.uniform(1, 2, (3, 80, 2))
    draws = {"W": w.reshape(1, 3, 120), "H": h.reshape(1, 3, 160)}
    test = ratings.test
    for n, found in enumerate(program.errors(draws, 2, test), start=1):
        mean = np.mean([w[t] @ h[t].T for t in range(n)], axis=0)[test.user, test.item]
        assert found == pytest.approx(np.sqrt(np.mean((mean - test.rating) ** 2)))


@pytest.mark.filterwarnings("ignore::codegen.BiasWarning")
def test_a_run_goes_on_from_its_checkpoint_and_beats_the_mean(tmp_path):
    ratings, setting = program.drawn(), program.QUICK["poisson"]
    target = program.posterior(ratings, "poisson", 3)
    size = setting.sizes["CoRV, softplus"] / len(ratings.fitted.rating)
    folder, runs = tmp_path / "run", []
    for steps, saved in ((1000, None), (400, folder), (1000, folder)):
        first = program.start(ratings, 3, 1)
        runs.append(
            program.sample(
                program.corv_sgld, target, scheme="euler", step_size=size, steps=steps, thin=10,
                warmup=0, chains=1, seed=1, initial=first, batch_size=180, checkpoint=saved,
                lengths={b: a.size for b, a in first.items()}, progress=False,
            )
        )  # fmt: skip
    np.testing.assert_array_equal(runs[0]["W"], runs[2]["W"])
    assert (runs[0]["W"] > 0).all()
    assert program.errors(runs[0], 3, ratings.test)[-1] < 0.85 * of_the_mean(ratings)


def of_the_mean(ratings):
    """The error of the mean rating."""
    return np.sqrt(np.mean((ratings.test.rating - ratings.fitted.rating.mean()) ** 2))


@pytest.mark.filterwarnings("ignore::codegen.BiasWarning")
def test_the_candidate_for_the_third_map_beats_the_mean_in_the_quick_form():
    ratings, name = program.drawn(), "CoRV, ICLL candidate"
    found = program.curve(ratings, program.QUICK["poisson"], name, 1, progress=False)
    assert found.rmse[-1] < 0.85 * of_the_mean(ratings)


@pytest.mark.slow  # ten samplers are compiled
def test_the_quick_form_reads_nothing(capsys, monkeypatch):
    monkeypatch.delenv("RECIPE_DATA", raising=False)
    assert program.main(["--quick", "--json"]) == 0
    curves = json.loads(capsys.readouterr().out)["curves"]
    assert [c["sampler"] for c in curves] == 2 * list(program.SAMPLERS)
    assert all(c["rmse"][-1] < 0.85 * of_the_mean(program.drawn()) for c in curves)


def columns():
    user, item = (a.ravel() for a in np.mgrid[:4, :3])
    return user.astype(float), item.astype(float), np.full(12, 2.0)


def negative_count(user, item, rating):
    rating[5] = -1


def no_number(user, item, rating):
    rating[5] = np.nan


def user_without_ratings(user, item, rating):
    user[user == 3] = 4


def item_without_ratings(user, item, rating):
    item[item == 1] = 3


def zeros(user, item, rating):
    rating[user == 2] = 0


def half_an_item(user, item, rating):
    item[4] = 0.5


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (negative_count, "rating 5 is -1; ratings are numbers from 0 to 127"),
        (no_number, "rating 5 is nan; ratings are numbers"),
        (user_without_ratings, "user 3 has no rating: leave it out, and number without gaps"),
        (item_without_ratings, "item 1 has no rating: leave it out"),
        (zeros, "all ratings of user 2 are 0, which says nothing: leave it out"),
        (half_an_item, "rating 4 is of item 0.5; they are numbered 0, 1"),
    ],
)
def test_bad_ratings_get_one_sentence(spoil, message):
    table = columns()
    ratings_data.check(*table)
    spoil(*table)
    with pytest.raises(ratings_data.BadDataError, match=message):
        ratings_data.check(*table)


def test_a_poisson_law_asks_for_counts():
    user, item, rating = columns()
    rating[0] = 2.5
    ratings = ratings_data.split("halves", user, item, rating)
    program.posterior(ratings, "normal", 2)
    with pytest.raises(ratings_data.BadDataError, match="no whole number: a Poisson law needs"):
        program.posterior(ratings, "poisson", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user item rating\n1\t1\tgood\n", "must have a line of names"),
        ("user item rating\n1\t1\n", "must have a line of names"),
        ("user item rating\n" + "1\t1\t3\n" * 3, "give three columns of the same length, at least"),
    ],
)
def test_a_file_of_another_kind_gets_one_sentence(text, message, tmp_path, capsys):
    (tmp_path / "ml-100k").mkdir()
    (tmp_path / "ml-100k" / "ml-100k.inter").write_text(text)
    assert program.main(["--data", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_missing_data_are_said(capsys, tmp_path):
    assert program.main(["--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("MovieLens-100k is not here: put ml-100k.inter")


def test_the_tables_of_the_page_are_those_of_the_results():
    folder = ROOT / "docs" / "models"
    found = json.loads((folder / "nonnegative_factors.json").read_text())
    curves = [nonnegative_factors_page.Curve(**c) for c in found["curves"]]
    tables = {
        "results": nonnegative_factors_page.curves_table(curves),
        "times": nonnegative_factors_page.times_table(
            [nonnegative_factors_page.Time(**t) for t in found["times"]]
        ),
    }
    text = (folder / "nonnegative_factors.md").read_text()
    assert page_tables.page(text, tables) == text
    assert f"{found['bias_model']:.3f}" in text
    for setting in program.SETTINGS.values():
        of = [c for c in curves if c.setting == setting.name]
        assert {c.sampler for c in of} == set(setting.sizes)
        assert {c.every * len(c.rmse) for c in of} == {setting.steps}
