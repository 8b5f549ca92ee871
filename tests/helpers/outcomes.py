"""What a report says of one obligation."""

from verify import Report
from verify.verdict import Outcome


def outcome_of(report: Report, name: str) -> Outcome:
    return next(line.outcome for line in report.lines if line.name == name)
