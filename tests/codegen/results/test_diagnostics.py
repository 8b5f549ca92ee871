"""Diagnostics, on draws of which we know what is to be said."""

import json
import time
import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from codegen import Divergence, Draws, diagnose, plot, read_draws
from codegen.results.diagnostics.diagnosis import OF_CONVERGENCE
from codegen.results.plots import MAX_COORDINATES, rank_counts
from recipe import RecipeError

RNG_SEED = 20
PNG = b"\x89PNG\r\n\x1a\n"


def normal(*shape):
    return np.random.default_rng(RNG_SEED).normal(size=shape)


def autoregression(rho, chains, draws):
    """Stationary AR(1) with variance 1: n draws are worth n (1 - rho) / (1 + rho)."""
    noise = np.sqrt(1 - rho**2) * normal(chains, draws)
    noise[:, 0] /= np.sqrt(1 - rho**2)
    return lfilter([1.0], [1.0, -rho], noise)


def data_of(divergences=(), interrupted=False, attributes=None, said=(), **blocks):
    counts = np.full(len(next(iter(blocks.values()))), next(iter(blocks.values())).shape[1])
    return Draws(
        blocks,
        counts,
        tuple(divergences),
        interrupted,
        attributes or {},
        np.full(counts[0], 0.1),
        said,
    )


def row(diagnosis, coordinate):
    return next(r for r in diagnosis.rows if r.coordinate == coordinate)


def only_warning(diagnosis):
    (sentence,) = diagnosis.warnings
    return sentence


def test_independent_draws_raise_no_warning_and_agree_with_arviz():
    import arviz

    data = data_of(theta=normal(4, 1000, 3), xi=normal(4, 1000) + 5)
    diagnosis = diagnose(data)
    assert diagnosis.warnings == ()
    assert not diagnosis.diverged
    assert [r.coordinate for r in diagnosis.rows] == ["theta[0]", "theta[1]", "theta[2]", "xi"]
    assert (diagnosis.chains, diagnosis.draws, diagnosis.diagnosed_chains) == (
        4,
        1000,
        (0, 1, 2, 3),
    )
    values = data["theta"][:, :, 1]
    found = row(diagnosis, "theta[1]")
    assert (found.mean, found.sd) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert found.mcse_mean == pytest.approx(float(np.squeeze(arviz.mcse(values, method="mean"))))
    assert found.ess_bulk == pytest.approx(arviz.ess(values, method="bulk"))
    assert found.ess_tail == pytest.approx(arviz.ess(values, method="tail"))
    assert found.r_hat == pytest.approx(arviz.rhat(values))
    # ArviZ's own function fails beside numpy 2.4
    assert found.mcse_sd == pytest.approx(1 / np.sqrt(2 * 4000), rel=0.2)
    assert row(diagnosis, "xi").mean == pytest.approx(5, abs=0.1)


def test_a_shifted_chain_is_disagreement_and_its_coordinate_is_named():
    theta = normal(4, 1000, 6)
    theta[2, :, 4] += 2
    theta[2, :, 1] += 1
    said = diagnose(data_of(theta=theta)).warnings
    assert said[0].startswith(
        "the chains do not agree yet in 2 of 6 coordinates, R-hat above 1.01: theta[4] 1."
    )
    assert said[0].index("theta[4]") < said[0].index("theta[1]")
    assert "more steps" in said[0]
    assert diagnose(data_of(theta=theta)).worst(2)[0].coordinate == "theta[4]"


def test_a_slow_chain_has_few_effective_draws_about_as_many_as_the_theory_says():
    rho, chains, draws = 0.999, 4, 100_000
    diagnosis = diagnose(data_of(xi=autoregression(rho, chains, draws)))
    theory = chains * draws * (1 - rho) / (1 + rho)
    assert row(diagnosis, "xi").ess_bulk == pytest.approx(
        theory, rel=0.3
    )  # its standard error is near a tenth here
    said = next(s for s in diagnosis.warnings if "effective" in s)
    assert "bulk or tail below 400 (100 a chain): xi " in said


@pytest.mark.parametrize("rho", [-0.3, 0.5, 0.9])
def test_effective_draws_of_an_autoregression(rho):
    ess = diagnose(data_of(xi=autoregression(rho, 4, 50_000))).rows[0].ess_bulk
    assert ess == pytest.approx(200_000 * (1 - rho) / (1 + rho), rel=0.1)


