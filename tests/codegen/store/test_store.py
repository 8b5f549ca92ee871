"""The store of modules: checked texts, content-hashed names."""

from __future__ import annotations

import pytest
from sympy import Matrix

from codegen import generate
from codegen.device.simd8 import lanes_text
from codegen.store import modules
from codegen.store.allowlist import checked
from recipe import Potential, Recipe, RecipeError, Vector, bind, total

theta = Vector("theta")
U = Potential("U", theta)
SGLD = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="sgld")


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
        "import numba",
        "import numpy",
        "x = np.load('a')",
        "import operator as np",
        "from numba import jit",
        "from numba import *",
        "from numba import types as math",
        "from . import njit",
        "x = ir.IntType(64)",
        "read = operator.attrgetter('a')",
        "class Lanes(types.Type):\n    pass",
        "@intrinsic\ndef wide(typing):\n    return types.void(), lambda *values: print()",
    ],
)
def test_a_text_that_no_generator_writes_is_refused(text):
    with pytest.raises(RecipeError, match=r"no generated module does|is not Python"):
        checked(text)


def test_what_tells_the_compiler_of_eights_is_taken_word_for_word():
    """Every module has it where there are sums, and passes; one other word, and it does not."""
    source = generate(bind(SGLD, {U: total(theta) ** 2})).source
    assert checked(source) == source
    assert checked(lanes_text()) == lanes_text()
    for old, new in (
        ("ir.IRBuilder.fadd", "ir.IRBuilder.fsub"),
        ("prefer-vector-width", "target-cpu"),
        ("place.align = 64", "place.align = 1"),
    ):
        assert old in source
        with pytest.raises(RecipeError, match="no generated module does"):
            checked(source.replace(old, new, 1))


def test_generation_is_reproducible_and_the_store_is_addressed_by_content(tmp_path, monkeypatch):
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    one, two = generate(SGLD, scheme="euler"), generate(SGLD, scheme="euler")
    assert one.source == two.source
    assert one.hash == two.hash
    assert modules.load("fresh", one.source) is modules.load("fresh", two.source)
    assert [p.name for p in tmp_path.glob("*.py")] == [f"fresh_{one.hash[:12]}.py"]
    monkeypatch.setenv("RECIPE_CACHE", "/proc/nowhere")
    with pytest.raises(RecipeError, match="RECIPE_CACHE"):
        modules.load("another", one.source)
