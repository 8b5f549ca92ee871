"""An expression as an analytic function on a connected domain.

Two theorems need this: an analytic function that vanishes near one point vanishes everywhere, and
a continuous function whose values are whole multiples of pi is constant.
"""

from __future__ import annotations

from sympy import Dummy, Expr, Symbol

from recipe.language.calculus import abstract_atoms
from recipe.language.symbols import Length, assumptions_of
from recipe.signs.defined import is_smooth

# Facts that leave a symbol an interval of the real line.
CONNECTED_FACTS = {
    "real", "positive", "negative", "nonnegative", "nonpositive", "commutative", "finite",
    "extended_real", "extended_positive", "complex", "hermitian",
}  # fmt: skip


def relaxed(e: Expr) -> Expr | None:
    """Return the expression as a function of free real numbers, analytic on a connected domain.

    Sums, lengths, abstract functions and whole numbers become real numbers of the same sign: an
    identity for all of these is more than an identity for those that occur. None if the function
    is not proved to be analytic.
    """
    stand_ins = {atom: _like(atom) for atom in abstract_atoms(e)}
    e = e.xreplace(stand_ins)
    e = e.xreplace({s: _like(s) for s in e.free_symbols if not _is_interval(s)})
    return e if is_smooth(e) else None


def _is_interval(s: Symbol) -> bool:
    facts = {fact for fact, holds in assumptions_of(s).items() if holds}
    return not isinstance(s, Length) and facts <= CONNECTED_FACTS


def _like(e: Expr) -> Dummy:
    if e.is_positive:
        return Dummy("a", positive=True)
    if e.is_negative:
        return Dummy("a", negative=True)
    if e.is_nonnegative:
        return Dummy("a", nonnegative=True)
    return Dummy("a", real=True)
