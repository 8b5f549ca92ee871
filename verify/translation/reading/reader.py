"""The reader of functions: it gives each name its value, and each statement its effect on arrays.

It reads the statements that this file and ``verify.translation.loops`` describe. For any other
statement it raises an error with the line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer

from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import labels, relabel
from verify.translation.parse.arithmetic import (
    apply_operator,
)
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, without_docstring
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.domain_checks import require_checks
from verify.translation.reading.expressions import value_of
from verify.translation.reading.short_vectors import find_few_branch, read_both_branches
from verify.translation.reference.defined import needed_by
from verify.translation.reference.matcher import Judge
from verify.translation.state.fields import fields_of
from verify.translation.state.indexing import grow_at_label, store_local
from verify.translation.state.noise_arguments import GivenDraw
from verify.translation.state.random_numbers import RandomNumbers
from verify.translation.state.store import Frame, Memory, Sums, forget_overwritten
from verify.translation.state.surroundings import Surroundings
from verify.translation.state.values import (
    Array,
    Drawn,
    Flag,
    LabelledCoordinate,
    Local,
    Place,
    WholeNumber,
)

Form = Callable[["Reader", list[ast.stmt], "Frame"], int]
Call = Callable[["Reader", ast.Call, "Frame"], Any]


class Reader:
    """Reads functions of a module: it keeps the meaning of everything that it has read so far.

    Attributes:
        memory: the contents of arrays.
        around: the loops, calls and branches around the statements that are read.
        random: the random numbers that have been drawn.
        sums: the summands of sums that a row or a chunk adds to.
        fields: what the fields of ``Params``, ``Data`` and ``State`` stand for.
        rule: the execution of the rule that the text is compared with.

    Args:
        module: the parsed module.
        legend: the names of its fields.
        judge: the matcher.
        forms: functions that read patterns of several statements; each returns the number of
            statements that it has read, 0 if the pattern does not fit.
        calls: functions that read the calls of a driver, by the name that is called.
    """

    def __init__(
        self,
        module: ParsedModule,
        legend: Legend,
        judge: Judge,
        forms: tuple[Form, ...],
        calls: dict[str, Call],
    ) -> None:
        self.module, self.legend, self.judge = module, legend, judge
        self.forms, self.calls = forms, calls
        self.memory, self.around = Memory(), Surroundings()
        self.random, self.sums = RandomNumbers(), Sums()
        self.fields = fields_of(module, legend)
        # The execution of the rule that the text is compared with, in ``run`` and in ``step``.
        self.rule: Any = None
        for s in self.fields.parameters.values():
            if isinstance(s, Indexed):
                self.memory.contents[Array("params", s.base, s.length)] = s

    @property
    def clock(self) -> Any:
        """The present counter of random numbers, which the rule and the text share."""
        return self.judge.clock

    @clock.setter
    def clock(self, clock: Any) -> None:
        self.judge.clock = clock

    # -- statements
    # ----------------------------------------------------------------------------------------------

    def read(self, statements: list[ast.stmt], frame: Frame) -> None:
        """Execute statements, pattern by pattern where one fits."""
        statements = [s for s in statements if not _is_docstring(s)]
        at = 0
        while at < len(statements):
            before = dict(frame.names)
            taken = next((n for form in self.forms if (n := form(self, statements[at:], frame))), 0)
            forget_overwritten(statements[at : at + taken], before, frame)
            at += taken or self.execute_statement(statements[at], frame)

    def execute_statement(self, statement: ast.stmt, frame: Frame) -> int:
        """Execute one statement, and return 1, the number of statements that are read.

        Raises:
            TranslationError: where the statement cannot be read.
        """
        match statement:
            case ast.Assign(targets=targets, value=value):
                self.assign(targets, value, frame, statement)
            case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
                self._augment(name, operator, self.value(value, frame), frame, statement)
            case ast.AugAssign(target=ast.Subscript() as place, op=ast.Add(), value=value) if (
                isinstance(at := self.value(place.slice, frame), LabelledCoordinate)
            ):
                grow_at_label(self, place, at, self.value(value, frame), frame)
            case ast.AugAssign(target=ast.Subscript() as place, op=operator, value=value):
                changed = self.apply_operator(
                    operator, self.value(place, frame), self.value(value, frame), statement
                )
                if changed is None:
                    raise unread(statement, f"{ast.unparse(statement)} is not read")
                self.store(place, changed, frame, statement.lineno)
            case ast.Expr(value=ast.Call(func=ast.Name(id="wide"), args=[], keywords=[])) if (
                "wide" in self.module.trusted
            ):
                pass  # the width of vectors changes no number
            case ast.Expr(value=ast.Call() as call):
                self.value(call, frame)
            case _:
                raise unread(
                    statement,
                    f"this statement is not read: {ast.unparse(statement).splitlines()[0]}",
                )
        return 1

    def assign(
        self, targets: list[ast.expr], value: ast.expr, frame: Frame, statement: ast.stmt
    ) -> None:
        """Assign a value to names, or to cells of arrays."""
        given = self.value(value, frame)
        for target in targets:
            match target:
                case ast.Tuple(elts=elements) if isinstance(given, tuple) and len(given) == len(
                    elements
                ):
                    for element, part in zip(elements, given, strict=True):
                        self._assign_one(element, part, frame, statement.lineno)
                case _:
                    line = (
                        frame.lines.get(value.id, statement.lineno)
                        if isinstance(value, ast.Name)
                        else statement.lineno
                    )
                    self._assign_one(
                        target,
                        given,
                        frame,
                        line if isinstance(target, ast.Subscript) else statement.lineno,
                    )

    def _assign_one(self, target: ast.expr, given: Any, frame: Frame, line: int) -> None:
        match target:
            case ast.Name(id=name):
                frame.names[name] = self.as_atom(given)
                frame.lines[name] = line
            case ast.Subscript():
                self.store(target, given, frame, line)
            case _:
                raise unread(target, f"an assignment to {ast.unparse(target)} is not read")

    def as_atom(self, value: Any) -> Any:
        """Return a number as the atom that it is proved to equal; other values unchanged."""
        if not isinstance(value, Expr):
            return value
        value = self.judge.equality.shared(value)
        free = {k for k in labels(value) if k != GENERIC}
        if len(free) > 1 or (free and GENERIC in labels(value)):
            return value
        for label in free:
            return relabel(self.judge.named(relabel(value, label, GENERIC)), GENERIC, label)
        return self.judge.named(value)

    def _augment(
        self, name: str, operator: ast.operator, value: Any, frame: Frame, statement: ast.stmt
    ) -> None:
        before = frame.names.get(name)
        match before, operator, value:
            case Flag(of=known), ast.BitAnd(), Flag(of=more):
                frame.names[name] = Flag(known | more)
            case Expr(), _, Expr() if (
                changed := self.apply_operator(operator, before, value, statement)
            ) is not None:
                frame.names[name] = changed
            case _:
                raise unread(statement, f"{ast.unparse(statement)} is not read")

    def store(self, target: ast.Subscript, value: Any, frame: Frame, line: int) -> None:
        """Write a number into a cell of an array, or one number into all cells."""
        array = self.value(target.value, frame)
        if isinstance(array, Local):
            store_local(self, array, target, value, frame)
            return
        if isinstance(value, GivenDraw) and isinstance(array, Array):
            value = self._given(array, value, target)
        if not isinstance(array, Array) or not isinstance(value, Expr):
            raise unread(target, f"an assignment to {ast.unparse(target)} is not read")
        if isinstance(target.slice, ast.Slice):
            if ast.unparse(target.slice) != ":" or labels(value):
                raise unread(target, f"an assignment to {ast.unparse(target)} is not read")
            self.put(array, None, value, line)
            return
        self.put(array, self.place(target.slice, array, frame), value, line)

    def _given(self, array: Array, given: GivenDraw, at: ast.AST) -> Expr:
        """Return a chi-squared draw that ``step`` gets as an argument.

        The parameters of its law are in the arrays that ``run`` passes to the same draw.
        """
        if array.field not in self.random.law_fields:
            raise wrong(at, f"run draws nothing into {array.field}")
        if given.place.length != array.length:
            raise wrong(at, "the draw of another coordinate is stored")
        fields = (
            Array(array.owner, field, array.length) for field in self.random.law_fields[array.field]
        )
        whole = None if array.length is None else Place(array.length, GENERIC)
        df, nonc = (self.fetch(field, whole, at) for field in fields)
        draw = self.judge.square(df, nonc, array.length, key=("noise", given.number))
        return draw.at(given.place.label) if isinstance(draw, Indexed) else draw

    def put(self, array: Array, place: Place | None, value: Expr, line: int) -> None:
        """Write a number into an array, at the generic coordinate, which stands for every one.

        Args:
            array: the array.
            place: the coordinate; None for an array of one number, and to write one number into
                all cells.
            value: the number.
            line: the line of the statement.
        """
        label = None if place is None else place.label
        if array.owner == "state" and self.around.writes_only_out:
            raise wrong(line, f"step writes into state.{array.field}, and may write only into out")
        if array.owner == "params" or array.field in self.fields.variances:
            raise wrong(
                line, f"{array.owner}.{array.field} is written to, but must not change in a step"
            )
        self.memory.contents[array] = value if label is None else relabel(value, label, GENERIC)
        self.memory.written[array] = line
        drawn = generic(value)
        if drawn in self.random.parameters_of_draw:
            self.random.law_fields[array.field] = self.random.parameters_of_draw[drawn]
        self.memory.writes.append((array, label))
        if (
            not self.around.restoring
            and not self.around.finding_writes
            and not self.memory.contents[array].is_Atom
        ):
            self.memory.unnamed_stores.append((array, self.memory.contents[array], line))
        if (
            not self.around.restoring
            and array.field in self.legend.fields.values()
            and array.owner == "state"
        ):
            require_checks(self, array, line)

    def fetch(self, array: Array, place: Place | None, at: ast.AST) -> Expr:
        """Return the content of an array at a coordinate."""
        if array not in self.memory.contents:
            raise unread(at, f"the value of {array.owner}.{array.field} is not known here")
        label = None if place is None else place.label
        self.memory.reads.append((array, label))
        content = self.memory.contents[array]
        return content if label is None else relabel(content, GENERIC, label)

    def place(self, index: ast.expr, array: Array, frame: Frame) -> Place | None:
        """Return the coordinate that an index stands for; None for an array of one number."""
        found = self.value(index, frame)
        if array.length is None:
            if (isinstance(found, int) and found == 0) or (
                isinstance(found, Place) and found.length is None
            ):
                return None
            raise unread(index, f"{array.field} is one number, but is read at {ast.unparse(index)}")
        if isinstance(found, Place) and found.length == array.length:
            return self.require_own_coordinate(found, index)
        raise wrong(
            index,
            f"{ast.unparse(index)} is not the coordinate of the loop for"
            f" {array.owner}.{array.field}",
        )

    def require_own_coordinate(self, place: Place, index: ast.expr) -> Place:
        """Return the coordinate of an index.

        Raises:
            TranslationError: where it is the other coordinate of the pair that is read.
        """
        if place.part not in ("all", "eight", self.around.pair_part):
            raise wrong(index, f"{ast.unparse(index)} is not the coordinate of the call")
        return place

    # -- expressions
    # ----------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression."""
        try:
            return value_of(node, self, frame)
        except (ValueError, TypeError, ZeroDivisionError) as error:
            raise unread(node, f"{ast.unparse(node)}: {error}") from None

    def apply_operator(
        self, operator: ast.operator, a: Any, b: Any, at: ast.stmt | ast.expr
    ) -> Expr | None:
        """Return the result of an operator, and record the condition under which it has one."""
        found = apply_operator(operator, a, b)
        if found is not None and not self.around.finding_writes:
            self.judge.defined.ask(needed_by(operator, a, b), at.lineno)
        return found

    def number(self, node: ast.expr, frame: Frame) -> Expr:
        """Return the value of an expression that must be a number."""
        x = self.value(node, frame)
        if isinstance(x, int) and not isinstance(x, WholeNumber):
            return Integer(x)
        if isinstance(x, Expr):
            return x
        if isinstance(x, Drawn):
            raise unread(node, f"{ast.unparse(node)} is not the number of one coordinate")
        raise unread(node, f"{ast.unparse(node)} is not a number")

    def inlined(self, function: ast.FunctionDef, values: list[Any], at: ast.AST) -> Any:
        """Return the value that a function of the module returns for these arguments."""
        names = [a.arg for a in function.args.args]
        if len(names) != len(values):
            raise unread(at, f"{function.name} takes {len(names)} arguments")
        return self.returned(function, Frame(dict(zip(names, values, strict=True))))

    def returned(self, function: ast.FunctionDef, frame: Frame) -> Any:
        """Return the value that a function returns in this frame."""
        self.module.read.add(function.name)
        self.around.call_depth += 1
        try:
            return self.result(without_docstring(function.body), frame)
        finally:
            self.around.call_depth -= 1

    def result(self, statements: list[ast.stmt], frame: Frame) -> Any:
        """Return the value that statements return; None if they return nothing."""
        if (at := find_few_branch(statements)) is not None:
            return read_both_branches(self, statements, at, frame)
        *body, last = statements
        if not isinstance(last, ast.Return):
            self.read(statements, frame)
            return None
        self.read(body, frame)
        return None if last.value is None else self.value(last.value, frame)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
