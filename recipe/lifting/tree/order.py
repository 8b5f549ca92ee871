"""The order of assignments of a rule whose given functions are evaluated at new values.

In an ``Update`` a gradient stands at the state. Code that evaluates it at ``x + h p`` is therefore
written as assignments one after another, of which one gives x this value. What each block holds in
between is found by search among the values that the code computes: what is still to be computed
must follow from what the blocks hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recipe.lifting.tree.node import GIVEN, LEAF, TOTAL, Node, made
from recipe.lifting.tree.place import refuse

MAX_TRIED = 20_000  # memories in one search


@dataclass(frozen=True)
class Blocks:
    """What is known of the blocks of a rule.

    Attributes:
        values: the new value of each block, by name, in the order of the state.
        is_vector: whether it has coordinates, with its length; by name.
        read_by: the blocks that each leaf depends on, by the name of the leaf: a block on itself, a
            function of a block on that block.
        points: the blocks whose values make the point of each given function, by its name.
    """

    values: Mapping[str, Node]
    is_vector: Mapping[str, str | None]
    read_by: Mapping[str, tuple[str, ...]]
    points: Mapping[str, tuple[str, ...]]


def assignments(blocks: Blocks) -> tuple[list[tuple[str, Node]], bool]:
    """Return the assignments of a rule, and True if they are sequential.

    In each new value a block is written by a node ``held`` with its name: the value that it has
    then.

    Raises:
        CannotLiftError: if a given function is evaluated at a point that no block holds.
    """
    start = {name: made(LEAF, (), (name,)) for name in blocks.values}
    memory = _Memory(blocks, start)
    written = {name: memory.written(value) for name, value in blocks.values.items()}
    if all(w is not None and not memory.is_waiting(w) for w in written.values()):
        return [(name, w) for name, w in written.items() if w is not None], False
    found = _Search(blocks).run(memory)
    if found is None:
        _refuse_points(blocks)
    return found, True  # type: ignore[return-value]


class _Memory:
    """What each block holds."""

    def __init__(self, blocks: Blocks, held: dict[str, Node]) -> None:
        self.blocks, self.held = blocks, held
        self._names = {value: name for name, value in reversed(held.items())}
        self._moved = {name for name, v in held.items() if v is not made(LEAF, (), (name,))}
        self._done: dict[Node, Node | None] = {}

    @property
    def key(self) -> tuple[Node, ...]:
        return tuple(self.held.values())

    def written(self, n: Node) -> Node | None:
        """The value in terms of what is held; None where something is needed that is gone.

        A function at a point that is not held yet stays as it is, in terms of what is held.
        """
        if n not in self._done:
            self._done[n] = self._write(n)
        return self._done[n]

    def _write(self, n: Node) -> Node | None:
        if n in self._names:
            return made("held", (), self._names[n], n.place)
        if n.op == LEAF:
            gone = self._moved.intersection(self.blocks.read_by.get(n.data[0], ()))
            return None if gone else n
        args = [self.written(a) for a in n.args]
        if any(a is None for a in args):
            return None
        if n.op == GIVEN and self._is_here(n):
            return made(GIVEN, (), n.data, n.place)
        return made(n.op, tuple(args), n.data, n.place)  # type: ignore[arg-type]

    def _is_here(self, n: Node) -> bool:
        point = self.blocks.points[n.data[0]]
        return all(a is self.held[b] for a, b in zip(n.args, point, strict=False))

    def is_waiting(self, written: Node) -> bool:
        """Whether a value contains a function at a point that is not held."""
        return any(m.op == GIVEN and m.args for m in written.walk())

    def after(self, name: str, value: Node) -> _Memory:
        """The memory after an assignment."""
        return _Memory(self.blocks, self.held | {name: value})


class _Search:
    """Depth first, nearest to the order of the code first."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.tried: set[tuple[Node, ...]] = set()
        self.candidates = {name: list(self._candidates(name)) for name in blocks.values}

    def _candidates(self, name: str) -> Iterator[Node]:
        """The values that a block may hold: those that the code computes with as many coordinates,
        largest last.
        """
        found: dict[Node, None] = {}
        for value in self.blocks.values.values():
            for n in value.walk():
                if n.args and self._length(n) == self.blocks.is_vector[name]:
                    found[n] = None
        yield from sorted(found, key=lambda n: sum(1 for _ in n.walk()))

    def _length(self, n: Node) -> str | None:
        """The length of the coordinates that a value has; None for one number."""
        if n.op == TOTAL:
            return None
        if n.op == LEAF:
            return self.blocks.is_vector.get(n.data[0])
        if n.op == GIVEN:
            return self.blocks.is_vector.get((self.blocks.points[n.data[0]] or ("",))[0])
        return next((found for a in n.args if (found := self._length(a)) is not None), None)

    def run(self, memory: _Memory) -> list[tuple[str, Node]] | None:
        """Return assignments that lead from a memory to the new values; None if there are none."""
        goals = self.blocks.values
        if all(memory.held[name] is value for name, value in goals.items()):
            return []
        if memory.key in self.tried or len(self.tried) > MAX_TRIED:
            return None
        self.tried.add(memory.key)
        for name, value in self._moves(memory):
            written = memory.written(value)
            if written is None or memory.is_waiting(written):
                continue
            after = memory.after(name, value)
            if any(after.written(goal) is None for goal in goals.values()):
                continue
            rest = self.run(after)
            if rest is not None:
                return [(name, written), *rest]
        return None

    def _moves(self, memory: _Memory) -> Iterator[tuple[str, Node]]:
        """Assignments to try: points of functions that wait first, then new values, then others."""
        points = list(self._points_ahead())
        for name, value in points:
            if memory.held[name] is not value:
                yield name, value
        for name, value in self.blocks.values.items():
            if memory.held[name] is not value and (name, value) not in points:
                yield name, value
        for name, values in self.candidates.items():
            for value in values:
                if memory.held[name] is not value:
                    yield name, value

    def _points_ahead(self) -> Iterator[tuple[str, Node]]:
        found: dict[tuple[str, Node], None] = {}
        for value in self.blocks.values.values():
            for n in value.walk():
                if n.op == GIVEN:
                    for a, b in zip(n.args, self.blocks.points[n.data[0]], strict=False):
                        if a.op != LEAF:
                            found[b, a] = None
        yield from sorted(found, key=lambda pair: sum(1 for _ in pair[1].walk()))


def _refuse_points(blocks: Blocks) -> None:
    values: Sequence[Node] = list(blocks.values.values())
    at = next(n for v in values for n in v.walk() if n.op == GIVEN and n.args)
    refuse(
        f"{at.data[0]} is evaluated at a point that is none of the values which the blocks"
        f" {', '.join(blocks.values)} take one after another; a block of its own may be missing",
        at.place,
    )
