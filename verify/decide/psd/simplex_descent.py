"""Descent without derivatives, by the simplex of Nelder & Mead (1965), "A simplex method for
function minimization".
"""

from __future__ import annotations

from collections.abc import Callable

Place = list[float]

RELATIVE_SIDE, SIDE_AT_ZERO = 0.05, 0.00025  # of the first simplex, along each coordinate
SMALL_DISTANCE, SMALL_DIFFERENCE = 1e-10, 1e-18  # between the corners and their values, at the end


def lowest_found(f: Callable[[Place], float], start: Place, evaluations: int) -> Place:
    """Return the lowest place that a descent finds.

    Args:
        f: the function.
        start: where the descent begins.
        evaluations: how often f may be evaluated, up to one step of the simplex.
    """
    used = 0

    def corner(place: Place) -> tuple[float, Place]:
        nonlocal used
        used += 1
        return f(place), place

    corners = sorted(map(corner, _first_simplex(start)))
    while used < evaluations and not _is_small(corners):
        best, second_worst, worst = corners[0], corners[-2], corners[-1]
        others = [place for _, place in corners[:-1]]
        middle = [sum(cs) / len(others) for cs in zip(*others, strict=True)]

        def beyond(
            times: float, middle: Place = middle, place: Place = worst[1]
        ) -> tuple[float, Place]:
            """The corner opposite of the worst one, by so many times its distance."""
            return corner([m + times * (m - c) for m, c in zip(middle, place, strict=True)])

        found = beyond(1.0)
        if found[0] < best[0]:
            found = min(found, beyond(2.0), key=_value)
        elif found[0] >= second_worst[0]:
            inner = beyond(0.5) if found[0] < worst[0] else beyond(-0.5)
            found = inner if inner[0] <= min(found[0], worst[0]) else worst
        if found is worst:
            corners = [best, *(corner(_half_way(best[1], place)) for _, place in corners[1:])]
        else:
            corners[-1] = found
        corners.sort(key=_value)
    return corners[0][1]


def _first_simplex(start: Place) -> list[Place]:
    """The start, and for each coordinate the start moved a little along it."""
    moved = [c * (1 + RELATIVE_SIDE) if c else SIDE_AT_ZERO for c in start]
    return [start, *([*start[:k], c, *start[k + 1 :]] for k, c in enumerate(moved))]


def _value(corner: tuple[float, Place]) -> float:
    return corner[0]


def _half_way(best: Place, place: Place) -> Place:
    return [b + 0.5 * (c - b) for b, c in zip(best, place, strict=True)]


def _is_small(corners: list[tuple[float, Place]]) -> bool:
    """Whether all corners, and their values, lie close together."""
    value, best = corners[0]
    return all(
        v - value <= SMALL_DIFFERENCE
        and all(abs(c - b) <= SMALL_DISTANCE for c, b in zip(place, best, strict=True))
        for v, place in corners[1:]
    )
