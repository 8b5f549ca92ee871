"""A text that is proved is a module that Python imports: it compiles, and every name is defined."""

import ast

import pytest
from cases.translations import case

from verify import Verdict


def imported(text):
    """Carry out the text, as an import does; the exception, or None."""
    try:
        exec(compile(text, "<module>", "exec"), {"__name__": "some_module"})
    except Exception as error:
        return error
    return None


def statements(text):
    tree = ast.parse(text)
    return [
        s
        for s in tree.body
        if isinstance(s, ast.Import | ast.ImportFrom | ast.Assign)
        and not ast.unparse(s).startswith("from __future__")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sgnht", "posterior"])
def test_a_text_without_one_of_its_first_lines_is_not_proved(name):
    text = ast.unparse(ast.parse(case(name).text))
    assert case(name).verdict(text) == "proved"
    removed = [ast.unparse(s) for s in statements(text)]
    assert len(removed) > 8
    for line in removed:
        changed = text.replace(line + "\n", "", 1)
        used = {n.id for n in ast.walk(ast.parse(changed)) if isinstance(n, ast.Name)}
        outcome = case(name).outcome(changed)
        assert (outcome.verdict is Verdict.PROVED) != bool(used & defined(line)), line


def defined(line):
    """The names that a line defines."""
    (statement,) = ast.parse(line).body
    if isinstance(statement, ast.Assign):
        return {statement.targets[0].id}
    return {(a.asname or a.name).partition(".")[0] for a in statement.names}


def test_a_name_that_is_defined_too_late_is_not_proved():
    text = ast.unparse(ast.parse(case("sgnht").text))
    line = next(ast.unparse(s) for s in statements(text) if "device" in defined(ast.unparse(s)))
    late = text.replace(line + "\n", "", 1) + "\n" + line + "\n"
    assert isinstance(imported(late), NameError)
    outcome = case("sgnht").outcome(late)
    assert outcome.verdict is Verdict.UNDECIDED
    assert "device is not defined here" in outcome.by


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def allocate(theta, r, xi):", "def allocate(theta, r, xi, r):"),
        ("def allocate(theta, r, xi):", "def allocate(theta, r, xi):\n    nonlocal theta"),
        ("def allocate(theta, r, xi):", "def allocate(theta, r, xi):\n    global theta"),
    ],
)
def test_what_python_does_not_compile_is_not_read(old, new):
    text = case("sgnht").text
    assert text.count(old) == 1
    changed = text.replace(old, new)
    assert isinstance(imported(changed), SyntaxError)
    outcome = case("sgnht").outcome(changed)
    assert outcome.verdict is Verdict.UNDECIDED
    assert "not Python" in outcome.by


def test_fields_of_a_named_tuple_stand_in_their_order():
    text = case("controlled").text
    tree = ast.parse(text)
    fields = {
        c.name: [ast.unparse(s) for s in c.body if isinstance(s, ast.AnnAssign)]
        for c in tree.body
        if isinstance(c, ast.ClassDef)
    }
    first, second, *_ = fields["Data"]
    swapped = text.replace(f"    {first}\n    {second}\n", f"    {second}\n    {first}\n")
    assert swapped != text
    assert case("controlled").verdict(text) == "proved"
    outcome = case("controlled").outcome(swapped)
    assert outcome.verdict is Verdict.UNDECIDED
    assert "the fields of Data are not" in outcome.by
