"""Every public name says what its arguments and attributes are, and its examples are right."""

import dataclasses
import doctest
import inspect
import warnings
from enum import Enum

import pytest
import sympy
from helpers.docstrings import entries, fields, parameters, section

import recipe
import recipe.kernel
import recipe.scheme
import verify
import verify.report
import verify.translation

PACKAGES = (
    recipe,
    recipe.scheme,
    recipe.kernel,
    verify,
    verify.report,
    verify.translation,
)
PUBLIC = {
    name: getattr(package, name)
    for package in PACKAGES
    for name in package.__all__
    if inspect.isroutine(inspect.unwrap(getattr(package, name)))
    or inspect.isclass(getattr(package, name))
}


def made_by(cls: type) -> set[str]:
    """The parameters by which users make an object of a class."""
    if issubclass(cls, Exception | Enum):
        return set()
    if issubclass(cls, sympy.Function):
        return parameters(cls.eval)
    maker = vars(cls).get("__init__") or vars(cls).get("__new__")
    return set() if maker is None else parameters(maker)


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_are_explained(name: str) -> None:
    public = inspect.unwrap(PUBLIC[name])
    assert (inspect.getdoc(public) or "").strip()
    if inspect.isclass(public):
        if dataclasses.is_dataclass(public):
            assert fields(public) <= entries(section(public, "Attributes"))
            if "__init__" in vars(public) and not public.__dataclass_params__.init:
                assert made_by(public) == entries(section(public, "Args"))
        else:
            assert made_by(public) == entries(section(public, "Args"))
        return
    assert parameters(public) == entries(section(public, "Args"))


@pytest.mark.parametrize(
    "name", [n for n, p in PUBLIC.items() if "\nExample:" in inspect.getdoc(p)]
)
def test_examples_are_right(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(PUBLIC[name]), {}, name, None, 0)
    assert example.examples
    with warnings.catch_warnings(record=True) as caught:
        assert doctest.DocTestRunner().run(example).failed == 0
    assert not caught


def test_a_missing_argument_is_noticed() -> None:
    def documented(a: int, b: int) -> None:
        """Return nothing.

        Args:
            a: a number.
        """

    assert parameters(documented) - entries(section(documented, "Args")) == {"b"}
