"""What is said of many chains in fixed texts: who stops, where a stopped chain is kept, and what is
recorded.

``guilty_many(state, c)`` and ``right_many(state)`` look at every block and both ends of its domain.
``stop_many(state, done)`` changes the columns of those chains alone that are guilty: it keeps step,
block and state of one that has not stopped before, and then fills its column with that of a chain
that runs. So a chain that runs is never changed, and one that has stopped is never recorded as one
that runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from recipe.language.domain import on_simplex
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, edges, without_docstring
from verify.translation.parse.problems import unread, wrong


def check_plumbing(module: ParsedModule, legend: Legend, kept: Sequence[str]) -> None:
    """Require these texts; ``kept`` are the fields with the step and the block that stopped a
    chain, and its blocks then.
    """
    _require(module, "guilty_many", _guilty(legend))
    _require(module, "stop_many", _stop(legend, kept[0], kept[1], kept[2:]))
    if "right_many" in module.functions:
        _require(module, "right_many", _right(legend))


def _require(module: ParsedModule, name: str, lines: list[str]) -> None:
    function = module.functions.get(name)
    if function is None:
        raise unread(None, f"the module has no function {name}")
    module.read.add(name)
    (expected,) = ast.parse("\n".join(lines)).body
    assert isinstance(expected, ast.FunctionDef)
    body = without_docstring(function.body)
    for ours, theirs in zip(expected.body, body, strict=False):
        if ast.dump(ours) != ast.dump(theirs):
            raise wrong(theirs, f"{name} must say here: {ast.unparse(ours)}")
    if ast.dump(expected.args) != ast.dump(function.args) or len(body) != len(expected.body):
        raise wrong(function, f"{name} does not look at every block")


def _guilty(legend: Legend) -> list[str]:
    lines = ["def guilty_many(state, c):"]
    for n, (block, field) in enumerate(legend.fields.items()):
        inside = " and ".join(["abs(x) <= LARGEST", *edges(block)])
        lines += [
            f"    for i in range(np.uint64(state.{field}.shape[0])):",
            f"        x = state.{field}[i, c]",
        ]
        lines += [f"        if not ({inside}):", f"            return {n}"]
        if on_simplex(block):
            lines += [*_summed(field, "    "), "    if not summed < 1.0:", f"        return {n}"]
    return [*lines, "    return -1"]


def _right(legend: Legend) -> list[str]:
    lines = ["def right_many(state):", "    wide()", "    right = True"]
    for block, field in legend.fields.items():
        columns = f"for c in range(np.uint64(state.{field}.shape[1])):"
        inside = " & ".join(f"({condition})" for condition in ["abs(x) <= LARGEST", *edges(block)])
        lines += [f"    for i in range(np.uint64(state.{field}.shape[0])):", f"        {columns}"]
        lines += [f"            x = state.{field}[i, c]", f"            right &= {inside}"]
        if on_simplex(block):
            lines += [
                f"    {columns}",
                *_summed(field, "        "),
                "        right &= summed < 1.0",
            ]
    return [*lines, "    return right"]


def _summed(field: str, indent: str) -> list[str]:
    lines = [
        "summed = 0.0",
        f"for i in range(np.uint64(state.{field}.shape[0])):",
        f"    summed += state.{field}[i, c]",
    ]
    return [indent + line for line in lines]


def _stop(legend: Legend, stopped: str, guilty: str, last: Sequence[str]) -> list[str]:
    fields = list(legend.fields.values())

    def copied(indent: str, to: str, column: str) -> list[str]:
        targets = last if to == "last" else fields
        both = [
            (
                f,
                [
                    f"for i in range(np.uint64(state.{f}.shape[0])):",
                    f"    state.{t}[i, c] = state.{f}[i, {column}]",
                ],
            )
            for f, t in zip(fields, targets, strict=True)
        ]
        return [indent + line for _, lines in both for line in lines]

    return [
        "def stop_many(state, done):",
        f"    chains = running = np.uint64(state.{fields[0]}.shape[1])",
        "    for c in range(chains):",
        "        bad = guilty_many(state, c)",
        f"        if bad >= 0 and state.{stopped}[0, c] < 0.0:",
        f"            state.{stopped}[0, c] = done",
        f"            state.{guilty}[0, c] = bad",
        *copied("            ", "last", "c"),
        f"        if state.{stopped}[0, c] < 0.0:",
        "            running = c",
        "    if running == chains:",
        "        return False",
        "    for c in range(chains):",
        "        if guilty_many(state, c) >= 0:",
        *copied("            ", "state", "running"),
        "    return True",
    ]
