"""The meaning of expressions: what a name, an operator, a field or a call stands for."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from sympy import Expr, Rational

from recipe.language.abstract import Dense
from recipe.language.symbols import Indexed
from verify.translation.parse.arithmetic import CONSTANTS, DEVICE_FUNCTIONS, MATH, require_real
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.domain_checks import read_check
from verify.translation.reference.defined import FUNCTIONS
from verify.translation.state.indexing import read_cell
from verify.translation.state.store import Frame
from verify.translation.state.values import (
    Array,
    ChunkFirst,
    CounterAhead,
    DataColumn,
    Decision,
    Drawn,
    Flag,
    Half,
    Matrix,
    Offset,
    Pairs,
    PairsInVectors,
    Place,
    Record,
    Rows,
    Size,
    Token,
    WholeNumber,
)

if TYPE_CHECKING:
    from verify.translation.reading.reader import Reader


@singledispatch
def value_of(node: ast.expr, reader: Reader, frame: Frame) -> Any:
    """Return the value of an expression, which is a number or one of ``state.values``.

    Raises:
        TranslationError: where the expression is not read.
    """
    raise unread(node, f"{ast.unparse(node)} is not read")


# The classes are named here, as singledispatch cannot evaluate the annotation of the reader.
@value_of.register(ast.Constant)
def _(node: ast.Constant, reader: Reader, frame: Frame) -> Any:
    if isinstance(node.value, bool):
        if node.value:
            return Flag()
    elif isinstance(node.value, float) and math.isfinite(node.value):
        return Rational(node.value)
    elif isinstance(node.value, int):
        return node.value
    raise unread(node, f"{node.value!r} is not read")


@value_of.register(ast.Name)
def _(node: ast.Name, reader: Reader, frame: Frame) -> Any:
    if node.id not in frame.names:
        raise unread(node, f"the value of {node.id} is not known here")
    return frame.names[node.id]


@value_of.register(ast.Tuple)
def _(node: ast.Tuple, reader: Reader, frame: Frame) -> Any:
    return tuple(reader.value(e, frame) for e in node.elts)


@value_of.register(ast.UnaryOp)
def _(node: ast.UnaryOp, reader: Reader, frame: Frame) -> Any:
    x = reader.value(node.operand, frame)
    if (
        isinstance(node.op, ast.USub)
        and isinstance(x, Expr | int)
        and not isinstance(x, WholeNumber)
    ):
        return -x
    raise unread(node, f"{ast.unparse(node)} is not read")


@value_of.register(ast.BinOp)
def _(node: ast.BinOp, reader: Reader, frame: Frame) -> Any:
    # A sum of n terms is n operations nested to the left: they are carried out in a loop, as
    # Python's stack has no room for hundreds of calls in each other.
    nested = [node]
    while isinstance(nested[-1].left, ast.BinOp):
        nested.append(nested[-1].left)
    found = reader.value(nested[-1].left, frame)
    for operation in reversed(nested):
        found = _combined(found, operation, reader.value(operation.right, frame), reader)
    return found


def _combined(a: Any, node: ast.BinOp, b: Any, reader: Reader) -> Any:
    """Return the value of an operation, from those of its two sides."""
    match a, node.op, b:
        case (Expr() | int(), _, Expr() | int()) if not (
            (isinstance(a, int) and isinstance(b, int))
            or isinstance(a, WholeNumber)
            or isinstance(b, WholeNumber)
        ):
            found = reader.apply_operator(node.op, a, b, node)
            if found is not None:
                return found
        case Flag(of=one), ast.BitAnd(), Flag(of=other):
            return Flag(one | other)
        case Size(length=length), ast.RShift(), 1:
            return Pairs(length)
        case Size(length=length), ast.Sub(), Pairs(length=same) if same == length:
            return Half(length)
        case Place(length=length, part="first" | "middle"), ast.Sub(), PairsInVectors(
            length=same
        ) if same == length:
            return CounterAhead(a)
        case Half(length=length), ast.Add(), Place(length=same, label=label, part="first") if (
            same == length
        ):
            return Place(length, label, "second")
        case ChunkFirst(of=chunk), ast.Add(), Offset(of=same, part="all") if (
            same == chunk and chunk.label is not None
        ):
            return Place(chunk.length, chunk.label)
        case Offset(shift=0, step=step), ast.Add(), int(shift) if 0 <= shift < step:
            return replace(a, shift=shift)
    if isinstance(a, Drawn) or isinstance(b, Drawn):
        raise wrong(node, "the random number of another coordinate is used here")
    raise unread(node, f"{ast.unparse(node)} is not read")


@value_of.register(ast.Compare)
def _(node: ast.Compare, reader: Reader, frame: Frame) -> Any:
    return read_check(reader, node, frame)


@value_of.register(ast.BoolOp)
def _(node: ast.BoolOp, reader: Reader, frame: Frame) -> Any:
    match node:
        case ast.BoolOp(
            op=ast.And(),
            values=[first, ast.Compare(left=drawn, ops=[ast.Lt()], comparators=[ratio])],
        ) if ast.unparse(first) == "invalid_block(state) < 0":
            key, clock = reader.value(drawn, frame)
            return Decision(reader.number(ratio, frame), key, clock, dict(reader.memory.contents))
    raise unread(node, f"{ast.unparse(node)} is not read")


@value_of.register(ast.Attribute)
def _(node: ast.Attribute, reader: Reader, frame: Frame) -> Any:
    text = ast.unparse(node)
    if text in CONSTANTS:
        return CONSTANTS[text]
    of = reader.value(node.value, frame)
    match of:
        case Record(name="params") if node.attr in reader.fields.parameters:
            return _parameter(reader.fields.parameters[node.attr])
        case Record(name="params") if node.attr in reader.fields.factors:
            return Matrix(reader.fields.factors[node.attr])
        case Record(name="data") if node.attr in reader.fields.columns:
            return DataColumn(reader.fields.columns[node.attr], node.attr)
        case Record(name="state" | "out") if node.attr in reader.fields.estimator_arrays:
            raise unread(node, f"{text} is named, but only an estimator may use it")
        case Record(name="state" | "out" as owner) if node.attr in reader.module.arrays:
            return Array(owner, node.attr, reader.module.arrays[node.attr])
        case Record(
            name="state",
        ) if node.attr in reader.module.integers:
            return Rows() if node.attr == "rows" else Token(node.attr)
        case Record(name=owner) if (found := frame.names.get(f"{owner}.{node.attr}")) is not None:
            return found
        case Array(length=length) if node.attr == "size" and length is not None:
            return Size(length)
    raise unread(node, f"{text} is not read")


def _parameter(s: Any) -> Any:
    if isinstance(s, Dense):
        return Matrix(s)
    return Array("params", s.base, s.length) if isinstance(s, Indexed) else s


@value_of.register(ast.Subscript)
def _(node: ast.Subscript, reader: Reader, frame: Frame) -> Any:
    return read_cell(reader.value(node.value, frame), reader, node, frame)


@value_of.register(ast.Call)
def _(node: ast.Call, reader: Reader, frame: Frame) -> Any:
    name = ast.unparse(node.func)
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise unread(node, f"{ast.unparse(node)} is not read")
    if name in reader.calls:
        return reader.calls[name](reader, node, frame)
    if name in MATH or name in DEVICE_FUNCTIONS:
        if name in DEVICE_FUNCTIONS and name not in reader.module.trusted:
            raise unread(node, f"{name} is not a function of this release")
        given = [reader.number(a, frame) for a in node.args]
        if name in FUNCTIONS and not reader.around.finding_writes:
            reader.judge.defined.ask([FUNCTIONS[name](*given)], node.lineno)
        return require_real((MATH.get(name) or DEVICE_FUNCTIONS[name])(*given))
    if name == "float":
        (x,) = (reader.value(a, frame) for a in node.args)
        return x.length if isinstance(x, Size) else reader.number(node.args[0], frame)
    if name == "np.uint64":
        (x,) = (reader.value(a, frame) for a in node.args)
        if isinstance(x, int) and 0 <= x < 2**64:
            return WholeNumber(x)
        if not isinstance(x, Size):
            raise unread(
                node,
                f"{ast.unparse(node)} is neither a number of coordinates nor a whole number",
            )
        return x
    if name in reader.module.functions:
        return reader.inlined(
            reader.module.functions[name], [reader.value(a, frame) for a in node.args], node
        )
    raise unread(node, f"{name} is not read")
