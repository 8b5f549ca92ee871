"""The stationary covariance of a linear recursion ``z' = M z + noise``: the solution of the
discrete Lyapunov equation ``S = M S M^T + V``.

M and V need not commute. The equation is solved by doubling (Smith 1968, "Matrix equation XA + BX =
C", SIAM J. Appl. Math. 16): after k rounds S is the sum of the first 2^k terms of ``M^n V M^nT``.
"""

from __future__ import annotations

import numpy as np

MAX_DOUBLINGS = 60  # 2^60 steps: slower relaxation than that cannot be told from none
NEGLIGIBLE = 1e-12  # of a round's contribution, relative to the sum


def stationary_covariance(M: np.ndarray, V: np.ndarray) -> np.ndarray | None:
    """Return the solution S of ``S = M S M^T + V``.

    Args:
        M: the matrix of the recursion, shape (n, n).
        V: the covariance of its noise, shape (n, n).

    Returns:
        S, of the shape (n, n); None where the recursion has no stationary law: where an eigenvalue
        of M has modulus 1 or more.
    """
    S, power = np.array(V), np.array(M)
    with np.errstate(all="ignore"):
        for _ in range(MAX_DOUBLINGS):
            more = power @ S @ power.T
            S = S + more
            power = power @ power
            if not np.isfinite(S).all() or not np.isfinite(power).all():
                return None
            left = np.sqrt(np.sum(power**2))
            if left < NEGLIGIBLE:
                return (S + S.T) / 2
    return None
