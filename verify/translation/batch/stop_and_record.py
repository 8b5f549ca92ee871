"""Check how chains stop in the form of many chains, and where the state of a stopped chain is kept.

``freeze_invalid(state, done)`` changes only the columns of chains that have an invalid block. For a
chain that has not stopped before it keeps the step, the block and the state, and then it copies the
column of a running chain into the column. So it never changes a running chain, and a stopped chain
is never taken for a running one. The function is trusted; this file checks its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verify.translation.parse.domain import check_invalid_columns
from verify.translation.parse.expected import require_text
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule


def check_stops(module: ParsedModule, legend: Legend, kept: Sequence[str]) -> None:
    """Require that every block of every chain is checked, and kept if its chain stops.

    Args:
        module: the parsed module.
        legend: the names of its fields.
        kept: the fields with the step and the block that stopped a chain, and with its last state.
    """
    check_invalid_columns(module, legend)
    stopped, invalid, *last = kept
    lines = [
        "@kernel",
        "def freeze_invalid(state, done):",
        f"    blocks = {_arrays(legend.fields.values())}",
        f"    last = {_arrays(last)}",
        f"    stopped, invalid = state.{stopped}, state.{invalid}",
        "    chains = np.uint64(stopped.shape[1])",
        "    for c in range(chains):",
        "        stop_chain(c, invalid_block_of(state, c), done, stopped, invalid, blocks, last)",
        "    running = running_chain(stopped)",
        "    for c in range(chains):",
        "        refill_column(c, invalid_block_of(state, c), blocks, running)",
        "    return running >= 0",
    ]
    require_text(module, "freeze_invalid", lines)


def _arrays(fields: Iterable[str]) -> str:
    return f"({' '.join(f'state.{field},' for field in fields)})"
