"""A report as plain data; ``docs/report.md`` describes every field."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from recipe import __version__
from verify.report.data import ReportData, ReportLine

FORMAT_VERSION = 1  # rises when a field changes its name or meaning


def as_json(report: ReportData) -> dict[str, Any]:
    """Return the report as one JSON object."""
    return {
        "version": FORMAT_VERSION,
        "library": __version__,
        "name": report.name,
        "kind": report.kind,
        "verdict": report.verdict.value,
        "scope": report.scope,
        "obligations": [_line_as_json(line, report.scope) for line in report.lines],
    }


def _line_as_json(line: ReportLine, scope: str) -> dict[str, Any]:
    outcome = line.outcome
    witness = (
        None
        if outcome.witness is None
        else {"point": outcome.witness.point, "finding": outcome.witness.finding}
    )
    return {
        "name": line.name,
        "required": line.required,
        "statement": line.statement,
        "verdict": outcome.verdict.value,
        "scope": outcome.scope or scope,
        "by": outcome.by,
        "facts": list(outcome.facts),
        "assumptions": list(outcome.assumptions),
        "residual": None if outcome.residual is None else asdict(outcome.residual),
        "witness": witness,
        "repair": outcome.repair,
        "found": None if outcome.found is None else asdict(outcome.found),
    }
