"""Functions of the coordinates of a vector, and of their sum: in which directions do they grow?

Let ``H = total(g(theta)) + G(total(theta))`` for a vector of d coordinates. With the slopes of g
and G at both ends (``cones``), H is at least ``R - e |theta| - C`` for every e > 0, where

    R = s_+ P + s_- N + S_+ (P - N)^+ + S_- (N - P)^+

depends on the sum P of the positive coordinates, and on the sum N of the sizes of the negative
ones, alone. R is linear in (P, N) where P >= N and where P <= N. So it is positive off 0, whatever
d is, if it is positive at (1, 0), (0, 1) and (1, 1): then ``exp(-H)`` has a finite integral.
"""

from __future__ import annotations

from sympy import Add, Expr, S, oo

from recipe.language.blocks import Block, Vector
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Indexed
from recipe.language.total import total
from recipe.signs.sign import is_positive
from verify.diffusion.infinity.separation import of_one_coordinate
from verify.diffusion.infinity.slopes import ARGUMENT, slopes
from verify.verdict import Outcome, proved


def decide_exchangeable(e: Expr, blocks: tuple[Block, ...]) -> Outcome | None:
    """Prove it for a function of the coordinates of one vector and of their sum; else None."""
    if len(blocks) != 1 or not isinstance(blocks[0], Vector) or blocks[0].domain != S.Reals:
        return None
    (theta,) = blocks
    of_each, of_sum = S.Zero, S.Zero
    for term in Add.make_args(e):
        h = of_one_coordinate(term, theta)
        in_sum = term.xreplace({total(theta): ARGUMENT})
        if h is not None:
            of_each += h.xreplace({theta: ARGUMENT})
        elif not blocks_in(in_sum, blocks):
            of_sum += in_sum
        else:
            return None
    each, whole = slopes(of_each), slopes(of_sum)
    if each is None or whole is None or any(s.atoms(Indexed) for s in each):
        return None  # two coordinates with different slopes may go to opposite ends
    ends = ((each[0], whole[0]), (each[1], whole[1]), each)
    return proved("H grows at least linearly in every direction") if all(
        _is_positive(*pair) for pair in ends
    ) else None  # fmt: skip


def _is_positive(a: Expr, b: Expr) -> bool:
    """Return True if the sum of two slopes is positive; -oo stands for an unknown number."""
    return oo in (a, b) or (-oo not in (a, b) and is_positive(a + b))


__all__ = ["decide_exchangeable"]