def test_coordinates_that_never_moved_are_named_with_their_chains():
    theta = normal(4, 500, 3)
    theta[:, :, 0] = 2.0
    theta[1, :, 2] = 0.1
    diagnosis = diagnose(data_of(theta=theta))
    assert diagnosis.warnings[0].startswith(
        "2 coordinates never moved: theta[0] in every chain, theta[2] in chain 1;"
    )
    constant = row(diagnosis, "theta[0]")
    assert (constant.mean, constant.sd) == (2, 0)
    assert constant.median == 2
    assert all(np.isnan(getattr(constant, name)) for name in OF_CONVERGENCE)
    assert diagnosis.worst(1)[0].coordinate == "theta[2]"


def test_a_chain_that_stopped_does_not_spoil_the_others():
    theta = normal(4, 1000, 2)
    alone = diagnose(data_of(theta=theta[[0, 1, 3]]))
    theta[2, 900:] = np.nan
    theta[2, 899] = 1e300
    diagnosis = diagnose(data_of([Divergence(2, 900, "theta")], theta=theta))
    assert diagnosis.diverged
    assert (diagnosis.chains, diagnosis.diagnosed_chains, diagnosis.diagnosed_draws) == (
        4,
        (0, 1, 3),
        1000,
    )
    locations = ("coordinate", "mean", "sd", "q5", "median", "q95")
    for ours, theirs in zip(diagnosis.rows, alone.rows, strict=True):
        assert all(getattr(ours, name) == getattr(theirs, name) for name in locations)
        assert all(np.isnan(getattr(ours, name)) for name in OF_CONVERGENCE)
    assert not any("effective" in said or "more steps" in said for said in diagnosis.warnings)
    assert diagnosis.divergences == (
        "chain 2 diverged in step 900: theta is not finite; try a smaller step size",
    )
    assert diagnosis.warnings[0] == diagnosis.divergences[0]
    assert (
        "leave out 1 of 4 chains, and are of chains 0, 1, 3: chain 2 has 900 finite draws of 1000"
        in diagnosis.warnings[1]
    )


def test_where_every_chain_stopped_the_draws_that_all_have_are_judged():
    theta = normal(3, 1000, 2)
    theta[0, 800:], theta[1, 600:, 1], theta[2, 2:] = np.nan, np.inf, np.nan
    divergences = [Divergence(c, 1, "theta", left_domain=c == 1) for c in range(3)]
    diagnosis = diagnose(data_of(divergences, theta=theta))
    assert (diagnosis.diagnosed_chains, diagnosis.diagnosed_draws) == ((0, 1), 600)
    assert len(diagnosis.divergences) == 3
    assert row(diagnosis, "theta[0]").mean == pytest.approx(theta[:2, :600, 0].mean())
    assert any(
        "the diagnostics are of the first 600 draws of chains 0, 1" in s for s in diagnosis.warnings
    )


@pytest.mark.parametrize("finite", [0, 3])
def test_too_few_draws_are_said_and_give_no_table(finite):
    theta = normal(2, 10, 2)
    theta[:, finite:] = np.nan
    diagnosis = diagnose(data_of(theta=theta))
    assert diagnosis.rows == ()
    assert diagnosis.diverged
    assert "too few to diagnose, at least 4" in diagnosis.warnings[-1]
    assert "3 draws a chain are too few" in only_warning(diagnose(data_of(theta=normal(2, 3, 2))))
    with pytest.raises(RecipeError, match="nothing to plot"):
        plot(data_of(theta=normal(2, 3, 2)), "unused", diagnosis=diagnosis)


def test_no_draws_at_all():
    diagnosis = diagnose(data_of([Divergence(0, 0, "theta")], theta=np.empty((1, 0, 2))))
    assert diagnosis.rows == ()
    assert diagnosis.warnings[-1].startswith("0 draws a chain are too few")


