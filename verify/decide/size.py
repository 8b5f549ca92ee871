"""Whether an expression can be multiplied out: nothing that only looks for more than the verdict
may take the verdict's time.
"""

from __future__ import annotations

from sympy import Expr, Pow, Rational

DEGREE = 50
BITS = 1000


def can_be_multiplied_out(e: Expr) -> bool:
    """No high powers, and no long numbers."""
    powers = all(abs(p.exp) <= DEGREE for p in e.atoms(Pow) if p.exp.is_Rational)
    return powers and all(
        max(n.p.bit_length(), n.q.bit_length()) <= BITS for n in e.atoms(Rational)
    )
