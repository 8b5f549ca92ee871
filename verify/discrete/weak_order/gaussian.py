"""The stationary covariance of a linear step as a power series in ``s = sqrt(step)``.

For a quadratic H and a step that is linear in state and noise, ``z' = M z + N w``, the covariance
of the invariant law solves ``Sigma = M Sigma M^T + N N^T``. With ``M = I + s^2 M_2 + ...`` each
power of s gives one Lyapunov equation ``M_2 Sigma_k + Sigma_k M_2^T = known``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Expr, S

from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from verify.decide.linear_algebra.equations import inverse, solve
from verify.discrete.weak_order.parameters import ParameterField
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.step import Map, Step, gradient_of, map_of, maps_of

Matrix = list[list[Any]]  # of elements of the field of parameters


@dataclass(frozen=True)
class Linear:
    """``z' = M z + noise`` with ``noise ~ N(0, C)``: the coefficients of M and of C by powers of
    s.
    """

    M: list[Matrix]
    C: list[Matrix]


@dataclass(frozen=True)
class Covariance:
    """The stationary covariance of the recorded values, by powers of ``s = sqrt(step)``, and the
    covariance of the target.
    """

    coordinates: tuple[Block, ...]
    powers: tuple[dict[tuple[Block, Block], Expr], ...]
    target: dict[tuple[Block, Block], Expr]


def covariance(step: Step, end: int, capacity: int = 48) -> Covariance:
    """Return the stationary covariance up to the power of s before ``end``.

    Raises:
        OutsideLanguageError: where H is not a quadratic form, the step is not linear, or the limit
            does not have exactly one covariance.
    """
    edged = next((x for x in step.coordinates if x.domain != S.Reals), None)
    if edged is not None:
        raise OutsideLanguageError(f"{edged} lives on {edged.domain}: the law is not normal")
    ring = Ring(step.coordinates, capacity)
    slopes = gradient_of(step, ring)
    maps = maps_of(step, ring, end + 2)
    recorded = map_of(step.recorded, False, step.s, ring, end)
    known = range(
        len(ring.meanings)
    )  # all of them, as a covariance may have the radicand of a root
    constants = [
        k for k in known if ring.is_constant(k) and not isinstance(ring.meanings[k], NOISE)
    ]
    read = _MatrixReader(ring, ParameterField(ring, constants))
    powers = _stationary([read.linear(m, end + 2) for m in maps], end, read)
    powers = _moved(powers, read.linear(recorded, end), read.zero)
    target = inverse(read.hessian(slopes), read.field.domain)
    if target is None:
        raise OutsideLanguageError("the Hessian of H is singular, so the law is not normal")
    return Covariance(step.coordinates, tuple(read.shown(m) for m in powers), read.shown(target))


class _MatrixReader:
    """Reads polynomials that are linear in the state and the noise as matrices over the field of
    parameters.
    """

    def __init__(self, ring: Ring, field: ParameterField) -> None:
        self.ring, self.field = ring, field
        self.n = len(ring.coordinates)
        self.zero = field.domain.zero
        for x in ring.coordinates:
            ring.generator(x)

    def linear(self, change: Map, end: int) -> Linear:
        """Return a map as matrices.

        Raises:
            OutsideLanguageError: where the map is not linear.
        """
        M = [self._square() for _ in range(end)]
        for i in range(self.n):
            M[0][i][i] = self.field.domain.one
        noise: list[dict[Expr, list[Poly]]] = [{} for _ in range(self.n)]
        for i, x in enumerate(self.ring.coordinates):
            for power in range(end):
                c = change[x].at(power) if x in change else self.ring.zero
                for letter, factor in self._linear_terms(c).items():
                    if letter in self.ring.coordinates:
                        M[power][i][self.ring.coordinates.index(letter)] += self.field.element(
                            self.ring.reduced(factor)
                        )
                    else:
                        noise[i].setdefault(letter, [self.ring.zero] * end)[power] += factor
        return Linear(M, [self._noise(noise, power) for power in range(end)])

    def _noise(self, noise: list[dict[Expr, list[Poly]]], power: int) -> Matrix:
        """Return the coefficient of a power of s in the covariance of the noise."""
        C = self._square()
        for i in range(self.n):
            for j in range(self.n):
                total = self.ring.zero
                for letter in noise[i].keys() & noise[j].keys():
                    products = (
                        noise[i][letter][k] * noise[j][letter][power - k] for k in range(power + 1)
                    )
                    total += self.ring.mean(
                        sum(products, self.ring.zero) * self.ring.generator(letter) ** 2
                    )
                C[i][j] = self.field.element(self.ring.reduced(total))
        return C

    def _linear_terms(self, c: Poly) -> dict[Expr, Poly]:
        """Return the factor of each coordinate and noise in a polynomial, which must be linear in
        them.
        """
        ring = self.ring
        letters = [
            k
            for k in ring.numbers_of(c)
            if not ring.is_constant(k) or isinstance(ring.meanings[k], NOISE)
        ]
        found = {}
        for exponents, factor in ring.split(c, letters).items():
            meanings = [ring.meanings[k] for k, n in zip(letters, exponents, strict=True) if n]
            known = len(meanings) == 1 and (
                meanings[0] in ring.coordinates or isinstance(meanings[0], NOISE)
            )
            if c != 0 and not (known and sum(exponents) == 1):
                raise OutsideLanguageError(
                    f"{ring.expression(c)} is not linear in the state and the noise"
                )
            if c != 0:
                found[meanings[0]] = factor
        return found

    def hessian(self, slopes: dict[Block, Any]) -> Matrix:
        """Return the second derivatives of H, which must be a quadratic form."""
        result = self._square()
        for i, slope in enumerate(slopes.values()):
            for letter, factor in self._linear_terms(slope).items():
                result[i][self.ring.coordinates.index(letter)] = self.field.element(factor)
        return result

    def shown(self, matrix: Matrix) -> dict[tuple[Block, Block], Expr]:
        """Return a matrix by blocks, as expressions."""
        blocks = self.ring.coordinates
        return {
            (a, b): self.field.expression(matrix[i][j])
            for i, a in enumerate(blocks)
            for j, b in enumerate(blocks)
        }

    def _square(self) -> Matrix:
        return [[self.zero for _ in range(self.n)] for _ in range(self.n)]


def _stationary(steps: Sequence[Linear], end: int, read: _MatrixReader) -> list[Matrix]:
    """Solve for the powers of the stationary covariance, one Lyapunov equation after another."""
    n, zero = read.n, read.zero
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    columns = []
    for i, j in pairs:
        unit = [[zero for _ in range(n)] for _ in range(n)]
        unit[i][j] = unit[j][i] = read.field.domain.one
        columns.append(_by_pair(_change([unit], steps, 2, zero, noisy=False), pairs))
    powers: list[Matrix] = []
    for k in range(end):
        known = _by_pair(_change(powers, steps, k + 2, zero), pairs)
        negative = {pair: -e for pair, e in known.items()}
        found = solve(columns, negative, read.field.domain, only=True)
        if found is None:
            raise OutsideLanguageError(
                "the limit of the step has no stationary covariance, or more than one"
            )
        solution = dict(zip(pairs, found, strict=True))
        powers.append([[solution[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])
    return powers


def _by_pair(matrix: Matrix, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    return {(i, j): matrix[i][j] for i, j in pairs}


def _change(
    powers: Sequence[Matrix], steps: Sequence[Linear], power: int, zero: Any, *, noisy: bool = True
) -> Matrix:
    """Return the coefficient of a power of s in the covariance after a whole step, minus that
    before it.
    """
    n = len(steps[0].M[0])
    null = [[zero for _ in range(n)] for _ in range(n)]
    before = [*powers, *(null for _ in range(power + 1 - len(powers)))]
    after = before
    for step in steps:
        after = _moved(after, step, zero, noisy=noisy)
    return [[after[power][i][j] - before[power][i][j] for j in range(n)] for i in range(n)]


def _moved(
    powers: Sequence[Matrix], step: Linear, zero: Any, *, noisy: bool = True
) -> list[Matrix]:
    """Return ``M Sigma M^T + C``, as power series."""
    n, end = len(step.M[0]), len(powers)
    half = [_product_at(step.M, powers, power, n, zero) for power in range(end)]
    turned = [[[M[j][i] for j in range(n)] for i in range(n)] for M in step.M]
    full = [_product_at(half, turned, power, n, zero) for power in range(end)]
    return [_sum(a, c) for a, c in zip(full, step.C, strict=False)] if noisy else full


def _product_at(A: Sequence[Matrix], B: Sequence[Matrix], power: int, n: int, zero: Any) -> Matrix:
    """Return the coefficient of a power of s in the product of two series of matrices."""
    return [
        [
            sum((A[p][i][k] * B[power - p][k][j] for p in range(power + 1) for k in range(n)), zero)
            for j in range(n)
        ]
        for i in range(n)
    ]


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return [[a + b for a, b in zip(p, q, strict=True)] for p, q in zip(A, B, strict=True)]
