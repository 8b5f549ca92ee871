"""The text of the functions that ask whether a state is finite and in its domain: of one chain, and
of many.
"""

from __future__ import annotations

from codegen.lowering.statements import Plan, conditions
from recipe.language.symbols import Simplex


def guilty_text(plan: Plan) -> str:
    """``guilty(state)``: which block is not finite, or outside of its domain."""
    lines = [
        "@kernel",
        "def guilty(state):",
        '    """The number of the first block that is not finite or not in its domain, or -1."""',
    ]
    for n, (block, field) in enumerate(plan.fields.items()):
        inside = " and ".join(conditions(block.domain, "x"))
        lines += [
            f"    for x in state.{field}:",
            f"        if not ({inside}):",
            f"            return {n}",
        ]
        if isinstance(block.domain, Simplex):
            lines += [f"    if not np.sum(state.{field}) < 1.0:", f"        return {n}"]
    return "\n".join([*lines, "    return -1"])


def guilty_many_text(plan: Plan) -> str:
    """``guilty_many(state, c)``: the same of the chain in column c."""
    lines = [
        "@device",
        "def guilty_many(state, c):",
        (
            '    """The number of the first block of chain c that is not finite or not in its'
            ' domain, or -1."""'
        ),
    ]
    for n, (block, field) in enumerate(plan.fields.items()):
        inside = " and ".join(conditions(block.domain, "x"))
        lines += [
            f"    for i in range(np.uint64(state.{field}.shape[0])):",
            f"        x = state.{field}[i, c]",
            f"        if not ({inside}):",
            f"            return {n}",
        ]
        if isinstance(block.domain, Simplex):
            lines += [
                *(f"    {line}" for line in _column_sum(field)),
                "    if not summed < 1.0:",
                f"        return {n}",
            ]
    return "\n".join([*lines, "    return -1"])


def right_many_text(plan: Plan) -> str:
    """``right_many(state)``: whether no chain is guilty, without branches."""
    lines = [
        "@kernel",
        "def right_many(state):",
        '    """Whether all blocks of all chains are finite and in their domains."""',
        "    wide()",
        "    right = True",
    ]
    for block, field in plan.fields.items():
        inside = " & ".join(f"({condition})" for condition in conditions(block.domain, "x"))
        lines += [
            f"    for i in range(np.uint64(state.{field}.shape[0])):",
            f"        for c in range(np.uint64(state.{field}.shape[1])):",
            f"            x = state.{field}[i, c]",
            f"            right &= {inside}",
        ]
        if isinstance(block.domain, Simplex):
            lines += [f"    for c in range(np.uint64(state.{field}.shape[1])):"]
            lines += [
                *(f"        {line}" for line in _column_sum(field)),
                "        right &= summed < 1.0",
            ]
    return "\n".join([*lines, "    return right"])


def _column_sum(field: str) -> list[str]:
    return [
        "summed = 0.0",
        f"for i in range(np.uint64(state.{field}.shape[0])):",
        f"    summed += state.{field}[i, c]",
    ]