def test_a_single_chain_has_no_r_hat_and_that_is_said_once(capfd):
    diagnosis = diagnose(data_of(theta=normal(1, 1000, 5)))
    assert (
        only_warning(diagnosis)
        == "there is 1 chain, so R-hat cannot say whether chains agree; run at least 4"
    )
    assert np.isnan(diagnosis.rows[0].r_hat)
    assert diagnosis.rows[0].ess_bulk > 800
    assert capfd.readouterr() == ("", "")


def test_what_the_sampler_says_is_passed_on():
    said = ("the step is near its bound, 0.9 of it", "another sentence")
    diagnosis = diagnose(
        data_of(interrupted=True, attributes={"seconds": 2.0}, said=said, theta=normal(4, 500, 3))
    )
    assert diagnosis.warnings[0].startswith("the run was interrupted after 500 draws a chain")
    assert diagnosis.warnings[1:] == said
    bulk = [r.ess_bulk for r in diagnosis.rows]
    assert diagnosis.ess_per_second == (min(bulk) / 2, np.median(bulk) / 2)


@pytest.mark.parametrize("seconds", [None, 0.0, "soon", np.nan])
def test_without_a_time_there_is_no_speed(seconds):
    attributes = {} if seconds is None else {"seconds": seconds}
    diagnosis = diagnose(data_of(attributes=attributes, theta=normal(4, 100, 2)))
    assert diagnosis.seconds is None
    assert diagnosis.ess_per_second is None


@pytest.mark.slow
def test_five_thousand_coordinates():
    theta = normal(4, 200, 5000)
    theta[3, :, 4321] += 3
    began = time.process_time()  # the machine may be busy
    diagnosis = diagnose(data_of(theta=theta))
    assert time.process_time() - began < 30  # 7 s here
    assert len(diagnosis.rows) == 5000
    assert diagnosis.worst(1)[0].coordinate == "theta[4321]"
    assert f"theta[4321] {diagnosis.worst(1)[0].r_hat:.3f}" in diagnosis.warnings[0]


def test_json_is_strict_and_survives_the_file(tmp_path):
    theta = normal(1, 100, 2)
    theta[:, :, 1] = 1
    draws = Draws(
        {"theta": theta},
        np.array([100]),
        (),
        False,
        {"step_size": 0.1, "seed": "1", "steps": 7},
        np.full(100, 0.1),
    )
    text = json.dumps(diagnose(draws).as_json(), allow_nan=False)
    data = json.loads(text)
    assert data["coordinates"][0]["r_hat"] is None
    assert data["coordinates"][1]["ess_bulk"] is None
    assert data["ess_per_second"] is None
    assert data["attributes"]["steps"] == 7
    again = diagnose(read_draws(draws.save(tmp_path / "d.nc"))).as_json()
    assert {k: v for k, v in again.items() if k != "attributes"} == {
        k: v for k, v in data.items() if k != "attributes"
    }


def test_labels_take_the_names_of_coordinates_and_chains():
    import arviz

    values = {"beta": normal(3, 100, 2), "M": normal(3, 100, 2, 2)}
    dims = {"beta": ["who"], "M": ["i", "j"]}
    data = arviz.from_dict(posterior=values, dims=dims, coords={"who": ["anna", "bert"]})
    data = data.sel(chain=[1, 2])
    diagnosis = diagnose(data)
    assert [r.coordinate for r in diagnosis.rows] == [
        "beta[anna]",
        "beta[bert]",
        "M[0, 0]",
        "M[0, 1]",
        "M[1, 0]",
        "M[1, 1]",
    ]
    assert diagnosis.diagnosed_chains == (1, 2)
    for other in (arviz.from_dict(prior=values), values, None):
        with pytest.raises(RecipeError, match="has no posterior group; give Draws"):
            diagnose(other)


