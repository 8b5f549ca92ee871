"""A proposal whose coordinates are correlated along one direction: ``y = m + B w`` with ``B =
diag(r) + u v^T``.

Inverse and determinant of B come from Sherman & Morrison (1950), Annals of Mathematical Statistics
21: the determinant of ``1 + diag(1/r) u v^T`` is ``1 + sum v_k u_k / r_k``. So a density costs a
few sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Mul, S, expand, factor_terms, log

from recipe.language.blocks import Block
from recipe.language.calculus import contract, freeze, thaw
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import labels, relabel


@dataclass(frozen=True)
class Correlated:
    """The law of a new value ``mean + root w + u total(v w)``, where w is white noise."""

    mean: Expr
    root: Expr
    u: Expr
    v: Expr

    def minus_log(self, old: Block, new: Block, state: tuple[Block, ...]) -> Expr:
        """``-log q(new | old)``, up to a constant: half of ``|B^-1 (y - m)|^2``, plus ``log |det
        B|``.
        """
        gap, bent = (new - self.mean) / self.root, self.u / self.root
        det = 1 + contract(self.v * bent, old)
        white = gap - bent * contract(self.v * gap, old) / det
        scale = contract(log(self.root**2) / 2, old) if blocks_in(self.root, state) else S.Zero
        return contract(white**2, old) / 2 + scale + log(det**2) / 2


def direction_of(across: Expr) -> tuple[Expr, Expr] | None:
    """The vectors u and v of a kernel ``u_i v_j``; None where the kernel is no such product."""
    return next(
        (found for e in (across, _factored(across)) if (found := _product(e)) is not None), None
    )


def _factored(e: Expr) -> Expr:
    frozen, stands_for = freeze(expand(e))
    return thaw(factor_terms(frozen), stands_for)


def _product(e: Expr) -> tuple[Expr, Expr] | None:
    at = [(f, labels(f)) for f in Mul.make_args(e)]
    if e == 0 or any({GENERIC, OTHER} <= found for _, found in at):
        return None
    v = Mul(*(f for f, found in at if OTHER in found))
    return Mul(*(f for f, found in at if OTHER not in found)), relabel(v, OTHER, GENERIC)


__all__ = ["Correlated", "direction_of"]
