"""``draw_labels`` for a label an item: first labels, sweeps over them, and their counts.

For each datum the text makes a list of its items, gives each a uniform label, and goes through them
``sweeps`` times. It is read with what arrays hold: before and after each turn ``number`` has the
counts of the labels in ``drawn``, and ``factors`` those of ``number``, which is shown for one
generic turn (``turn.py``). Labels from ``labels`` to ``width`` have the factor 0 throughout, so
that none of them is ever drawn.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from verify.translation.labels.over_data import ENTRIES, loop_over_data
from verify.translation.labels.roles import Roles
from verify.translation.labels.subject import LabelText
from verify.translation.labels.turn import ITEM, Turn
from verify.translation.labels.uniforms import COUNTER, FIRST_COUNTER
from verify.translation.parse.problems import unread, wrong

FUNCTIONS = ("two_uniforms", "running_weights", "drawn_label", "count_factor")
UNKNOWN, ZERO, OF_LABELS = "unknown", "zero", "of the labels"


@dataclass
class Datum:
    """What is known while a datum is looked at.

    Attributes:
        counting: whether the counter has begun.
        items: whether its items are listed in ``words``.
        number, factors: what these arrays hold.
        labelled: whether each item has a label.
        swept: whether the sweeps are done.
    """

    counting: bool = False
    items: bool = False
    number: str = UNKNOWN
    factors: str = UNKNOWN
    labelled: bool = False
    swept: bool = False


class DrawReader:
    """Reads ``draw_labels``.

    Args:
        text: the text.
    """

    def __init__(self, text: LabelText) -> None:
        self.text = text
        self.roles = Roles((), ())
        self.datum = Datum()

    def read(self) -> None:
        """Read the function.

        Raises:
            TranslationError: where it is not read, or draws otherwise.
        """
        loop, self.roles = loop_over_data(self.text, FUNCTIONS)
        self.roles.loop(loop, "<datum>", "range(first, last)", self._datum)
        if not self.datum.swept:
            raise unread(loop, "no sweep draws the labels of a datum")

    def _datum(self, body: list[ast.stmt]) -> None:
        rest = body
        while rest:
            rest = rest[self._statement(rest) :]

    def _statement(self, rest: list[ast.stmt]) -> int:
        """Read the first one or two of some statements; returns how many."""
        match rest:
            case [ast.Assign(targets=targets, value=ast.Constant(value=float())), *_]:
                self.roles.set_aside(targets)
                return 1
            case [ast.Assign(targets=[ast.Name() as name], value=value), ast.For() as loop, *_] if (
                ast.unparse(value) == "np.uint64(0)"
            ):
                self._list_items(name, loop)
                return 2
            case [ast.Assign(targets=[ast.Name() as name], value=value) as node, *_]:
                self._begin_counting(name, value, node)
                return 1
            case [ast.For() as loop, *_]:
                self._loop(loop)
                return 1
        raise unread(rest[0], f"{ast.unparse(rest[0]).splitlines()[0]} is not read")

    def _begin_counting(self, name: ast.Name, value: ast.expr, node: ast.stmt) -> None:
        self.roles.require(value, FIRST_COUNTER)
        if self.datum.counting:
            raise unread(node, "the counter begins again, so that numbers may be used twice")
        self.roles.bind(name, COUNTER)
        self.datum.counting = True

    def _list_items(self, items: ast.Name, loop: ast.For) -> None:
        """Read the list of the items of a datum: each entry stands in it as often as it counts."""
        if self.datum.items:
            raise unread(loop, "items are listed a second time")

        def entries(body: list[ast.stmt]) -> None:
            match body:
                case [ast.For() as inner]:
                    self.roles.loop(inner, "<repetition>", "range(counts[<entry>])", repetitions)
                case _:
                    raise unread(loop, "the items of an entry are not listed")

        def repetitions(body: list[ast.stmt]) -> None:
            self.roles.bind(items, "<items>")
            match body:
                case [
                    ast.Assign(targets=[cell], value=value),
                    ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=one),
                ] if name == items.id and ast.unparse(one) == "np.uint64(1)":
                    self.roles.require(cell, "words[<items>]")
                    self.roles.require(value, "np.uint64(columns[<entry>]) * width")
                case _:
                    raise unread(loop, "the items of an entry are not listed")

        self.roles.loop(loop, "<entry>", ENTRIES, entries)
        self.roles.bind(items, "<items>")
        self.datum.items = True

    def _loop(self, loop: ast.For) -> None:
        over = self.roles.said(loop.iter)
        if over == "range(width)":
            self.roles.loop(loop, "<k>", over, self._zero)
        elif over == "range(np.uint64(labels))":
            self.roles.loop(loop, "<k>", over, self._all_factors)
        elif over == "range(<items>)":
            self._first_labels(loop)
        elif over == "range(sweeps)":
            self._sweeps(loop)
        else:
            raise unread(loop, f"a loop over {ast.unparse(loop.iter)} is not read here")

    def _zero(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Assign(
                    targets=[ast.Subscript() as cell], value=ast.Constant(value=float(x))
                ) if x == 0:
                    array = self.roles.said(cell)
                case _:
                    raise unread(node, f"{ast.unparse(node).splitlines()[0]} is not read")
            if array not in ("number[<k>]", "factors[<k>]") or self.datum.labelled:
                raise unread(node, f"{ast.unparse(cell)} gets the number 0 here")
            setattr(self.datum, array.removesuffix("[<k>]"), ZERO)

    def _all_factors(self, body: list[ast.stmt]) -> None:
        match body:
            case [ast.Assign(targets=[cell], value=value)]:
                self.roles.require(cell, "factors[<k>]")
                self.roles.require(value, "count_factor(number[<k>], params)")
            case _:
                raise unread(body[0], "the factors of all labels are not computed")
        if not self.datum.labelled or self.datum.factors == UNKNOWN:
            raise unread(
                body[0], "factors are computed before labels are there, or are not 0 beyond them"
            )
        self.datum.factors = OF_LABELS

    def _first_labels(self, loop: ast.For) -> None:
        d = self.datum
        if not (d.counting and d.items) or d.labelled:
            raise unread(loop, "labels are drawn outside of the sweeps")
        if d.number != ZERO:
            self._refuse_old_counts(loop)
        turn = Turn(self.roles, True, self.text.against_shift)
        self.roles.loop(loop, ITEM, "range(<items>)", turn.read)
        d.labelled, d.number = True, OF_LABELS

    def _refuse_old_counts(self, at: ast.AST) -> None:
        why = "number holds the counts of the datum before it, and not 0, as its labels are counted"
        witness = self.text.against_shift(1)
        raise unread(at, why) if witness is None else wrong(at, why, witness)

    def _sweeps(self, loop: ast.For) -> None:
        d = self.datum
        if d.swept:
            raise unread(loop, "there are sweeps a second time")
        if not d.labelled or d.factors != OF_LABELS:
            raise unread(loop, "sweeps begin before there are labels and their factors")
        self.roles.loop(loop, "<sweep>", "range(sweeps)", self._sweep)
        d.swept = True

    def _sweep(self, body: list[ast.stmt]) -> None:
        match body:
            case [ast.For() as items, ast.If(test=test, body=kept, orelse=[])]:
                turn = Turn(self.roles, False, self.text.against_shift)
                self.roles.loop(items, ITEM, "range(<items>)", turn.read)
                self.roles.require(test, "<sweep> >= burn_in")
                self._kept(kept)
            case _:
                raise unread(body[0], "a sweep is no loop over items, with its counts behind it")

    def _kept(self, body: list[ast.stmt]) -> None:
        match body:
            case [ast.For() as items, ast.If(test=test, body=[ast.For() as all_labels], orelse=[])]:
                self.roles.loop(items, ITEM, "range(<items>)", self._count_items)
                self.roles.require(test, "shares.size > 0")
                self.roles.loop(all_labels, "<k>", "range(width)", self._add_shares)
            case _:
                raise unread(body[0], "the labels of a sweep are not counted, or not their factors")

    def _count_items(self, body: list[ast.stmt]) -> None:
        self.roles.require_added(body, f"table[words[{ITEM}] + drawn[{ITEM}]]", "1")

    def _add_shares(self, body: list[ast.stmt]) -> None:
        self.roles.require_added(body, "shares[np.uint64(<datum>) * width + <k>]", "factors[<k>]")
