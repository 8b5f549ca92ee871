"""Reports on a terminal: one line an obligation."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from recipe_cli.mistakes import BAD_INPUT, INTERNAL_ERROR
from recipe_cli.worker import Declared
from verify.report import Line, Report
from verify.verdict import Verdict

COLOURS = {Verdict.PROVED: "green", Verdict.REFUTED: "bold red", Verdict.UNDECIDED: "yellow"}
SCOPE = {Verdict.PROVED: " for", Verdict.REFUTED: "; it was claimed for", Verdict.UNDECIDED: "; the question is for"}
EXIT_STATUS = {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}


def print_report(console: Console, declaration: Declared, report: Report) -> None:
    """The verdict, its scope, and one line an obligation."""
    colour = COLOURS[report.verdict]
    console.print(f"[bold]{escape(declaration.name)}[/bold] ({report.kind}, {escape(declaration.file)}): ", end="")
    console.print(f"[{colour}]{report.verdict.value}[/{colour}]{SCOPE[report.verdict]} {escape(report.scope)}", soft_wrap=True)
    width = max(len(line.name) for line in report.lines)
    for line in report.lines:
        _print_line(console, line, width)
    if declaration.expect not in (None, report.verdict.value):
        console.print(
            Text(f"  expected to be {declaration.expect}, and it is {report.verdict.value}", style="bold red"), soft_wrap=True
        )
    for assumption in dict.fromkeys(a for line in report.lines for a in line.outcome.assumptions):
        console.print(Text(f"  assumed: {assumption}", style="dim"), soft_wrap=True)


def _print_line(console: Console, line: Line, width: int) -> None:
    outcome = line.outcome
    console.print(Text.assemble(
        "  ", (f"{outcome.verdict.value:<10}", COLOURS[outcome.verdict]), f"{line.name:<{width}}  {outcome.by}"
    ), soft_wrap=True)  # fmt: skip
    indent = " " * (12 + width + 2)
    if outcome.witness is not None:
        point = ", ".join(f"{k} = {_shown(v)}" for k, v in outcome.witness.point.items())
        console.print(Text(f"{indent}witness: {point}; {outcome.witness.finding}"), soft_wrap=True)
    if outcome.repair is not None:
        console.print(Text(f"{indent}repair: {outcome.repair}"), soft_wrap=True)


def _shown(value: str | list[str]) -> str:
    return value if isinstance(value, str) else f"({', '.join(value)})"


def exit_status(declaration: Declared, report: Report) -> int:
    """0 where the verdict is the wanted one, 1 refuted or otherwise than expected, 3 undecided."""
    if declaration.expect is not None:
        return 0 if report.verdict.value == declaration.expect else 1
    return EXIT_STATUS[report.verdict]


def worst(statuses: list[int]) -> int:
    """The exit status of several together: what has no report comes first, then refuted, undecided, good."""
    return next((s for s in (INTERNAL_ERROR, BAD_INPUT, 1, 3) if s in statuses), 0)
