"""The function ``freeze_invalid``, which stops the chains among many that are not valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codegen.lowering.program import Assign, Do, For, Function, Return, assign, call
from codegen.lowering.statements import Plan


def freeze_invalid_function(
    plan: Plan, last: Mapping[str, str], stopped: str, invalid: str
) -> Function:
    """``freeze_invalid(state, done)``.

    Args:
        plan: of the step.
        last: the fields of the blocks where a chain stopped, by those of the blocks.
        stopped: the field of the step that stopped a chain.
        invalid: the field of the block that stopped it.
    """
    meaning = """\
Stop the chains that are not valid after a step, and let their columns be copies of another
one; whether any chain runs."""
    bad = call("invalid_block_of", "state", "c")
    stop = call("stop_chain", "c", bad, "done", "stopped", "invalid", "blocks", "last")
    body = (
        assign("blocks", _tuple(plan.fields.values())),
        assign("last", _tuple(last[field] for field in plan.fields.values())),
        Assign(("stopped", "invalid"), f"state.{stopped}, state.{invalid}"),
        assign("chains", "np.uint64(stopped.shape[1])"),
        For("c", ("chains",), (Do(stop),)),
        assign("running", call("running_chain", "stopped")),
        For("c", ("chains",), (Do(call("refill_column", "c", bad, "blocks", "running")),)),
        Return(("running >= 0",)),
    )
    return Function("kernel", "freeze_invalid", ("state", "done"), meaning, body)


def _tuple(fields: Iterable[str]) -> str:
    values = [f"state.{field}" for field in fields]
    return f"({', '.join(values)}{',' * (len(values) == 1)})"
