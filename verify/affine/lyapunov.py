"""The stationary covariance: the solution of ``S = M S M^T + R`` (the discrete Lyapunov equation)."""

from __future__ import annotations

import itertools

from sympy import ImmutableDenseMatrix

from verify.affine.exact import Exact, Table


def stationary_covariance(exact: Exact, M: Table, R: Table) -> Table | None:
    """The symmetric solution; None where it is not unique for any value of the parameters."""
    n = len(M)
    pairs = list(itertools.combinations_with_replacement(range(n), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    rows = []
    for a, b in pairs:
        row = [exact.zero] * len(pairs)
        row[place[a, b]] += exact.one
        for c, d in itertools.product(range(n), repeat=2):
            row[place[min(c, d), max(c, d)]] -= M[a][c] * M[b][d]
        rows.append([exact.reduced(x) for x in row])
    found = exact.solve(rows, [R[a][b] for a, b in pairs])
    if found is None:
        return None
    return [[found[place[min(a, b), max(a, b)]] for b in range(n)] for a in range(n)]


def stationary_mean(exact: Exact, M: Table, m: Table) -> list | None:  # type: ignore[type-arg]
    """The solution of ``mu = M mu + m``; None where it is not unique."""
    n = range(len(M))
    rows = [[(exact.one if a == b else exact.zero) - M[a][b] for b in n] for a in n]
    return exact.solve(rows, [row[0] for row in m])


def residual(M: ImmutableDenseMatrix, R: ImmutableDenseMatrix, S: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """``S - M S M^T - R``, which is zero for the solution."""
    return ImmutableDenseMatrix(S - M * S * M.T - R)
