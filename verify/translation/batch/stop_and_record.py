"""Which chains stop, and where a stopped chain is kept.

``freeze_invalid(state, done)`` changes the columns of those chains alone that have an invalid
block: it keeps step, block and state of one that has not stopped before, and then fills its column
with that of a chain that runs. So a chain that runs is never changed, and one that has stopped is
never recorded as one that runs. Each of these is a trusted function; here their arguments are
checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verify.translation.parse.domain import check_invalid_columns
from verify.translation.parse.expected import require_text
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule


def check_stops(module: ParsedModule, legend: Legend, kept: Sequence[str]) -> None:
    """Require that every block of every chain is looked at, and kept where a chain stops.

    ``kept`` are the fields with the step and the block that stopped a chain, and its blocks then.
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
