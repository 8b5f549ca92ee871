"""The program tree: what each instruction prints as, and the passes over a tree."""

from __future__ import annotations

import ast
import pickle
from dataclasses import dataclass

import pytest
from sympy import Symbol, exp

from codegen.lowering.batch_form import at_column, crossing, merged, with_loops
from codegen.lowering.places import Array, Cell, Datum
from codegen.lowering.program import (
    Assign,
    AssignAll,
    Chains,
    Comment,
    Do,
    For,
    Function,
    If,
    Infix,
    Item,
    Return,
    assign,
    call,
    nodes,
    rewritten,
)
from codegen.printing.python_text import printed, program_lines

x, total = Array("state", "x"), Symbol("total", real=True)


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        (assign("a", "1.0"), ["a = 1.0"]),
        (assign(x["i"], 2 * total), ["state.x[i] = 2.0 * total"]),
        (assign(x["i"], total, "+="), ["state.x[i] += total"]),
        (Assign(("a", "b"), call("pair", "key", x)), ["a, b = pair(key, state.x)"]),
        (Assign((total,), Item(call("pair", "key"), "0")), ["total = pair(key)[0]"]),
        (AssignAll(("a", "b"), "0.0"), ["a = b = 0.0"]),
        (Do(call("wide")), ["wide()"]),
        (For("i", ("n",), (Do(call("f", "i")),)), ["for i in range(n):", "    f(i)"]),
        (
            For("i", ("a", "b"), (Do(call("f")),), note="why"),
            ["for i in range(a, b):  # why", "    f()"],
        ),
        (
            If(Infix(total, "<", "0"), (Return(()),), (Return(("a", total)),)),
            ["if total < 0:", "    return", "else:", "    return a, total"],
        ),
        (Comment("a\nb"), ["# a b"]),
    ],
)
def test_an_instruction_has_one_text(instruction, lines):
    assert program_lines([instruction]) == lines
    ast.parse("\n".join(lines).replace("return", "pass #"))


def test_a_long_comment_stays_a_comment():
    lines = program_lines([Comment("word " * 100)])
    assert len(lines) > 1
    assert all(line.startswith("#") and len(line) <= 126 for line in lines)


@dataclass(frozen=True)
class Unknown:
    pass


def test_what_the_printer_does_not_know_is_refused_by_name():
    with pytest.raises(TypeError, match="no text is known for the instruction Unknown"):
        program_lines([For("i", ("n",), (Unknown(),))])
    with pytest.raises(TypeError, match="no text is known for the value Unknown"):
        program_lines([assign("a", call("f", Unknown()))])
    with pytest.raises(TypeError, match="no text is known for the instruction Chains"):
        program_lines([Chains((Do(call("f")),))])


def test_a_function_has_a_docstring_of_one_line_or_of_several():
    body = (Return(("a",)),)
    assert printed(Function("device", "f", ("a", "b"), "", body)).split("\n") == [
        "@device",
        "def f(a, b):",
        "    return a",
    ]
    assert printed(Function("kernel", "f", (), "Meaning.", body)).split("\n")[2] == (
        '    """Meaning."""'
    )
    several = printed(Function("kernel", "f", (), "First.\n\nSecond.", body))
    assert several.split("\n")[2:6] == ['    """First.', "", "    Second.", '    """']
    assert ast.get_docstring(ast.parse(several).body[0]) == "First.\n\nSecond."


def test_a_cell_stands_in_an_expression_where_a_symbol_of_its_name_would_stand():
    a, z = Symbol("a", real=True), Symbol("z", real=True)
    cell, plain = x["i"], Symbol("state.x[i]", real=True)
    for combine in (lambda s: a + s + z, lambda s: z * a * s**2, lambda s: exp(s) * (a - s)):
        assert str(combine(cell)) == str(combine(plain))
    assert cell != plain
    assert cell == x["i"] != x["0"]
    assert (cell.array, cell.indices) == (x, ("i",))


def test_a_cell_knows_whether_it_varies_in_a_loop():
    assert x["i"].varies
    assert Array("params", "A")["i, i"].varies
    assert Datum(Array("data", "y"), "row", "i").varies
    assert not x["0"].varies
    assert not Datum(Array("data", "y"), "row").varies
    assert str(Datum(Array("data", "y"), "row", "i")) == "float(data.y[row][i])"


def test_a_moved_or_copied_cell_keeps_its_kind_and_its_sign():
    variance = Cell(x, "0", nonnegative=True)
    other = variance.moved(Array("out", "x"))
    assert (str(other), other.is_nonnegative) == ("out.x[0]", True)
    datum = Datum(Array("data", "y"), "row", "i")
    assert str(datum.moved(datum.array, "n", "i")) == "float(data.y[n][i])"
    assert pickle.loads(pickle.dumps(datum)) == datum
    assert pickle.loads(pickle.dumps(datum)).indices == ("row", "i")


def test_a_pass_replaces_places_wherever_they_stand():
    tree = If("ok", (assign(x["i"], x["i"] ** 2 + total), Do(call("f", x))))
    moved = rewritten(
        tree,
        lambda n: (
            Array("out", n.field)
            if isinstance(n, Array)
            else n.moved(Array("out", "x"))
            if isinstance(n, Cell)
            else None
        ),
    )
    assert program_lines([moved]) == [
        "if ok:",
        "    out.x[i] = total + out.x[i] ** 2",
        "    f(out.x)",
    ]
    assert program_lines([tree])[1] == "    state.x[i] = total + state.x[i] ** 2"
    assert x in set(nodes(tree))


def test_many_chains_are_the_same_tree_at_another_index():
    instead = {"key": call("column_key", "2", "c"), call("f", "state"): call("f_of", "state", "c")}
    lines = [
        assign(x["i"], x["0"] + Array("params", "k")["i"]),
        assign("ok", Infix(call("f", "state"), "<", call("drawn", "key", "keys"))),
    ]
    assert program_lines(at_column(tuple(lines), instead)) == [
        "state.x[i, c] = params.k[i] + state.x[0, c]",
        "ok = f_of(state, c) < drawn(column_key(2, c), keys)",
    ]


def test_loops_over_chains_become_one_and_what_crosses_them_is_kept_in_an_array():
    step = merged(
        [
            Chains((assign("a", "1.0"),)),
            Chains((assign("b", "a"), assign("finite", "b", "&="))),
            For("i", ("n",), (Chains((assign(x["i, c"], Symbol("a") * total),)),)),
        ]
    )
    assert [type(s) for s in step] == [Chains, For]
    kept = {name: f"{name}_kept" for name in crossing([step], ["a", "b", "finite", "total"])}
    assert kept == {"a": "a_kept"}
    assert program_lines(with_loops(step, kept)) == [
        "for c in range(chains):",
        "    a = 1.0",
        "    b = a",
        "    finite &= b",
        "    state.a_kept[0, c] = a",
        "for i in range(n):",
        "    for c in range(chains):",
        "        a = state.a_kept[0, c]",
        "        state.x[i, c] = a * total",
    ]
