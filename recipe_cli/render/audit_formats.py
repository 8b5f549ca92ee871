"""An audit for other programs: Markdown for a page, SARIF for code scanning, and the commands that
GitHub shows beside the lines of a change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import recipe
from recipe_cli.errors import Mistake
from recipe_cli.render.audit_table import row_of
from recipe_cli.sandbox.messages import CodeLine, JudgedDeclaration
from verify.verdict import Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PLACE = re.compile(r"(?P<file>[^\s:,]+\.py), line (?P<line>\d+)")
RULES = {
    "not-stationary": "The law that is claimed is not stationary under the rule",
    "undecided": "Neither proved nor refuted",
    "not-read": "The code cannot be read as a rule, or the claim does not fit it",
}


def finding_of(result: JudgedDeclaration) -> dict[str, Any]:
    """Return the row of a rule, with file and line of the term at fault."""
    row = row_of(result)
    line = guilty_line(result.declared.code, row["repair"] or "")
    return row | {
        "code_file": None if line is None else line.file,
        "code_line": None if line is None else line.line,
        "term": None if line is None else line.term,
    }


def guilty_line(code: Sequence[CodeLine], repair: str) -> CodeLine | None:
    """Return the line of the term that a repair is about: the noise of a block where it names a
    noise, else the last line of the rule of that block; the first term where there is no repair.
    """
    if not code:
        return None
    named = re.search(r"\b(?:of|rule of) (\w+) must", repair) or re.search(
        r"in the rule of (\w+)", repair
    )
    of_block = [c for c in code if named is not None and c.block == named[1]]
    noise = [c for c in of_block if c.is_noise]
    if noise and "the noise" in repair:
        return noise[0]
    drift = [c for c in of_block if not c.is_noise]
    if of_block:
        return (drift or of_block)[-1]
    return next((c for c in code if c.term), code[0])


def _sentence(row: dict[str, Any]) -> str:
    parts = [f"{row['name']} is {row['verdict']} for the law {row['claimed']}"]
    if row["law"]:
        parts.append(f"it has {row['law']}")
    if row["repair"]:
        parts.append(f"repair: {row['repair']}")
    return "; ".join(parts)


def as_markdown(judged: Sequence[JudgedDeclaration], refused: Sequence[Mistake]) -> list[str]:
    """Return the table of an audit as Markdown."""
    lines = [
        "| rule | claimed: minus log density | verdict | law that it has | repair | code |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in map(finding_of, judged):
        place = f"{row['code_file']}:{row['code_line']}" if row["code_file"] else row["file"]
        wrong = row["repair"] if row["verdict"] != Verdict.PROVED.value else ""
        cells = [row["name"], _code(row["claimed"]), row["verdict"], _code(row["law"]), wrong]
        lines.append(f"| {' | '.join(_cell(c) for c in [*cells, place])} |")
    lines += [f"\nNot judged: {mistake.sentence}" for mistake in refused]
    return lines


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def as_github(judged: Sequence[JudgedDeclaration], refused: Sequence[Mistake]) -> list[str]:
    """Return a workflow command for each rule that is not as expected, and for what is not read."""
    lines = []
    for row in map(finding_of, judged):
        if row["as_expected"]:
            continue
        level = "error" if row["verdict"] == Verdict.REFUTED.value else "warning"
        where = _properties(row["code_file"] or row["file"], row["code_line"])
        lines.append(f"::{level} {where},title=recipe audit::{_escaped(_sentence(row))}")
    for mistake in refused:
        place = PLACE.search(mistake.sentence)
        where = _properties(place["file"], int(place["line"])) if place else "title=recipe audit"
        lines.append(f"::error {where}::{_escaped(mistake.sentence)}")
    return lines


def _properties(file: str, line: int | None) -> str:
    name = file.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"file={name}" + (f",line={line}" if line else "")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def as_sarif(judged: Sequence[JudgedDeclaration], refused: Sequence[Mistake]) -> dict[str, Any]:
    """Return an audit in the Static Analysis Results Interchange Format, version 2.1.0."""
    results = []
    for row in map(finding_of, judged):
        if row["as_expected"]:
            continue
        is_refuted = row["verdict"] == Verdict.REFUTED.value
        results.append(
            _result(
                "not-stationary" if is_refuted else "undecided",
                "error" if is_refuted else "warning",
                _sentence(row),
                row["code_file"] or row["file"],
                row["code_line"],
            )
        )
    for mistake in refused:
        place = PLACE.search(mistake.sentence)
        file, line = (place["file"], int(place["line"])) if place else (None, None)
        results.append(_result("not-read", "error", mistake.sentence, file, line))
    driver = {
        "name": "recipe audit",
        "version": recipe.__version__,
        "rules": [{"id": k, "shortDescription": {"text": v}} for k, v in RULES.items()],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _result(rule: str, level: str, text: str, file: str | None, line: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if file is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": file}}
        if line is not None:
            place["region"] = {"startLine": line}
        found["locations"] = [{"physicalLocation": place}]
    return found
