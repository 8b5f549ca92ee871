"""Exact ``L D L^T`` elimination over a field of ratios, with pivots whose signs are proved.

The result is only a proposal: it is multiplied out and decided again before it counts as a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from verify.decide.psd.field import RatioField, Rows
from verify.decide.zero.ratio import Ratio
from verify.evidence import SignStep

Certify = Callable[[Ratio], SignStep | None]

MAX_PIVOTS_TRIED = 64  # over all orders of the pivots together


class NotReachedError(Exception):
    """This method finds no factor of the matrix; the text gives the reason."""


@dataclass(frozen=True)
class Pivot:
    """A pivot ``weight`` at row ``place``, its column of L, and the proof that it is nonnegative.

    ``column`` is 1 at the place itself.
    """

    place: int
    column: tuple[Ratio, ...]
    weight: Ratio
    sign: SignStep


class Elimination:
    """Writes a matrix as ``A = sum of weight * column column^T`` with weights proved
    nonnegative.
    """

    def __init__(self, field: RatioField, certify: Certify) -> None:
        self._field, self._certify = field, certify
        self._pivots_tried = 0

    def of(self, matrix: Rows) -> list[Pivot]:
        """The pivots in an order in which the sign of each is proved; rows that remain are zero.

        Raises:
            NotReachedError: if no such order was found.
        """
        self._pivots_tried = 0
        return self._eliminate(matrix, list(range(len(matrix))))

    def _eliminate(self, A: Rows, left: list[int]) -> list[Pivot]:
        left = self._without_zero_rows(A, left)
        reason = None
        for place in sorted(left, key=lambda k: _size(A[k][k])):
            self._pivots_tried += 1
            if self._pivots_tried > MAX_PIVOTS_TRIED:
                break
            sign = self._certify(A[place][place])
            if sign is None:
                pivot = self._field.expression(A[place][place])
                reason = reason or f"the sign of the pivot {pivot} is not proved"
                continue
            column = tuple(
                (
                    self._field.reduced(A[k][place] / A[place][place])
                    if k in left
                    else self._field.zero
                )
                for k in range(len(A))
            )
            try:
                rest = self._eliminate(
                    self._remainder(A, column, place, left), [k for k in left if k != place]
                )
            except NotReachedError as error:
                reason = reason or str(error)
                continue
            return [Pivot(place, column, A[place][place], sign), *rest]
        if left:
            raise NotReachedError(reason or "too many orders of the pivots")
        return []

    def _without_zero_rows(self, A: Rows, left: list[int]) -> list[int]:
        """The rows whose diagonal entry is not zero.

        A zero diagonal entry needs a zero row, or the matrix is not positive semidefinite.
        """
        empty = [k for k in left if A[k][k].is_zero()]
        if any(not A[k][m].is_zero() for k in empty for m in left):
            raise NotReachedError("a diagonal entry is identically zero and its row is not")
        return [k for k in left if k not in empty]

    def _remainder(self, A: Rows, column: tuple[Ratio, ...], place: int, left: list[int]) -> Rows:
        rest = [list(row) for row in A]
        for k in left:
            for m in left:
                if k <= m:
                    rest[k][m] = rest[m][k] = self._field.reduced(A[k][m] - column[k] * A[place][m])
        return rest


def _size(r: Ratio) -> tuple[int, int]:
    return len(r.den), len(r.num)
