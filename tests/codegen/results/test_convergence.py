"""Estimates of convergence, beside ArviZ and beside the same written out in plain Python."""

import itertools
import logging
import tracemalloc
import warnings
from dataclasses import asdict

import numpy as np
import pytest
from oracles.slow_convergence import normal_quantile, quantities

from codegen.results.diagnostics import convergence as ours
from codegen.results.diagnostics.convergence import convergence, ess_of_mean

NAMES = ("mcse_mean", "mcse_sd", "ess_bulk", "ess_tail", "r_hat")
ROUNDING = 1e-11  # relative; 8e-14 was the largest of 60 cases of up to 4 x 1000 draws


def correlated(kind, chains, draws, coordinates):
    rng = np.random.default_rng([chains, draws])
    x = rng.normal(size=(chains, draws, coordinates))
    match kind:
        case "slow" | "alternating":
            rho = 0.9 if kind == "slow" else -0.7
            for t in range(1, draws):
                x[:, t] += rho * x[:, t - 1]
        case "tied":
            x = np.round(2 * x)
        case "heavy":
            x = rng.standard_cauchy(size=x.shape)
        case "rejecting":
            for t in range(1, draws):
                stays = rng.random((chains, coordinates)) < 0.7
                x[:, t] = np.where(stays, x[:, t - 1], x[:, t])
        case "apart":
            x += np.arange(chains)[:, None, None]
    return x


KINDS = ("independent", "slow", "alternating", "tied", "heavy", "rejecting", "apart")


