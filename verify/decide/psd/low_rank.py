"""A factor of diagonals with low rank and borders, for every length.

In the notation of ``structure``, with ``M = W^T A^-1 W``, for any coordinate-free P and R,

    D = F A F^T + [W 0; 0 I] N [W 0; 0 I]^T,   F = [I + W P W^T A^-1; R^T W^T A^-1],
    N = [K - P - P^T - P M P^T,  E - R - P M R;  its transpose,  S - R^T M R],

so D is positive semidefinite if A and the small matrix N are. If A is positive definite, the
converse holds for the best P and R. With K diagonal, these are P = K on the negative part of K
(``diag(a) - c u u^T`` leaves ``c (1 - c total(u^2/a)) u u^T``) and R = E, which gives the Schur
complement. The positive part of K is added to A by Woodbury's identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import S

from recipe.language.blocks import Block, Vector
from recipe.language.entry import Column, Coupling, Entry, Number, Row
from recipe.language.symbols import GENERIC, OTHER, Length
from recipe.language.total import relabel
from verify.decide.psd.congruence import diagonalise
from verify.decide.psd.elimination import Certify, Elimination, NotReachedError, Pivot
from verify.decide.psd.field import Rows, transpose
from verify.decide.psd.structure import Structure, Vectors
from verify.decide.zero.ratio import Ratio
from verify.evidence import FactorColumn, SignStep

Signed = tuple[FactorColumn, SignStep]


@dataclass(frozen=True)
class _Layer:
    """One pivot of A, which gives a block of columns of B.

    ``reach[b]`` is ``(L^-1 W_b) / weight``, the component of column W_b at this pivot.
    """

    length: Length
    rows: dict[Block, Ratio]
    pivot: Pivot
    reach: list[Ratio]


class Factoring:
    """Builds the factor of one group of blocks from its structure."""

    def __init__(self, structure: Structure, certify: Certify) -> None:
        self._structure, self._field, self._certify = structure, structure.field, certify
        self._eliminate = Elimination(structure.field, certify)
        # the columns of W that are not in the range of A, for which P and R are zero
        self._outside: set[int] = set()

    def columns(self) -> list[Signed]:
        """The columns of B with their weights, each with the proof that its weight is nonnegative.

        Raises:
            NotReachedError: if no factor was found.
        """
        found = self._dense_columns()
        self._diagonalise_K()
        self._join_borders()
        layers = self._layers()
        reason = ""
        for P, R in self._choices(layers):
            N = self._small_matrix(P, R, layers)
            try:
                pivots = self._eliminate.of(N)
            except NotReachedError as error:
                reason = reason or str(error)
                continue
            return (
                found
                + [self._block_column(layer, P, R) for layer in layers]
                + [self._single_column(p) for p in pivots]
            )
        raise NotReachedError(reason)

    # -- parts of the factor
    # ----------------------------------------------------------------------------------------------

    def _dense_columns(self) -> list[Signed]:
        """The columns of the dense matrices, by elimination of the small matrix of each one's
        coefficients.
        """
        found: list[Signed] = []
        for matrix, coefficients in self._structure.dense.items():
            blocks = [b for b in self._structure.vectors if b.length == matrix.row.length]
            C = [[coefficients.get((a, b), self._field.zero) for b in blocks] for a in blocks]
            for pivot in self._eliminate.of(C):
                entries = {
                    b: Coupling(e, S.Zero)
                    for b, e in zip(blocks, self._expressions(pivot.column), strict=True)
                    if e != 0
                }
                weight = self._field.expression(pivot.weight)
                found.append(
                    (
                        FactorColumn(matrix.row.length, tuple(entries.items()), weight, matrix),
                        pivot.sign,
                    )
                )
        return found

    def _diagonalise_K(self) -> None:
        """Make K diagonal by changing the columns W, and drop columns that neither K nor E uses."""
        s, field = self._structure, self._field
        turned = diagonalise(s.K, field)
        s.columns = [self._combined([row[b] for row in turned.T]) for b in range(len(s.K))]
        s.E = field.times(turned.inverse, s.E) if s.E and s.scalars else s.E
        used = [
            b
            for b, k in enumerate(turned.weights)
            if not (k.is_zero() and all(e.is_zero() for e in s.E[b]))
        ]
        s.columns, s.E = [s.columns[b] for b in used], [s.E[b] for b in used]
        s.K = [[turned.weights[b] if a == b else field.zero for b in used] for a in used]

    def _join_borders(self) -> None:
        """Merge the columns that K does not use into one column for the border of each scalar.

        Taken singly, such columns may leave the range of A although their combination does not.
        """
        s, field = self._structure, self._field
        kept = [b for b in range(len(s.K)) if not s.K[b][b].is_zero()]
        others = [b for b in range(len(s.K)) if b not in kept]
        joined = [
            self._combined([s.E[b][n] if b in others else field.zero for b in range(len(s.K))])
            for n in range(len(s.scalars))
        ]
        filled = [n for n, column in enumerate(joined) if column]
        s.columns = [s.columns[b] for b in kept] + [joined[n] for n in filled]
        s.E = [s.E[b] for b in kept] + [
            [field.one if m == n else field.zero for m in range(len(s.scalars))] for n in filled
        ]
        weights = [s.K[b][b] for b in kept] + [field.zero] * len(filled)
        s.K = [
            [w if a == b else field.zero for b in range(len(weights))]
            for a, w in enumerate(weights)
        ]

    def _combined(self, shares: list[Ratio]) -> Vectors:
        parts: dict[Block, list[Ratio]] = {}
        for share, column in zip(shares, self._structure.columns, strict=True):
            for block, f in column.items():
                parts.setdefault(block, []).append(share * f)
        summed = {block: self._field.sum(listed) for block, listed in parts.items()}
        return {block: f for block, f in summed.items() if not f.is_zero()}

    def _layers(self) -> list[_Layer]:
        """The pivots of A, from one small elimination for each length."""
        layers: list[_Layer] = []
        for length in dict.fromkeys(b.length for b in self._structure.vectors):
            blocks = [b for b in self._structure.vectors if b.length == length]
            pivots = self._eliminate.of(
                [[self._structure.diagonal[a, b] for b in blocks] for a in blocks]
            )
            reached = [
                self._forward_substitution(pivots, blocks, column)
                for column in self._structure.columns
            ]
            for q, pivot in enumerate(pivots):
                rows = {b: f for b, f in zip(blocks, pivot.column, strict=True) if not f.is_zero()}
                layers.append(
                    _Layer(
                        length,
                        rows,
                        pivot,
                        [self._field.reduced(y[q] / pivot.weight) for y, _ in reached],
                    )
                )
            self._outside |= {b for b, (_, inside) in enumerate(reached) if not inside}
        return layers

    def _forward_substitution(
        self, pivots: list[Pivot], blocks: list[Vector], column: Vectors
    ) -> tuple[list[Ratio], bool]:
        """``L^-1 w`` at the pivots, and True if the column w is in the range of A."""
        rest = [column.get(b, self._field.zero) for b in blocks]
        found = []
        for p in pivots:
            y = rest[p.place]
            found.append(y)
            rest = [self._field.reduced(r - y * c) for r, c in zip(rest, p.column, strict=True)]
        return found, all(r.is_zero() for r in rest)

    # -- P, R and N
    # ----------------------------------------------------------------------------------------------

    def _gram(self, layers: list[_Layer]) -> Rows:
        """``M = W^T A^-1 W``: for each pair of columns, a sum of one total for each pivot."""
        n = range(len(self._structure.columns))
        M = self._field.zeros(len(n), len(n))
        for a in n:
            for b in n[: a + 1]:
                if not {a, b} & self._outside:
                    met = ((x.reach[a] * x.reach[b] * x.pivot.weight, x.length) for x in layers)
                    M[a][b] = M[b][a] = self._field.sum(
                        self._field.total(self._field.reduced(f), length)
                        for f, length in met
                        if not f.is_zero()
                    )
        return M

    def _choices(self, layers: list[_Layer]) -> Iterator[tuple[Rows, Rows]]:
        """Pairs of P and R to try, the simplest first."""
        s, field, n = self._structure, self._field, len(self._structure.columns)
        inside = [b for b in range(n) if b not in self._outside]
        negative = [
            b for b in inside if not s.K[b][b].is_zero() and self._certify(s.K[b][b]) is None
        ]
        positive = [b for b in inside if b not in negative and not s.K[b][b].is_zero()]
        P = field.zeros(n, n)
        for b in negative:
            P[b][b] = s.K[b][b]
        R = [row if b in inside else [field.zero] * len(s.scalars) for b, row in enumerate(s.E)]
        bare = [
            row if b not in positive else [field.zero] * len(s.scalars) for b, row in enumerate(R)
        ]
        yield P, bare
        if bare != R:
            yield P, R
        M = self._gram(layers)
        others = [b for b in inside if b not in positive]
        met = any(not M[a][b].is_zero() for a in positive for b in others) or any(
            not e.is_zero() for b in positive for e in R[b]
        )
        if met:
            yield self._woodbury(P, R, M, positive)

    def _woodbury(self, P: Rows, R: Rows, M: Rows, positive: list[int]) -> tuple[Rows, Rows]:
        """P and R for A with the positive part of K added to it, by Woodbury's identity.

        ``(A + V C V^T)^-1 W = A^-1 (W - V (I + C M)^-1 C V^T A^-1 W)``
        """
        field, n = self._field, len(P)
        G = self._inverse_of_one_plus(positive, M)
        share = field.unit(n)  # A'^-1 W = A^-1 W share
        for x, a in enumerate(positive):
            for b in range(n):
                met = (G[x][y] * self._structure.K[c][c] * M[c][b] for y, c in enumerate(positive))
                share[a][b] = field.reduced(share[a][b] - field.sum(met))
        return field.times(P, transpose(share)), field.times(share, R)

    def _inverse_of_one_plus(self, positive: list[int], M: Rows) -> Rows:
        """``(I + C M)^-1``."""
        field, unit = self._field, self._field.unit(len(positive))
        found = field.inverse(
            [
                [
                    field.reduced(one + self._structure.K[a][a] * M[a][b])
                    for one, b in zip(row, positive, strict=True)
                ]
                for row, a in zip(unit, positive, strict=True)
            ]
        )
        if found is None:
            raise NotReachedError("I + C M is singular")
        return found

    def _small_matrix(self, P: Rows, R: Rows, layers: list[_Layer]) -> Rows:
        """The matrix N, with rows for the columns of W and for the scalars."""
        s, field = self._structure, self._field
        if not s.columns:
            return s.S
        M = (
            self._gram(layers)
            if any(not x.is_zero() for row in (*P, *R) for x in row)
            else field.zeros(len(P), len(P))
        )
        PM = field.times(P, M)
        corner = field.minus(
            field.minus(field.minus(s.K, P), transpose(P)), field.times(PM, transpose(P))
        )
        if not s.scalars:
            return corner
        border = field.minus(field.minus(s.E, R), field.times(PM, R))
        rest = field.minus(s.S, field.times(transpose(R), field.times(M, R)))
        return [a + b for a, b in zip(corner, border, strict=True)] + [
            a + b for a, b in zip(transpose(border), rest, strict=True)
        ]

    # -- columns of B
    # ----------------------------------------------------------------------------------------------

    def _block_column(self, layer: _Layer, P: Rows, R: Rows) -> Signed:
        """The column ``F L`` of B for one pivot of A."""
        s, field = self._structure, self._field
        entries: list[tuple[Block, Entry]] = []
        met = [(b, y) for b, y in enumerate(layer.reach) if not y.is_zero()]
        for block in s.vectors:
            terms = [
                field.expression(field.reduced(w[block] * P[a][b]))
                * relabel(field.expression(y), GENERIC, OTHER)
                for a, w in enumerate(s.columns)
                if block in w
                for b, y in met
                if not P[a][b].is_zero()
            ]
            diagonal = field.expression(layer.rows[block]) if block in layer.rows else S.Zero
            kernel = sum(terms, S.Zero)
            if diagonal != 0 or kernel != 0:
                entries.append((block, Coupling(diagonal, kernel)))
        for n, scalar in enumerate(s.scalars):
            value = field.sum(R[b][n] * y for b, y in met)
            if not value.is_zero():
                entries.append((scalar, Row(field.expression(value))))
        return (
            FactorColumn(layer.length, tuple(entries), field.expression(layer.pivot.weight)),
            layer.pivot.sign,
        )

    def _single_column(self, pivot: Pivot) -> Signed:
        """A single column of B: ``[W 0; 0 I]`` times a column of the factor of N."""
        s, n = self._structure, len(self._structure.columns)
        vectors = self._combined(list(pivot.column[:n]))
        entries: list[tuple[Block, Entry]] = [
            (b, Column(self._field.expression(f))) for b, f in vectors.items()
        ]
        numbers = zip(s.scalars, self._expressions(pivot.column[n:]), strict=True)
        entries += [(b, Number(e)) for b, e in numbers if e != 0]
        return FactorColumn(None, tuple(entries), self._field.expression(pivot.weight)), pivot.sign

    def _expressions(self, ratios: tuple[Ratio, ...]) -> list:  # type: ignore[type-arg]
        return [self._field.expression(r) for r in ratios]
