"""The reader of functions: it gives each name its value, and each statement its effect on arrays.

It reads the statements that this file and ``verify.translation.loops`` describe. For any other
statement it raises an error with the line.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from functools import singledispatchmethod
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from recipe.language.abstract import Dense
from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import labels, relabel
from verify.translation.parse.arithmetic import (
    CONSTANTS,
    DEVICE_FUNCTIONS,
    MATH,
    apply_operator,
    require_real,
)
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, without_docstring
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.domain_checks import read_check, require_checks
from verify.translation.reading.short_vectors import find_few_branch, read_both_branches
from verify.translation.reference.defined import FUNCTIONS, needed_by
from verify.translation.reference.matcher import Judge
from verify.translation.reference.rule import factor_of
from verify.translation.state.indexing import read_cell, store_local
from verify.translation.state.noise_arguments import GivenDraw
from verify.translation.state.store import Frame, Memory, forget_overwritten
from verify.translation.state.values import (
    Array,
    Chunk,
    ChunkFirst,
    CounterAhead,
    DataColumn,
    Decision,
    Drawn,
    Flag,
    Half,
    Local,
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

Form = Callable[["Reader", list[ast.stmt], "Frame"], int]
Call = Callable[["Reader", ast.Call, "Frame"], Any]


class Reader:
    """Reads functions of a module.

    Every other attribute is explained where ``__init__`` sets it.

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
        self.memory = Memory()
        # For each purpose of random numbers the draw that uses it, with its clock.
        self.keys: dict[int, Any] = {}
        # For each field of ``Params`` and of ``Data`` its parameter, matrix, factor or datum.
        self.parameters = {field: s for s, field in legend.settings.items()}
        self.factors = {field: factor_of(M) for M, field in legend.factors.items()}  # type: ignore[arg-type]
        self.columns = {field: s for fields in legend.data.values() for s, field in fields.items()}
        # The execution of the rule that the text is compared with, in ``run`` and in ``step``.
        self.rule: Any = None
        # True while a saved state is restored: it was checked when it was new.
        self.restoring = False
        # Purpose, clock and size of the minibatch whose rows are in the state.
        self.minibatch_drawn: Any = None
        # The first counter of random numbers in the loop around, and the end of its range, as text.
        self.counter_range = ""
        # The arrays whose numbers are drawn ahead at present, with their key, clock and length.
        self.numbers_ahead: dict[str, Any] = {}
        # Every array whose numbers are drawn ahead in some loop, with its key and length.
        self.arrays_ahead: dict[str, Any] = {}
        # The number of calls around the statements that are read.
        self.call_depth = 0
        # The labels of the loops around the statements that are read.
        self.loop_labels: list[int] = []
        # True in a loop that takes eight coordinates at a time.
        self.in_loop_of_eights = False
        # In a loop over pairs, the part of the coordinates that is read (``Place.part``).
        self.pair_part = ""
        # The arrays that only estimators may use.
        self.estimator_arrays = set(module.private)
        # The fields with running variances.
        self.variances = {f for fields in legend.variances.values() for f in fields}
        # True while the body of a loop is read only to find the arrays that it writes.
        self.finding_writes = False
        # The summand of each sum over rows, and of each sum over the coordinates of a chunk.
        self.row_sums: dict[Symbol, Expr] = {}
        self.chunk_sums: dict[Symbol, Expr] = {}
        # True while statements are read that run only for eight coordinates and more.
        self.has_few_branch = False
        # The chunks of the loops around the statements that are read.
        self.current_chunks: set[Chunk] = set()
        # The purpose and the clock of each potential's last minibatch: in the steps, and before
        # the first step.
        self.estimates: dict[Any, tuple[int, str]] = {}
        self.estimates_before: dict[Any, tuple[int, str]] = {}
        # The potential whose minibatches are drawn for each purpose.
        self.potential_of_purpose: dict[int, Any] = {}
        # The field with the number of the step for which scratch arrays are right.
        self.valid_step_field = ""
        # For each field with chi-squared draws, and for each such draw, the fields with the
        # parameters of its law.
        self.law_fields: dict[str, tuple[str, str]] = {}
        self.parameters_of_draw: dict[Symbol, tuple[str, str]] = {}
        # True in ``step``, which may write into ``out`` only.
        self.writes_only_out = False
        for s in self.parameters.values():
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
        if array.field not in self.law_fields:
            raise wrong(at, f"run draws nothing into {array.field}")
        if given.place.length != array.length:
            raise wrong(at, "the draw of another coordinate is stored")
        fields = (Array(array.owner, field, array.length) for field in self.law_fields[array.field])
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
        if array.owner == "state" and self.writes_only_out:
            raise wrong(line, f"step writes into state.{array.field}, and may write only into out")
        if array.owner == "params" or array.field in self.variances:
            raise wrong(
                line, f"{array.owner}.{array.field} is written to, but must not change in a step"
            )
        self.memory.contents[array] = value if label is None else relabel(value, label, GENERIC)
        self.memory.written[array] = line
        drawn = generic(value)
        if drawn in self.parameters_of_draw:
            self.law_fields[array.field] = self.parameters_of_draw[drawn]
        self.memory.writes.append((array, label))
        if (
            not self.restoring
            and not self.finding_writes
            and not self.memory.contents[array].is_Atom
        ):
            self.memory.unnamed_stores.append((array, self.memory.contents[array], line))
        if (
            not self.restoring
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
        if place.part not in ("all", "eight", self.pair_part):
            raise wrong(index, f"{ast.unparse(index)} is not the coordinate of the call")
        return place

    # -- expressions
    # ----------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression."""
        try:
            return self._value(node, frame)
        except (ValueError, TypeError, ZeroDivisionError) as error:
            raise unread(node, f"{ast.unparse(node)}: {error}") from None

    @singledispatchmethod
    def _value(self, node: ast.expr, frame: Frame) -> Any:
        raise unread(node, f"{ast.unparse(node)} is not read")

    @_value.register
    def _(self, node: ast.Constant, frame: Frame) -> Any:
        if isinstance(node.value, bool):
            if node.value:
                return Flag()
        elif isinstance(node.value, float) and math.isfinite(node.value):
            return Rational(node.value)
        elif isinstance(node.value, int):
            return node.value
        raise unread(node, f"{node.value!r} is not read")

    @_value.register
    def _(self, node: ast.Name, frame: Frame) -> Any:
        if node.id not in frame.names:
            raise unread(node, f"the value of {node.id} is not known here")
        return frame.names[node.id]

    @_value.register
    def _(self, node: ast.Tuple, frame: Frame) -> Any:
        return tuple(self.value(e, frame) for e in node.elts)

    @_value.register
    def _(self, node: ast.UnaryOp, frame: Frame) -> Any:
        x = self.value(node.operand, frame)
        if (
            isinstance(node.op, ast.USub)
            and isinstance(x, Expr | int)
            and not isinstance(x, WholeNumber)
        ):
            return -x
        raise unread(node, f"{ast.unparse(node)} is not read")

    @_value.register
    def _(self, node: ast.BinOp, frame: Frame) -> Any:
        a, b = self.value(node.left, frame), self.value(node.right, frame)
        match a, node.op, b:
            case (Expr() | int(), _, Expr() | int()) if not (
                (isinstance(a, int) and isinstance(b, int))
                or isinstance(a, WholeNumber)
                or isinstance(b, WholeNumber)
            ):
                found = self.apply_operator(node.op, a, b, node)
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

    @_value.register
    def _(self, node: ast.Compare, frame: Frame) -> Any:
        return read_check(self, node, frame)

    @_value.register
    def _(self, node: ast.BoolOp, frame: Frame) -> Any:
        match node:
            case ast.BoolOp(
                op=ast.And(),
                values=[first, ast.Compare(left=drawn, ops=[ast.Lt()], comparators=[ratio])],
            ) if ast.unparse(first) == "invalid_block(state) < 0":
                key, clock = self.value(drawn, frame)
                return Decision(self.number(ratio, frame), key, clock, dict(self.memory.contents))
        raise unread(node, f"{ast.unparse(node)} is not read")

    @_value.register
    def _(self, node: ast.Attribute, frame: Frame) -> Any:
        text = ast.unparse(node)
        if text in CONSTANTS:
            return CONSTANTS[text]
        of = self.value(node.value, frame)
        match of:
            case Record(name="params") if node.attr in self.parameters:
                return self._parameter(self.parameters[node.attr])
            case Record(name="params") if node.attr in self.factors:
                return Matrix(self.factors[node.attr])
            case Record(name="data") if node.attr in self.columns:
                return DataColumn(self.columns[node.attr], node.attr)
            case Record(name="state" | "out") if node.attr in self.estimator_arrays:
                raise unread(node, f"{text} is named, but only an estimator may use it")
            case Record(name="state" | "out" as owner) if node.attr in self.module.arrays:
                return Array(owner, node.attr, self.module.arrays[node.attr])
            case Record(
                name="state",
            ) if node.attr in self.module.integers:
                return Rows() if node.attr == "rows" else Token(node.attr)
            case Record(name=owner) if (
                found := frame.names.get(f"{owner}.{node.attr}")
            ) is not None:
                return found
            case Array(length=length) if node.attr == "size" and length is not None:
                return Size(length)
        raise unread(node, f"{text} is not read")

    def _parameter(self, s: Any) -> Any:
        if isinstance(s, Dense):
            return Matrix(s)
        return Array("params", s.base, s.length) if isinstance(s, Indexed) else s

    @_value.register
    def _(self, node: ast.Subscript, frame: Frame) -> Any:
        return read_cell(self.value(node.value, frame), self, node, frame)

    @_value.register
    def _(self, node: ast.Call, frame: Frame) -> Any:
        name = ast.unparse(node.func)
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise unread(node, f"{ast.unparse(node)} is not read")
        if name in self.calls:
            return self.calls[name](self, node, frame)
        if name in MATH or name in DEVICE_FUNCTIONS:
            if name in DEVICE_FUNCTIONS and name not in self.module.trusted:
                raise unread(node, f"{name} is not a function of this release")
            given = [self.number(a, frame) for a in node.args]
            if name in FUNCTIONS and not self.finding_writes:
                self.judge.defined.ask([FUNCTIONS[name](*given)], node.lineno)
            return require_real((MATH.get(name) or DEVICE_FUNCTIONS[name])(*given))
        if name == "float":
            (x,) = (self.value(a, frame) for a in node.args)
            return x.length if isinstance(x, Size) else self.number(node.args[0], frame)
        if name == "np.uint64":
            (x,) = (self.value(a, frame) for a in node.args)
            if isinstance(x, int) and 0 <= x < 2**64:
                return WholeNumber(x)
            if not isinstance(x, Size):
                raise unread(
                    node,
                    f"{ast.unparse(node)} is neither a number of coordinates nor a whole number",
                )
            return x
        if name in self.module.functions:
            return self.inlined(
                self.module.functions[name], [self.value(a, frame) for a in node.args], node
            )
        raise unread(node, f"{name} is not read")

    def apply_operator(
        self, operator: ast.operator, a: Any, b: Any, at: ast.stmt | ast.expr
    ) -> Expr | None:
        """Return the result of an operator, and record the condition under which it has one."""
        found = apply_operator(operator, a, b)
        if found is not None and not self.finding_writes:
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
        self.call_depth += 1
        try:
            return self.result(without_docstring(function.body), frame)
        finally:
            self.call_depth -= 1

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
