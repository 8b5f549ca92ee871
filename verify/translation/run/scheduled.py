"""Compare ``run_scheduled``, which calls ``run`` for one piece of a run after the other, each with
values of some parameters of its own.

What ``run`` does is proved for every value of its parameters. What is left is that each piece
begins where the last one ended, that every value is given to its parameter, and that a gradient
which the last step left is not taken for one at other values of the parameters that it depends on:
its mark is taken away, so that ``run`` evaluates it before the first step.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from verify.translation.parse.expected import require_text
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import unread


def check_scheduled(
    module: ParsedModule, legend: Legend, read: Collection[Any], mark: str | None
) -> None:
    """Require that a module has ``run_scheduled`` if the legend names parameters that change.

    Args:
        module: the module, whose ``run`` is proved.
        legend: the names of its fields.
        read: the parameters that gradients from data depend on.
        mark: the field of the step for which gradients that are left are right; None if none are
            left.

    Raises:
        TranslationError: where it has another text.
    """
    if ("run_scheduled" in module.functions) != bool(legend.scheduled):
        raise unread(None, "the module lacks the function run_scheduled, or has it without need")
    if not legend.scheduled:
        return
    of_gradients = {field for s, field in legend.settings.items() if s in read}
    again = mark is not None and any(f in of_gradients for f in legend.scheduled)
    require_text(module, "run_scheduled", _text(legend, mark if again else None))


def _text(legend: Legend, mark: str | None) -> list[str]:
    given = {f: f"values[piece, {n}]" for n, f in enumerate(legend.scheduled)}
    fields = sorted({*legend.settings.values(), *legend.factors.values()})
    again = (
        [] if mark is None else ["        if anew[piece]:", f"            state.{mark}[0] = 0.0"]
    )
    piece = "begins[piece], begins[piece + 1] - begins[piece]"
    passed = (
        f"state, draws, gradient, data, step_sizes[piece], now, seed, chain, {piece}, warmup, thin"
    )
    return [
        "@run_kernel",
        "def run_scheduled(state, draws, gradient, data, step_sizes, params, seed, chain, begins,"
        " values, anew, warmup, thin):",
        "    for piece in range(step_sizes.size):",
        f"        now = Params({', '.join(given.get(f, f'params.{f}') for f in fields)})",
        *again,
        f"        last, invalid = run({passed})",
        "        if invalid >= 0:",
        "            return (last, invalid)",
        "    return (begins[step_sizes.size], -1)",
    ]
