"""What ``recipe test`` prints: a line for each comparison, what was not seen, and the command that
does it once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from recipe_cli.tested import Tested
from verify.statistics import ComparisonLine, ComparisonOutcome, Findings

NUMBERS = ("distance", "threshold", "level")
WIDTH = 132  # below it names of coefficients are broken


def _said(tested: Tested) -> list[str]:
    """What was tested, with which numbers."""
    subject, found = tested.subject, tested.findings
    numbers = [f"step size {subject.asked.step_size:g}"]
    numbers += [
        f"{name} = {np.array2string(np.asarray(x), precision=4, separator=', ')}".replace("\n", "")
        for name, x in subject.params.items()
    ]
    lines = [
        f"{found.name}, {subject.scheme}, {subject.asked.length} coordinates: {', '.join(numbers)}",
        (
            f"module {tested.module.name}_{tested.module.hash[:12]}, compiled; its text is proved"
            " to be the rule"
        ),
    ]
    lines += [f"tried on {text} (for {name})" for name, text in subject.texts.items()]
    return lines if subject.law is None else [*lines, subject.law.remark]


def print_findings(console: Console, tested: Tested, pictures: list[Path]) -> None:
    """What was tested, the table, and the verdict."""
    found = tested.findings
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    for said in _said(tested):
        console.print(said, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("outcome", "compared", "distance", "threshold", "level", "seen from"):
        table.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for line in condensed(found.lines):
        style = "bold red" if line.outcome is ComparisonOutcome.DIFFERS else None
        compared = (
            f"{line.name}\n{line.where}"
            if line.where and line.outcome is ComparisonOutcome.DIFFERS
            else line.name
        )
        cells = (
            line.outcome.value,
            compared,
            f"{line.distance:.3g}",
            f"{line.threshold:.3g}",
            f"{line.level:.2g}",
            line.seen_from,
        )
        table.add_row(*map(escape, cells), style=style)
    console.print(table)
    hint = (
        "a larger --step-size or --factor shows it"
        if tested.subject.law is None
        else "another --step-size may show it"
    )
    for name in found.unseen:
        what = name if name.startswith("that ") else f"a factor {found.factor:.12g} in {name}"
        console.print(f"not seen: {what}; {hint}", markup=False, soft_wrap=True)
    for picture in pictures:
        console.print(f"wrote {picture}", markup=False, soft_wrap=True)
    console.print(_verdict(found), markup=False, soft_wrap=True)
    console.print(f"again: {tested.subject.again}", markup=False, soft_wrap=True)


def _verdict(found: Findings) -> str:
    said = (
        f"{found.replicas:,} replicas, seed {found.seed}; a right kernel differs with a probability"
        f" of at most {found.level:g}"
    )
    if found.differing:
        return (
            f"{len(found.differing)} of {len(found.lines)} comparisons differ: the program does not"
            f" do what was declared ({said})"
        )
    rest = f", but not all is seen ({len(found.unseen)})" if found.unseen else ""
    return f"all {len(found.lines)} comparisons agree{rest} ({said})"


def condensed(lines: Sequence[ComparisonLine]) -> Iterator[ComparisonLine]:
    """Of the lines about many features of one law that agree only the nearest to its threshold; all
    others as they are.
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
