"""Many chains at once, a chain a column: which plans have that form, and the passes that turn the
program of one chain into that of many.

The innermost loop goes over chains and is the one that is vectorised, so that a target of two
coordinates costs no more a coordinate than one of many. The body of a loop over chains is the
program of ``run`` under another index, operation by operation: the draws are the same bits. A
number that one such loop computes and another one reads stands in between in an array of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr

from codegen.lowering.places import Array, Cell
from codegen.lowering.program import (
    Assign,
    Call,
    Chains,
    Comment,
    For,
    Instruction,
    assign,
    nodes,
    rewritten,
)
from codegen.lowering.statements import GradientCall, Loop, MatrixProduct, Plan, ValueCall, every


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


Step = tuple[Instruction, ...]


def at_column(node: Any, instead: Mapping[Any, Any]) -> Any:
    """The program of one chain as that of the chain in column ``c``: ``state.theta[i]`` becomes
    ``state.theta[i, c]``, and ``instead`` gives what stands for a name or for a call.
    """

    def change(part: Any) -> Any:
        if isinstance(part, str | Call):
            return instead.get(part)
        if isinstance(part, Cell) and part.array.owner in ("state", "out", ""):
            return part.moved(part.array, f"{part.indices[-1]}, c")
        return None

    return rewritten(node, change)


def merged(step: Iterable[Instruction]) -> Step:
    """As few loops over chains as their order allows: neighbours become one."""
    result: list[Instruction] = []
    for s in step:
        last = result[-1] if result else None
        if isinstance(s, Chains) and isinstance(last, Chains):
            result[-1] = Chains((*last.body, *s.body))
        elif isinstance(s, For):
            result.append(replace(s, body=merged(s.body)))
        else:
            result.append(s)
    return tuple(result)


def crossing(steps: Iterable[Step], names: Iterable[str]) -> Iterator[str]:
    """Those names of numbers that one loop over chains computes and another one reads."""
    names = set(names)
    loops = [n for n in nodes(tuple(steps)) if isinstance(n, Chains)]
    defined, read = zip(*((_defined(n), _read(n)) for n in loops), strict=True)
    for mine in defined:
        for theirs in read:
            yield from sorted(mine & theirs & names)


def with_loops(step: Step, kept: Mapping[str, str]) -> Step:
    """The loops over chains written out; ``kept`` are the arrays of the state in which numbers
    stand between two loops, by name.
    """

    def change(part: Any) -> Any:
        if not isinstance(part, Chains):
            return None
        cells = {name: Array("state", array)["0, c"] for name, array in kept.items()}
        begin = (assign(name, cells[name]) for name in sorted(_read(part) & kept.keys()))
        end = (assign(cells[name], name) for name in sorted(_defined(part) & kept.keys()))
        return For("c", ("chains",), (*begin, *part.body, *end))

    return rewritten(step, change)


def _defined(chains: Chains) -> set[str]:
    found = (n for n in nodes(chains) if isinstance(n, Assign) and n.operator == "=")
    return {str(t) for n in found for t in n.targets}


def _read(chains: Chains) -> set[str]:
    """The names that a loop reads and does not compute."""
    found = [n for s in chains.body if not isinstance(s, Comment) for n in nodes(s)]
    names = {n for n in found if isinstance(n, str)}
    names |= {s.name for n in found if isinstance(n, Expr) for s in n.free_symbols}
    return names - _defined(chains)
