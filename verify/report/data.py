"""What a report says, as data. How it is shown is the matter of ``layout``, ``markdown`` and
``as_json``.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.verdict import Outcome, Verdict, overall


@dataclass(frozen=True)
class ReportLine:
    """One obligation by name, what it states as text and perhaps as LaTeX, and its outcome; what is
    not required does not enter the verdict on the whole.
    """

    name: str
    statement: str
    outcome: Outcome
    required: bool = True
    latex: str | None = None


@dataclass(frozen=True)
class ReportData:
    """What was proved, refuted or left undecided of one declaration of a ``kind``, and for which
    ``scope``.
    """

    name: str | None
    kind: str
    scope: str
    lines: tuple[ReportLine, ...]

    @property
    def verdict(self) -> Verdict:
        """Proved if every required obligation is, refuted if any of them is, undecided
        otherwise.
        """
        return overall(line.outcome.verdict for line in self.lines if line.required)

    def assumptions(self) -> list[str]:
        """What the verdicts take for granted, each sentence once."""
        return list(dict.fromkeys(a for line in self.lines for a in line.outcome.assumptions))
