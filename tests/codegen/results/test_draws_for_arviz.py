"""Draws as ArviZ takes them, in both of its forms, and draws that come from it."""

import warnings

import numpy as np
import pytest

from codegen import Draws, diagnose, read_draws
from codegen.results import to_arviz
from codegen.results.diagnostics.groups import Group, Variable

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    arviz = pytest.importorskip("arviz")
    xarray = pytest.importorskip("xarray")

BELOW_1 = int(arviz.__version__.partition(".")[0]) < 1
VALUES = np.random.default_rng(6).normal(size=(3, 40, 2))


@pytest.fixture
def draws():
    return Draws(
        {"theta": VALUES, "xi": VALUES[:, :, 0]},
        np.full(3, 40),
        (),
        False,
        {"recipe": "sgld", "seconds": 2.0},
        np.linspace(0.2, 0.1, 40),
        ("a sentence",),
        np.full((3, 40), 0.7),
    )


def test_a_block_may_have_the_name_of_a_dimension(tmp_path):
    values = {"x": VALUES, "x_dim": VALUES[:, :, 0]}
    draws = Draws(values, np.full(3, 40), (), False, {}, np.full(40, 0.1))
    read = read_draws(draws.save(tmp_path / "d.nc"))
    for name, array in values.items():
        np.testing.assert_array_equal(read[name], array)


def form(monkeypatch, inferencedata):
    if inferencedata and not BELOW_1:
        pytest.skip("ArviZ 1.0 and newer has no InferenceData")
    monkeypatch.setattr(to_arviz, "_has_inferencedata", lambda: inferencedata)
    return arviz.InferenceData if inferencedata else xarray.DataTree


@pytest.mark.parametrize("inferencedata", [True, False])
def test_both_forms_hold_the_same(draws, tmp_path, monkeypatch, inferencedata):
    kind = form(monkeypatch, inferencedata)
    for data in (draws.to_arviz(), read_draws(draws.save(tmp_path / "d.nc")).to_arviz()):
        assert isinstance(data, kind)
        assert data.posterior["theta"].dims == ("chain", "draw", "theta_dim")
        assert data.posterior["xi"].dims == ("chain", "draw")
        np.testing.assert_array_equal(data.posterior["theta"].to_numpy(), VALUES)
        assert data.posterior["chain"].to_numpy().tolist() == [0, 1, 2]
        assert data.posterior["theta_dim"].to_numpy().tolist() == [0, 1]
        assert data.posterior.attrs["recipe"] == "sgld"
        assert data.posterior.attrs["warnings"] == "a sentence"
    statistics = draws.to_arviz().sample_stats
    assert statistics["step_size"].to_numpy()[2].tolist() == np.linspace(0.2, 0.1, 40).tolist()
    assert statistics["acceptance_rate"].to_numpy().tolist() == [[0.7] * 40] * 3


@pytest.mark.parametrize("inferencedata", [True, False])
def test_every_form_of_draws_has_one_diagnosis(draws, tmp_path, monkeypatch, inferencedata):
    form(monkeypatch, inferencedata)
    saved = read_draws(draws.save(tmp_path / "d.nc"))
    expected = diagnose(draws)
    assert len(expected.rows) == 3
    for data in (saved, draws.to_arviz(), saved.to_arviz()):
        found = diagnose(data)
        assert (found.rows, found.warnings) == (expected.rows, expected.warnings)


def test_arviz_and_xarray_read_the_file(draws, tmp_path):
    path = draws.save(tmp_path / "d.nc")
    tree = xarray.open_datatree(path, engine="h5netcdf")
    for data in (arviz.from_netcdf(path), tree):
        assert diagnose(data).rows == diagnose(draws).rows
        np.testing.assert_array_equal(data.sample_stats["acceptance_rate"], draws.acceptance)


def test_the_version_says_which_form_it_is(monkeypatch):
    assert to_arviz._has_inferencedata() is BELOW_1
    for version, expected in (("0.23.4", True), ("1.0.0", False), ("12.1", False)):
        monkeypatch.setattr(to_arviz, "version", lambda _, version=version: version)
        assert to_arviz._has_inferencedata() is expected


def test_a_group_that_does_not_fit_together_has_no_sizes():
    x, name = Variable(("chain", "draw"), np.zeros((2, 3))), Variable(("draw",), np.arange(3))
    assert Group({"x": x}, {"draw": name}).sizes == {"chain": 2, "draw": 3}
    for wrong in (
        Group({"x": Variable(("chain", "chain"), np.zeros((2, 2)))}),
        Group({"x": Variable(("chain",), np.zeros((2, 2)))}),
        Group({"x": x, "y": Variable(("draw",), np.zeros(4))}),
        Group({"x": x, "draw": name}),
        Group({"x": x}, {"draw": x}),
    ):
        with pytest.raises(ValueError, match="dimension"):
            _ = wrong.sizes
