"""The form of a program that moves many chains at once: which plans have it, and the passes that
make it from the program of one chain.

Each chain is a column of the arrays. The innermost loop goes over the chains, and the compiler
vectorises it; so a target of two coordinates costs no more for each coordinate than a target of
many. The body of a loop over chains is the program of ``run`` under another index, operation by
operation, so that the draws are the same bits. A number that one loop over chains computes and
another one reads is stored in an array in between.
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
    """Return the reason why a plan has no form for many chains at once; None if it has one.

    Without that form ``run`` moves the chains one after another.
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
    """Return the program of one chain for the chain in column ``c``.

    ``state.theta[i]`` becomes ``state.theta[i, c]``.

    Args:
        node: the program, or a part of it.
        instead: the replacements of names and of calls.
    """

    def change(part: Any) -> Any:
        if isinstance(part, str | Call):
            return instead.get(part)
        if isinstance(part, Cell) and part.array.owner in ("state", "out", ""):
            return part.moved(part.array, f"{part.indices[-1]}, c")
        return None

    return rewritten(node, change)


def merged(step: Iterable[Instruction]) -> Step:
    """Return the step with neighbouring loops over chains joined into one."""
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
    """Yield those of the names that one loop over chains computes and another one reads."""
    names = set(names)
    loops = [n for n in nodes(tuple(steps)) if isinstance(n, Chains)]
    defined, read = zip(*((_defined(n), _read(n)) for n in loops), strict=True)
    for mine in defined:
        for theirs in read:
            yield from sorted(mine & theirs & names)


def with_loops(step: Step, kept: Mapping[str, str]) -> Step:
    """Return the step with its loops over chains written as ``for`` loops.

    Args:
        step: the step.
        kept: by name of a number, the array of the state that holds it between two loops. A loop
            loads such a number before it reads it, and stores it after it has computed it.
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
    """Return the names to which a loop over chains assigns values."""
    found = (n for n in nodes(chains) if isinstance(n, Assign) and n.operator == "=")
    return {str(t) for n in found for t in n.targets}


def _read(chains: Chains) -> set[str]:
    """Return the names that a loop over chains reads and does not assign."""
    found = [n for s in chains.body if not isinstance(s, Comment) for n in nodes(s)]
    names = {n for n in found if isinstance(n, str)}
    names |= {s.name for n in found if isinstance(n, Expr) for s in n.free_symbols}
    return names - _defined(chains)
