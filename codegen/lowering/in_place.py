"""Turn the statements of a step into those of ``run``, where ``out`` and ``state`` are one object,
and move the numbers that no step changes in front of the loop over steps.
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
    """Return the statement with ``state`` in place of ``out``.

    Statements that call a loop function stay as they are, because the function takes both as
    arguments.
    """
    return rewritten(statement, _moved)


def _moved(node: Any) -> Any:
    """Return the replacement of a part of a statement; None to look at the parts of it."""
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
    """The statements of a plan in place.

    Attributes:
        constant: the numbers that no step changes, computed once before the loop over steps.
        changing: the other statements of a step.
        recorded: the statements that compute the recorded values after a step.
    """

    constant: list[Let]
    changing: list[Statement]
    recorded: list[Statement]


def plan_in_place(plan: Plan) -> InPlace:
    """Return the statements that ``run`` and ``run_many`` carry out."""
    known: set[str] = {"step_size"} | {s.name for s in plan.sizes.values()}
    constant: list[Let] = []
    changing = _without_constants(plan.statements, known, constant)
    return InPlace(constant, changing, [in_place(s) for s in plan.recorded.statements])


def _without_constants(
    statements: Iterable[Statement], known: set[str], constant: list[Let]
) -> list[Statement]:
    """Return the statements without the numbers that no step changes, inside of loops as well.

    Args:
        statements: the statements of a step or of a loop.
        known: the names of numbers that no step changes, which is extended.
        constant: receives the statements that compute such numbers.
    """
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
    """Return the draws that are stored in an array before they are used.

    A fused loop draws its noise itself, coordinate by coordinate. It cannot do so if more than one
    loop reads the draw, or if a sum or a matrix product reads it.
    """
    drawn = [d for d in every_noise(plan) if d.length is not None]
    uses = {d.key: noise_uses((*plan.statements, *plan.recorded.statements), d) for d in drawn}
    return [
        d for d in drawn if len(uses[d.key]) != 1 or not isinstance(uses[d.key][0], ElementwiseLoop)
    ]


def drawn_ahead(plan: Plan) -> list[NoiseDraw]:
    """Return the draws whose random numbers are drawn ahead, for several steps at once.

    These are the last coordinates of a block, too few to fill a vector register, and the scalar
    draws. Two scalar draws share the random numbers of one counter, and the first of the two stands
    for both.
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
