"""The meaning of numbers in the factors of a weight: the count of a label, the coordinates of its
row, sums over them, and parameters.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from sympy import Expr, Rational

from verify.translation.labels.subject import LabelText
from verify.translation.parse.arithmetic import (
    CONSTANTS,
    DEVICE_FUNCTIONS,
    MATH,
    apply_operator,
    require_real,
)
from verify.translation.parse.problems import TranslationError, unread
from verify.translation.reference.defined import FUNCTIONS, needed_by

Names = Mapping[str, Expr]  # what names and cells, as they are written, stand for


def number(node: ast.expr, names: Names, text: LabelText) -> Expr:
    """Return the value of an expression in real arithmetic.

    Args:
        node: the expression.
        names: the meaning of names, and of cells such as ``row[w]``, by their text.
        text: the text, whose conditions on signs get those of this expression.

    Raises:
        TranslationError: where it is not read, or is no real number.
    """
    try:
        return _number(node, names, text)
    except (ValueError, ZeroDivisionError, TypeError) as error:
        raise unread(node, f"{ast.unparse(node)} is not read: {error}") from None


def _number(node: ast.expr, names: Names, text: LabelText) -> Expr:
    written = ast.unparse(node)
    if written in CONSTANTS:
        return CONSTANTS[written]
    match node:
        case ast.Constant(value=float() | int() as x) if _is_number(x):
            return Rational(x)
        case ast.Name() | ast.Subscript() if written in names:
            return names[written]
        case ast.Attribute(value=ast.Name(id="params"), attr=field) if field in text.parameters:
            return text.parameters[field]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -number(operand, names, text)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = number(left, names, text), number(right, names, text)
            text.defined.ask(needed_by(operator, a, b), node.lineno)
            found = apply_operator(operator, a, b)
            if found is not None:
                return found
        case ast.Call(args=arguments, keywords=[]):
            return _called(node, [number(a, names, text) for a in arguments], text)
    raise _not_read(node)


def _called(node: ast.Call, given: list[Expr], text: LabelText) -> Expr:
    name = ast.unparse(node.func)
    if name in DEVICE_FUNCTIONS and name in text.trusted:
        function = DEVICE_FUNCTIONS[name]
    elif name in MATH and name not in text.functions:
        function = MATH[name]
    else:
        raise _not_read(node)
    if name in FUNCTIONS:
        text.defined.ask([FUNCTIONS[name](*given)], node.lineno)
    return require_real(function(*given))


def _is_number(x: object) -> bool:
    return not isinstance(x, bool) and math.isfinite(x)  # type: ignore[arg-type]


def _not_read(node: ast.expr) -> TranslationError:
    return unread(node, f"{ast.unparse(node)} is not read")
