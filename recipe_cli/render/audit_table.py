"""The table of an audit: for each rule the law that it is claimed to sample, the verdict, the law
that it samples, and a repair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from recipe.printing.plain_text import without_codes
from recipe_cli.render.exit_status import exit_status
from recipe_cli.render.reports import ROLE_STYLES
from recipe_cli.sandbox.messages import JudgedDeclaration
from recipe_cli.terminal.printing import console_beside
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.process.stationarity import STATIONARITY
from verify.obligations.process.stationary_law import STATIONARY_LAW
from verify.report import Report, ReportLine
from verify.verdict import Verdict

TABLE_COLUMNS = 180  # characters a line, if the output is no terminal
COLUMN_WIDTHS = {  # by heading, relative to each other
    "rule": 5,
    "claimed: minus log density": 6,
    "verdict": 2,
    "law that it has": 5,
    "repair, or finding": 7,
}
# Of several obligations with the verdict of a rule, the table shows one of these.
OBLIGATIONS_ABOUT_THE_LAW = (STATIONARITY.name, INVARIANCE.name)


def row_of(result: JudgedDeclaration) -> dict[str, Any]:
    """Return one row of the table as plain data."""
    declared, report = result.declared, result.report
    line = _decisive(report)
    witness = None if line is None or line.outcome.witness is None else line.outcome.witness.finding
    return {
        "name": declared.name,
        "file": declared.file,
        "source": declared.source,
        "kind": report.kind,
        "claimed": declared.target,
        "verdict": report.verdict.value,
        "expect": declared.expect,
        "as_expected": exit_status(declared, report) == 0,
        "scope": report.scope if line is None else line.outcome.scope or report.scope,
        "decided_by": None if line is None else line.name,
        "by": None if line is None else line.outcome.by,
        "finding": witness,
        "law": _law(report),
        "repair": None if line is None else line.outcome.repair,
    }


def _law(report: Report) -> str | None:
    """Return the law that was found for a refuted rule, with its scope if that is smaller, or why
    there is none; None if nothing is known.
    """
    line = next((line for line in report.lines if line.name == STATIONARY_LAW.name), None)
    if line is None or line.outcome.found is None:
        return None if line is None or not line.outcome.facts else line.outcome.facts[0]
    return (
        line.outcome.found.text
        if line.outcome.scope is None
        else f"{line.outcome.found.text} for {line.outcome.scope}"
    )


def _decisive(report: Report) -> ReportLine | None:
    """Return the required line that decides the verdict; of several the one about the law
    itself.
    """
    lines = [
        line for line in report.lines if line.required and line.outcome.verdict is report.verdict
    ]
    return next(
        (line for line in lines if line.name in OBLIGATIONS_ABOUT_THE_LAW),
        lines[0] if lines else None,
    )


def print_rows(console: Console, judged: list[JudgedDeclaration], with_headings: bool) -> None:
    """Print the rows of one file; the columns of all files have the same width."""
    at = console if console.is_terminal else console_beside(console, TABLE_COLUMNS)
    if with_headings:
        at.print(_table([[Text(heading, "underline") for heading in COLUMN_WIDTHS]]))
    at.print(Text(without_codes(_heading(judged)), "bold"))
    at.print(_table(_cells(result) for result in judged))


def _table(rows: Iterable[Sequence[Text]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    for ratio in COLUMN_WIDTHS.values():
        table.add_column(overflow="fold", ratio=ratio)
    for row in rows:
        table.add_row(*row)
    return table


def _heading(judged: list[JudgedDeclaration]) -> str:
    """Return the name of the file, and the citation that its rules share."""
    sources = [(result.declared.source or "").split(", ") for result in judged]
    common = [parts[0] for parts in zip(*sources, strict=False) if len(set(parts)) == 1]
    file = judged[0].declared.file
    return f"{file}: {', '.join(common)}" if any(common) else file


def _cells(result: JudgedDeclaration) -> tuple[Text, ...]:
    row = row_of(result)
    wrong = "" if row["verdict"] == Verdict.PROVED.value else row["repair"] or row["by"] or ""
    if row["scope"] != result.report.scope and wrong:
        wrong = f"for {row['scope']}: {wrong}"
    last = Text(without_codes(wrong))
    if row["expect"] not in (None, row["verdict"]):
        last = Text.assemble(
            (f"expected to be {row['expect']}. ", ROLE_STYLES[Verdict.REFUTED.value]), last
        )
    name, claimed, law = (Text(without_codes(row[key] or "")) for key in ("name", "claimed", "law"))
    return name, claimed, Text(row["verdict"], ROLE_STYLES[row["verdict"]]), law, last


def summary(judged: list[JudgedDeclaration], refused: int, seconds: float) -> str:
    """Return the last line of the table.

    It says "all as expected" only if the exit status is 0 and at least one rule was verified.

    Args:
        judged: the verified rules.
        refused: how many rules or files could not be verified.
        seconds: how long it took.
    """
    verdicts = [result.report.verdict for result in judged]
    counts = ", ".join(f"{verdicts.count(v)} {v.value}" for v in Verdict if v in verdicts)
    otherwise = [
        result.declared.name
        for result in judged
        if exit_status(result.declared, result.report) != 0
    ]
    parts = [
        ("1 rule" if len(judged) == 1 else f"{len(judged)} rules")
        + (f": {counts}" if judged else "")
    ]
    if otherwise:
        parts.append(f"otherwise than expected: {', '.join(otherwise)}")
    elif judged and not refused:
        parts.append("all as expected")
    if refused:
        parts.append(f"{refused} not judged")
    return f"{'; '.join(parts)} ({seconds:.0f} s)"
