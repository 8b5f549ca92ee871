"""Many chains at once, a chain a column: which plans have that form, and how a statement becomes
loops over chains.

The innermost loop goes over chains and is what is vectorised, so that a target of two coordinates
costs no more a coordinate than one of many. What a loop over chains computes for one chain is the
text of ``run`` with another index text, operation by operation: the draws are the same bits. A
number that one such loop computes and another one reads stands in between in an array of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sympy import Expr

from codegen.lowering.statements import GradientCall, Loop, MatrixProduct, Plan, ValueCall, every

CELL = re.compile(r"\b(state|out)\.(\w+)\[(i|0)\]")


def refusal_of_many(plan: Plan) -> str | None:
    """Why a plan has no form with many chains at once; None where it has one. Then ``run`` moves
    them one after another.
    """
    statements = (*every(plan.statements), *plan.recorded.statements)
    if any(isinstance(s, GradientCall | ValueCall) for s in statements):
        return "its gradients are functions of one chain"
    if any(isinstance(s, MatrixProduct) for s in statements):
        return "it multiplies by a matrix"
    if any(isinstance(s, Loop) and s.times[0] < s.times[1] for s in statements):
        return "how often it repeats a part is drawn, for each chain"
    if any(b.image is not None for b in plan.state):
        return "what is recorded of a block stands for another one"
    return None


def of_column(text: str) -> str:
    """The text of a statement for one chain with its cells in column ``c``: ``state.theta[i]``
    becomes ``state.theta[i, c]``.
    """
    return CELL.sub(r"\1.\2[\3, c]", text)


@dataclass(frozen=True)
class ChainLoop:
    """A loop over chains inside of other loops, or conditions: ``outer`` are their heads,
    ``before`` a line inside of them.

    ``defines`` and ``uses`` are the numbers that its ``lines`` compute and read.
    """

    outer: tuple[str, ...]
    lines: tuple[str, ...]
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    before: str = ""

    def followed_by(self, other: ChainLoop) -> ChainLoop:
        """One loop for two pieces."""
        return ChainLoop(
            self.outer,
            (*self.lines, *other.lines),
            self.defines | other.defines,
            self.uses | other.uses,
        )


@dataclass(frozen=True)
class Once:
    """Lines that are the same for all chains."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class RepeatedLoops:
    """Pieces inside of a loop that all chains go through equally often."""

    head: tuple[str, ...]
    pieces: tuple[Part, ...]


Part = ChainLoop | Once | RepeatedLoops


@dataclass
class Numbers:
    """The numbers that are kept from one loop over chains to the next: the name of each array by
    that of the number.
    """

    kept: dict[str, str] = field(default_factory=dict)

    def keep_what_crosses(self, parts: Iterable[Part], fresh: Mapping[str, str]) -> None:
        """Take a name from ``fresh`` for every number that a loop reads and another one
        computes.
        """
        pieces = list(pieces_of(parts))
        for piece in pieces:
            for other in pieces:
                for name in sorted(piece.defines & other.uses) if other is not piece else ():
                    self.kept.setdefault(name, fresh[name])


def pieces_of(parts: Iterable[Part]) -> Iterator[ChainLoop]:
    """All loops over chains, those inside of other loops included."""
    for part in parts:
        match part:
            case ChainLoop():
                yield part
            case RepeatedLoops():
                yield from pieces_of(part.pieces)


def merged(parts: Iterable[Part]) -> list[Part]:
    """As few loops over chains as their order allows: neighbours that stand in no other loop become
    one.
    """
    result: list[Part] = []
    for part in parts:
        last = result[-1] if result else None
        if (
            isinstance(part, ChainLoop)
            and isinstance(last, ChainLoop)
            and part.outer == last.outer == ()
        ):
            result[-1] = last.followed_by(part)
        elif isinstance(part, RepeatedLoops):
            result.append(RepeatedLoops(part.head, tuple(merged(part.pieces))))
        else:
            result.append(part)
    return result


def names_in(expressions: Iterable[Expr]) -> frozenset[str]:
    """The numbers that expressions read, by name."""
    return frozenset(s.name for e in expressions for s in e.free_symbols if s.name.isidentifier())


def lines_of(parts: Iterable[Part], numbers: Numbers) -> list[str]:
    """The lines of the parts, one after another."""
    lines: list[str] = []
    for part in parts:
        match part:
            case Once():
                lines += part.lines
            case RepeatedLoops():
                lines += [*part.head, *(f"    {line}" for line in lines_of(part.pieces, numbers))]
            case ChainLoop():
                lines += _piece_lines(part, numbers)
    return lines


def _piece_lines(piece: ChainLoop, numbers: Numbers) -> list[str]:
    read = sorted(name for name in piece.uses - piece.defines if name in numbers.kept)
    written = sorted(name for name in piece.defines if name in numbers.kept)
    lines = [f"{'    ' * depth}{head}" for depth, head in enumerate(piece.outer)]
    inner = [*([piece.before] if piece.before else []), "for c in range(chains):"]
    lines += [f"{'    ' * len(piece.outer)}{line}" for line in inner]
    body = [
        *(f"{name} = state.{numbers.kept[name]}[0, c]" for name in read),
        *piece.lines,
        *(f"state.{numbers.kept[name]}[0, c] = {name}" for name in written),
    ]
    return [*lines, *(f"{'    ' * (len(piece.outer) + 1)}{line}" for line in body)]
