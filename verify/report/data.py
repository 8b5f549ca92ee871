"""The contents of a report, as data; ``layout``, ``markdown`` and ``as_json`` show them."""

from __future__ import annotations

from dataclasses import dataclass

from verify.verdict import Outcome, Verdict, overall


@dataclass(frozen=True)
class ReportLine:
    """One line of a report: an obligation and its outcome.

    Attributes:
        name: the name of the obligation.
        statement: the proposition, as text.
        outcome: the verdict with its argument, witness, assumptions and repair.
        required: False if the outcome does not enter the verdict of the report.
        latex: the proposition as LaTeX; None if there is only text.
    """

    name: str
    statement: str
    outcome: Outcome
    required: bool = True
    latex: str | None = None


@dataclass(frozen=True)
class ReportData:
    """The outcomes about one declaration.

    Attributes:
        name: the name of the declaration; None if it has none.
        kind: ``"recipe"``, ``"claim"``, ``"step"``, ``"kernel"`` or
            ``"joint law"``.
        scope: what proofs hold for, in words.
        lines: one line for each obligation.
    """

    name: str | None
    kind: str
    scope: str
    lines: tuple[ReportLine, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict on the declaration.

        It is proved if every required obligation is, refuted if one of them is, and undecided
        otherwise.
        """
        return overall(line.outcome.verdict for line in self.lines if line.required)

    def assumptions(self) -> list[str]:
        """Return the premises of all verdicts, each sentence once."""
        return list(dict.fromkeys(a for line in self.lines for a in line.outcome.assumptions))
