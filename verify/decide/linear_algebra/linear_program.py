"""Nonnegative solutions of linear equations, by the simplex method in rational arithmetic.

Of all solutions it finds one of least sum (Dantzig 1963, "Linear Programming and Extensions").
Every equation begins with a variable of its own, whose cost outweighs all others: where one stays
positive, there is no solution. Ties are broken lexicographically (Dantzig, Orden & Wolfe 1955),
so that the method ends although most right-hand sides are zero.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from flint import fmpq

from verify.decide.linear_algebra.work import count

Column = Mapping[Any, int]  # zeros are left out
Row = dict[int, Any]  # of rational numbers (flint.fmpq); zeros are left out
ZERO = fmpq(0)
MAX_PIVOTS = 1000  # programs of sums of squares with a solution took at most 240


def least_combination(columns: Sequence[Column], target: Column) -> list[Any] | None:
    """Solve ``sum of weights * columns = target`` with weights that are not negative.

    Args:
        columns: sparse vectors of integers.
        target: the vector on the right.

    Returns:
        The weights as rational numbers (``flint.fmpq``), of least sum; None if there are none, or
        if they are not found in ``MAX_PIVOTS`` exchanges.
    """
    kept = _not_forced_to_zero(columns, target)
    if kept is None:
        return None
    numbers = {key: n for n, key in enumerate(dict.fromkeys(k for c in kept.values() for k in c))}
    signs = {key: -1 if target.get(key, 0) < 0 else 1 for key in numbers}
    program = _Program(
        [{numbers[k]: signs[k] * c for k, c in column.items()} for column in kept.values()],
        [fmpq(abs(target.get(key, 0))) for key in numbers],
    )
    for _ in range(MAX_PIVOTS):
        entering = program.entering()
        if entering is None:
            break
        program.exchange(entering)
    else:
        return None
    found = program.weights()
    if found is None:
        return None
    weights = [ZERO] * len(columns)
    for place, weight in zip(kept, found, strict=True):
        weights[place] = weight
    return weights


def _not_forced_to_zero(columns: Sequence[Column], target: Column) -> dict[int, Column] | None:
    """Return the columns, with their places, whose weight no single equation forces to be zero;
    None where an equation has no solution.

    An equation whose coefficients have one sign, and whose right-hand side is zero, forces all its
    weights to be zero.
    """
    kept = dict(enumerate(columns))
    while True:
        equations: dict[Hashable, dict[int, bool]] = {key: {} for key, c in target.items() if c}
        for place, column in kept.items():
            for key, c in column.items():
                equations.setdefault(key, {})[place] = c > 0
        forced: set[int] = set()
        for key, positive in equations.items():
            right = target.get(key, 0)
            if (right > 0 and not any(positive.values())) or (right < 0 and all(positive.values())):
                return None
            if right == 0 and len(set(positive.values())) == 1:
                forced |= positive.keys()
        if not forced:
            return kept
        kept = {place: column for place, column in kept.items() if place not in forced}


class _Program:
    """Equations with right-hand sides that are not negative, and a basis.

    ``members[i]`` is the column in place i of the basis, None for the variable that equation i
    began with; ``values`` are the values of the members, ``inverse`` the rows of the inverse of
    the basis, and ``prices`` the two costs of each equation: of the first variables, and of the
    columns.
    """

    def __init__(self, columns: Sequence[Mapping[int, int]], right: list[Any]) -> None:
        self.columns = columns
        self.steps = sum(map(len, columns)) + len(right) ** 2  # of one exchange, at most
        self.values = right
        self.members: list[int | None] = [None] * len(right)
        self.inverse: list[Row] = [{i: fmpq(1)} for i in range(len(right))]
        self.prices: tuple[Row, Row] = ({i: fmpq(1) for i in range(len(right))}, {})

    def entering(self) -> int | None:
        """Return the column that lowers the cost most for each unit; None if none lowers it."""
        count(self.steps)
        best, found = (ZERO, ZERO), None
        for n, column in enumerate(self.columns):
            cost = self._cost(column)
            if cost < best:
                best, found = cost, n
        return found

    def _cost(self, column: Mapping[int, int]) -> tuple[Any, Any]:
        """Return by how much a unit of the column raises the cost of the first variables, and the
        sum of the weights.
        """
        first, sums = self.prices
        return (
            -sum((first[i] * c for i, c in column.items() if i in first), ZERO),
            1 - sum((sums[i] * c for i, c in column.items() if i in sums), ZERO),
        )

    def exchange(self, entering: int) -> None:
        """Put a column into the basis, in the place of the member that reaches zero first."""
        column = self.columns[entering]
        cost = self._cost(column)
        change = [
            sum((row[i] * c for i, c in column.items() if i in row), ZERO) for row in self.inverse
        ]
        place = self._leaving(change)
        row = {i: c / change[place] for i, c in self.inverse[place].items()}
        value = self.values[place] / change[place]
        for other, factor in enumerate(change):
            if factor and other != place:
                _add(self.inverse[other], -factor, row)
                self.values[other] -= factor * value
        for prices, amount in zip(self.prices, cost, strict=True):
            _add(prices, amount, row)
        self.inverse[place], self.values[place], self.members[place] = row, value, entering

    def _leaving(self, change: list[Any]) -> int:
        """Return the place of the member that reaches zero first: of those that reach it together,
        the one whose row of the inverse is lexicographically least for each unit.
        """
        places = [i for i, factor in enumerate(change) if factor > 0]
        ratios = {i: self.values[i] / change[i] for i in places}
        least = min(ratios.values())
        places = [i for i in places if ratios[i] == least]
        for n in range(len(change)):
            if len(places) == 1:
                break
            ratios = {i: self.inverse[i].get(n, ZERO) / change[i] for i in places}
            least = min(ratios.values())
            places = [i for i in places if ratios[i] == least]
        return places[0]

    def weights(self) -> list[Any] | None:
        """Return the weights of all columns; None if a first variable is still needed."""
        found = [ZERO] * len(self.columns)
        for member, value in zip(self.members, self.values, strict=True):
            if member is not None:
                found[member] = value
            elif value:
                return None
        return found


def _add(row: Row, factor: Any, other: Row) -> None:
    """Add a multiple of another row to a row."""
    if not factor:
        return
    for i, c in other.items():
        total = row.get(i, ZERO) + factor * c
        if total:
            row[i] = total
        else:
            row.pop(i, None)
