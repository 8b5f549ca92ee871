"""Alternating runs on one core, and the rows that come of them.

Seconds are those that a process computes (``process_time``), so that other work on the machine
counts as little as it can.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

Run = Callable[[], float]  # does some work and returns the seconds of one unit of it


@dataclass(frozen=True)
class Row:
    """One line of the table: medians in ``unit``, and the most that ``ours / theirs`` may be."""

    work: str
    ours: str
    competitor: str
    unit: str
    our_time: float
    their_time: float
    bound: float | None = None

    @property
    def ratio(self) -> float:
        """Our time as a part of theirs."""
        return self.our_time / self.their_time

    @property
    def verdict(self) -> str:
        """Whether the bound is kept; empty where there is none."""
        return "" if self.bound is None else "reached" if self.ratio <= self.bound else "missed"

    def plain(self) -> dict[str, object]:
        """The row for machines."""
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}


@dataclass(frozen=True)
class Skipped:
    """What is not measured, and what there is to be done about it."""

    work: str
    reason: str


def pin(core: int | None = None) -> int:
    """Keep this process, and those that it starts, on one core; by default the last one that it may
    use.
    """
    chosen = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen


def from_zero(run: Callable[[int, int], Any]) -> Callable[[int], None]:
    """Steps that go on where the last ones stopped, of a function of the first step and their
    number.
    """
    done = 0

    def go(steps: int) -> None:
        nonlocal done
        run(done, steps)
        done += steps

    return go


def alternate(runs: Mapping[str, Run], rounds: int) -> dict[str, float]:
    """Each run once to warm it up, then in turns; the median seconds of each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(run())
    return {name: statistics.median(t) for name, t in times.items()}


def rows_of(
    work: str,
    ours: str,
    medians: Mapping[str, float],
    unit: tuple[str, float],
    bounds: Mapping[str, float],
    leave: Iterable[str] = (),
) -> list[Row]:
    """A row for each competitor of ``ours``; ``unit`` is a name and how many of it a second has."""
    name, a_second = unit
    return [
        Row(work, ours, other, name, medians[ours] * a_second, t * a_second, bounds.get(other))
        for other, t in medians.items()
        if other != ours and other not in leave
    ]
