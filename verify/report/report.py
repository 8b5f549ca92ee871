"""A report that shows itself: on a terminal, in a notebook, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verify.report.as_json import as_json
from verify.report.data import ReportData
from verify.report.layout import paragraphs
from verify.report.markdown import markdown


@dataclass(frozen=True)
class Report(ReportData):
    """What was proved, refuted or left undecided of one recipe, claim, discrete step or kernel, and
    for which scope.
    """

    def __str__(self) -> str:
        return "\n".join(str(p) for p in paragraphs(self, self.name or f"this {self.kind}"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # a notebook without Markdown, and IPython

    def _repr_markdown_(self) -> str:
        return markdown(self, self.name or f"this {self.kind}")

    def as_json(self) -> dict[str, Any]:
        """The report as plain data; ``docs/report.md`` describes every field."""
        return as_json(self)
