"""Every public name says what its arguments and attributes are, what it returns and which errors it
raises, and its examples are right.

Public is what a package lists in ``__all__``, and what the command imports from a room of
``codegen``.
"""

import ast
import dataclasses
import doctest
import importlib
import inspect
import sys
import textwrap
import warnings
from enum import Enum
from pathlib import Path

import pytest
import sympy
from helpers.docstrings import entries, fields, parameters, section

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "recipe",
    "recipe.laws",
    "recipe.scheme",
    "recipe.kernel",
    "verify",
    "verify.audit.repair",
    "verify.certificate",
    "verify.decide.psd",
    "verify.discrete.linear",
    "verify.discrete.weak_order",
    "verify.obligations",
    "verify.report",
    "verify.statistics",
    "verify.translation",
    "codegen",
)


# The fields of these classes are arguments of a function, whose docstring explains them.
EXPLAINED_BY = {"codegen.inputs.options.SamplingOptions": "codegen.sample.sample"}


def imported_by_the_command() -> set[tuple[str, str]]:
    """The module and the name of each import of the command from a room of ``codegen``."""
    return {
        (node.module, alias.name)
        for path in sorted((ROOT / "recipe_cli").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("codegen.")
        for alias in node.names
    }


def is_explained(public: object) -> bool:
    """Return True for functions and classes, which have a docstring of their own."""
    return inspect.isclass(public) or inspect.isfunction(inspect.unwrap(public))


LISTED = [(p, name) for p in PACKAGES for name in importlib.import_module(p).__all__]
PUBLIC = {
    f"{inspect.unwrap(public).__module__}.{name}": inspect.unwrap(public)
    for module, name in (*LISTED, *sorted(imported_by_the_command()))
    if is_explained(public := getattr(importlib.import_module(module), name))
}
METHODS = {
    f"{name}.{method}": function
    for name, public in PUBLIC.items()
    if inspect.isclass(public) and not issubclass(public, Exception | sympy.Basic)
    for method, function in vars(public).items()
    if inspect.isfunction(function) and function.__name__ == method and method[0] != "_"
}
FUNCTIONS = METHODS | {name: f for name, f in PUBLIC.items() if inspect.isfunction(f)}


def made_by(cls: type) -> set[str]:
    """The parameters by which users make an object of a class."""
    if issubclass(cls, Exception | Enum) or is_protocol(cls):
        return set()
    if issubclass(cls, sympy.Function):
        return parameters(cls.eval)
    maker = vars(cls).get("__init__") or vars(cls).get("__new__")
    return set() if maker is None else parameters(maker)


def is_protocol(cls: type) -> bool:
    """Return True for a protocol, of which users make no object."""
    return getattr(cls, "_is_protocol", False)


def raises(function: object) -> bool:
    """Return True if a function raises an error itself, and not only in a function inside."""
    waiting = list(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body)
    for node in waiting:
        if isinstance(node, ast.Raise) and node.exc is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


def returns(function: object) -> bool:
    """Return True if the annotation of a function promises a value."""
    annotation = inspect.get_annotations(function).get("return")
    return annotation not in (None, "None", "Never")


def test_every_package_is_in_the_table() -> None:
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in ("recipe", "verify", "codegen", "catalog", "recipe_cli")
        for path in (ROOT / package).rglob("__init__.py")
        if "__all__ = " in path.read_text()
    }
    assert found == set(PACKAGES)


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_are_explained(name: str) -> None:
    public = PUBLIC[name]
    assert (inspect.getdoc(public) or "").strip()
    if inspect.isclass(public):
        if dataclasses.is_dataclass(public):
            by = PUBLIC.get(EXPLAINED_BY.get(name, ""))
            explained = entries(section(by, "Args")) if by else set()
            attributes = entries(section(public, "Attributes"))
            assert fields(public) <= attributes | explained
            assert all(hasattr(public, name) for name in attributes - fields(public))
            if "__init__" in vars(public) and not public.__dataclass_params__.init:
                assert made_by(public) == entries(section(public, "Args"))
        elif issubclass(public, tuple):
            assert set(public._fields) == entries(section(public, "Attributes"))
        else:
            assert made_by(public) == entries(section(public, "Args"))
        return
    assert parameters(public) == entries(section(public, "Args"))


@pytest.mark.parametrize("name", METHODS)
def test_arguments_of_methods_are_explained(name: str) -> None:
    assert parameters(METHODS[name]) == entries(section(METHODS[name], "Args"))


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if returns(f)])
def test_results_are_explained(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert section(FUNCTIONS[name], "Returns") or text.startswith(("Return ", "Yield "))


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if raises(f)])
def test_errors_are_explained(name: str) -> None:
    assert section(FUNCTIONS[name], "Raises")


@pytest.mark.parametrize(
    "name", [n for n, p in PUBLIC.items() if "\n    >>> " in inspect.getdoc(p)]
)
def test_examples_are_right(name: str) -> None:
    public = PUBLIC[name]
    known = vars(sys.modules[public.__module__]).copy()
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(public), known, name, None, 0)
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


def test_an_error_is_noticed() -> None:
    def raising() -> None:
        if not ROOT.exists():
            raise ValueError

    def calling() -> None:
        def inside() -> None:
            raise ValueError

    assert raises(raising)
    assert not raises(calling)
