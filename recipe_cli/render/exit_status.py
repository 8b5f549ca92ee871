"""The exit status that verdicts come to."""

from __future__ import annotations

from recipe_cli.errors import BAD_INPUT_STATUS, FAULT_STATUS, UNDECIDED_STATUS
from recipe_cli.sandbox.messages import DeclarationFacts
from verify.report import Report
from verify.verdict import Verdict

REFUTED_STATUS = 1
STATUS_OF_VERDICT = {
    Verdict.PROVED: 0,
    Verdict.REFUTED: REFUTED_STATUS,
    Verdict.UNDECIDED: UNDECIDED_STATUS,
}


def exit_status(declaration: DeclarationFacts, report: Report) -> int:
    """0 where the verdict is the wanted one, 1 refuted or otherwise than expected, 3 undecided."""
    if declaration.expect is not None:
        return 0 if report.verdict.value == declaration.expect else REFUTED_STATUS
    return STATUS_OF_VERDICT[report.verdict]


def worst(statuses: list[int]) -> int:
    """The exit status of several together: what has no report comes first, then refuted, undecided,
    good.
    """
    return next(
        (
            s
            for s in (FAULT_STATUS, BAD_INPUT_STATUS, REFUTED_STATUS, UNDECIDED_STATUS)
            if s in statuses
        ),
        0,
    )
