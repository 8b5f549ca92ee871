"""A bound on the size of expressions that may be expanded.

Searches for additional findings must not use up the time of the verdict.
"""

from __future__ import annotations

from sympy import Expr, Pow, Rational

MAX_DEGREE = 50
MAX_NUMBER_BITS = 1000


def can_be_multiplied_out(e: Expr) -> bool:
    """Return True if the expression has neither powers above MAX_DEGREE nor numbers above
    MAX_NUMBER_BITS.
    """
    powers = all(abs(p.exp) <= MAX_DEGREE for p in e.atoms(Pow) if p.exp.is_Rational)
    return powers and all(
        max(n.p.bit_length(), n.q.bit_length()) <= MAX_NUMBER_BITS for n in e.atoms(Rational)
    )
