"""Carry out the text of an estimator at one point, in exact fractions and ball arithmetic.

Every number is an exact fraction or a ball around the exact value. So two numbers that are
``apart`` differ, in real arithmetic; numbers that are not may differ all the same.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from verify.translation.parse.module import plain_body

MOST_STATEMENTS = 20_000
OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    # where a comparison of balls is certainly true, and where it is certainly false
    ast.Eq: (operator.eq, operator.ne),
    ast.NotEq: (operator.ne, operator.eq),
    ast.Lt: (operator.lt, operator.ge),
    ast.LtE: (operator.le, operator.gt),
    ast.Gt: (operator.gt, operator.le),
    ast.GtE: (operator.ge, operator.lt),
}


class NotCarriedOutError(Exception):
    """A statement is outside of what is carried out, or its meaning depends on a ball."""


@dataclass(frozen=True)
class Cells:
    """An array: its numbers, which change in place, and its shape if it has more axes than one.

    Attributes:
        numbers: the numbers.
        shape: its lengths.
        writable: False for data.
    """

    numbers: list[Any]
    shape: tuple[int, ...] = ()
    writable: bool = True

    def part(self, at: slice) -> Cells:
        """Return a copy of some of the numbers, which are only read."""
        return Cells(self.numbers[at], writable=False)


@dataclass
class CarriedOut:
    """The functions of a module, which are carried out one call at a time.

    Attributes:
        functions: the functions of which the text is carried out.
        known: functions with a known meaning: each gets the values of its arguments.
        records: the fields of each record; the value of a record is its name.
    """

    functions: Mapping[str, ast.FunctionDef]
    known: Mapping[str, Callable[..., None]]
    records: Mapping[str, Mapping[str, Any]]
    _statements: int = field(default=0, init=False)

    def call(self, name: str, arguments: Sequence[Any]) -> None:
        """Carry out a function.

        Raises:
            NotCarriedOutError: where a statement has no meaning here.
        """
        if name in self.known:
            self.known[name](*arguments)
            return
        function = self.functions.get(name)
        if function is None or len(function.args.args) != len(arguments):
            raise NotCarriedOutError(f"{name} is not known")
        names = (a.arg for a in function.args.args)
        self._block(plain_body(function), dict(zip(names, arguments, strict=True)))

    def _block(self, statements: Sequence[ast.stmt], frame: dict[str, Any]) -> None:
        for statement in statements:
            self._statements += 1
            if self._statements > MOST_STATEMENTS:
                raise NotCarriedOutError("the text takes too many statements")
            self._statement(statement, frame)

    def _statement(self, statement: ast.stmt, frame: dict[str, Any]) -> None:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=arguments, keywords=[])):
                self.call(name, [self.value(a, frame) for a in arguments])
            case ast.Assign(targets=[target], value=value):
                self._store(target, self.value(value, frame), frame)
            case ast.AugAssign(target=target, op=op, value=value):
                before, after = self.value(target, frame), self.value(value, frame)
                self._store(target, _operation(op, before, after), frame)
            case ast.If(test=test, body=body, orelse=rest):
                self._block(body if self.truth(test, frame) else rest, frame)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]),
                orelse=[],
            ):
                for n in range(*(_whole(self.value(b, frame)) for b in bounds)):
                    frame[name] = n
                    self._block(statement.body, frame)
            case _:
                raise NotCarriedOutError(ast.unparse(statement).splitlines()[0])

    def _store(self, target: ast.expr, value: Any, frame: dict[str, Any]) -> None:
        match target:
            case ast.Name(id=name):
                frame[name] = value
            case ast.Subscript(value=of, slice=ast.Slice(lower=None, upper=None, step=None)):
                array = _array(self.value(of, frame), writable=True)
                array.numbers[:] = [_number(value)] * len(array.numbers)
            case ast.Subscript(value=of, slice=at):
                array = _array(self.value(of, frame), writable=True)
                array.numbers[self._index(array, at, frame)] = _number(value)
            case _:
                raise NotCarriedOutError(ast.unparse(target))

    def _index(self, array: Cells, at: ast.expr, frame: dict[str, Any]) -> int:
        k = _whole(self.value(at, frame))
        if not 0 <= k < len(array.numbers):
            raise NotCarriedOutError(f"{ast.unparse(at)} is outside of an array")
        return k

    def value(self, e: ast.expr, frame: dict[str, Any]) -> Any:
        """Return the value of an expression.

        Raises:
            NotCarriedOutError: where it has none here.
        """
        match e:
            case ast.Constant(value=bool() | int() as x):
                return x
            case ast.Constant(value=float() as x) if math.isfinite(x):
                return Fraction(x)
            case ast.Name(id=name) if name in frame:
                return frame[name]
            case ast.Attribute(value=of, attr=attribute):
                return self._attribute(of, attribute, frame)
            case ast.Subscript(value=of, slice=at):
                return self._part(e, of, at, frame)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -_number(self.value(operand, frame))
            case ast.BinOp(left=left, op=op, right=right):
                return _operation(op, self.value(left, frame), self.value(right, frame))
            case ast.IfExp(test=test, body=body, orelse=rest):
                return self.value(body if self.truth(test, frame) else rest, frame)
            case ast.Compare():
                return self.truth(e, frame)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return _called(ast.unparse(function), [self.value(a, frame) for a in arguments])
        raise NotCarriedOutError(ast.unparse(e))

    def _part(self, e: ast.expr, of: ast.expr, at: ast.expr, frame: dict[str, Any]) -> Any:
        """Return some numbers of an array, one of them, or one of its lengths."""
        whole = self.value(of, frame)
        if isinstance(at, ast.Slice):
            if at.step is not None:
                raise NotCarriedOutError(ast.unparse(e))
            ends = (
                None if x is None else _whole(self.value(x, frame)) for x in (at.lower, at.upper)
            )
            return _array(whole).part(slice(*ends))
        if not isinstance(whole, tuple):
            return _array(whole).numbers[self._index(_array(whole), at, frame)]
        k = _whole(self.value(at, frame))
        if not 0 <= k < len(whole):
            raise NotCarriedOutError(ast.unparse(e))
        return whole[k]

    def _attribute(self, of: ast.expr, attribute: str, frame: dict[str, Any]) -> Any:
        match of:
            case ast.Name(id=name) if isinstance(frame.get(name), str):
                fields = self.records.get(frame[name], {})
                if attribute not in fields:
                    raise NotCarriedOutError(f"{name}.{attribute} belongs to others")
                return fields[attribute]
        array = _array(self.value(of, frame))
        if attribute == "size" and not array.shape:
            return len(array.numbers)
        if attribute == "shape":
            return array.shape or (len(array.numbers),)
        raise NotCarriedOutError(f"{ast.unparse(of)}.{attribute}")

    def truth(self, e: ast.expr, frame: dict[str, Any]) -> bool:
        """Return whether a condition holds.

        Raises:
            NotCarriedOutError: where the balls do not tell.
        """
        match e:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                a, b = _alike(self.value(left, frame), self.value(right, frame))
                certainly, certainly_not = COMPARISONS[type(op)]
                if certainly(a, b):
                    return True
                if certainly_not(a, b):
                    return False
                raise NotCarriedOutError(f"the balls do not tell whether {ast.unparse(e)}")
        value = self.value(e, frame)
        if not isinstance(value, bool):
            raise NotCarriedOutError(f"{ast.unparse(e)} is no condition")
        return value


def _array(value: Any, *, writable: bool = False) -> Cells:
    if not isinstance(value, Cells) or (writable and not value.writable):
        raise NotCarriedOutError("something that is no array, or no array to be written")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | flint.arb):
        raise NotCarriedOutError("something that is no number is used as one")
    return value


def ball(value: Any) -> Any:
    """Return a ball around a number."""
    if isinstance(value, Fraction):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))
    return flint.arb(value)


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two numbers as balls if one of them is a ball, and else as they are."""
    a, b = _number(a), _number(b)
    return (ball(a), ball(b)) if flint.arb in (type(a), type(b)) else (a, b)


