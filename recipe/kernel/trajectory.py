"""A kernel whose trajectories have another length."""

from __future__ import annotations

from dataclasses import replace

from recipe.kernel.kernel import Kernel
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    Part,
    Repeat,
    checked_times,
    leaves_of,
)


def longest_trajectory(kernel: Kernel) -> int | None:
    """Return the largest number of steps that a proposal of the kernel is made of, where that
    number is drawn from a range; None where there is no such range.
    """
    ranges = [
        test.times[1]
        for part in kernel.parts
        for leaf in leaves_of(part)
        for test in [leaf.test if isinstance(leaf, MetropolisedPath) else leaf]
        if isinstance(test, MetropolisedMap) and isinstance(test.times, tuple)
    ]
    return max(ranges, default=None)


def with_trajectories(kernel: Kernel, longest: int) -> Kernel:
    """Return the kernel with other numbers of steps from test to test.

    The number of steps is drawn whatever the state, so any range leaves the same law invariant.

    Args:
        kernel: the kernel; only tests whose number of steps is drawn from a range are changed.
        longest: the upper end of the range, at least 1; the lower end is 1.
    """
    return Kernel(
        [_changed(part, longest) for part in kernel.parts],
        name=kernel.name,
        source=kernel.source,
        expect=kernel.expect,
        posteriors=dict(kernel.posteriors),
    )


def _changed(part: Part, longest: int) -> Part:
    match part:
        case MetropolisedMap():
            return _changed_test(part, longest)
        case MetropolisedPath(test=test):
            return replace(part, test=_changed_test(test, longest))
        case Repeat(parts=parts):
            return replace(part, parts=tuple(_changed(p, longest) for p in parts))
        case _:
            return part


def _changed_test(test: MetropolisedMap, longest: int) -> MetropolisedMap:
    drawn = isinstance(test.times, tuple)
    return replace(test, times=checked_times((1, max(2, longest)))) if drawn else test
