"""The package ``recipe_sampler``: every public name, with one meaning, imported on first use."""

import subprocess
import sys

import catalog
import codegen
import recipe
import recipe_sampler
import verify

PACKAGES = (recipe, verify, codegen)


def test_every_public_name_is_there_and_none_has_two_meanings():
    names = [name for package in PACKAGES for name in package.__all__]
    assert len(names) == len(set(names))
    assert sorted([*names, "catalog"]) == recipe_sampler.__all__
    for package in PACKAGES:
        for name in package.__all__:
            assert getattr(recipe_sampler, name) is getattr(package, name), name
    assert recipe_sampler.catalog is catalog
    assert set(recipe_sampler.__all__) <= set(dir(recipe_sampler))


def test_a_name_that_is_not_there():
    assert not hasattr(recipe_sampler, "no_such_name")


def test_the_import_alone_imports_nothing_heavy():
    heavy = "sympy", "flint", "numpy", "numba", "recipe", "verify", "codegen", "catalog"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, recipe_sampler; print([m for m in {heavy} if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
