"""From the trees of all coordinates, at given lengths, to one tree of the generic coordinate.

The coordinates of a block must be treated alike: then the tree of coordinate i is one tree in which
only the index i changes, and what all coordinates share is a number. In a number the coordinates
stand in sums over all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from sympy import Integer

from recipe.lifting.tree.node import (
    GIVEN,
    LEAF,
    NOISE,
    NUMBER,
    SUM,
    TOTAL,
    Node,
    made,
    number,
    value_of,
)
from recipe.lifting.tree.place import CannotLiftError, Place, refuse

SUMS = ("add", "sub", "neg", SUM)
SINGLED_OUT = "{} is used by itself; a rule says what happens to every coordinate alike"


class _UnlikeError(Exception):
    """Trees that are not one tree in which the index changes."""

    def __init__(self, one: Node, other: Node) -> None:
        super().__init__()
        self.one, self.other = one, other


@dataclass
class Generic:
    """The trees of one trace, made generic.

    Attributes:
        sizes: how many coordinates each length has, by its name; all different.
        draws: which draws the coordinates of each noise are, in the order in which they are met.
    """

    sizes: dict[str, int]
    draws: dict[tuple[int, ...], Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._done: dict[tuple[Node, ...], Node] = {}
        self._numbers: dict[Node, Node] = {}
        self._lengths = {size: name for name, size in self.sizes.items()}

    def vector(self, coordinates: Sequence[Node], what: str) -> Node:
        """Return the generic coordinate of an output.

        Raises:
            CannotLiftError: naming the line where coordinates are not treated alike.
        """
        try:
            return self._alike(tuple(coordinates))
        except _UnlikeError as unlike:
            place = unlike.one.place or unlike.other.place
            self._refuse_unlike(unlike, what, place)

    def scalar(self, n: Node) -> Node:
        """Return a number, with its sums over coordinates as totals."""
        if n not in self._numbers:
            self._numbers[n] = self._number(n)
        return self._numbers[n]

    def _refuse_unlike(self, unlike: _UnlikeError, what: str, place: Place | None) -> NoReturn:
        one, other = unlike.one, unlike.other
        if one.op == other.op == NUMBER:
            refuse(
                f"{what} has a number of its own for each coordinate here, such as {one.data} and"
                f" {other.data}; give such numbers as an argument",
                place,
            )
        refuse(
            f"the coordinates of {what} are not treated alike here: one is computed of"
            f" {described(one)}, another one of {described(other)}",
            place,
        )

    def _alike(self, ts: tuple[Node, ...]) -> Node:
        if all(t is ts[0] for t in ts):
            return self.scalar(ts[0])
        if ts not in self._done:
            self._done[ts] = self._unified(ts)
        return self._done[ts]

    def _unified(self, ts: tuple[Node, ...]) -> Node:
        first = ts[0]
        other = next((t for t in ts if t.op != first.op or len(t.args) != len(first.args)), None)
        if other is not None:
            raise _UnlikeError(first, other)
        if first.op == NOISE:
            return self._noise(ts)
        if first.op in (LEAF, GIVEN):
            for i, t in enumerate(ts):
                if (t.data, t.args) != ((first.data[0], i, *first.data[2:]), first.args):
                    raise _UnlikeError(first, next(t for t in ts if t is not first))
            return made(first.op, self._point(first), (first.data[0],), first.place)
        if first.op == NUMBER:
            raise _UnlikeError(first, next(t for t in ts if t is not first))
        args = tuple(
            self._alike(tuple(column)) for column in zip(*(t.args for t in ts), strict=True)
        )
        return made(first.op, args, first.data, first.place)

    def _point(self, n: Node) -> tuple[Node, ...]:
        """The point at which a given function is evaluated, made generic: its numbers, block by
        block, with the length of each block in the data of the node.
        """
        parts, start = [], 0
        for count in n.data[2:] if len(n.data) > 2 else ():
            part = n.args[start : start + abs(count)]
            parts.append(self._alike(part) if count > 0 else self.scalar(part[0]))
            start += abs(count)
        return tuple(parts)

    def _noise(self, ts: tuple[Node, ...]) -> Node:
        """The noise whose coordinates are these draws, all of them different."""
        draws = tuple(t.data for t in ts)
        strides = {b - a for a, b in itertools.pairwise(draws)}
        if len(strides) > 1 or 0 in strides:
            raise _UnlikeError(ts[0], next(t for t in ts if t is not ts[0]))
        for other in self.draws:
            if other != draws and set(other) & set(draws):
                refuse(
                    "the numbers of one draw are used for different coordinates in different"
                    " places",
                    ts[0].place,
                )
        if draws not in self.draws:
            self.draws[draws] = made(NOISE, (), ("drawn", len(self.draws)), ts[0].place)
        return self.draws[draws]

    def _number(self, n: Node) -> Node:
        if n.op in (LEAF, GIVEN) and n.data[1] is not None:
            shown = f"coordinate {n.data[1]} of {n.data[0]}"
            refuse(SINGLED_OUT.format(shown), n.place)
        if n.op == LEAF:
            return made(LEAF, (), (n.data[0],), n.place)
        if n.op == GIVEN:
            return made(GIVEN, self._point(n), (n.data[0],), n.place)
        if n.op == NOISE:
            return self._single_draw(n)
        if n.op in SUMS:
            return self._sum(n)
        return made(n.op, tuple(self.scalar(a) for a in n.args), n.data, n.place)

    def _single_draw(self, n: Node) -> Node:
        draws = (n.data,)
        for other in self.draws:
            if other != draws and n.data in other:
                refuse(SINGLED_OUT.format("one number of a draw of several"), n.place)
        if draws not in self.draws:
            self.draws[draws] = made(NOISE, (), ("drawn", len(self.draws)), n.place)
        return self.draws[draws]

    def _sum(self, n: Node) -> Node:
        """A sum of terms: those that differ by their index alone are a total."""
        groups: dict[Hashable, list[tuple[int, Node]]] = {}
        for sign, term in terms(n):
            groups.setdefault((sign, skeleton(term)), []).append((sign, term))
        if n.op in ("add", "sub", "neg") and all(len(g) == 1 for g in groups.values()):
            return made(n.op, tuple(self.scalar(a) for a in n.args), n.data, n.place)
        parts: list[Node] = []
        for group in groups.values():
            sign = group[0][0]
            found = self._group([term for _, term in group], n)
            parts += [made("neg", (p,), None, p.place) for p in found] if sign < 0 else found
        return parts[0] if len(parts) == 1 else made(SUM, tuple(parts), None, n.place)

    def _group(self, ts: list[Node], n: Node) -> list[Node]:
        if all(t is ts[0] for t in ts):
            one = self.scalar(ts[0])
            return [one] if len(ts) == 1 else [_times(len(ts), one, n.place)]
        ts = in_order(ts)  # a loop may begin at the other end
        known = dict(self.draws)
        for size in sorted(self._lengths, reverse=True):
            for pick in (_chunks, _strides) if len(ts) % size == 0 else ():
                try:
                    bodies = [self._alike(tuple(part)) for part in pick(ts, size)]
                except (_UnlikeError, CannotLiftError):
                    self.draws = dict(known)
                    continue
                return [made(TOTAL, (b,), self._lengths[size], n.place) for b in bodies]
        place = ts[0].place or n.place
        return refuse(
            f"a sum of {len(ts)} terms such as {described(ts[0])} is no sum over all coordinates",
            place,
        )


def _times(count: int, n: Node, place: Place | None) -> Node:
    value = value_of(n)
    if value is not None:
        return number(count * value, place)
    return made("mul", (number(Integer(count), place), n), None, place)


def _chunks(ts: list[Node], size: int) -> list[list[Node]]:
    return [ts[k : k + size] for k in range(0, len(ts), size)]


def _strides(ts: list[Node], size: int) -> list[list[Node]]:
    count = len(ts) // size
    return [ts[k::count] for k in range(count)]


def terms(n: Node) -> list[tuple[int, Node]]:
    """The terms of a sum with their signs, through sums of sums, in the order of the code."""
    found: list[tuple[int, Node]] = []
    todo = [(1, n)]
    while todo:
        sign, m = todo.pop()
        if m.op in ("add", SUM):
            todo += [(sign, a) for a in reversed(m.args)]
        elif m.op == "sub":
            todo += [(-sign, m.args[1]), (sign, m.args[0])]
        elif m.op == "neg":
            todo.append((-sign, m.args[0]))
        else:
            found.append((sign, m))
    return found


def skeleton(n: Node) -> Hashable:
    """The structure of a tree without its indices."""
    done: dict[Node, int] = {}
    kinds: dict[Hashable, int] = {}
    # Children first, without recursion: a loop may make a deep tree.
    for m in reversed(list(_children_last(n))):
        data: Hashable = m.data
        if m.op in (LEAF, GIVEN):
            data = (m.data[0], m.data[1] is None)
        elif m.op == NOISE:
            data = None
        key = (m.op, data, () if m.op == GIVEN else tuple(done[a] for a in m.args))
        done[m] = kinds.setdefault(key, len(kinds))
    return tuple(kinds)


def in_order(ts: list[Node]) -> list[Node]:
    """Trees of one skeleton, in the order of the indices in which they differ."""
    keys: list[list[int]] = [[] for _ in ts]
    met: set[tuple[Node, ...]] = set()
    todo = [tuple(ts)]
    while todo:
        column = todo.pop()
        if column in met or all(t is column[0] for t in column):
            continue
        met.add(column)
        if column[0].op in (LEAF, GIVEN, NOISE):
            for key, t in zip(keys, column, strict=True):
                key.append(t.data if t.op == NOISE else t.data[1])
        else:
            todo += reversed(list(zip(*(t.args for t in column), strict=True)))
    order = sorted(range(len(ts)), key=lambda k: keys[k])
    return [ts[k] for k in order]


def _children_last(n: Node) -> list[Node]:
    """Every node once, each before all that it is computed of."""
    order: list[Node] = []
    seen: set[Node] = set()
    todo: list[tuple[Node, bool]] = [(n, False)]
    while todo:
        m, left = todo.pop()
        if left:
            order.append(m)
        elif m not in seen:
            seen.add(m)
            todo.append((m, True))
            todo += [(a, False) for a in m.args]
    return order[::-1]


def described(n: Node) -> str:
    """A short text of what a node is, for a message."""
    match n.op:
        case "number":
            return str(n.data)
        case "leaf" | "given":
            return n.data[0] if n.data[1] is None else f"{n.data[0]}[{n.data[1]}]"
        case "noise":
            return "a draw"
        case _:
            inside = ", ".join(dict.fromkeys(described(a) for a in n.args[:3]))
            return f"{n.op}({inside})" if len(inside) < 60 else f"{n.op}(...)"
