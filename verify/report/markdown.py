"""A report as Markdown with LaTeX between dollars, for code hosting sites and notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from verify.report.data import ReportData, ReportLine
from verify.report.layout import WORDS_BEFORE_SCOPE, point_of
from verify.verdict import Formula


def markdown(
    report: ReportData, name: str, file: str | None = None, expect: str | None = None
) -> str:
    """Return the report as Markdown: a heading, a table, and a section for each obligation with
    details.

    Args:
        report: the report.
        name: the name of the declaration.
        file: the file that it is declared in; None if it is not shown.
        expect: the verdict that the user expected; None if there is none.
    """
    verdict = report.verdict
    of = report.kind if file is None else f"{report.kind}, {_code(file)}"
    lines = [
        f"## {_escaped(name)}: {verdict.value}",
        "",
        f"{of}: **{verdict.value}**{''.join(WORDS_BEFORE_SCOPE[verdict])}{_escaped(report.scope)}",
        "",
    ]
    if expect not in (None, verdict.value):
        lines += [f"**Expected to be {expect}, but it is {verdict.value}.**", ""]
    lines += [
        "| verdict | obligation | states | how |",
        "| :-- | :-- | :-- | :-- |",
        *map(_row, report.lines),
    ]
    for line in report.lines:
        details = list(_details(line))
        if details or line.outcome.found is not None:
            lines += [
                "",
                f"### {line.outcome.verdict.value}: {line.name}",
                "",
                *(f"* {d}" for d in details),
            ]
        if line.outcome.found is not None:
            lines += [*([""] if details else []), *_found(line.outcome.found)]
    taken = [f"* assumed: {_escaped(a)}" for a in report.assumptions()]
    return "\n".join([*lines, *([""] if taken else []), *taken]) + "\n"


def _row(line: ReportLine) -> str:
    outcome = line.outcome
    verdict = (
        outcome.verdict.value
        if outcome.verdict.value == "proved"
        else f"**{outcome.verdict.value}**"
    )
    aside = "" if line.required else " (not required)"
    states = _escaped(line.statement) if line.latex is None else f"${line.latex}$"
    how = "see below" if any(_details(line)) else _escaped(outcome.by)
    return f"| {verdict} | {line.name}{aside} | {states} | {how} |"


def _details(line: ReportLine) -> Iterator[str]:
    outcome = line.outcome
    if outcome.scope is not None:
        yield f"{_escaped(outcome.by)}; for {_escaped(outcome.scope)}"
    yield from map(_escaped, outcome.facts)
    if outcome.residual is not None:
        place, _, _ = outcome.by.rpartition(": ")
        yield (
            f"{_escaped(place)}{': ' if place else ''}what should be zero is"
            f" ${outcome.residual.latex}$"
        )
    elif outcome.witness is not None:
        yield _escaped(outcome.by)
    if outcome.witness is not None:
        yield (
            f"Witness: {', '.join(_code(c) for c in point_of(outcome.witness.point))};"
            f" {_escaped(outcome.witness.finding)}"
        )
    if outcome.repair is not None:
        yield f"Repair: {_escaped(outcome.repair)}"


def _found(found: Formula) -> list[str]:
    """Return the lines of a formula that was found: as LaTeX, and as code if that takes several
    lines.
    """
    return [
        f"$${found.latex}$$",
        *(["", "```python", found.text, "```"] if "\n" in found.text else []),
    ]


def _escaped(text: str) -> str:
    """Return the text with all Markdown characters escaped."""
    return re.sub(r"([\\`*_{}\[\]<>|$~#])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"