@pytest.fixture(scope="module")
def arviz():
    """ArviZ below 1.0, whose summary is the judge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("arviz")
    if int(module.__version__.partition(".")[0]) >= 1:
        pytest.skip("the summary of ArviZ below 1.0 is the judge")
    return module


def of_arviz(arviz, x):
    """What ``arviz.summary`` computes, by coordinate."""
    xarray = pytest.importorskip("xarray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("arviz").setLevel(logging.ERROR)
        data = xarray.Dataset({"x": (("chain", "draw", "coordinate"), x)})
        with np.errstate(all="ignore"):
            found = arviz.summary(data, kind="diagnostics", fmt="xarray", round_to="none")["x"]
    return {name: np.array(found.sel(metric=name), dtype=float) for name in NAMES}


def agree(found, expected):
    """An R-hat beyond all bounds is infinite: variances within chains are then mere rounding."""
    for name, numbers in expected.items():
        bounded = np.where(np.greater(numbers, 1e6), np.inf, numbers)
        wanted = bounded if name == "r_hat" else numbers
        np.testing.assert_allclose(
            getattr(found, name), wanted, rtol=ROUNDING, atol=0, err_msg=name
        )


def without_rounded_tails(arviz, x, expected):
    """ArviZ interpolates between equal draws by a sum that rounding may take beside them; then all
    of these draws fall on the other side of the quantile. There only the quantiles are compared.
    """
    from arviz.stats.stats_utils import quantile

    tails = expected["ess_tail"].copy()
    for k in range(x.shape[2]):
        draws = np.sort(x[:, :, k].ravel())
        for theirs, twentieths in zip(quantile(draws, [0.05, 0.95]), (1, 19), strict=True):
            (exact,) = ours._quantile(draws[None], twentieths)
            if ((draws <= theirs) != (draws <= exact)).any():
                assert theirs == pytest.approx(exact, rel=4e-16, abs=0)
                tails[k] = convergence(x).ess_tail[k]
    return expected | {"ess_tail": tails}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("chains", "draws"), [(4, 250), (1, 100), (3, 11), (2, 4), (2, 5), (2, 7)])
def test_they_are_arviz_s(arviz, kind, chains, draws):
    x = correlated(kind, chains, draws, 3)
    agree(convergence(x), without_rounded_tails(arviz, x, of_arviz(arviz, x)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("chains", "draws"), [(3, 30), (1, 25), (2, 4), (2, 5), (4, 9), (2, 10), (2, 13)]
)
def test_they_are_those_of_the_paper_written_out(kind, chains, draws):
    x = correlated(kind, chains, draws, 2)
    found = convergence(x)
    for k in range(2):
        expected = quantities(x[:, :, k].tolist())
        if kind == "tied" and any(expected[n] == 0 for n in ("sd", "mcse_sd")):
            continue
        agree(type(found)(**{name: column[k] for name, column in asdict(found).items()}), expected)


def test_it_is_the_same_however_many_coordinates_are_judged_at_once(monkeypatch):
    x = correlated("rejecting", 2, 50, 7)
    whole = convergence(x)
    monkeypatch.setattr(ours, "BLOCK_DRAWS", 300)
    for name, column in asdict(convergence(x)).items():
        np.testing.assert_array_equal(column, getattr(whole, name), err_msg=name)
    rolled = convergence(np.asfortranarray(x))
    np.testing.assert_array_equal(rolled.ess_bulk, whole.ess_bulk)


def test_fewer_than_four_draws_have_a_mean_only():
    found = convergence(np.array([[1.0, 2.0, 6.0]])[:, :, None])
    assert found.mean.tolist() == [3]
    assert all(np.isnan(getattr(found, name)).all() for name in ("sd", *NAMES))
    assert np.isnan(convergence(np.empty((2, 0, 3))).mean).all()
    assert convergence(np.empty((2, 10, 0))).r_hat.shape == (0,)
    assert np.isnan(ess_of_mean(np.ones((1, 3, 2)))).all()
    assert np.isnan(ess_of_mean(np.ones((1, 30, 2)))).all()  # it never moved


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_draw_that_is_not_finite_spoils_its_coordinate_alone(bad):
    x = correlated("independent", 2, 40, 3)
    good = convergence(x)
    x[1, 7, 1] = bad
    found = convergence(x)
    for name, column in asdict(found).items():
        assert np.isnan(column[1]), name
        np.testing.assert_array_equal(column[[0, 2]], getattr(good, name)[[0, 2]], err_msg=name)
    assert np.isnan(ess_of_mean(x)).tolist() == [False, True, False]


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 5e-324])
def test_a_constant_counts_as_many_draws_as_there_are(value):
    found = convergence(np.full((3, 20, 1), value))
    assert (found.ess_bulk[0], found.ess_tail[0]) == (60, 60)
    assert np.isnan(found.r_hat[0])
    assert found.mean[0] == pytest.approx(value, rel=1e-15, abs=0)


def test_chains_that_are_constant_and_differ_have_an_infinite_r_hat():
    x = np.repeat([[0.1], [0.2], [0.7]], 50, axis=1)[:, :, None]
    found = convergence(x)
    assert found.r_hat[0] == np.inf
    assert 0 < found.ess_bulk[0] < 6
    assert found.sd[0] == pytest.approx(np.std(x, ddof=1))


def test_it_does_not_depend_on_the_scale_or_the_place():
    """ArviZ takes draws within 1e-15 of each other for a constant."""
    x = correlated("slow", 2, 64, 1)
    found = convergence(x)
    for scale in (2.0**-60, 2.0**60):
        scaled = convergence(scale * x)
        assert scaled.mcse_mean[0] == scale * found.mcse_mean[0]
        assert scaled.r_hat[0] == found.r_hat[0]


def test_the_effective_size_of_a_mean_is_arviz_s(arviz):
    x = correlated("slow", 4, 101, 3)
    expected = [float(arviz.ess(x[:, :, k], method="mean")) for k in range(3)]
    np.testing.assert_allclose(ess_of_mean(x), expected, rtol=ROUNDING)


def test_normal_scores_are_those_of_bisection():
    numbers = np.random.default_rng(4).permutation(41).astype(float)
    numbers[numbers > 35] = 36  # five are equal
    found = ours._NormalScores(41)(numbers[None])[0]
    ranks = np.where(numbers > 35, 39.0, numbers + 1)
    expected = [normal_quantile((r - 0.375) / 41.25) for r in ranks]
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_a_length_is_the_next_one_whose_factors_are_2_3_and_5():
    smooth = sorted(
        2**a * 3**b * 5**c for a, b, c in itertools.product(range(13), range(9), range(6))
    )
    for least in range(1, 3000):
        assert ours._fast_length(least) == next(n for n in smooth if n >= least)


def test_the_memory_is_bounded_however_many_coordinates_there_are():
    few, many = (np.random.default_rng(0).normal(size=(2, 500, k)) for k in (200, 1000))
    peaks = []
    for x in (few, many):
        tracemalloc.start()
        convergence(x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 8 * 9 * 1000
    assert peaks[0] < 40 * 8 * max(ours.BLOCK_DRAWS, 1000)
