"""The exit status that verdicts come to."""

from __future__ import annotations

from recipe_cli.errors import BAD_INPUT, INTERNAL_ERROR, UNDECIDED
from recipe_cli.sandbox.messages import DeclarationFacts
from verify.report import Report
from verify.verdict import Verdict

REFUTED = 1
EXIT_STATUS = {Verdict.PROVED: 0, Verdict.REFUTED: REFUTED, Verdict.UNDECIDED: UNDECIDED}


def exit_status(declaration: DeclarationFacts, report: Report) -> int:
    """0 where the verdict is the wanted one, 1 refuted or otherwise than expected, 3 undecided."""
    if declaration.expect is not None:
        return 0 if report.verdict.value == declaration.expect else REFUTED
    return EXIT_STATUS[report.verdict]


def worst(statuses: list[int]) -> int:
    """The exit status of several together: what has no report comes first, then refuted, undecided,
    good.
    """
    return next((s for s in (INTERNAL_ERROR, BAD_INPUT, REFUTED, UNDECIDED) if s in statuses), 0)
