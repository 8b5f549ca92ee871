"""A matrix between scalars as a sum over coordinates: ``D = sum over i of F(i) + C``.

Where every F(i) is positive semidefinite, so is the sum: ``F = L W L^T`` at one coordinate gives
one column of B for each coordinate. So the Gram matrix of any number of vectors has a factor for
every length, although its elimination divides by what is zero at length 1.
"""

from __future__ import annotations

from sympy import Expr

from recipe.language.blocks import Scalar
from recipe.language.entry import Number, Row, parts
from recipe.language.symbols import GENERIC, Length
from recipe.language.total import Total, relabel
from verify.decide.psd.elimination import Certify, Elimination, NotReachedError, Pivot
from verify.decide.psd.field import RatioField, Rows
from verify.decide.zero.ratio import Ratio
from verify.evidence import FactorColumn, SignStep
from verify.generator.coupling import Diffusion, Group

Signed = tuple[FactorColumn, SignStep]
Parts = dict[Length | None, Rows]


def summed_over_coordinates(
    diffusion: Diffusion, group: Group, field: RatioField, certify: Certify
) -> list[Signed]:
    """The columns of the factor of a group of scalars.

    Raises:
        NotReachedError: if an entry is not linear in totals, or a part of the sum is not positive
            semidefinite by itself.
    """
    if not all(isinstance(b, Scalar) for b in group):
        raise NotReachedError("the group has vectors")
    found: list[Signed] = []
    summands = _parts(diffusion, group, field)
    if not any(summands):
        raise NotReachedError("the group has no sums")
    for length, matrix in summands.items():
        for pivot in Elimination(field, certify).of(matrix):
            found.append((_column(pivot, group, length, field), pivot.sign))
    return found


def _column(pivot: Pivot, group: Group, length: Length | None, field: RatioField) -> FactorColumn:
    kind = Number if length is None else Row
    entries = tuple(
        (b, kind(field.expression(c)))
        for b, c in zip(group, pivot.column, strict=True)
        if not c.is_zero()
    )
    return FactorColumn(length, entries, field.expression(pivot.weight))


def _parts(diffusion: Diffusion, group: Group, field: RatioField) -> Parts:
    """The matrix of summands of each length, at the generic coordinate, and under None the rest."""
    found: Parts = {}
    for row, a in enumerate(group):
        for column, b in enumerate(group):
            for length, part in _summands(parts(diffusion[a, b])[0], field):
                matrix = found.setdefault(length, field.zeros(len(group), len(group)))
                matrix[row][column] = field.reduced(matrix[row][column] + part)
    return found


def _summands(e: Expr, field: RatioField) -> list[tuple[Length | None, Ratio]]:
    """The summands of an entry, each with the length that it is summed over."""
    whole, generators = field.read(e), field.generators
    if any(_length(generators.meanings[k]) for k in generators.generators_of(whole.den)):
        raise NotReachedError("a denominator has a sum over coordinates")
    found: list[tuple[Length | None, Ratio]] = []
    for m, c in whole.num.to_dict().items():
        sums = [k for k, n in enumerate(m) if n and _length(generators.meanings[k]) is not None]
        if sum(m[k] for k in sums) > 1:
            raise NotReachedError("an entry has products of sums")
        rest = tuple(0 if k in sums else n for k, n in enumerate(m))
        factor = Ratio(generators.context.from_dict({rest: int(c)}), field.one.den) / Ratio(
            whole.den, field.one.den
        )
        if not sums:
            found.append((None, factor))
            continue
        meaning = generators.meanings[sums[0]]
        body = field.one
        if isinstance(meaning, Total):
            body = field.read(relabel(meaning.body, meaning.index.label, GENERIC))
        found.append((_length(meaning), field.reduced(factor * body)))
    return found


def _length(e: Expr) -> Length | None:
    return e if isinstance(e, Length) else e.index.length if isinstance(e, Total) else None
