"""A report as paragraphs: what is printed on a terminal, and what ``str(report)`` is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verify.report.data import ReportData, ReportLine
from verify.verdict import Verdict

SCOPE = {
    Verdict.PROVED: ("", " for "),
    Verdict.REFUTED: (";", " it was claimed for "),
    Verdict.UNDECIDED: (";", " the question is for "),
}
SHIFT = " " * 4  # of what is written on several lines
FINE, TITLE = "fine print", "title"


@dataclass(frozen=True)
class Paragraph:
    """Pieces of a ``head`` with their roles (a verdict, ``TITLE`` or ``FINE``), then a body;
    ``indent`` is of further lines.
    """

    head: tuple[tuple[str, str], ...]
    body: str
    indent: int
    role: str = ""

    def __str__(self) -> str:
        return "".join(piece for piece, _ in self.head) + self.body


def paragraphs(
    report: ReportData, name: str, file: str | None = None, expect: str | None = None
) -> Iterator[Paragraph]:
    """The verdict and its scope, one line an obligation with its witness and repair, and what is
    assumed.
    """
    verdict = report.verdict
    of = report.kind if file is None else f"{report.kind}, {file}"
    mark, words = SCOPE[verdict]
    yield Paragraph(
        ((name, TITLE), (f" ({of}): ", ""), (verdict.value, verdict.value), (mark, "")),
        f"{words}{report.scope}",
        2,
    )
    width = max((len(line.name) for line in report.lines), default=0)
    for line in (line for line in report.lines if line.required):
        yield from _of_line(line, width)
    beside = [line for line in report.lines if not line.required]
    if beside:
        yield Paragraph((("  not required:", FINE),), "", 2)
    for line in beside:
        yield from _of_line(line, width)
    if expect not in (None, verdict.value):
        yield Paragraph(
            (("  ", ""),),
            f"expected to be {expect}, and it is {verdict.value}",
            4,
            Verdict.REFUTED.value,
        )
    for assumption in report.assumptions():
        yield Paragraph((("  assumed: ", FINE),), assumption, 11, FINE)


def _of_line(line: ReportLine, width: int) -> Iterator[Paragraph]:
    outcome, indent = line.outcome, 12 + width + 2
    verdict = outcome.verdict.value
    yield Paragraph(
        (("  ", ""), (f"{verdict:<10}", verdict), (f"{line.name:<{width}}  ", "")),
        outcome.by,
        indent,
    )
    for label, text in _details(line):
        yield Paragraph(((" " * indent + label, ""),), text, indent + len(label))
    for text in (
        ()
        if outcome.found is None or "\n" not in outcome.found.text
        else outcome.found.text.splitlines()
    ):
        yield Paragraph(((SHIFT, ""),), text, len(SHIFT) + 4)  # to be pasted


def _details(line: ReportLine) -> Iterator[tuple[str, str]]:
    outcome = line.outcome
    for fact in outcome.facts:
        yield "", fact
    if outcome.scope is not None:
        yield "for ", outcome.scope
    for shown in (outcome.residual, outcome.found):
        if shown is not None and shown.where and "\n" not in shown.text:
            yield "where ", "; ".join(shown.where)
    if outcome.witness is not None:
        yield (
            "witness: ",
            f"{', '.join(point_of(outcome.witness.point))}; {outcome.witness.finding}",
        )
    if outcome.repair is not None:
        yield "repair: ", outcome.repair


def point_of(point: dict[str, str | list[str]]) -> list[str]:
    """The coordinates of a witness, one equation each."""
    return [
        f"{k} = {v}" if isinstance(v, str) else f"{k} = ({', '.join(v)})" for k, v in point.items()
    ]
