"""What a battery of tests found: a line for each comparison, with all that is needed to
judge it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from recipe import __version__

FORMAT_VERSION = 1  # of the fields of findings as plain data


class ComparisonOutcome(Enum):
    """``AGREES``: nothing was seen. ``DIFFERS``: the kernel is not what it was compared with, at
    the level of the line.

    ``INDICATIVE`` lines have no exact null and never decide.
    """

    AGREES = "agrees"
    DIFFERS = "differs"
    INDICATIVE = "indicative"


@dataclass(frozen=True)
class ComparisonLine:
    """One comparison.

    ``distance`` is further than ``threshold`` with a probability of at most ``level`` where the
    kernel is right. ``unit`` says what both are: normal deviates, the largest distance of two
    distribution functions, or multiples of the rounding error. ``visible`` is the smallest effect
    that is found with the wanted probability, in the words of ``effect``; None where nothing is
    hidden, or it was not worked out, and ``effect`` says so.
    """

    name: str
    test: str
    distance: float
    threshold: float
    unit: str
    level: float
    outcome: ComparisonOutcome
    visible: float | None = None
    effect: str = ""
    where: str = ""

    @property
    def seen_from(self) -> str:
        """The smallest effect that would have been found, in words."""
        if self.visible is None:
            return self.effect or "anything"
        return (
            f"{self.effect} {_short(self.visible)}" if math.isfinite(self.visible) else self.effect
        )


@dataclass(frozen=True)
class Findings:
    """The lines of one battery; ``seed`` and the arguments reproduce it bit for bit.

    ``level`` bounds the probability that a right kernel differs in any line. ``unseen`` are
    coefficients of which the wanted ``factor`` would be missed with a probability above ``1 -
    power``: agreement says nothing of them.
    """

    name: str
    lines: tuple[ComparisonLine, ...]
    seed: int
    level: float
    power: float
    factor: float
    replicas: int
    unseen: tuple[str, ...] = ()

    @property
    def outcome(self) -> ComparisonOutcome:
        """``DIFFERS`` if any line does, ``INDICATIVE`` where all lines are."""
        if self.differing:
            return ComparisonOutcome.DIFFERS
        decisive = any(line.outcome is not ComparisonOutcome.INDICATIVE for line in self.lines)
        return ComparisonOutcome.AGREES if decisive else ComparisonOutcome.INDICATIVE

    @property
    def differing(self) -> tuple[ComparisonLine, ...]:
        """The lines that differ."""
        return tuple(line for line in self.lines if line.outcome is ComparisonOutcome.DIFFERS)

    def as_json(self) -> dict[str, Any]:
        """The findings as plain data."""
        lines = [{**asdict(line), "outcome": line.outcome.value} for line in self.lines]
        return {
            "version": FORMAT_VERSION,
            "library": __version__,
            "name": self.name,
            "outcome": self.outcome.value,
            "seed": self.seed,
            "level": self.level,
            "power": self.power,
            "factor": self.factor,
            "replicas": self.replicas,
            "unseen": list(self.unseen),
            "lines": lines,
        }

    def __str__(self) -> str:
        return "\n".join(_text(self))


def _text(found: Findings) -> list[str]:
    head = (
        f"{found.name}: {found.outcome.value} ({found.replicas} replicas, seed {found.seed}, level"
        f" {found.level:g} for all lines)"
    )
    rows = [("", "compared", "distance", "threshold", "seen from")]
    rows += [
        (
            line.outcome.value,
            line.name,
            _short(line.distance),
            _short(line.threshold),
            line.seen_from,
        )
        for line in found.lines
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    lines = [head]
    for row, line in zip(rows, (None, *found.lines), strict=True):
        cells = [
            row[0].ljust(widths[0]),
            row[1].ljust(widths[1]),
            row[2].rjust(widths[2]),
            row[3].rjust(widths[3]),
            row[4],
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
        if line is not None and line.where and line.outcome is not ComparisonOutcome.AGREES:
            lines.append(f"  {' ' * widths[0]}  {line.where}")
    lines += [f"  not seen: a factor {found.factor:g} in {name}" for name in found.unseen]
    return lines


def _short(x: float) -> str:
    return f"{x:.3g}"
