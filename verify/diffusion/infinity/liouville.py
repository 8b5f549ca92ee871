"""Integrability of densities that depend on coordinates and on their sum, by Liouville's integral
(Dirichlet's is a case).

For c_k > 0, over the positive orthant or the part of it where the sum is below 1 (Liouville 1839,
Journal de mathematiques pures et appliquees 4; Gupta & Richards 1987, Journal of Multivariate
Analysis 23),

    integral of prod u_k^(c_k - 1) g(sum u_k) du
        = (prod Gamma(c_k) / Gamma(C)) * integral of g(s) s^(C - 1) ds,   C = sum c_k.

So a single integral over one variable decides. On the real line u = exp(x), and the density of x
has the factors ``u_k^c_k``.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Interval, Mul, Pow, S, exp, log, oo, preorder_traversal

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import contract, summands
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.language.total import Total, total
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NOT_POSITIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.diffusion.infinity.ends import End, ends, is_integrable
from verify.diffusion.infinity.separation import of_one_coordinate
from verify.verdict import Outcome, Witness, proved, refuted

REDUCED_TO_THE_SUM = "Liouville's integral: one integral over the sum of the coordinates is left"


@dataclass(frozen=True)
class Liouville:
    """``exp(-H) = prod u_k^(c_k - 1) exp(-h(sum u))``, up to a factor that is bounded away from 0
    and infinity.

    If ``exact`` is False, there is another factor, between 0 and 1. ``sum`` is the variable that
    stands for the sum in ``h``.
    """

    c: Expr
    h: Expr
    sum: Scalar
    exact: bool


def decide_liouville(e: Expr, x: Block) -> Outcome | None:
    """Decide whether ``exp(-e)`` has a finite integral, for e a function of the coordinates'
    logarithms and of their sum.

    None if e is not of this form, or a sign or integral is not decided; that leaves the question
    open.
    """
    found = None if not isinstance(x, Vector) else _read(e, x)
    if found is None:
        return None
    if possible_signs(found.c) <= NOT_POSITIVE and found.exact:
        return refuted("exp(-H) is not integrable", _at_one_coordinate(found, x))
    if not is_positive(found.c) or not is_continuous(found.h):
        return None
    radial = found.h - (contract(found.c, x) - 1) * log(found.sum)
    finite = {end: is_integrable(radial.expand(), found.sum, end) for end in ends(found.sum)}
    wrong = next((end for end, good in finite.items() if good is False), None)
    if wrong is not None and found.exact:
        return refuted("exp(-H) is not integrable", _at_the_sum(found, x, wrong))
    return proved(REDUCED_TO_THE_SUM) if all(finite.values()) else None


def _read(e: Expr, x: Vector) -> Liouville | None:
    """The exponents and the function of the sum; None if e is not of this form."""
    if on_simplex(x):
        logarithm, added, edge = log(x), x, S.One
    elif x.domain == Interval.open(0, oo):
        logarithm, added, edge = log(x), x, oo
    elif x.domain == S.Reals:
        logarithm, added, edge = x, exp(x), oo
    else:
        return None
    s = Scalar(f"sum_{x.name}", domain=Interval.open(0, edge))
    c, h, exact = S.Zero if x.domain == S.Reals else S.One, S.Zero, True
    for term in Add.make_args(e):
        power, of_sum = _power(term, x, logarithm), term.xreplace({total(added): s})
        if power is not None:
            c -= power
        elif not blocks_in(of_sum, (x,)):
            h += of_sum
        elif on_simplex(x) and _is_polynomial(term, x):
            continue  # a bounded term changes the integral by a bounded factor
        elif is_nonnegative(term):
            exact = False
        else:
            return None
    return Liouville(c.expand(), h, s, exact)


def law_of_total(e: Expr, x: Block, state: tuple[Block, ...]) -> Liouville | None:
    """The law of a positive block, or of logarithms, that depends on its coordinates through their
    total alone: exact, and with a c and an h that depend on no block. None for any other law.
    """
    own = Add(*(t for t in summands(e) if x in blocks_in(t, state)))
    law = _read(own, x) if isinstance(x, Vector) else None
    if law is None or not law.exact or blocks_in(law.h, state) or blocks_in(law.c, state):
        return None
    return law


def _power(term: Expr, x: Vector, logarithm: Expr) -> Expr | None:
    """The c of a term ``total(c log(x))``; None for other terms."""
    h = of_one_coordinate(term, x)
    c = None if h is None else h / logarithm
    return None if c is None or c == 0 or blocks_in(c, (x,)) else c


def _is_polynomial(term: Expr, x: Vector) -> bool:
    """Return True if the term is a polynomial of the coordinates, which is bounded on the
    simplex.
    """
    nodes = [node for node in preorder_traversal(term) if blocks_in(node, (x,))]
    powers = [node for node in nodes if isinstance(node, Pow)]
    return all(isinstance(n, Add | Mul | Pow | Total | Vector) for n in nodes) and all(
        p.exp.is_Integer and p.exp > 0 for p in powers
    )


def _at_one_coordinate(found: Liouville, x: Vector) -> Witness:
    """The witness where one of two coordinates goes to its end, while the sum stays fixed."""
    if x.domain == S.Reals:
        finding = (
            f"one coordinate by itself leaves the density exp(({text(found.c)})*{x}), and"
            f" {text(found.c)} <= 0"
        )
        return Witness({str(x.length): "2", str(x): "-> -oo"}, finding)
    finding = f"H has the term {text(1 - found.c)} log({x}), and {text(1 - found.c)} >= 1"
    return Witness({str(x.length): "2", str(x): "-> 0"}, finding)


def _at_the_sum(found: Liouville, x: Vector, end: End) -> Witness:
    whole = f"total({exp(x) if x.domain == S.Reals else x})"
    shown = text(Add(found.h, -(contract(found.c, x) - 1) * log(found.sum)))
    return Witness(
        {whole: f"-> {end.name}"},
        f"{found.sum} = {whole} has the density exp(-({shown})), which is not integrable there",
    )


__all__ = ["Liouville", "decide_liouville", "law_of_total"]
