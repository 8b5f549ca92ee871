"""The user's names of coordinates: where they come from, and where they are shown."""

import re

import numpy as np
import pytest
from sympy import Matrix

from catalog.sghmc import sghmc
from codegen import Draws, generate, read_draws, sample
from codegen.inputs.lengths import Lengths
from codegen.inputs.parameters import resolved_data
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Scalar, Vector, total

theta, s = Vector("theta"), Scalar("s")
x, z, y = Data("x", like=theta), Data("z", like=theta), Data("y")
NAMES = ("age", "income", "größe in m")
values = np.arange(12.0).reshape(4, 3)


def table(columns=NAMES):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(values, columns=list(columns))


def posterior(first, second=values, **more):
    eta = total((x + z) * theta) + s
    data = {x: first, z: second, y: np.ones(4)}
    return Posterior((theta, s), -((y - eta) ** 2), -total(theta**2) - s**2, data, **more)


def names(law):
    lengths = Lengths()
    resolved_data(generate(sghmc, law), lengths)
    return lengths.names_of(theta)


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (lambda: posterior(values), None),
        (lambda: posterior(table()), NAMES),
        (lambda: posterior(values, table()), NAMES),
        (lambda: posterior(table(), table("abc")), NAMES),
        (lambda: posterior(table(range(3))), None),
        (lambda: posterior(table(["a", "a\n", "b"])), None),
        (lambda: posterior(table(), coords={"theta": ["u", "v", 2020]}), ("u", "v", "2020")),
    ],
    ids=["array", "table", "second", "two", "numbered", "unprintable", "given"],
)
def test_columns_name_the_coordinates_unless_names_are_given(law, expected):
    assert names(law()) == expected


def test_columns_of_pyarrow_name_them_too():
    pyarrow = pytest.importorskip("pyarrow")
    assert names(posterior(pyarrow.table(dict(zip(NAMES, values.T, strict=True))))) == NAMES


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: names(posterior(table(), table(NAMES[::-1]))),
            "the data of z has the columns of the data of x in another order, größe in m, income,",
        ),
        (
            lambda: names(posterior(values, coords={theta: ["a", "b"]})),
            "coords[theta] makes the length of theta 2, but the data of x, of the shape (4, 3),",
        ),
        (lambda: posterior(values, coords={s: ["a"]}), "coords= names s, which is no vector block"),
        (lambda: posterior(values, coords=["a"]), "coords= must be a dict of names by block"),
        (lambda: posterior(values, coords={theta: "abc"}), "coords[theta] must be a list of names"),
        (lambda: posterior(values, coords={theta: ["a", "b", "a"]}), "names a twice"),
        (lambda: posterior(values, coords={theta: ["a\x1b[2J", "b", "c"]}), "must be printable"),
        (lambda: posterior(values, coords={theta: [1.5, 2, 3]}), "must be printable names"),
    ],
)
def test_names_that_do_not_fit_are_refused(wrong, said):
    if "table" in wrong.__code__.co_names:
        pytest.importorskip("pandas")
    with pytest.raises(RecipeError, match=re.escape(said)):
        wrong()


def test_names_are_shown_saved_and_read_back(tmp_path):
    draws = np.random.default_rng(0).normal(size=(4, 100, 3))
    named = Draws(
        {"theta": draws, "s": draws[..., 0]},
        np.full(4, 100),
        (),
        False,
        {},
        np.ones(100),
        coords={"theta": NAMES},
    )
    saved = read_draws(named.save(tmp_path / "draws.nc"))
    labels = [f"theta[{name}]" for name in NAMES]
    for shown in (named, saved):
        assert [row.coordinate for row in shown.summary().rows] == [*labels, "s"]
        assert all(label in repr(shown) for label in labels)
    assert repr(saved) == repr(named)
    xarray = pytest.importorskip("xarray")
    for tree in (
        named.to_arviz().posterior,
        xarray.load_dataset(tmp_path / "draws.nc", group="posterior", engine="h5netcdf"),
    ):
        assert tuple(tree.coords["theta_dim"].values) == NAMES
        np.testing.assert_array_equal(tree["theta"].sel(theta_dim="income"), draws[..., 1])


@pytest.mark.slow
def test_a_run_has_the_names_of_its_tables_and_of_its_call():
    options = {"step_size": 0.01, "steps": 20, "params": {"C": 1}, "progress": False}
    some = sample(sghmc, posterior(table()), keep="all", **options)
    assert some.coords == {"theta": NAMES, "r_theta": NAMES}
    U = Potential("U", theta)
    langevin = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]))
    named = sample(
        langevin,
        total(theta**2),
        coords={"theta": ["u", "v"]},
        steps=20,
        step_size=0.1,
        progress=False,
    )
    assert named["theta"].shape == (4, 20, 2)
    assert "theta[u]" in repr(named)
