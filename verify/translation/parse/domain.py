"""The checks that a text must make of the values of a block: that they are finite, and in the
domain.
"""

from __future__ import annotations

from sympy import Expr, oo

from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex
from verify.translation.parse.expected import require_text
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule


def edges(block: Block) -> list[str]:
    """Return the conditions on one coordinate ``x`` at the finite ends of a domain, as text."""
    if on_simplex(block):
        return ["x > 0.0"]
    return [
        f"x {'>' if end.inward == 1 else '<'}{'=' if end.belongs else ''} {float(end.at)!r}"
        for end in finite_ends(block.domain)
    ]


def check_invalid_block(module: ParsedModule, legend: Legend) -> None:
    """Require that ``invalid_block`` checks every block at both ends of its domain."""
    asked = _first_invalid(legend, "state.{}")
    require_text(module, "invalid_block", ["@kernel", "def invalid_block(state):", *asked])


def check_invalid_columns(module: ParsedModule, legend: Legend) -> None:
    """Require that the functions for many chains check every block of a column in the same way."""
    asked = _first_invalid(legend, "state.{}[:, c]")
    require_text(module, "invalid_block_of", ["@device", "def invalid_block_of(state, c):", *asked])
    if "all_valid" in module.functions:
        lines = ["@kernel", "def all_valid(state):"]
        for block, field in legend.fields.items():
            lines += [f"    if not columns_{_within(block, f'state.{field}')}:"]
            lines += ["        return False"]
        require_text(module, "all_valid", [*lines, "    return True"])


def _first_invalid(legend: Legend, values: str) -> list[str]:
    lines = []
    for n, (block, field) in enumerate(legend.fields.items()):
        lines += [f"    if not {_within(block, values.format(field))}:", f"        return {n}"]
    return [*lines, "    return -1"]


def _within(block: Block, values: str) -> str:
    """Return the call of the trusted function that returns True if values are in the domain."""
    if on_simplex(block):
        return f"within_simplex({values})"
    low, high = block.domain.inf, block.domain.sup
    belong = [", low_belongs=True"] * (low in block.domain)
    belong += [", high_belongs=True"] * (high in block.domain)
    return f"within({values}, {_number(low)}, {_number(high)}{''.join(belong)})"


def _number(end: Expr) -> str:
    return {oo: "math.inf", -oo: "-math.inf"}.get(end) or repr(float(end))
