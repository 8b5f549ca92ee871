"""Every public name of ``verify.statistics`` says what its arguments and attributes are, and its
examples are right.
"""

import dataclasses
import doctest
import inspect
import warnings

import pytest
from helpers.docstrings import entries, fields, parameters, section

from verify import statistics

PUBLIC = {
    name: found
    for name in statistics.__all__
    if inspect.isroutine(found := getattr(statistics, name)) or inspect.isclass(found)
}
METHODS = {
    f"{name}.{method}": function
    for name, public in PUBLIC.items()
    if dataclasses.is_dataclass(public)
    for method, function in vars(public).items()
    if inspect.isfunction(function) and not method.startswith("_")
}


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_are_explained(name):
    public = PUBLIC[name]
    assert inspect.getdoc(public).strip()
    if dataclasses.is_dataclass(public):
        assert fields(public) == entries(section(public, "Attributes"))
    elif not inspect.isclass(public):
        assert parameters(public) == entries(section(public, "Args"))


@pytest.mark.parametrize("name", METHODS)
def test_arguments_of_methods_are_explained(name):
    assert parameters(METHODS[name]) == entries(section(METHODS[name], "Args"))


@pytest.mark.parametrize("name", PUBLIC)
def test_functions_say_what_they_return(name):
    public = PUBLIC[name]
    if inspect.isroutine(public):
        assert section(public, "Returns") or inspect.getdoc(public).startswith("Return ")


@pytest.mark.parametrize(
    "name", [n for n, public in PUBLIC.items() if "\nExample:" in inspect.getdoc(public)]
)
def test_examples_are_right(name):
    text = inspect.getdoc(PUBLIC[name])
    example = doctest.DocTestParser().get_doctest(text, vars(statistics).copy(), name, None, 0)
    assert example.examples
    with warnings.catch_warnings(record=True) as caught:
        assert doctest.DocTestRunner().run(example).failed == 0
    assert not caught
