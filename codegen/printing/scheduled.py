"""The function ``run_scheduled`` of a module some of whose parameters have schedules: it calls
``run`` for each piece of a run in which the step size and all parameters are constant.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from codegen.lowering.statements import Plan

TEXT = '''\
@run_kernel
def run_scheduled(
    state, draws, gradient, data, step_sizes, params, seed, chain,
    begins, values, anew, warmup, thin,
):
    """Pieces of a run, each with a step size and with values of {names} of its own."""
    for piece in range(step_sizes.size):
        now = Params({fields})
{again}        last, invalid = run(
            state, draws, gradient, data, step_sizes[piece], now, seed, chain,
            begins[piece], begins[piece + 1] - begins[piece], warmup, thin,
        )
        if invalid >= 0:
            return last, invalid
    return begins[step_sizes.size], -1
'''
AGAIN = """\
        if anew[piece]:
            state.{mark}[0] = 0.0
"""


def scheduled_text(plan: Plan, scheduled: Sequence[str], of_gradients: Collection[str]) -> str:
    """Return the text of ``run_scheduled``.

    Args:
        plan: the plan of a step.
        scheduled: the fields of ``Params`` that have schedules, in the order of their columns.
        of_gradients: the fields that gradients read. Where one of them changes, a gradient that
            the last step left is one at another value, and is evaluated again.
    """
    fields = sorted({*plan.settings.values(), *plan.factors.values()})
    each = (
        f"values[piece, {scheduled.index(f)}]" if f in scheduled else f"params.{f}" for f in fields
    )
    again = plan.carried is not None and any(f in of_gradients for f in scheduled)
    return TEXT.format(
        names=" and ".join(scheduled),
        fields=", ".join(each),
        again=AGAIN.format(mark=plan.carried.mark) if again and plan.carried else "",
    )
