"""Laws that are written as sums: ``exp(-H) = (sum of A_j)^c exp(-G)`` with c > 0.

``max A_j <= sum of A_j <= n max A_j`` for n positive terms, so the c-th power of the sum lies
between two multiples of the sum of the ``A_j^c``. The integral is finite if and only if each of
the integrals of ``A_j^c exp(-G)`` is.
"""

from __future__ import annotations

from sympy import Add, Expr, Mul, log

from recipe.language.blocks import Block
from recipe.language.free_symbols import blocks_in
from recipe.signs.sign import is_positive
from verify.diffusion.infinity.logarithm import log_of

MAX_COMPONENTS = 8


def components(e: Expr, blocks: tuple[Block, ...]) -> list[Expr]:
    """The ``G - c log(A_j)`` of a sum ``e = G - c log(sum of A_j)``; empty for other sums."""
    for term in Add.make_args(e):
        of = Mul(*(f for f in Mul.make_args(term) if blocks_in(f, blocks)))
        c = Mul(*(f for f in Mul.make_args(term) if not blocks_in(f, blocks)))
        if not isinstance(of, log) or not is_positive(-c):
            continue
        parts = Add.make_args(of.args[0])
        if 1 < len(parts) <= MAX_COMPONENTS and all(map(is_positive, parts)):
            return [e - term + c * log_of(a) for a in parts]
    return []


__all__ = ["components"]
