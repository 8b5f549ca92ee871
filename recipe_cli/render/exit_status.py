"""The exit status of verdicts."""

from __future__ import annotations

from recipe_cli.errors import BAD_INPUT_STATUS, FAULT_STATUS, UNDECIDED_STATUS
from recipe_cli.sandbox.messages import DeclarationFacts
from verify.report import Report
from verify.verdict import Verdict

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
