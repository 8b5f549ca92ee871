"""The functions that ask whether a state is valid, that is finite and in its domain:
the state of one chain, and those of many.
"""

from __future__ import annotations

from typing import Any

from codegen.device.domain import columns_within, columns_within_simplex, within, within_simplex
from codegen.lowering.program import Call, Function, If, Instruction, Not, Return, call
from codegen.lowering.statements import Plan
from codegen.printing.reductions import WIDE
from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex


def domain_functions(plan: Plan, *, many: bool) -> list[Any]:
    """The device functions that are called here; ``many`` says whether there is ``run_many``."""
    functions = [_within(block) for block in plan.state]
    if many and plan.on_simplex:
        functions += [_columns_within(block) for block in plan.state]
    return functions


def invalid_block_function(plan: Plan) -> Function:
    """``invalid_block(state)``: which block is not valid."""
    meaning = "The number of the first block that is not finite or not in its domain, or -1."
    return Function(
        "kernel", "invalid_block", ("state",), meaning, _first_invalid(plan, "state.{}")
    )


def invalid_block_of_function(plan: Plan) -> Function:
    """``invalid_block_of(state, c)``: the same of the chain in column c."""
    meaning = "The number of the first block of chain c that is not valid, or -1."
    body = _first_invalid(plan, "state.{}[:, c]")
    return Function("device", "invalid_block_of", ("state", "c"), meaning, body)


def all_valid_function(plan: Plan) -> Function:
    """``all_valid(state)``: whether all chains are valid."""
    meaning = "Whether all blocks of all chains are finite and in their domains."
    asked = (_asked(_columns_within(b), b, f"state.{f}") for b, f in plan.fields.items())
    refused = (If(Not(valid), (Return(("False",)),)) for valid in asked)
    return Function("kernel", "all_valid", ("state",), meaning, (WIDE, *refused, Return(("True",))))


def _first_invalid(plan: Plan, values: str) -> tuple[Instruction, ...]:
    asked = (_asked(_within(b), b, values.format(field)) for b, field in plan.fields.items())
    blocks = (If(Not(valid), (Return((str(n),)),)) for n, valid in enumerate(asked))
    return (*blocks, Return(("-1",)))


def _within(block: Block) -> Any:
    return within_simplex if on_simplex(block) else within


def _columns_within(block: Block) -> Any:
    return columns_within_simplex if on_simplex(block) else columns_within


def _asked(function: Any, block: Block, values: str) -> Call:
    return call(function.__name__, values, *([] if on_simplex(block) else _ends(block)))


def _ends(block: Block) -> list[str]:
    """The lower and the upper end of an interval, and which of them belong to it."""
    ends = finite_ends(block.domain)
    at = {1: "-math.inf", -1: "math.inf"} | {end.inward: repr(float(end.at)) for end in ends}
    belong = [f"{'low' if end.inward == 1 else 'high'}_belongs=True" for end in ends if end.belongs]
    return [*at.values(), *belong]
