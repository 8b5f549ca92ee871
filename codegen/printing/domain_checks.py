"""The text of the functions that ask whether a state is valid, that is finite and in its domain:
the state of one chain, and those of many.
"""

from __future__ import annotations

from typing import Any

from codegen.device.domain import columns_within, columns_within_simplex, within, within_simplex
from codegen.lowering.statements import Plan
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.symbols import Block


def domain_functions(plan: Plan, *, many: bool) -> list[Any]:
    """The device functions that are called here; ``many`` says whether there is ``run_many``."""
    functions = [_within(block) for block in plan.state]
    if many and plan.on_simplex:
        functions += [_columns_within(block) for block in plan.state]
    return functions


def invalid_block_text(plan: Plan) -> str:
    """``invalid_block(state)``: which block is not valid."""
    lines = [
        "@kernel",
        "def invalid_block(state):",
        '    """The number of the first block that is not finite or not in its domain, or -1."""',
    ]
    return "\n".join([*lines, *_first_invalid(plan, "state.{}")])


def invalid_block_of_text(plan: Plan) -> str:
    """``invalid_block_of(state, c)``: the same of the chain in column c."""
    lines = [
        "@device",
        "def invalid_block_of(state, c):",
        '    """The number of the first block of chain c that is not valid, or -1."""',
    ]
    return "\n".join([*lines, *_first_invalid(plan, "state.{}[:, c]")])


def all_valid_text(plan: Plan) -> str:
    """``all_valid(state)``: whether all chains are valid."""
    lines = [
        "@kernel",
        "def all_valid(state):",
        '    """Whether all blocks of all chains are finite and in their domains."""',
        "    wide()",
    ]
    for block, field in plan.fields.items():
        call = _call(_columns_within(block), block, f"state.{field}")
        lines += [f"    if not {call}:", "        return False"]
    return "\n".join([*lines, "    return True"])


def _first_invalid(plan: Plan, values: str) -> list[str]:
    lines = []
    for n, (block, field) in enumerate(plan.fields.items()):
        call = _call(_within(block), block, values.format(field))
        lines += [f"    if not {call}:", f"        return {n}"]
    return [*lines, "    return -1"]


def _within(block: Block) -> Any:
    return within_simplex if on_simplex(block) else within


def _columns_within(block: Block) -> Any:
    return columns_within_simplex if on_simplex(block) else columns_within


def _call(function: Any, block: Block, values: str) -> str:
    arguments = [values] if on_simplex(block) else [values, *_ends(block)]
    return f"{function.__name__}({', '.join(arguments)})"


def _ends(block: Block) -> list[str]:
    """The lower and the upper end of an interval, and which of them belong to it."""
    ends = finite_ends(block.domain)
    at = {1: "-math.inf", -1: "math.inf"} | {end.inward: repr(float(end.at)) for end in ends}
    belong = [f"{'low' if end.inward == 1 else 'high'}_belongs=True" for end in ends if end.belongs]
    return [*at.values(), *belong]
