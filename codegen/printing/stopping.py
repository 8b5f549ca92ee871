"""The text of ``freeze_invalid``, which stops the chains among many that are not valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codegen.lowering.statements import Plan


def freeze_invalid_text(plan: Plan, last: Mapping[str, str], stopped: str, invalid: str) -> str:
    """``freeze_invalid(state, done)``.

    Args:
        plan: of the step.
        last: the fields of the blocks where a chain stopped, by those of the blocks.
        stopped: the field of the step that stopped a chain.
        invalid: the field of the block that stopped it.
    """
    return f'''\
@kernel
def freeze_invalid(state, done):
    """Stop the chains that are not valid after a step, and let their columns be copies of another
    one; whether any chain runs.
    """
    blocks = {_tuple(plan.fields.values())}
    last = {_tuple(last[field] for field in plan.fields.values())}
    stopped, invalid = state.{stopped}, state.{invalid}
    chains = np.uint64(stopped.shape[1])
    for c in range(chains):
        stop_chain(c, invalid_block_of(state, c), done, stopped, invalid, blocks, last)
    running = running_chain(stopped)
    for c in range(chains):
        refill_column(c, invalid_block_of(state, c), blocks, running)
    return running >= 0
'''


def _tuple(fields: Iterable[str]) -> str:
    values = [f"state.{field}" for field in fields]
    return f"({', '.join(values)}{',' * (len(values) == 1)})"
