"""A sum ``p + q w`` with a root ``w = b^(1/k)``, by the uniqueness of roots.

Where ``(-p)^k = q^k b``, the numbers ``-p`` and ``q w`` have equal k-th powers. They are equal if k
is odd; if k is even, where both are nonnegative or both are not positive, which follows from the
signs of p and q as w >= 0. For k = 2 it is enough as well that ``p - q w`` vanishes nowhere, as
``(p + q w)(p - q w) = p^2 - q^2 b``: that factor is not 0 at any point, so the other one is.
"""

from __future__ import annotations

from sympy import Expr, Pow, preorder_traversal

from recipe.signs.sets import NOT_NEGATIVE, NOT_POSITIVE
from recipe.signs.sign import is_nonzero, possible_signs
from verify.decide.zero.form import Form, Prove

MAX_DEGREE = 6
MAX_NODES = 80  # of expressions whose signs are asked, as proofs of signs may take long


def compare_powers(form: Form, prove: Prove) -> bool:
    """Return True if the numerator is ``p + q w`` with a root w, and is proved to be zero."""
    generators = form.canonical.generators
    for k in form.used():
        root = form.meaning(k)
        if not (isinstance(root, Pow) and root.exp.is_Rational and root.exp.p == 1):
            continue
        degree = int(root.exp.q)
        if degree > MAX_DEGREE or form.numerator.degrees()[k] != 1:
            continue
        slope = generators.coefficient(form.numerator, k)
        q = form.expression(slope)
        p = form.expression(form.numerator - slope * generators.of_index(k).num)
        if _are_equal_if_powers_are(p, q, root, degree) and prove(
            (-p) ** degree - q**degree * root.base
        ):
            return True
    return False


def _are_equal_if_powers_are(p: Expr, q: Expr, root: Expr, degree: int) -> bool:
    if degree % 2:
        return True
    if _nodes(p) + _nodes(q) > MAX_NODES:
        return False
    signs = possible_signs(-p), possible_signs(q)
    if all(s <= NOT_NEGATIVE for s in signs) or all(s <= NOT_POSITIVE for s in signs):
        return True
    return degree == 2 and is_nonzero(p - q * root)


def _nodes(e: Expr) -> int:
    return sum(1 for _ in preorder_traversal(e))
