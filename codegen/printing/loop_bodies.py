"""Loop bodies as functions of a generated module: one for each statement that has a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch

from sympy import S

from codegen.lowering.names import Namer
from codegen.lowering.places import Cell
from codegen.lowering.program import (
    Comment,
    For,
    Function,
    Instruction,
    Return,
    assign,
    call,
)
from codegen.lowering.statements import (
    ElementwiseLoop,
    MatrixProduct,
    NoiseDraw,
    Statement,
    Sums,
    bodies,
    conditions,
)
from codegen.printing.expression import text_of
from codegen.printing.numba_dialect import NUMBA
from codegen.printing.reductions import WIDE, joining, sum_function


def arguments(statement: Statement, fixed: Iterable[str]) -> list[str]:
    """The names of the numbers that a loop body needs from outside: plain names that are neither
    fixed arguments nor its own.
    """
    own = {s.name for s, _ in statement.locals} if isinstance(statement, ElementwiseLoop) else set()
    used = {s.name for e in bodies(statement) for s in e.free_symbols}
    return sorted(
        name for name in used if name.isidentifier() and name not in own and name not in set(fixed)
    )


def noises_of(statement: Statement, noises: Iterable[NoiseDraw]) -> list[NoiseDraw]:
    """The draws that a loop body reads, in the order of the scheme."""
    used = {s for e in bodies(statement) for s in e.free_symbols}
    return [draw for draw in noises if draw.cell in used]


Conditions = Callable[[Cell, str], list[str]]


def finite(cell: Cell, x: str) -> list[str]:
    """The condition on a number that is stored into a cell of no block."""
    return conditions(S.Reals, x)


@singledispatch
def loop_functions(
    statement: Statement,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    conditions_on: Conditions = finite,
) -> tuple[Function, ...]:
    """The functions that carry out the loop of a statement; none for a statement without a loop.

    Args:
        statement: a statement of a plan.
        fixed: the first arguments of every loop function.
        noises: the draws of the step.
        namer: gives new names.
        conditions_on: gives the conditions on a number that is stored into a cell.
    """
    return ()


@loop_functions.register
def _(
    statement: ElementwiseLoop,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    conditions_on: Conditions = finite,
) -> tuple[Function, ...]:
    drawn = noises_of(statement, noises)
    single = {d.cell: d.local for d in drawn}
    names = ("i", *fixed, *arguments(statement, fixed), *(d.local.name for d in drawn))
    asked = [c for cell, x in statement.stores for c in conditions_on(cell, x.name)]
    body: tuple[Instruction, ...] = (
        *(Comment(text) for text in statement.comments),
        *(assign(local, e.xreplace(single)) for local, e in statement.locals),
        *(assign(cell, local) for cell, local in statement.stores),
        Return((" & ".join(f"({condition})" for condition in asked),)),
    )
    return (Function("device", statement.function, names, "", body),)


@loop_functions.register
def _(
    statement: Sums,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    conditions_on: Conditions = finite,
) -> tuple[Function, ...]:
    passed = _passed(statement, fixed, noises)
    join = joining(
        namer.fresh(f"add_{statement.function}"),
        [t.name for t in statement.targets],
        statement.values,
        [*fixed, *passed],
        (),
        namer,
    )
    names = [*fixed, "n", *passed]
    whole = sum_function(statement.function, names, join, sum_comments(statement), namer)
    return join.definition, whole


def _passed(statement: Statement, fixed: list[str], noises: tuple[NoiseDraw, ...]) -> list[str]:
    """The numbers, and the arrays of noise, that a loop body gets beside the fixed arguments."""
    return [*arguments(statement, fixed), *(d.local.name for d in noises_of(statement, noises))]


def sum_comments(statement: Sums) -> list[Comment]:
    """Every sum as a formula."""
    both = zip(statement.targets, statement.values, strict=True)
    return [Comment(f"{t.name} = sum over i of {text_of(e, NUMBA)}") for t, e in both]


@loop_functions.register
def _(
    statement: MatrixProduct,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    conditions_on: Conditions = finite,
) -> tuple[Function, ...]:
    numbers = _passed(statement, fixed, noises)
    target, matrix, value = statement.target["j"], statement.matrix, statement.value
    letters = "M[i, j]" if statement.transposed else "M[j, i]"
    comment = Comment(
        f"{target} = sum over i of {letters} * {text_of(value, NUMBA)}, with M = {matrix}"
    )
    names = (*fixed, "n", "k", *numbers)
    if statement.transposed:  # rows join all sums one after another
        joined = assign(target, call("fma", matrix["i, j"], "c", target))
        zeros = For("j", ("n",), (assign(target, "0.0"),))
        rows = For("i", ("k",), (assign("c", value), For("j", ("n",), (joined,))))
        body = (WIDE, comment, zeros, rows)
        return (Function("reduction", statement.function, names, "", body),)
    row, passed = namer.fresh(f"{statement.function}_row"), [*fixed, "j", *numbers]
    entry = Cell(matrix, "j", "i")
    join = joining(namer.fresh(f"add_{row}"), ["c"], [entry * value], passed, (), namer)
    of_row = sum_function(row, [*fixed, "n", "j", *numbers], join, (), namer)
    filled = assign(target, call(row, *fixed, "k", "j", *numbers))
    whole = Function(
        "reduction", statement.function, names, "", (comment, For("j", ("n",), (filled,)))
    )
    return join.definition, of_row, whole
