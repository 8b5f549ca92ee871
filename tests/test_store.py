"""The store of modules: checked texts, content-hashed names."""

from __future__ import annotations

import pytest
from sympy import Matrix

from codegen import generate, store
from recipe import Potential, Recipe, RecipeError, Vector

theta = Vector("theta")
SGLD = Recipe(theta, Potential("U", theta), Matrix([[1]]), Matrix([[0]]), name="sgld")


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "from os import path",
        "x = eval('1')",
        "x = ().__class__",
        "def f(:",
        "class A(dict): pass",
        "import numpy.ctypeslib",
        "from numba.extending import overload",
        "from numba.extending import intrinsic, overload",
        "import numba.extending",
    ],
)
def test_a_text_that_no_generator_writes_is_refused(text):
    with pytest.raises(RecipeError):
        store.checked(text)


def test_generation_is_reproducible_and_the_store_is_addressed_by_content(tmp_path, monkeypatch):
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    one, two = generate(SGLD, scheme="euler"), generate(SGLD, scheme="euler")
    assert one.source == two.source
    assert one.hash == two.hash
    assert store.load("fresh", one.source) is store.load("fresh", two.source)
    assert [p.name for p in tmp_path.glob("*.py")] == [f"fresh_{one.hash[:12]}.py"]
    monkeypatch.setenv("RECIPE_CACHE", "/proc/nowhere")
    with pytest.raises(RecipeError, match="RECIPE_CACHE"):
        store.load("another", one.source)
