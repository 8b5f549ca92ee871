"""The stationary covariance of an affine step: ``Sigma = M Sigma M^T + C``, solved exactly."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, ImmutableDenseMatrix, Matrix, eye, zeros

from recipe.language.blocks import Block
from verify.decide.linear_algebra.equations import solve_rational
from verify.decide.zero.decide import decide_zero
from verify.discrete.linear.numbers import readable, with_generators
from verify.discrete.linear.step import AffineStep
from verify.verdict import Verdict

Pair = tuple[Block, Block]


@dataclass(frozen=True)
class StationaryCovariance:
    """Covariances and means of the recorded values under the stationary law of the step, and under
    the target.

    The stationary law exists where the step is stable (see ``stability``). The formulas are those
    of the only solution of the equation.

    Attributes:
        of_step: the covariance of what is recorded, by pairs of blocks on and above the diagonal.
        of_target: the covariance of the target, by the same pairs.
        means: for each block the mean of what is recorded, and that of the target.
    """

    of_step: dict[Pair, Expr]
    of_target: dict[Pair, Expr]
    means: dict[Block, tuple[Expr, Expr]]  # recorded, and of the target

    def ratio(self, block: Block) -> Expr:
        """Return the stationary variance of a block divided by its variance under the target.

        Args:
            block: one of the coordinates of the step.
        """
        return self.of_step[block, block] / self.of_target[block, block]


def stationary_covariance(step: AffineStep) -> StationaryCovariance | None:
    """Return the stationary covariance of an affine step, in closed form.

    Args:
        step: from ``affine_step``.

    Returns:
        The only solution, proved by putting it back into its equation. None where the step has no
        noise, where the equation does not have exactly one solution, or where the proof failed.
    """
    if step.C.is_zero_matrix:
        return None
    n = len(step.coordinates)
    entries, meanings = with_generators([*step.M, *step.C])
    M, C = Matrix(n, n, entries[: n * n]), Matrix(n, n, entries[n * n :])
    sigma = _lyapunov(M, C)
    if sigma is None:
        return None
    sigma = sigma.applyfunc(lambda e: readable(e, meanings, step.step))
    if not _solves(sigma, step):
        return None
    recorded = step.R * sigma * step.R.T + step.S
    means = _means(step)
    return (
        None
        if means is None
        else StationaryCovariance(
            _by_place(recorded, step), _by_place(step.hessian.inv(), step), means
        )
    )


def _means(step: AffineStep) -> dict[Block, tuple[Expr, Expr]] | None:
    """Return for each block the recorded mean, from ``(I - M)^-1 m``, and the mean of the target;
    None where this was not proved.
    """
    n = len(step.coordinates)
    entries, meanings = with_generators([*(eye(n) - step.M), *step.m])
    found = solve_rational(Matrix(n, n, entries[: n * n]), Matrix(n, 1, entries[n * n :]))
    if found is None:
        return None
    mean = found.applyfunc(lambda e: readable(e, meanings, step.step))
    if any(decide_zero(e).verdict is not Verdict.PROVED for e in mean - step.M * mean - step.m):
        return None
    recorded, wanted = step.R * mean + step.n, -(step.hessian.inv() * step.slope)
    return {b: (recorded[i].factor(), wanted[i].factor()) for i, b in enumerate(step.coordinates)}


def _lyapunov(M: Matrix, C: Matrix) -> Matrix | None:
    """Solve ``Sigma = M Sigma M^T + C`` as linear equations in the entries on and above the
    diagonal; None where the system is singular.
    """
    n = M.rows
    places = [(i, j) for i in range(n) for j in range(i, n)]
    column = {place: k for k, place in enumerate(places)}
    A, b = zeros(len(places)), zeros(len(places), 1)
    for k, (i, j) in enumerate(places):
        A[k, k] += 1
        for a in range(n):
            for c in range(n):
                A[k, column[min(a, c), max(a, c)]] -= M[i, a] * M[j, c]
        b[k] = C[i, j]
    found = solve_rational(A, b)
    return None if found is None else Matrix(n, n, lambda i, j: found[column[min(i, j), max(i, j)]])


def _solves(sigma: Matrix, step: AffineStep) -> bool:
    left_over = sigma - step.M * sigma * step.M.T - step.C
    return all(decide_zero(e).verdict is Verdict.PROVED for e in left_over)


def _by_place(m: Matrix | ImmutableDenseMatrix, step: AffineStep) -> dict[Pair, Expr]:
    """Return the entries on and above the diagonal, by pairs of blocks."""
    coordinates = step.coordinates
    entries, meanings = with_generators(list(m))
    written = [readable(e, meanings, step.step) for e in entries]
    n = len(coordinates)
    return {
        (coordinates[i], coordinates[j]): written[i * n + j] for i in range(n) for j in range(i, n)
    }
