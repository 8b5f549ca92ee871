"""Sums as text, in an order that is written out, so that their bits are the same for any width of
the vectors.

The order of a sum over n coordinates, everywhere: fewer than eight are added one after another;
otherwise there are eight running sums, the coordinate i joins that of number i mod 8, and at the
end they are added in pairs (l and l + 4, then l and l + 2, then the two that are left). A product
is added with one rounding, as ``fma(a, b, total)``.

How a coordinate joins stands in a device function of its own, which takes one coordinate or eight
(``codegen/device/simd8.py``). Where the formula has more than sums, products, quotients and
squares, eight coordinates are written down first and then added as eight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Number, Pow, Symbol

from codegen.lowering.lower import with_common_parts
from codegen.lowering.names import Namer
from codegen.printing.expression import RepeatedProduct, factors_of, text_of

BLOCK = "np.uint64(64)"
MOST_REPEATED = 3


@dataclass(frozen=True)
class Joining:
    """A device function: ``totals = function(i, *totals, *passed)`` is the totals after coordinate
    i has joined.

    ``by_eight`` says whether i may stand for eight coordinates.
    """

    function: str
    totals: tuple[str, ...]
    passed: tuple[str, ...]
    text: str
    by_eight: bool

    def call(self, at: str, totals: Iterable[str], passed: Iterable[str] | None = None) -> str:
        """The call at a coordinate, or at eight."""
        rest = self.passed if passed is None else passed
        return f"{self.function}({', '.join([at, *totals, *rest])})"


def joining(
    function: str,
    totals: Sequence[str],
    values: Sequence[Expr],
    passed: Sequence[str],
    comments: Iterable[str],
    namer: Namer,
) -> Joining:
    """The function by which a coordinate joins these totals with these values; ``comments`` are its
    first lines.
    """
    written = [_with_squares_written_out(e) for e in values]
    goals = [Symbol(f"{t} += ") for t in totals]
    body = with_common_parts(list(zip(goals, written, strict=True)), namer)
    lines = ["@device", f"def {function}({', '.join(['i', *totals, *passed])}):", *comments]
    lines += [f"    {s.name} = {text_of(e)}" for s, e in body if s not in goals]
    results = dict(body)
    lines += [
        "    return"
        f" {', '.join(_joined(t, results[g]) for t, g in zip(totals, goals, strict=True))}"
    ]
    by_eight = all(is_arithmetic(e) for e in values)
    return Joining(function, tuple(totals), tuple(passed), "\n".join(lines), by_eight)


def _joined(total: str, value: Expr) -> str:
    """The total with this value added; a product is added with one rounding."""
    factors = factors_of(value)
    return (
        f"{total} + {text_of(value)}"
        if factors is None
        else f"fma({factors[0]}, {factors[1]}, {total})"
    )


def is_arithmetic(e: Expr) -> bool:
    """Whether the text of an expression can be carried out on eight numbers at once."""
    if isinstance(e, Symbol):
        return not e.name.endswith("[i, i]")
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


def sum_text(
    function: str, arguments: Sequence[str], j: Joining, comments: Iterable[str], namer: Namer
) -> str:
    """The function that sums over the coordinates 0 .. n - 1; ``n`` is one of its arguments."""
    lines = [
        *comments,
        "wide()",
        *small_lines(j, j.totals, j.passed),
        f"    return {', '.join(j.totals)}",
    ]
    eights = tuple(namer.fresh(f"{t}_by_eight") for t in j.totals)
    lines += [f"{e} = eight(0.0)" for e in eights]
    lines += _eight_lines(j, eights, namer) if j.by_eight else _block_lines(j, eights, namer)
    lines += [f"return {', '.join(f'pairwise({e})' for e in eights)}"]
    return "\n".join(
        [
            "@reduction",
            f"def {function}({', '.join(arguments)}):",
            *(f"    {line}" for line in lines),
        ]
    )


def small_lines(j: Joining, totals: Sequence[str], passed: Sequence[str]) -> list[str]:
    """The sum of fewer than eight, one after another."""
    return [
        "if n < EIGHT:",
        f"    {' = '.join(totals)} = 0.0",
        "    for i in range(n):",
        f"        {', '.join(totals)} = {j.call('i', totals, passed)}",
    ]


def joined_by_eight(
    j: Joining, eights: Sequence[str], passed: Sequence[str], namer: Namer
) -> list[str]:
    """Eight coordinates ``at`` join eights."""
    if len(eights) == 1:
        return [f"{eights[0]} = inside(at, {j.call('at', eights, passed)}, {eights[0]})"]
    new = [namer.fresh(f"{e}_new") for e in eights]
    return [
        f"{', '.join(new)} = {j.call('at', eights, passed)}",
        *(f"{e} = inside(at, {n}, {e})" for n, e in zip(new, eights, strict=True)),
    ]


def by_eights(index: str, count: str, lines: Sequence[str]) -> list[str]:
    """The lines for the coordinates ``at``, eight at a time: first those eights that are whole,
    then the rest.
    """
    rest = f"{count} - {count} % EIGHT"
    body = [f"    {line}" for line in lines]
    return [
        f"for {index} in range(np.uint64(0), {rest}, EIGHT):",
        f"    at = whole({index})",
        *body,
        f"if {count} % EIGHT > 0:",
        f"    at = lanes({rest}, {count})",
        *body,
    ]


def _eight_lines(j: Joining, eights: Sequence[str], namer: Namer) -> list[str]:
    return by_eights("i", "n", joined_by_eight(j, eights, j.passed, namer))


def _block_lines(j: Joining, eights: Sequence[str], namer: Namer) -> list[str]:
    """The terms of a block of coordinates are written down, in a loop that can use vectors, and
    then added as eight.
    """
    terms = [namer.fresh(f"{t}_terms") for t in j.totals]
    zeros = ["0.0" for _ in terms]
    joined = [f"{e} = inside(at, {e} + {t}[at], {e})" for t, e in zip(terms, eights, strict=True)]
    return [
        *(f"{t} = local_numbers({BLOCK[10:-1]})" for t in terms),
        f"for first in range(np.uint64(0), n, {BLOCK}):",
        f"    size = min({BLOCK}, n - first)",
        "    for k in range(size):",
        "        i = first + k",
        f"        {', '.join(f'{t}[k]' for t in terms)} = {j.call('i', zeros)}",
        *(f"    {line}" for line in by_eights("k", "size", joined)),
    ]
