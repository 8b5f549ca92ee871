"""``draw_labels`` for a label a datum: its log weights, and independent draws with them.

::

    for k in range(width):
        number[k] = 0.0
        factors[k] = 0.0
    for k in range(np.uint64(labels)):
        number[k] += label_weight(own[k], params)
    for entry in range(starts[s], starts[s + 1]):
        for k in range(np.uint64(labels)):
            number[k] += float(counts[entry]) * weights[np.uint64(columns[entry]) * width + k]
    most = number[0]
    for k in range(np.uint64(labels)):
        most = max(most, number[k])
    for k in range(np.uint64(labels)):
        factors[k] = exp(number[k] - most)
    running_sums(cumulative, factors, width)

An entry of a datum is a column and how many of its items stand there, so that ``number`` is the sum
over all items of what ``row_weights`` says of their column, and of what ``label_weight`` says of
the label's own number: the log weight of each label. Where labels have no number of their own, the
loop that adds it is not there. ``most``
is the same for all labels, whatever it is, so that the factors have the ratios of the weights;
labels from ``labels`` to ``width`` have the factor 0. Then each turn of a loop over ``sweeps``
draws a label with a uniform number of its own, and counts every item of the datum for it.
"""

from __future__ import annotations

import ast

from verify.translation.labels.over_data import ENTRIES, loop_over_data
from verify.translation.labels.roles import Roles
from verify.translation.labels.subject import LabelText
from verify.translation.labels.uniforms import COUNTER, FIRST_COUNTER, UNIFORM, read_uniform
from verify.translation.parse.problems import unread

FUNCTIONS = ("two_uniforms", "running_sums", "drawn_label", "exp")
OF_LABEL = "label_weight(own[<k>], params)"
LABELS, PLACE = "range(np.uint64(labels))", "np.uint64(columns[<entry>]) * width"
DRAW = f"drawn_label(cumulative, width, {UNIFORM})"


def check_draws_of_data(text: LabelText) -> None:
    """Read ``draw_labels``.

    Raises:
        TranslationError: where it is not read.
    """
    has_own = text.own is not None
    functions = (*FUNCTIONS, "label_weight") if has_own else FUNCTIONS
    loop, roles = loop_over_data(text, functions)
    roles.loop(loop, "<datum>", "range(first, last)", DatumReader(roles, has_own).read)


class DatumReader:
    """Reads what is done for one datum.

    Args:
        roles: the roles of names.
        has_own: whether each label has a number of its own.
    """

    def __init__(self, roles: Roles, has_own: bool) -> None:
        self.roles = roles
        self.has_own = has_own

    def read(self, body: list[ast.stmt]) -> None:
        """Read the turn of a datum.

        Raises:
            TranslationError: where it says something else.
        """
        of_labels, rest = (body[2:3], [*body[:2], *body[3:]]) if self.has_own else ([], body)
        match rest:
            case [
                ast.Assign(targets=[ast.Name() as counter], value=first),
                ast.For() as zero,
                ast.For() as entries,
                ast.Assign(targets=[ast.Name() as most], value=one),
                ast.For() as largest,
                ast.For() as factors,
                ast.Expr(value=sums),
                *begins,
                ast.For() as draws,
            ]:
                pass
            case _:
                raise unread(body[0], "a datum has no log weights, factors and draws one by one")
        self._begin_counting(counter, first)
        self._stores(zero, "range(width)", {"number[<k>]": "0.0", "factors[<k>]": "0.0"})
        for node in of_labels:
            self._add_own(node)
        self._for(entries, "<entry>", ENTRIES, self._add_entry)
        self._read_most(most, one, largest)
        self._stores(factors, LABELS, {"factors[<k>]": "exp(number[<k>] - <most>)"})
        self.roles.require(sums, "running_sums(cumulative, factors, width)")
        for node in begins:
            self._begin_numbers(node)
        self._for(draws, "<draw>", "range(np.uint64(sweeps))", self._draw)

    def _for(self, loop: ast.For, role: str, over: str, read: object) -> None:
        self.roles.loop(loop, role, over, read)  # type: ignore[arg-type]

    def _begin_counting(self, name: ast.Name, value: ast.expr) -> None:
        self.roles.require(value, FIRST_COUNTER)
        self.roles.bind(name, COUNTER)

    def _stores(self, loop: ast.For, over: str, expected: dict[str, str]) -> None:
        """Read a loop over labels that stores these numbers into these cells, and no others."""

        def read(body: list[ast.stmt]) -> None:
            found = {}
            for node in body:
                match node:
                    case ast.Assign(targets=[ast.Subscript() as cell], value=value):
                        found[self.roles.said(cell)] = self.roles.said(value)
                    case _:
                        raise unread(node, f"{ast.unparse(node).splitlines()[0]} is not read")
            if found != expected or len(body) != len(expected):
                listed = ", ".join(f"{cell} = {value}" for cell, value in expected.items())
                raise unread(loop, f"the loop must store {listed}")

        self._for(loop, "<k>", over, read)

    def _add_own(self, node: ast.stmt) -> None:
        """Read the loop that adds what each label has of its own."""
        if not isinstance(node, ast.For):
            raise unread(node, "the numbers of labels are not added to their log weights")
        add = self.roles.require_added
        self._for(node, "<k>", LABELS, lambda b: add(b, "number[<k>]", OF_LABEL))

    def _add_entry(self, body: list[ast.stmt]) -> None:
        match body:
            case [ast.For() as loop]:
                weight = f"float(counts[<entry>]) * weights[{PLACE} + <k>]"
                self._for(
                    loop,
                    "<k>",
                    LABELS,
                    lambda b: self.roles.require_added(b, "number[<k>]", weight),
                )
            case _:
                raise unread(body[0], "the items of an entry are not added to the log weights")

    def _read_most(self, name: ast.Name, first: ast.expr, loop: ast.For) -> None:
        """Read the largest log weight: a number that no label has for itself."""
        self.roles.require(first, "number[0]")

        def read(body: list[ast.stmt]) -> None:
            self.roles.bind(name, "<most>")
            match body:
                case [ast.Assign(targets=[ast.Name(id=same)], value=value)] if same == name.id:
                    self.roles.require(value, "max(<most>, number[<k>])")
                case _:
                    raise unread(loop, "the largest log weight is not looked for")

        self._for(loop, "<k>", LABELS, read)
        self.roles.bind(name, "<most>")

    def _begin_numbers(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=ast.Constant(value=float())):
                self.roles.set_aside(targets)
            case _:
                raise unread(node, f"{ast.unparse(node).splitlines()[0]} is not read")

    def _draw(self, body: list[ast.stmt]) -> None:
        """Read one draw, and what it adds."""
        match read_uniform(self.roles, "<draw>", body):
            case [
                ast.Assign(targets=[ast.Name() as label], value=drawn),
                ast.If(test=test, body=[ast.Return(value=ast.expr() as datum)], orelse=[]),
                ast.For() as entries,
                ast.If(test=room, body=shared, orelse=[]),
            ]:
                pass
            case _:
                raise unread(body[-1], "a draw is no label that is looked at and counted")
        self.roles.require(drawn, DRAW)
        self.roles.bind(label, "<label>")
        self.roles.require(test, "<label> >= width")
        self.roles.require(datum, "<datum>")
        cell = f"table[{PLACE} + <label>]"
        self._for(
            entries,
            "<entry>",
            ENTRIES,
            lambda b: self.roles.require_added(b, cell, "counts[<entry>]"),
        )
        self.roles.require(room, "shares.size > 0")
        self.roles.require_added(shared, "shares[np.uint64(<datum>) * width + <label>]", "1.0")
