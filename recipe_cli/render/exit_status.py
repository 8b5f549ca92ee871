"""The exit status of verdicts and of draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recipe_cli.errors import BAD_INPUT_STATUS, FAULT_STATUS, UNDECIDED_STATUS
from recipe_cli.sandbox.messages import DeclarationFacts
from verify.report import Report
from verify.verdict import Verdict

if TYPE_CHECKING:
    from codegen import Draws

REFUTED_STATUS = 1  # exit status
STATUS_OF_VERDICT = {
    Verdict.PROVED: 0,
    Verdict.REFUTED: REFUTED_STATUS,
    Verdict.UNDECIDED: UNDECIDED_STATUS,
}


def exit_status(declaration: DeclarationFacts, report: Report) -> int:
    """Return 0 if the verdict is the expected one, 1 if it is refuted or another one, 3 if it is
    undecided.

    Without an expected verdict, proved is the expected one.
    """
    if declaration.expect is not None:
        return 0 if report.verdict.value == declaration.expect else REFUTED_STATUS
    return STATUS_OF_VERDICT[report.verdict]


def exit_status_of_draws(draws: Draws, accept_bias: bool) -> int:
    """Return 1 if a chain diverged or never moved, or the predicted bias is beyond its budget, 3 if
    no bias can be predicted of draws from minibatches, and 0 otherwise.

    Args:
        draws: the draws of a run.
        accept_bias: whether any bias is good.
    """
    if draws.divergences or _never_moved(draws):
        return REFUTED_STATUS
    bias = draws.bias
    if accept_bias or bias is None or bias.judgement == "within":
        return 0
    if bias.judgement == "exceeded":
        return REFUTED_STATUS
    return UNDECIDED_STATUS if bias.minibatches else 0


def _never_moved(draws: Draws) -> bool:
    """Whether all draws of a chain are one state."""
    kept = list(draws.values.values())
    return any(
        all(len(values[c]) > 1 and (values[c] == values[c][:1]).all() for values in kept)
        for c in range(len(kept[0]) if kept else 0)
    )


def worst(statuses: list[int]) -> int:
    """Return the exit status of several results: the worst of a fault, bad input, refuted,
    undecided and good.
    """
    return next(
        (
            s
            for s in (FAULT_STATUS, BAD_INPUT_STATUS, REFUTED_STATUS, UNDECIDED_STATUS)
            if s in statuses
        ),
        0,
    )
