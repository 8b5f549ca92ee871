"""The findings of a battery of tests: a line for each comparison, with all numbers that are needed
to judge it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from recipe import __version__

FORMAT_VERSION = 1  # of findings as plain data


class ComparisonOutcome(Enum):
    """The outcome of a comparison.

    ``AGREES``: no difference was found. ``DIFFERS``: the kernel is not what it was compared with,
    at the significance level of the line. ``INDICATIVE``: the statistic has no exact null law, so
    the line never decides.
    """

    AGREES = "agrees"
    DIFFERS = "differs"
    INDICATIVE = "indicative"


@dataclass(frozen=True)
class ComparisonLine:
    """One comparison.

    Attributes:
        name: what was compared.
        test: the name of the test.
        distance: how far the kernel is from what it is compared with.
        threshold: the line differs if the distance is larger. For a correct kernel that has a
            probability of at most ``level``.
        unit: the unit of distance and threshold: normal deviates, the largest distance of two
            distribution functions, or multiples of the rounding error.
        level: the significance level; 0 where a correct kernel never differs.
        outcome: whether the line agrees, differs, or is indicative.
        visible: the smallest effect that is found with the wanted probability, in the words of
            ``effect``; None if every effect is found, or if ``effect`` says that it was not worked
            out.
        effect: the words for the effect, such as "a factor".
        where: where the distance is largest, in words; empty if that says nothing.
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
    """The lines of one battery.

    The seed and the arguments of the battery reproduce them bit for bit.

    Attributes:
        name: the name of the kernel.
        lines: the comparisons.
        seed: the seed of all random numbers.
        level: the largest probability that a correct kernel differs in any line; 0 if all lines are
            indicative.
        power: the probability with which an error of size ``factor`` is found.
        factor: the error that must be found: a coefficient or a scale that is wrong by this factor.
        replicas: the number of replicas.
        unseen: the coefficients whose error would be missed with a probability above ``1 - power``;
            that a kernel agrees says nothing about these.
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
        """``DIFFERS`` if any line differs, ``INDICATIVE`` if all lines are indicative, else
        ``AGREES``.
        """
        if self.differing:
            return ComparisonOutcome.DIFFERS
        decisive = any(line.outcome is not ComparisonOutcome.INDICATIVE for line in self.lines)
        return ComparisonOutcome.AGREES if decisive else ComparisonOutcome.INDICATIVE

    @property
    def differing(self) -> tuple[ComparisonLine, ...]:
        """The lines that differ."""
        return tuple(line for line in self.lines if line.outcome is ComparisonOutcome.DIFFERS)

    def as_json(self) -> dict[str, Any]:
        """Return the findings as plain data for ``json.dumps``."""
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
