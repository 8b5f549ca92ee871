"""Long sums of terms that the gradients by several blocks hold, as the residual of a model with n
terms, and the largest of many exponents: each is computed once a row, under a name of its own.

Written where they stand, the text of such a model has n^2 terms, and of a mixture n^3; the
processor may compute them all, and the proof reads them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from sympy import Add, Basic, Expr, Symbol

from codegen.lowering.names import Namer
from codegen.lowering.places import Cell
from codegen.lowering.stable_forms import Largest, ScaledSum

Key = TypeVar("Key")

LONG = 8  # terms; a shorter sum is written where it stands


def share_long_sums(
    expressions: Mapping[Key, Expr], namer: Namer
) -> tuple[list[tuple[Symbol, Expr]], dict[Key, Expr]]:
    """Return the long sums and maxima that stand at several places in these expressions, each with
    a new name, and the expressions with these names.

    They are the same at every coordinate of a loop. One that stands in another comes first.

    Args:
        expressions: expressions in cells and names.
        namer: gives new names.
    """
    written_out: dict[Expr, Expr] = {}
    expressions = {key: _written_out(e, written_out) for key, e in expressions.items()}
    found = _Sums(expressions.values())
    names: dict[Expr, Symbol] = {}
    written: dict[Expr, Expr] = {}
    shared = []
    for s in found.inner_first:
        if found.places[s] > 1 and not any(
            isinstance(c, Cell) and c.varies for c in s.free_symbols
        ):
            value = s.func(*(found.in_names(a, names, written) for a in s.args))
            names[s] = Symbol(namer.fresh("shared"), real=True)
            shared.append((names[s], value))
    return shared, {key: found.in_names(e, names, written) for key, e in expressions.items()}


class _Sums:
    """The long sums and maxima of some expressions. A sum and its negative are the same one, of the
    sign that sympy takes for the positive one.

    Attributes:
        places: at how many places each stands, where what is inside of a sum counts once.
        inner_first: the sums, each after those that stand in it.
    """

    def __init__(self, expressions: Iterable[Expr]) -> None:
        self.places: dict[Expr, int] = {}
        self.inner_first: dict[Expr, None] = {}
        self._signs: dict[Expr, tuple[int, Expr]] = {}
        self._outermost: dict[Basic, tuple[Expr, ...]] = {}
        for e in expressions:
            self._count(self._found(e))

    def _found(self, e: Basic) -> tuple[Expr, ...]:
        """Return the outermost sums at all places of an expression; those that stand in them are
        counted when one is first met.
        """
        if e not in self._outermost:
            inside = tuple(s for a in e.args for s in self._found(a))
            if _is_long(e):
                s = self._signed(e)[1]
                if s not in self.inner_first:
                    self._count(inside)
                    self.inner_first[s] = None
                inside = (s,)
            self._outermost[e] = inside
        return self._outermost[e]

    def _count(self, sums: Iterable[Expr]) -> None:
        for s in sums:
            self.places[s] = self.places.get(s, 0) + 1

    def _signed(self, e: Expr) -> tuple[int, Expr]:
        if e not in self._signs:
            negative = isinstance(e, Add) and e.could_extract_minus_sign()
            self._signs[e] = (-1, -e) if negative else (1, e)
        return self._signs[e]

    def in_names(self, e: Expr, names: Mapping[Expr, Symbol], written: dict[Expr, Expr]) -> Expr:
        """Return an expression with the names of sums; ``written`` are those known so far."""
        if e not in written:
            sign, s = self._signs.get(e, (1, e))
            if s in names:
                written[e] = sign * names[s]
            else:
                args = [self.in_names(a, names, written) for a in e.args]
                same = all(a is b for a, b in zip(args, e.args, strict=True))
                written[e] = e if same else e.func(*args)
        return written[e]


def _is_long(e: Basic) -> bool:
    return isinstance(e, Add | Largest) and len(e.args) >= LONG


def _written_out(e: Expr, known: dict[Expr, Expr]) -> Expr:
    """Return an expression whose long sums of exponentials are sums, so that the largest exponent,
    which all of their terms hold, has a name.
    """
    if e not in known:
        args = [_written_out(a, known) for a in e.args]
        same = all(a is b for a, b in zip(args, e.args, strict=True))
        new = e if same else e.func(*args)
        long = isinstance(new, ScaledSum) and len(new.args) >= LONG
        known[e] = new.written_out() if long else new
    return known[e]
