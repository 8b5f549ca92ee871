"""One turn of a loop over the items of a datum: a first label, or a draw given all others."""

from __future__ import annotations

import ast
from collections.abc import Callable

from verify.translation.labels.counts import BEFORE, Counts, Label
from verify.translation.labels.roles import Roles
from verify.translation.labels.uniforms import UNIFORM, read_uniform
from verify.translation.parse.problems import TranslationError, unread, wrong
from verify.verdict import Witness

ITEM = "<item>"
FIRST_LABEL = f"min(np.uint64({UNIFORM} * labels), np.uint64(labels) - np.uint64(1))"
SUM_OF_WEIGHTS = f"running_weights(cumulative, factors, weights, words[{ITEM}], width)"
DRAW = f"drawn_label(cumulative, width, {UNIFORM})"


class Turn:
    """Reads the statements of a turn, and keeps the counts that they leave.

    Args:
        roles: the roles of names.
        first: whether the items have no labels yet.
        against: a count whose factor is another one for some shift of it; None if there is none.
    """

    def __init__(self, roles: Roles, first: bool, against: Callable[[int], Witness | None]) -> None:
        self.roles = roles
        self.first = first
        self.counts = Counts(None if first else BEFORE, against)
        self.drawn: set[Label] = set()
        self.uniforms = 0

    def read(self, body: list[ast.stmt]) -> None:
        """Read the body of the loop.

        Raises:
            TranslationError: where it is not read, or is no such turn.
        """
        statements = read_uniform(self.roles, ITEM, body)
        for statement in statements:
            self._statement(statement)
        last = body[-1]
        self.counts.settle(last)
        if self.counts.holds not in self.drawn:
            raise self._keeps_its_label(last)
        if not self.first:
            self.counts.require_factors(last)

    def _keeps_its_label(self, at: ast.AST) -> TranslationError:
        if self.first:
            return unread(at, "the item gets no label")
        point: dict[str, str | list[str]] = {"the chance that an item keeps its label": "1"}
        finding = "another label has a positive weight, so that this chance is below 1"
        why = "the item does not get the label that is drawn"
        return wrong(at, why, Witness(point, finding))

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name() as name], value=value):
                self._named(name, value)
            case ast.Assign(targets=[ast.Subscript() as cell], value=value):
                self._stored(cell, value)
            case ast.AugAssign(target=ast.Subscript() as cell, op=operator, value=value):
                self._counted(node, cell, operator, value)
            case ast.Expr(value=ast.Call() as call):
                self.roles.require(call, SUM_OF_WEIGHTS)
                self.counts.sum_weights(node)
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as datum)], orelse=[]):
                self._looked_at(test, datum)
            case _:
                raise unread(node, f"{ast.unparse(node).splitlines()[0]} is not read")

    def _named(self, name: ast.Name, value: ast.expr) -> None:
        said = self.roles.said(value)
        if said == f"drawn[{ITEM}]" and self.counts.holds is not None:
            self.roles.bind(name, role_of(self.counts.holds))
        elif said == DRAW and not self.first:
            self._use_uniform(value)
            label = self.counts.draw(value)
            self.drawn.add(label)
            self.roles.bind(name, role_of(label))
        elif said == FIRST_LABEL and self.first:
            self._use_uniform(value)
            label = self.counts.fresh(may_be_none=False)
            self.drawn.add(label)
            self.roles.bind(name, role_of(label))
        else:
            raise unread(value, f"{ast.unparse(value)} is not read")

    def _use_uniform(self, at: ast.AST) -> None:
        self.uniforms += 1
        if self.uniforms > 1:
            raise unread(at, "a uniform number is used a second time")

    def _stored(self, cell: ast.Subscript, value: ast.expr) -> None:
        array, place = self.roles.said(cell.value), self.roles.said(cell.slice)
        if array == "drawn" and place == ITEM:
            self.counts.give(self._label(self.roles.said(value), value), cell)
        elif array == "factors":
            label = self._label(place, cell)
            self.roles.require(value, f"count_factor(number[{place}], params)")
            self.counts.refresh(label, cell)
        else:
            raise unread(cell, f"{ast.unparse(cell)} gets a number here")

    def _counted(
        self, node: ast.stmt, cell: ast.Subscript, operator: ast.operator, value: ast.expr
    ) -> None:
        label = self._label(self.roles.said(cell.slice), cell)
        match operator, value:
            case ((ast.Add() | ast.Sub()), ast.Constant(value=float(step))) if step.is_integer():
                change = int(step) if isinstance(operator, ast.Add) else -int(step)
            case _:
                raise unread(node, f"{ast.unparse(node)} is not read")
        if self.roles.said(cell.value) != "number":
            raise unread(node, f"{ast.unparse(cell)} is counted here")
        self.counts.count(label, change, node)

    def _looked_at(self, test: ast.expr, datum: ast.expr) -> None:
        said = self.roles.said(test)
        label = self._label(said.removesuffix(" >= width"), test)
        if not said.endswith(" >= width") or self.roles.said(datum) != "<datum>":
            raise unread(test, "what is done where no label could be drawn is not read")
        self.counts.open.discard(label)

    def _label(self, role: str, at: ast.AST) -> Label:
        for label in range(self.counts.made + 1):
            if role == role_of(label):
                return label
        raise unread(at, "no label of this item stands here")


def role_of(label: Label) -> str:
    """Return the role of a name that stands for a label."""
    return f"<label {label}>"
