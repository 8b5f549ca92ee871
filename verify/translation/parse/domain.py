"""What a text must ask of the values of a block: whether they are finite, and in the domain."""

from __future__ import annotations

from sympy import Expr, oo

from recipe.language.domain import finite_ends, on_simplex
from recipe.language.symbols import Block
from verify.translation.parse.expected import require_text
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule


def edges(block: Block) -> list[str]:
    """The conditions on one coordinate ``x`` at the finite ends of a domain."""
    if on_simplex(block):
        return ["x > 0.0"]
    return [
        f"x {'>' if end.inward == 1 else '<'}{'=' if end.belongs else ''} {float(end.at)!r}"
        for end in finite_ends(block.domain)
    ]


def check_invalid_block(module: ParsedModule, legend: Legend) -> None:
    """Require that ``invalid_block`` looks at every block and both ends of its domain."""
    asked = _first_invalid(legend, "state.{}")
    require_text(module, "invalid_block", ["@kernel", "def invalid_block(state):", *asked])


def check_invalid_columns(module: ParsedModule, legend: Legend) -> None:
    """Require the same of the functions that look at the columns of many chains."""
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
    """The call of the trusted function that says whether these values are in the domain."""
    if on_simplex(block):
        return f"within_simplex({values})"
    low, high = block.domain.inf, block.domain.sup
    belong = [", low_belongs=True"] * (low in block.domain)
    belong += [", high_belongs=True"] * (high in block.domain)
    return f"within({values}, {_number(low)}, {_number(high)}{''.join(belong)})"


def _number(end: Expr) -> str:
    return {oo: "math.inf", -oo: "-math.inf"}.get(end) or repr(float(end))
