"""Where a factorisation may be undefined: on a nowhere dense set only.

A denominator must be different from zero on a dense set, for every length and every value of a parameter that is a whole number.
The derivatives and values of abstract functions count as coordinates of their own, as D is defined and continuous in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Add, Expr, Mul, Pow, Symbol

from recipe.symbols import GENERIC, Length, assumptions_of
from recipe.total import Total, labels, opened, relabel
from verify.signs.definedness import NONNEGATIVE, NONZERO, POSITIVE, PROVERS, Condition, conditions, is_continuous
from verify.signs.sign import NOT_NEGATIVE, NOT_POSITIVE, is_nonzero, is_positive, possible_signs
from verify.zero.decide import find_nonzero

CONTINUOUS = {"real", "commutative", "positive", "negative", "nonnegative", "nonpositive", "finite", "extended_real", "complex"}


def undefined_on_more_than_a_null_set(expressions: Iterable[Expr]) -> Condition | None:
    """A condition of some expressions that is not seen to hold on a dense set; None where all are."""
    for e in expressions:
        for condition in conditions(e):
            if not _holds_densely(condition):
                return condition
    return None


def _holds_densely(condition: Condition) -> bool:
    if PROVERS[condition.sign](condition.e):
        return True
    if condition.sign == NONNEGATIVE:
        return False
    if condition.sign == POSITIVE:
        return possible_signs(condition.e) <= NOT_NEGATIVE and vanishes_nowhere_densely(condition.e)
    return condition.sign == NONZERO and vanishes_nowhere_densely(condition.e)


def vanishes_nowhere_densely(e: Expr) -> bool:
    """Whether the zeros of an expression are proved to be nowhere dense, for every length."""
    if is_nonzero(e):
        return True
    if isinstance(e, Mul):
        return all(vanishes_nowhere_densely(a) for a in e.args)
    if isinstance(e, Pow):
        return vanishes_nowhere_densely(e.base)
    if isinstance(e, Total):
        body, _ = opened(e)
        return _of_one_sign([body]) and vanishes_nowhere_densely(body)
    if isinstance(e, Add) and _of_one_sign(e.args) and any(vanishes_nowhere_densely(a) for a in e.args):
        return True
    return _is_analytic(e) and find_nonzero(_at_generic(e)) is not None


def _of_one_sign(terms: Iterable[Expr]) -> bool:
    signs = frozenset().union(*(possible_signs(t) for t in terms))
    return signs <= NOT_NEGATIVE or signs <= NOT_POSITIVE


def _is_analytic(e: Expr) -> bool:
    """Whether an expression of one coordinate is analytic on its whole connected domain, for one value of everything discrete.

    Then one value that is not zero is enough. With sums or lengths it would be enough for one length only.
    """
    symbols = e.atoms(Symbol)
    if e.has(Total) or any(isinstance(s, Length) for s in symbols) or len(labels(e)) > 1:
        return False
    if any(fact not in CONTINUOUS for s in symbols for fact in assumptions_of(s)):
        return False
    roots = [p.base for p in e.atoms(Pow) if not p.exp.is_Integer]
    return all(is_positive(base) for base in roots) and is_continuous(e)


def _at_generic(e: Expr) -> Expr:
    for label in labels(e):
        return relabel(e, label, GENERIC)
    return e
