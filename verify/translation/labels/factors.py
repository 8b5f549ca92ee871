"""The factors of a weight, as the text computes them.

::

    def count_factor(count, params):
        return params.alpha + count

    def label_weight(own, params):
        return log(own)

    def row_weights(row, which, weights, label, width, params):
        row_sum_0 = 0.0
        for w in range(np.uint64(row.size)):
            row_sum_0 += row[w]
        for i in range(np.uint64(which.size)):
            weights[np.uint64(i) * width + label] = row[which[i]] / row_sum_0

A loop over ``range(np.uint64(row.size))`` goes through every column once, and adds what it says of
one generic column: a sum over columns. The last loop goes through the columns that occur in the
data, and writes one number for each, in the row of that column and the place of the label.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from sympy import Expr, Integer

from recipe.language.blocks import Vector
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import sum_over
from verify.translation.labels.numbers import number
from verify.translation.labels.subject import LabelText
from verify.translation.parse.module import plain_body
from verify.translation.parse.problems import unread, wrong
from verify.translation.reference.equality import witness_against


@dataclass(frozen=True)
class RowFactor:
    """What the text computes of a row for one column.

    Attributes:
        e: the number, in sums over the columns of the row and in ``here``.
        here: the coordinate of the row in that column: at an index that no sum has.
    """

    e: Expr
    here: Vector

    def at(self, coordinate: Expr) -> Expr:
        """Return the number for a column with this coordinate of the row."""
        return self.e.xreplace({self.here: coordinate})


def count_factor(text: LabelText) -> Expr:
    """Return the factor of a count, in ``labels.others``."""
    function = text.function("count_factor", ("count", "params"))
    match plain_body(function):
        case [ast.Return(value=ast.expr() as value)]:
            return number(value, {"count": text.model.labels.others}, text)
    raise unread(function, "count_factor is not one expression of the count")


def label_weight(text: LabelText) -> Expr:
    """Return the logarithm of the factor of the label's own number; 0 where there is none."""
    if text.own is None:
        return Integer(0)
    function = text.function("label_weight", ("own", "params"))
    match plain_body(function):
        case [ast.Return(value=ast.expr() as value)]:
            return number(value, {"own": text.own}, text)
    raise unread(function, "label_weight is not one expression of the number of a label")


def row_factor(text: LabelText) -> RowFactor:
    """Return the number of a row and a column that ``row_weights`` writes."""
    arguments = ("row", "which", "weights", "label", "width", "params")
    function = text.function("row_weights", arguments)
    *sums, last = plain_body(function)
    names = _sums(sums, text, set(arguments))
    here = text.model.labels.like.at(OTHER)
    match last:
        case ast.For(
            target=ast.Name(id=i),
            iter=bound,
            body=[ast.Assign(targets=[ast.Subscript() as cell], value=value)],
            orelse=[],
        ) if ast.unparse(bound) == "range(np.uint64(which.size))" and i not in {*names, *arguments}:
            if ast.unparse(cell) != f"weights[np.uint64({i}) * width + label]":
                raise unread(cell, f"{ast.unparse(cell)} is not the place of a column and a label")
            return RowFactor(number(value, {**names, f"row[which[{i}]]": here}, text), here)
    raise unread(last, "row_weights does not write one number for each column")


def check_row_norm(text: LabelText, of_column: Expr) -> None:
    """Require that ``row_norm`` returns the sum over all columns of a number of each."""
    function = text.function("row_norm", ("row", "params"))
    *body, last = plain_body(function)
    names = _sums(body, text, {"row", "params"})
    match last:
        case ast.Return(value=ast.expr() as value):
            found = number(value, names, text)
        case _:
            raise unread(last, "row_norm does not end with a number")
    like = text.model.labels.like
    whole = sum_over(of_column, GENERIC, like.length)
    if text.equality.equal(found, whole):
        return
    witness = witness_against(found, whole)
    if witness is not None:
        raise wrong(last, f"row_norm returns {found}, and must return {whole}", witness)
    raise unread(last, f"{found} is not proved to be {whole}")


def _sums(statements: list[ast.stmt], text: LabelText, taken: set[str]) -> dict[str, Expr]:
    """Read sums over columns: ``x = 0.0`` and the loop behind it, one after another."""
    like = text.model.labels.like
    names: dict[str, Expr] = {}
    for begin, loop in zip(statements[::2], [*statements[1::2], None], strict=False):
        match begin, loop:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=float(zero))),
                ast.For(
                    target=ast.Name(id=w),
                    iter=bound,
                    body=[ast.AugAssign(target=ast.Name(id=same), op=ast.Add(), value=body)],
                    orelse=[],
                ),
            ) if (
                zero == 0
                and same == name
                and ast.unparse(bound) == "range(np.uint64(row.size))"
                and not {name, w} & ({*names} | taken)
                and name != w
            ):
                one = number(body, {**names, f"row[{w}]": like}, text)
                names[name] = sum_over(one, GENERIC, like.length)
            case _:
                raise unread(begin, "a sum over the columns of a row must stand here")
    return names
