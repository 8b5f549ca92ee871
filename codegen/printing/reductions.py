"""Sums as functions of a module, in an order that is written out, so that their bits are the same
for any width of the vectors.

The order of a sum over n coordinates, everywhere: fewer than eight are added one after another;
otherwise there are eight running sums, the coordinate i joins that of number i mod 8, and at the
end they are added in pairs (l and l + 4, then l and l + 2, then the two that are left). A product
is added with one rounding, as ``fma(a, b, total)``.

A device function of its own adds a coordinate to the sum; it takes one coordinate or eight
(``codegen/device/simd8.py``). Where the formula has more than sums, products, quotients and
squares, the terms of 64 coordinates are written down first and then added as eights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Add, Dummy, Expr, Mul, Number, Pow, Symbol

from codegen.lowering.lower import with_common_parts
from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell
from codegen.lowering.program import (
    Assign,
    AssignAll,
    Call,
    Comment,
    Do,
    For,
    Function,
    If,
    Infix,
    Instruction,
    Place,
    Return,
    Value,
    assign,
    call,
)
from codegen.printing.expression import RepeatedProduct, factors_of

BLOCK_COORDINATES = 64
WIDE = Do(call("wide"))
MOST_REPEATED = 3


@dataclass(frozen=True)
class Joining:
    """A device function: ``totals = function(i, *totals, *passed)`` gives the totals after
    coordinate i has joined.

    ``by_eight`` says whether i may stand for eight coordinates.
    """

    totals: tuple[str, ...]
    passed: tuple[str, ...]
    definition: Function
    by_eight: bool

    def call(self, at: str, totals: Iterable[Value], passed: Iterable[Value] | None = None) -> Call:
        """The call at a coordinate, or at eight."""
        rest = self.passed if passed is None else passed
        return call(self.definition.name, at, *totals, *rest)


def joining(
    function: str,
    totals: Sequence[str],
    values: Sequence[Expr],
    passed: Sequence[str],
    comments: Iterable[Comment],
    namer: Namer,
) -> Joining:
    """The function by which a coordinate joins these totals with these values; ``comments`` are its
    first lines.
    """
    written = [_with_squares_written_out(e) for e in values]
    goals = [Dummy(t) for t in totals]
    body = with_common_parts(list(zip(goals, written, strict=True)), namer)
    results = dict(body)
    joined = (_joined(t, results[g]) for t, g in zip(totals, goals, strict=True))
    definition = Function(
        "device",
        function,
        ("i", *totals, *passed),
        "",
        (*comments, *(assign(s, e) for s, e in body if s not in goals), Return(tuple(joined))),
    )
    by_eight = all(is_arithmetic(e) for e in values)
    return Joining(tuple(totals), tuple(passed), definition, by_eight)


def _joined(total: str, value: Expr) -> Value:
    """The total with this value added; a product is added with one rounding."""
    factors = factors_of(value)
    return Infix(total, "+", value) if factors is None else call("fma", *factors, total)


def is_arithmetic(e: Expr) -> bool:
    """Whether an expression can be evaluated on eight numbers at once."""
    if isinstance(e, Symbol):
        return not (isinstance(e, Cell) and e.indices[-1] == "i, i")
    if isinstance(e, Pow):
        return bool(e.exp.is_Integer) and abs(int(e.exp)) <= MOST_REPEATED and is_arithmetic(e.base)
    return (
        isinstance(e, Number)
        or e is sympy.pi
        or (type(e) in (Add, Mul) and all(map(is_arithmetic, e.args)))
    )


def _with_squares_written_out(e: Expr) -> Expr:
    """``x**2`` as ``x * x``: eight numbers have products, but no powers."""
    if not e.args:
        return e
    e = e.func(*(_with_squares_written_out(a) for a in e.args))
    if isinstance(e, Pow) and e.exp.is_Integer and 1 < abs(int(e.exp)) <= MOST_REPEATED:
        repeated = RepeatedProduct(e.base, abs(e.exp))
        return repeated if e.exp > 0 else 1 / repeated
    return e


def sum_function(
    function: str,
    arguments: Iterable[str],
    j: Joining,
    comments: Iterable[Comment],
    namer: Namer,
) -> Function:
    """The function that sums over the coordinates 0 .. n - 1; ``n`` is one of its arguments."""
    eights = tuple(namer.fresh(f"{t}_by_eight") for t in j.totals)
    body = (
        *comments,
        WIDE,
        If("n < EIGHT", (*small_sum(j, j.totals, j.passed), Return(j.totals))),
        *(assign(e, call("eight", "0.0")) for e in eights),
        *(_summed_by_eight(j, eights, namer) if j.by_eight else _summed_by_block(j, eights, namer)),
        Return(tuple(call("pairwise", e) for e in eights)),
    )
    return Function("reduction", function, tuple(arguments), "", body)


def small_sum(
    j: Joining, totals: tuple[Place, ...], passed: Iterable[Value]
) -> tuple[Instruction, ...]:
    """The sum of fewer than eight, one after another."""
    join = Assign(totals, j.call("i", totals, passed))
    return AssignAll(totals, "0.0"), For("i", ("n",), (join,))


def joined_by_eight(
    j: Joining, eights: Sequence[str], passed: Iterable[Value], namer: Namer
) -> list[Instruction]:
    """Eight coordinates ``at`` join eights."""
    joined = j.call("at", eights, passed)
    if len(eights) == 1:
        return [assign(eights[0], call("inside", "at", joined, eights[0]))]
    new = tuple(namer.fresh(f"{e}_new") for e in eights)
    kept = [assign(e, call("inside", "at", n, e)) for n, e in zip(new, eights, strict=True)]
    return [Assign(new, joined), *kept]


def by_eights(index: str, count: str, body: Iterable[Instruction]) -> tuple[Instruction, ...]:
    """The statements for the coordinates ``at``, eight at a time: first those eights that are
    whole, then the rest.
    """
    rest, body = f"{count} - {count} % EIGHT", tuple(body)
    whole, part = assign("at", call("whole", index)), assign("at", call("lanes", rest, count))
    return (
        For(index, ("np.uint64(0)", rest, "EIGHT"), (whole, *body)),
        If(f"{count} % EIGHT > 0", (part, *body)),
    )


def _summed_by_eight(j: Joining, eights: Sequence[str], namer: Namer) -> tuple[Instruction, ...]:
    return by_eights("i", "n", joined_by_eight(j, eights, j.passed, namer))


def _summed_by_block(j: Joining, eights: Sequence[str], namer: Namer) -> tuple[Instruction, ...]:
    """The terms of a block of coordinates are written down, in a loop that can use vectors, and
    then added as eight.
    """
    terms = [Array("", namer.fresh(f"{t}_terms")) for t in j.totals]
    block = f"np.uint64({BLOCK_COORDINATES})"
    written = Assign(tuple(t["k"] for t in terms), j.call("i", ["0.0" for _ in terms]))
    joined = [
        assign(e, call("inside", "at", Infix(e, "+", t["at"]), e))
        for t, e in zip(terms, eights, strict=True)
    ]
    return (
        *(assign(str(t), call("local_numbers", str(BLOCK_COORDINATES))) for t in terms),
        For(
            "first",
            ("np.uint64(0)", "n", block),
            (
                assign("size", call("min", block, "n - first")),
                For("k", ("size",), (assign("i", "first + k"), written)),
                *by_eights("k", "size", joined),
            ),
        ),
    )
