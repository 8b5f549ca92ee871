"""Draws at a prompt and in a notebook: a table, and never arrays."""

import time
from dataclasses import replace

import numpy as np
import pytest

from codegen import Divergence, Draws, diagnose, read_draws
from codegen.results import diagnosed
from recipe import RecipeError


def normal(*shape):
    return np.random.default_rng(3).normal(size=shape)


def draws_of(divergences=(), said=(), **blocks):
    chains, draws = next(iter(blocks.values())).shape[:2]
    how = {"recipe": "sghmc"}
    return Draws(blocks, np.full(chains, draws), divergences, False, how, np.ones(draws), said)


def test_the_table_has_the_numbers_of_the_draws():
    theta = 1e3 * normal(4, 500, 2) + 5e4
    lines = repr(draws_of(theta=theta, xi=normal(4, 500))).splitlines()
    assert lines[0] == "sghmc: 4 chains of 500 draws"
    assert lines[1].split() == ["mean", "sd", "5%", "50%", "95%", "ess", "r_hat"]
    name, *numbers = lines[3].split()
    values = theta[:, :, 1]
    expected = [values.mean(), values.std(ddof=1), *np.quantile(values, [0.05, 0.5, 0.95])]
    assert name == "theta[1]"
    np.testing.assert_allclose([float(n) for n in numbers[:5]], expected, atol=5.001)
    row = diagnose(draws_of(theta=theta)).rows[1]
    assert float(numbers[5]) == round(min(row.ess_bulk, row.ess_tail))
    assert numbers[6] == f"{row.r_hat:.3f}"
    assert len({len(line) for line in lines[1:5]}) == 1


@pytest.mark.parametrize(
    ("scale", "shown"),
    [(1.0, "  0.03  1.01  "), (1e-3, "1.000"), (1e9, "e+09"), (0.0, "1 "), (1e200, "  inf  ")],
)
def test_numbers_are_as_precise_as_their_deviation_asks(scale, shown):
    assert shown in repr(draws_of(theta=scale * (normal(4, 100, 1) + 1e-9) + (scale < 1)))


def test_of_many_coordinates_twenty_are_shown():
    shown = draws_of(theta=normal(2, 100, 1000))
    assert repr(shown).count("\ntheta[") == shown._repr_html_().count("<td>theta[") == 20
    assert "\n... and 980 more\n" in repr(shown)
    assert len(shown.summary().to_dict()) == 1000


def test_a_small_block_is_shown_beside_a_large_one():
    shown = draws_of(theta=normal(2, 100, 1000), xi=normal(2, 100), a=normal(2, 100, 30))
    for text, start in ((repr(shown), "\n"), (shown._repr_html_(), "<td>")):
        assert [text.count(f"{start}{name}") for name in ("theta[", "xi", "a[")] == [9, 1, 9]
        assert "... of theta and a, 1012 more; .summary().to_dict() has all" in text
    one = draws_of(theta=normal(2, 100, 1000), xi=normal(2, 100))
    assert [repr(one).count(f"\n{name}") for name in ("theta[", "xi")] == [19, 1]


def test_warnings_follow_the_table_and_no_text_is_markup_or_a_command():
    shown = draws_of(said=("\x1b[2J<b>bold</b> & more",), theta=normal(4, 500, 1))
    assert "warning: \\x1b[2J<b>bold</b> & more" in repr(shown)
    assert "\\x1b[2J&lt;b&gt;bold&lt;/b&gt; &amp; more" in shown._repr_html_()


def test_a_broken_run_gets_no_effective_sizes_and_no_advice_on_steps():
    theta = normal(4, 50, 2)
    theta[1, 30:] = np.nan
    broken = draws_of((Divergence(1, 30, "theta"),), theta=theta)
    assert [line.split()[-2:] for line in repr(broken).splitlines()[2:4]] == [["-", "-"]] * 2
    assert not any("effective" in s or "times the steps" in s for s in broken.summary().warnings)
    whole = draws_of(theta=normal(4, 50, 2))
    assert any("too few to judge" in s for s in whole.summary().warnings)


def test_the_diagnosis_is_made_once(monkeypatch):
    calls = []
    original = diagnosed.diagnosis_of
    monkeypatch.setattr(diagnosed, "diagnosis_of", lambda g: calls.append(g) or original(g))
    shown = draws_of(theta=normal(4, 50, 2))
    assert shown.summary() is diagnose(shown) is shown.summary()
    _ = repr(shown), shown._repr_html_()
    assert len(calls) == 1


def test_saved_draws_show_themselves_as_the_draws_did(tmp_path):
    shown = draws_of(said=("one", "two"), theta=normal(4, 50, 2))
    saved = read_draws(shown.save(tmp_path / "draws.nc"))
    assert repr(saved) == repr(shown)
    assert saved._repr_html_() == shown._repr_html_()
    assert saved.warnings == shown.warnings


def test_draws_are_gone_through_by_name(tmp_path):
    shown = draws_of(theta=normal(4, 50, 2), xi=normal(4, 50))
    for draws in (shown, read_draws(shown.save(tmp_path / "draws.nc"))):
        assert list(draws) == draws.keys() == ["theta", "xi"]
        assert "xi" in draws
        assert 0 not in draws
        assert dict(draws)["theta"].shape == (4, 50, 2)


def test_the_table_becomes_a_dict_and_a_data_frame():
    pandas = pytest.importorskip("pandas")
    found = draws_of(theta=normal(4, 50, 2), xi=normal(4, 50)).summary()
    frame = found.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == list(found.to_dict()) == ["theta[0]", "theta[1]", "xi"]
    assert frame.loc["xi", "mean"] == found.to_dict()["xi"]["mean"] == found.rows[2].mean


def test_without_pandas_the_sentence_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(RecipeError, match=r"to_dataframe\(\) needs pandas"):
        draws_of(theta=normal(4, 50, 2)).summary().to_dataframe()


@pytest.mark.slow
def test_plots_are_figures_that_a_notebook_shows(tmp_path):
    plots = draws_of(theta=normal(4, 50, 2)).plot(tmp_path, names=["theta[1]"])
    assert plots.coordinates == ("theta[1]",)
    assert plots._repr_html_().count("data:image/png;base64,") == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rank.png", "trace.png"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4, 250_000, 1), (4, 250, 1000), (4, 25, 10_000), (1000, 1000)])
def test_a_million_numbers_are_diagnosed_within_a_second(shape):
    shown = draws_of(theta=normal(*shape))
    began = time.process_time()
    repr(shown)
    assert time.process_time() - began < 1.5  # seconds; 0.3 to 0.95 were measured


def test_a_coordinate_by_the_name_that_the_table_gives_is_found(tmp_path):
    draws = replace(draws_of(a=normal(2, 10, 2), b=normal(2, 10, 2)), coords={"a": ("Elm", "Oak")})
    for each in (draws, read_draws(draws.save(tmp_path / "draws.nc"))):
        for name, place in (("a[Oak]", "['a'][..., 1]"), ("b[0]", "['b'][..., 0]")):
            with pytest.raises(RecipeError) as refused:
                each[name]
            assert str(refused.value) == (
                f"there are no draws of {name}; it is a coordinate of {name[0]}: {place}"
            )
        with pytest.raises(RecipeError, match=r"no draws of a\[Ash\]; .* a, b"):
            each["a[Ash]"]
