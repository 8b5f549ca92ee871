"""Reports on a terminal, as Markdown and as JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from recipe.printing.plain_text import without_codes
from recipe_cli.sandbox.messages import DeclarationFacts
from verify.report import Report
from verify.report.layout import FINE, TITLE, Paragraph, paragraphs
from verify.report.markdown import markdown
from verify.verdict import Verdict

ROLE_STYLES = {
    "proved": "green",
    "refuted": "bold red",
    "undecided": "yellow",
    TITLE: "bold",
    FINE: "dim",
}
MIN_BODY_COLUMNS = 30  # that a paragraph needs beside its head; with fewer it begins below it
NARROW_INDENT_COLUMNS = 4  # of further lines in a terminal that is too narrow for the usual indent
NO_BREAK = "\u00a0"


def print_report(console: Console, declaration: DeclarationFacts, report: Report) -> None:
    """Print a report in words: wrapped on a terminal, and one line a paragraph in a pipe."""
    width = console.width if console.is_terminal else None
    for paragraph in paragraphs(report, declaration.name, declaration.file, declaration.expect):
        for line in _lines(paragraph, width):
            console.print(line, soft_wrap=True)
    open_lines = (
        line.name
        for line in report.lines
        if line.required and line.outcome.verdict is report.verdict
    )
    unproved = None if report.verdict is Verdict.PROVED else next(open_lines, None)
    if console.is_terminal and unproved is not None:
        console.print(
            Text(
                f"  recipe explain {unproved}: what it states, and why it matters",
                ROLE_STYLES[FINE],
            ),
            soft_wrap=True,
        )


def report_as_markdown(declaration: DeclarationFacts, report: Report) -> str:
    """Return a report as Markdown."""
    return markdown(report, declaration.name, declaration.file, declaration.expect)


def report_as_json(declaration: DeclarationFacts, report: Report) -> dict[str, Any]:
    """Return a report as plain data, with the name that the file gives the declaration."""
    return report.as_json() | {
        "name": declaration.name,
        "file": declaration.file,
        "expect": declaration.expect,
    }


def _lines(paragraph: Paragraph, width: int | None) -> Iterator[Text]:
    """Yield the lines of a paragraph, the further ones indented below its body.

    Text from a file is no markup, and sends no codes to the terminal.
    """
    head = Text.assemble(
        *((without_codes(piece), ROLE_STYLES.get(role, "")) for piece, role in paragraph.head)
    )
    body, style = without_codes(paragraph.body), ROLE_STYLES.get(paragraph.role, "")
    if width is None or not body or len(head) + len(body) <= width:
        yield head + Text(body, style)
        return
    narrow = width - paragraph.indent < MIN_BODY_COLUMNS
    indent = " " * (NARROW_INDENT_COLUMNS if narrow else paragraph.indent)
    if width - len(head) < MIN_BODY_COLUMNS:  # no room for the body beside the head
        head.rstrip()
        lead = len(head.plain) - len(head.plain.lstrip())
        yield Text(indent) + head[lead:] if lead > len(indent) else head
        head, body = Text(indent), body.lstrip()
    wrap = textwrap.TextWrapper(
        width, " " * len(head), indent, break_long_words=False, break_on_hyphens=False
    )
    first, *further = (line.replace(NO_BREAK, " ") for line in wrap.wrap(_glued(body)))
    yield head + Text(first[len(head) :], style)
    for line in further:
        yield Text(line, style)


def _glued(text: str) -> str:
    """Return the text with no place for a line break inside an equation or short brackets."""
    short = re.compile(rf"[(\[][^()\[\]]{{0,{MIN_BODY_COLUMNS}}}[)\]]")
    return short.sub(
        lambda found: found[0].replace(" ", NO_BREAK), text.replace(" = ", f"{NO_BREAK}={NO_BREAK}")
    )
