"""A step where ``out`` is ``state``: its statements in place, and the numbers among them that no
step changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sympy import Symbol

from codegen.lowering.places import Array, Cell
from codegen.lowering.program import rewritten
from codegen.lowering.statements import (
    ElementwiseLoop,
    Let,
    Loop,
    MatrixProduct,
    NoiseDraw,
    Plan,
    Statement,
    Sums,
    every,
    every_noise,
    noise_uses,
    scalar_pairs,
)


def in_place(statement: Statement) -> Statement:
    """The statement where ``out`` is ``state``. Loop functions take both as arguments, and stay."""
    return rewritten(statement, _moved)


def _moved(node: Any) -> Any:
    match node:
        case Sums() | MatrixProduct() | ElementwiseLoop():
            return node
        case Array("out", field):
            return Array("state", field)
        case Cell(array=Array("out", field)):
            return node.moved(Array("state", field))
    return None


@dataclass(frozen=True)
class InPlace:
    """The statements of a plan in place: the numbers that no step changes, the rest of a step, and
    the statements that compute what is recorded after it.
    """

    constant: list[Let]
    changing: list[Statement]
    recorded: list[Statement]


def plan_in_place(plan: Plan) -> InPlace:
    """The statements that ``run`` and ``run_many`` carry out."""
    known: set[str] = {"step_size"} | {s.name for s in plan.sizes.values()}
    constant: list[Let] = []
    changing = _without_constants(plan.statements, known, constant)
    return InPlace(constant, changing, [in_place(s) for s in plan.recorded.statements])


def _without_constants(
    statements: Iterable[Statement], known: set[str], constant: list[Let]
) -> list[Statement]:
    changing: list[Statement] = []
    for s in (in_place(s) for s in statements):
        if isinstance(s, Loop):
            changing.append(
                replace(s, statements=tuple(_without_constants(s.statements, known, constant)))
            )
        elif (
            isinstance(s, Let)
            and not s.store
            and all(_constant(x, known) for x in s.value.free_symbols)
        ):
            known.add(s.target.name)
            constant.append(s)
        else:
            changing.append(s)
    return changing


def _constant(symbol: Symbol, known: set[str]) -> bool:
    return symbol.name in known or symbol.name.startswith("params.")


def filled_noises(plan: Plan) -> list[NoiseDraw]:
    """The draws that are filled into an array before they are used: a fused loop cannot draw them,
    as more than one loop reads them, or a sum or a product does.
    """
    drawn = [d for d in every_noise(plan) if d.length is not None]
    uses = {d.key: noise_uses((*plan.statements, *plan.recorded.statements), d) for d in drawn}
    return [
        d for d in drawn if len(uses[d.key]) != 1 or not isinstance(uses[d.key][0], ElementwiseLoop)
    ]


def drawn_ahead(plan: Plan) -> list[NoiseDraw]:
    """The draws whose random numbers are drawn for several steps at once.

    These are the coordinates of a block that fill no vector, and the scalar draws; two scalar draws
    share one counter, under the first of them.
    """
    filled = filled_noises(plan)
    loops = [s.noises for s in every(plan.statements) if isinstance(s, Loop)]
    numbers = {
        pair[0].key
        for noises in (plan.noises, *loops, plan.recorded.noises)
        for pair in scalar_pairs(noises)
    }
    return [
        d
        for d in every_noise(plan)
        if d.key in numbers or (d.length is not None and d not in filled)
    ]