def apart(a: Any, b: Any) -> bool:
    """Return True if two numbers certainly differ."""
    a, b = _alike(a, b)
    return bool(a != b)  # of balls: they have no number in common


def _whole(value: Any) -> int:
    """Return a whole number.

    Raises:
        NotCarriedOutError: for other values, and for balls.
    """
    if isinstance(value, int | Fraction) and value == int(value):
        return int(value)
    raise NotCarriedOutError("a number is not known to be whole")


def _operation(op: ast.operator, a: Any, b: Any) -> Any:
    a, b = _alike(a, b)
    if type(op) in OPERATIONS:
        return OPERATIONS[type(op)](a, b)
    if isinstance(op, ast.Div):
        return _quotient(a, b)
    if isinstance(op, ast.Mod) and _whole(b) != 0:
        return _whole(a) % _whole(b)
    if isinstance(op, ast.Pow) and _whole(b) >= 0:
        return a ** _whole(b)
    raise NotCarriedOutError(f"{type(op).__name__} has no value here")


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(b, flint.arb):
        if not b.contains(0):
            return a / b
    elif b != 0:
        return Fraction(a) / b
    raise NotCarriedOutError("a divisor may be 0")


def _called(name: str, values: list[Any]) -> Any:
    match name, values:
        case "np.uint64", [value] if _whole(value) >= 0:
            return _whole(value)
        case "float", [value]:
            return _number(value)
        case "min", [a, b]:
            a, b = _alike(a, b)
            if a <= b:
                return a
            if b <= a:
                return b
    raise NotCarriedOutError(f"{name} has no meaning here")
