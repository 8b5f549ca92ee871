"""What comes after a step of many chains: who stops, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.lowering.statements import Plan


def stop_text(plan: Plan, last: Mapping[str, str], stopped: str, guilty: str) -> str:
    """``stop_many(state, done)``; ``last`` are the fields of the blocks where a chain stopped."""
    fields = list(plan.fields.values())
    saved = [
        line
        for f in fields
        for line in _column_lines(f, f"state.{last[f]}[i, c] = state.{f}[i, c]")
    ]
    moved = [
        line
        for f in fields
        for line in _column_lines(f, f"state.{f}[i, c] = state.{f}[i, running]")
    ]
    return "\n".join(
        [
            "@kernel",
            "def stop_many(state, done):",
            (
                '    """Keep where the chains stand that are not finite, or not in their domain,'
                ' after a step; whether any other runs."""'
            ),
            f"    chains = running = np.uint64(state.{fields[0]}.shape[1])",
            "    for c in range(chains):",
            "        bad = guilty_many(state, c)",
            f"        if bad >= 0 and state.{stopped}[0, c] < 0.0:",
            f"            state.{stopped}[0, c] = done",
            f"            state.{guilty}[0, c] = bad",
            *(f"            {line}" for line in saved),
            f"        if state.{stopped}[0, c] < 0.0:",
            "            running = c",
            "    if running == chains:",
            "        return False",
            "    for c in range(chains):",
            "        if guilty_many(state, c) >= 0:",
            *(f"            {line}" for line in moved),
            "    return True",
        ]
    )


def _column_lines(field: str, line: str) -> list[str]:
    return [f"for i in range(np.uint64(state.{field}.shape[0])):", f"    {line}"]


KEEP_MANY = '''\
@device
def keep_many(draws, row, values):
    """Copy the values of all chains into a row of the draws, if this block is kept."""
    if draws.shape[0] > 0:
        for i in range(np.uint64(values.shape[0])):
            for c in range(np.uint64(values.shape[1])):
                draws[row, i, c] = values[i, c]
'''

PAIRWISE_MANY = '''\
@device
def pairwise_many(sums, c):
    """The sum of the eight running sums of chain c in pairs: l and l + 4, then l and l + 2."""
    even = (sums[0, c] + sums[4, c]) + (sums[2, c] + sums[6, c])
    odd = (sums[1, c] + sums[5, c]) + (sums[3, c] + sums[7, c])
    return even + odd
'''
