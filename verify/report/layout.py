"""A report as paragraphs of text: for a terminal, and for ``str(report)``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verify.report.data import ReportData, ReportLine
from verify.verdict import Verdict

# The words between a verdict and its scope: those that keep the style of the verdict, and the rest.
WORDS_BEFORE_SCOPE = {
    Verdict.PROVED: ("", " for "),
    Verdict.REFUTED: (";", " it was claimed for "),
    Verdict.UNDECIDED: (";", " the question is for "),
}
CODE_INDENT = " " * 4  # before each line of a text of several lines
FINE, TITLE = "fine print", "title"  # roles of text; a verdict is a role as well


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of a report.

    Attributes:
        head: pieces of text at the beginning, each with its role: a verdict, ``TITLE``, ``FINE`` or
            nothing.
        body: the text after the head.
        indent: the number of columns before every line but the first.
        role: the role of the body.
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
    """Yield the paragraphs of a report.

    They are the verdict and its scope, the lines of the obligations with their witnesses and
    repairs, and the assumptions.

    Args:
        report: the report.
        name: the name of the declaration.
        file: the file that it is declared in; None if it is not shown.
        expect: the verdict that the user expected; None if there is none.
    """
    verdict = report.verdict
    of = report.kind if file is None else f"{report.kind}, {file}"
    mark, words = WORDS_BEFORE_SCOPE[verdict]
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
            f"expected to be {expect}, but it is {verdict.value}",
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
        yield Paragraph(((CODE_INDENT, ""),), text, len(CODE_INDENT) + 4)  # for copy and paste


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
    """Return the coordinates of a witness, one equation each."""
    return [
        f"{k} = {v}" if isinstance(v, str) else f"{k} = ({', '.join(v)})" for k, v in point.items()
    ]
