"""The findings of a test of a program, as a table and as plain data.

The table has a line for each comparison. Below it stand the errors that might be missed, and the
command that repeats the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from recipe_cli.errors import UNDECIDED_STATUS
from recipe_cli.render.exit_status import REFUTED_STATUS
from recipe_cli.testing.program_subject import ComparedProgram
from verify.statistics import ComparisonLine, ComparisonOutcome, Findings

NUMBER_COLUMNS = ("distance", "threshold", "level")
MIN_TABLE_COLUMNS = 132  # characters a line; with fewer the names of coefficients are broken


def _heading(compared: ComparedProgram) -> list[str]:
    """Return the lines above the table: what was tested, with which numbers."""
    subject, found = compared.subject, compared.findings
    trial = subject.trial
    numbers = [f"step size {trial.step_size:g}"]
    numbers += [
        f"{name} = {np.array2string(np.asarray(x), precision=4, separator=', ')}".replace("\n", "")
        for name, x in trial.params.items()
    ]
    module = f"{compared.module.name}_{compared.module.hash[:12]}"
    lines = [
        f"{found.name}, {subject.scheme}, {trial.length} coordinates: {', '.join(numbers)}",
        f"module {module}, compiled; its text is proved to be the rule",
    ]
    lines += [f"tried on {text} (for {name})" for name, text in trial.texts.items()]
    return lines if trial.law is None else [*lines, trial.law.remark]


def print_findings(console: Console, compared: ComparedProgram, pictures: list[Path]) -> None:
    """Print what was tested, the table of comparisons, and the verdict."""
    found = compared.findings
    if not console.is_terminal:
        console.width = max(console.width, MIN_TABLE_COLUMNS)
    for heading in _heading(compared):
        console.print(heading, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("outcome", "compared", "distance", "threshold", "level", "seen from"):
        table.add_column(
            name, justify="right" if name in NUMBER_COLUMNS else "left", overflow="fold"
        )
    for line in condense_lines(found.lines):
        style = "bold red" if line.outcome is ComparisonOutcome.DIFFERS else None
        name = (
            f"{line.name}\n{line.where}"
            if line.where and line.outcome is ComparisonOutcome.DIFFERS
            else line.name
        )
        cells = (
            line.outcome.value,
            name,
            f"{line.distance:.3g}",
            f"{line.threshold:.3g}",
            f"{line.level:.2g}",
            line.seen_from,
        )
        table.add_row(*map(escape, cells), style=style)
    console.print(table)
    hint = (
        "a larger --step-size or --factor shows it"
        if compared.subject.trial.law is None
        else "another --step-size may show it"
    )
    for name in found.unseen:
        what = name if name.startswith("that ") else f"a factor {found.factor:.12g} in {name}"
        console.print(f"not seen: {what}; {hint}", markup=False, soft_wrap=True)
    for picture in pictures:
        console.print(f"wrote {picture}", markup=False, soft_wrap=True)
    console.print(_verdict(found), markup=False, soft_wrap=True)
    console.print(f"again: {compared.subject.again}", markup=False, soft_wrap=True)


def _verdict(found: Findings) -> str:
    """Return the last sentence of a report: does the program do what was declared?"""
    basis = (
        f"{found.replicas:,} replicas, seed {found.seed}; a right kernel differs with a probability"
        f" of at most {found.level:g}"
    )
    if found.differing:
        return (
            f"{len(found.differing)} of {len(found.lines)} comparisons differ: the program does not"
            f" do what was declared ({basis})"
        )
    rest = f", but not all is seen ({len(found.unseen)})" if found.unseen else ""
    return f"all {len(found.lines)} comparisons agree{rest} ({basis})"


def findings_as_json(
    compared: ComparedProgram, pictures: list[Path], status: int
) -> dict[str, Any]:
    """Return the findings as plain data, with all numbers of the test."""
    subject, trial = compared.subject, compared.subject.trial
    return {
        **compared.findings.as_json(),
        "declared": subject.where,
        "scheme": subject.scheme,
        "step_size": trial.step_size,
        "length": trial.length,
        "params": {name: np.asarray(x).tolist() for name, x in trial.params.items()},
        "potentials": dict(trial.texts),
        "law": None if trial.law is None else trial.law.remark,
        "module": compared.module.hash,
        "status": status,
        "again": subject.again,
        "plots": [str(p) for p in pictures],
    }


def findings_status(found: Findings, allow_unseen: bool = False) -> int:
    """Return the exit status of findings.

    It is 1 if something differs, 3 if a wrong coefficient might be missed and ``allow_unseen`` is
    False, and 0 otherwise.
    """
    if found.outcome is ComparisonOutcome.DIFFERS:
        return REFUTED_STATUS
    undecided = found.outcome is ComparisonOutcome.INDICATIVE or (found.unseen and not allow_unseen)
    return UNDECIDED_STATUS if undecided else 0


def condense_lines(lines: Sequence[ComparisonLine]) -> Iterator[ComparisonLine]:
    """Yield the lines of a table, with one line for all features of a law that agree.

    Of these features it is the one whose distance is largest beside its threshold. All other lines
    stay as they are.
    """
    kinds: dict[tuple[str, ...], list[ComparisonLine]] = {}
    for line in lines:
        begun, _, of = line.name.partition(": ")
        alone = not of or line.outcome is ComparisonOutcome.DIFFERS
        kinds.setdefault((line.name,) if alone else (begun, of.split()[0]), []).append(line)
    for listed in kinds.values():
        nearest = max(
            listed,
            key=lambda line: line.distance / line.threshold if line.threshold else line.distance,
        )
        yield (
            nearest
            if len(listed) == 1
            else replace(nearest, name=f"{nearest.name}, nearest of {len(listed)}")
        )
