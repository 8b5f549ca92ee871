"""Posteriors of the catalog: their tables beside scikit-learn's, bit for bit, and how they are
found by name.
"""

import importlib
from importlib.resources import files

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from catalog.posteriors.data import table
from recipe import Posterior, RecipeError
from recipe_cli.declarations.posteriors import posterior_in, posterior_names, posterior_summary

TABLES = {
    "breast_cancer": lambda: load_breast_cancer(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "diabetes": lambda: load_diabetes(return_X_y=True, scaled=False),
}
MINE = """
from sympy import exp
from recipe import Data, Posterior, Scalar
mu, x = Scalar("mu"), Data("x")
mine = Posterior(mu, -(x - mu) ** 2 / 2, -mu ** 2 / 2, {x: [1.0]})
"""


def same_bits(ours, theirs):
    theirs = np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()


def with_intercept(features):
    """As users of scikit-learn's tables write it."""
    standardised = (features - features.mean(axis=0)) / features.std(axis=0)
    return np.column_stack([np.ones(len(features)), standardised])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_bits_of_scikit_learns(name):
    features, target = TABLES[name]()
    same_bits(table(name), np.column_stack([features, target]))


def test_arrays_have_the_bits_that_scikit_learns_tables_give():
    def of(name):
        return {str(s): a for s, a in posterior_in(name).data}

    features, target = load_breast_cancer(return_X_y=True)
    same_bits(of("breast_cancer")["x"], with_intercept(features))
    same_bits(of("breast_cancer")["y"], np.where(target == 1, 1.0, -1.0))
    features, species = load_iris(return_X_y=True)
    same_bits(of("softmax")["x"], with_intercept(features))
    for k in (1, 2):
        np.testing.assert_array_equal(of("softmax")[f"y{k}"], species == k)
    features, response = load_diabetes(return_X_y=True)
    same_bits(of("linear")["x"], with_intercept(features))
    same_bits(of("linear")["y"], (response - response.mean()) / response.std())


def test_every_table_says_where_it_is_from():
    names = [f.name for f in files("catalog.posteriors.data").iterdir() if f.name.endswith(".csv")]
    assert sorted(names) == sorted(f"{name}.csv" for name in TABLES)
    for name in names:
        text = files("catalog.posteriors.data").joinpath(name).read_text()
        head = [line for line in text.splitlines() if line.startswith("#")]
        for word in ("Source: ", "Citation: ", "Licence: "):
            assert sum(word in line for line in head) == 1, (name, word)
        columns = text.splitlines()[len(head)].split(",")
        assert len(columns) == len(set(columns)) == table(name.removesuffix(".csv")).shape[1]


@pytest.mark.parametrize("name", posterior_names())
def test_every_posterior_is_found_by_name_and_has_one_line(name):
    module = importlib.import_module(f"catalog.posteriors.{name}")
    assert posterior_in(name) is posterior_in(f"{name}:posterior") is module.posterior
    assert isinstance(module.posterior, Posterior)
    summary = posterior_summary(name)
    assert summary
    assert len(f"  breast_cancer  {summary}") <= 100
    assert f"--posterior {name} " in module.__doc__


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("brest_cancer", "did you mean breast_cancer\\?"),
        ("unlike", "`recipe list`"),
        ("unlike.py", "there is no file unlike.py"),
        ("./breast_cancer", "there is no file breast_cancer"),
        ("breast_cancer:unlike", "breast_cancer defines no Posterior called unlike"),
        ("data", "not a posterior of the catalog"),
        ("", "not a posterior of the catalog"),
        ("../posteriors/pumps", "there is no file"),
    ],
)
def test_a_wrong_name_is_one_sentence(where, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecipeError, match=said) as caught:
        posterior_in(where)
    assert "\n" not in str(caught.value)


def test_a_file_is_run_only_where_a_path_is_given(tmp_path, monkeypatch):
    """A file of somebody else's in the working directory does not take the place of the
    catalog's.
    """
    monkeypatch.chdir(tmp_path)
    ours = posterior_in("pumps")
    for name in ("pumps", "pumps.py", "other"):
        (tmp_path / name).write_text(MINE)
    (tmp_path / "softmax").mkdir()
    assert posterior_in("pumps") is ours
    assert len(posterior_in("softmax").blocks) == 2
    for where in ("pumps.py", "./pumps.py", "pumps.py:mine", str(tmp_path / "pumps.py")):
        assert [b.name for b in posterior_in(where).blocks] == ["mu"]
    with pytest.raises(RecipeError, match=r"here \./other"):
        posterior_in("other")


def test_of_several_posteriors_the_one_called_posterior_is_proposed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.py").write_text(f"{MINE}fitted = mine\nposterior, last = mine, mine\n")
    (tmp_path / "others.py").write_text(f"{MINE}fitted = mine\n")
    with pytest.raises(RecipeError, match=r"choose one, as in there\.py:posterior$"):
        posterior_in("there.py")
    with pytest.raises(RecipeError, match=r"choose one, as in others\.py:fitted$"):
        posterior_in("others.py")
