"""``Report``, which shows itself on a terminal, in a notebook and as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from verify.report.as_json import as_json
from verify.report.data import ReportData
from verify.report.layout import paragraphs
from verify.report.markdown import markdown

MAX_CHARS = 100  # of a line of ``repr``


@dataclass(frozen=True, repr=False)
class Report(ReportData):
    """The outcomes about one recipe, claim, discrete step or kernel; ``verify.verify`` returns it.

    ``str(report)`` is the text for a terminal, ``repr(report)`` counts verdicts; a notebook shows
    the report as Markdown.

    Attributes:
        name: the name of the declaration; None if it has none.
        kind: ``"recipe"``, ``"claim"``, ``"step"``, ``"kernel"`` or
            ``"joint law"``.
        scope: what proofs hold for, in words.
        lines: one ``ReportLine`` for each obligation.

    Example:
        >>> from recipe import Potential, Recipe, Vector
        >>> from verify import verify
        >>> theta = Vector("theta")
        >>> report = verify(Recipe(theta, H=Potential("U", theta), D=1, Q=0))
        >>> report.verdict.value, report.scope
        ('proved', 'every d_theta, every smooth U(theta)')
    """

    def __repr__(self) -> str:
        by_verdict: dict[str, list[str]] = {}
        for line in self.lines:
            by_verdict.setdefault(line.outcome.verdict.value, []).append(line.name)
        counted = [
            _short(f"{len(names)} {verdict}: {', '.join(names)}")
            for verdict, names in sorted(by_verdict.items())
        ]
        title = self.name or f"this {self.kind}"
        head = _short(f"Report on {title}: {self.verdict.value} for {self.scope}")
        return "\n  ".join([head, *counted, "print() shows every line"])

    def __str__(self) -> str:
        return "\n".join(str(p) for p in paragraphs(self, self.name or f"this {self.kind}"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # a notebook without Markdown, and IPython

    def _repr_markdown_(self) -> str:
        return markdown(self, self.name or f"this {self.kind}")

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data; ``docs/report.md`` describes every field."""
        return as_json(self)


def _short(line: str) -> str:
    return shorten(line, MAX_CHARS, placeholder=" ...")