@pytest.mark.slow
def test_plots_are_png_and_leave_pyplot_alone(tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_backend()
    plt.switch_backend("svg")
    try:
        data = data_of(theta=normal(4, 100, 20), xi=np.full((4, 100), 3.0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            paths = plot(data, tmp_path / "a" / "b")
        assert (plt.get_backend(), plt.get_fignums()) == ("svg", [])
    finally:
        plt.switch_backend(before)
    assert [p.name for p in paths] == ["trace.png", "rank.png"]
    assert all(p.read_bytes().startswith(PNG) for p in paths)
    assert sorted(p.name for p in paths[0].parent.iterdir()) == ["rank.png", "trace.png"]
    assert paths[0].stat().st_mode & 0o777 == paths[0].parent.stat().st_mode & 0o666


@pytest.mark.slow
def test_plots_show_the_worst_coordinates_worst_first(tmp_path, monkeypatch):
    from codegen.results import plots

    theta = normal(4, 200, 15)
    theta[0, :, 9] += 1
    theta[0, :, 11] += 3
    data, shown = data_of(theta=theta, r=normal(4, 200, 1), xi=np.ones((4, 200))), []
    monkeypatch.setattr(
        plots,
        "write_figure",
        lambda figure, path: shown.append([a.get_title() for a in figure.axes]),
    )
    plot(data, tmp_path)
    trace, rank = shown
    assert len(rank) == MAX_COORDINATES
    assert [title.split()[0] for title in rank[:2]] == ["theta[11]", "theta[9]"]
    assert [title.split() for title in trace[1::2]] == [title.split() for title in rank]
    plot(data, tmp_path, names=["xi", "theta[3]"])
    assert [title.split()[0] for title in shown[3]] == ["theta[3]", "xi"]
    plot(data, tmp_path, names="r")
    assert [title.split()[0] for title in shown[5]] == ["r[0]"]


def test_plots_of_one_chain_and_of_chains_that_stopped(tmp_path):
    assert len(plot(data_of(theta=normal(1, 50, 1)), tmp_path)) == 2
    theta = normal(3, 50, 2)
    theta[0, 20:] = np.nan
    assert len(plot(data_of(theta=theta), tmp_path)) == 2


def test_mistakes_in_plots_are_one_sentence(tmp_path):
    data = data_of(theta=normal(2, 50, 2))
    with pytest.raises(
        RecipeError, match="names= names phi, of which there are no draws; the blocks are theta"
    ):
        plot(data, tmp_path, names=["phi"])
    (tmp_path / "file").touch()
    with pytest.raises(RecipeError, match="cannot be written: File exists; choose another one"):
        plot(data, tmp_path / "file")
    (tmp_path / "trace.png").mkdir()
    with pytest.raises(RecipeError, match=r"trace.png cannot be written: Is a directory"):
        plot(data, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "trace.png"]


@pytest.mark.parametrize(("chains", "draws"), [(2, 7), (3, 40), (1, 1000)])
def test_rank_counts_are_counted(chains, draws):
    x = np.round(normal(chains, draws), 1)
    found = rank_counts(x)
    bins = min(draws, 20)
    expected = np.zeros((chains, bins), dtype=int)
    for c, chain in enumerate(x):
        for number in chain:
            rank = (x < number).sum() + ((x == number).sum() + 1) / 2
            place = (rank - 0.5) / x.size * bins
            expected[c, min(bins - 1, int(place + 1e-9))] += 1
    np.testing.assert_array_equal(found, expected)
    assert (found.sum(axis=1) == draws).all()


def test_a_plot_shows_the_chains_and_the_height_that_is_expected(tmp_path, monkeypatch):
    from codegen.results import plots

    shown = []
    monkeypatch.setattr(plots, "write_figure", lambda figure, path: shown.append(figure))
    x = normal(3, 200, 1)
    plot(data_of(theta=x), tmp_path)
    trace, rank = shown
    law, path = trace.axes
    for chain, line in zip(x[:, :, 0], path.get_lines(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), chain)
    for chain, stairs in zip(x[:, :, 0], law.patches, strict=True):
        heights, edges, _ = stairs.get_data()
        assert (heights * np.diff(edges)).sum() == pytest.approx(1)
        assert (heights * len(chain) * np.diff(edges)).round() == pytest.approx(
            np.histogram(chain, edges)[0]
        )
    assert [t.get_text() for t in trace.legends[0].get_texts()] == ["0", "1", "2"]
    (ax,) = rank.axes
    bars = np.array([b.get_height() for b in ax.patches]).reshape(3, 20)
    counts = rank_counts(x[:, :, 0])
    np.testing.assert_allclose(bars / bars[0, 0], counts / counts[0, 0])
    expected = [line.get_ydata()[0] - row for row, line in enumerate(ax.get_lines())]
    np.testing.assert_allclose(expected, 10 * bars[0, 0] / counts[0, 0])
