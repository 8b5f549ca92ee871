"""Prove that a factorisation is undefined on a nowhere dense set only.

A denominator must be nonzero on a dense set, for every length and every value of an integer
parameter. The derivatives and values of abstract functions count as coordinates of their own, as D
is defined and continuous in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from sympy import Abs, Add, Expr, Interval, Mul, Pow, Rational, S, Symbol, sign
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense, DenseEntry, Jet, Partial
from recipe.language.blocks import Simplex, Vector
from recipe.language.symbols import GENERIC, Length, assumptions_of
from recipe.language.total import Total, labels, opened, relabel
from recipe.signs.defined import (
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    PROVERS,
    Condition,
    conditions,
    is_continuous,
)
from recipe.signs.intervals import domain_of
from recipe.signs.sets import NOT_NEGATIVE, NOT_POSITIVE
from recipe.signs.sign import is_nonzero, is_positive, possible_signs
from verify.decide.zero.decide import find_nonzero

CONTINUUM_ASSUMPTIONS = {  # a symbol with no other assumptions ranges over an interval
    "real",
    "commutative",
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "finite",
    "extended_real",
    "complex",
}
MAX_CHOICES_OF_VALUES = 4


def condition_not_proved_densely(expressions: Iterable[Expr]) -> Condition | None:
    """A condition for the expressions to be defined that is not proved on a dense set; None if all
    are.

    None proves that the expressions are undefined on a nowhere dense set at most.
    """
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
        return possible_signs(condition.e) <= NOT_NEGATIVE and has_nowhere_dense_zeros(condition.e)
    return condition.sign == NONZERO and has_nowhere_dense_zeros(condition.e)


def has_nowhere_dense_zeros(e: Expr) -> bool:
    """Return True if the zeros of an expression are proved to be nowhere dense, for every
    length.
    """
    if is_nonzero(e):
        return True
    if isinstance(e, Mul):
        return all(has_nowhere_dense_zeros(a) for a in e.args)
    if isinstance(e, Pow):
        return has_nowhere_dense_zeros(e.base)
    if isinstance(e, Total):
        body, _ = opened(e)
        if _of_one_sign([body]) and has_nowhere_dense_zeros(body):
            return True
    if (
        isinstance(e, Add)
        and _of_one_sign(e.args)
        and any(has_nowhere_dense_zeros(a) for a in e.args)
    ):
        return True
    if not _is_analytic(e):
        return False
    return (
        _is_of_one_coordinate(e) and find_nonzero(_at_generic(e)) is not None
    ) or _not_zero_where_all_are_alike(e)


def _of_one_sign(terms: Iterable[Expr]) -> bool:
    signs = frozenset().union(*(possible_signs(t) for t in terms))
    return signs <= NOT_NEGATIVE or signs <= NOT_POSITIVE


def _is_analytic(e: Expr) -> bool:
    """Return True if the expression is proved analytic on its connected domain, for every
    length.
    """
    if e.has(Abs, sign):
        return False
    symbols = [s for s in e.atoms(Symbol) if not isinstance(s, Length)]
    if any(fact not in CONTINUUM_ASSUMPTIONS for s in symbols for fact in assumptions_of(s)):
        return False
    roots = [p.base for p in e.atoms(Pow) if not p.exp.is_Integer]
    return all(is_positive(base) for base in roots) and is_continuous(e)


def _is_of_one_coordinate(e: Expr) -> bool:
    """Return True if the expression has one coordinate at most, and neither sums nor lengths.

    A single point where it is not zero is then enough; otherwise that would hold for one length
    only.
    """
    return not (
        e.has(Total) or any(isinstance(s, Length) for s in e.atoms(Symbol)) or len(labels(e)) > 1
    )


def _not_zero_where_all_are_alike(e: Expr) -> bool:
    """Return True if the expression is proved nonzero where all coordinates of each vector are
    equal.

    There a sum is the length times a number, so the sign of the expression is proved for every
    length. Two different coordinates have the same value there, so lengths of one are included. An
    analytic expression that is nonzero at one point is not identically zero.
    """
    for seed in range(MAX_CHOICES_OF_VALUES):
        try:
            if is_nonzero(_where_alike(e, seed).expand()):
                return True
        except NoNumberError:
            continue
    return False


class NoNumberError(Exception):
    """No single number can stand for all coordinates or values of a symbol."""


def _where_alike(e: Expr, seed: int) -> Expr:
    """The expression with each vector replaced by one number, so that only lengths are left.

    Values of abstract functions are replaced as a whole, as they count as coordinates of their own.
    """
    if isinstance(e, Total):
        return e.index.length * _where_alike(e.body, seed)
    if isinstance(e, Dense | DenseEntry):
        raise NoNumberError  # entries of a positive definite matrix cannot all be one number
    if isinstance(e, Length) or not (e.args or isinstance(e, Symbol)):
        return e
    if isinstance(e, Jet):
        return _number(e, f"{e.applied.func} {e.orders}", seed)
    if isinstance(e, Partial):
        return _number(e, "a derivative", seed)
    if isinstance(e, AppliedUndef):
        return _number(e, str(e.func), seed)
    if isinstance(e, Symbol):
        return _number(e, getattr(e, "base", e.name), seed)
    return e.func(*(_where_alike(a, seed) for a in e.args))


def _number(s: Expr, name: str, seed: int) -> Expr:
    """A number for all the coordinates or values of one name: 1 for seed 0, otherwise one that the
    seed determines.

    Raises:
        NoNumberError: if no number fits the domain and the assumptions.
    """
    value = Rational(Random(f"{seed} {name}").choice([-2, -1, 1, 2, 3]) if seed else 1)
    domain = domain_of(s.at(GENERIC) if isinstance(s, Vector) else s)
    if isinstance(domain, Interval) and domain != S.Reals:
        beyond = abs(value)
        if domain.start.is_finite and domain.end.is_finite:
            return domain.start + (domain.end - domain.start) / (1 + beyond)
        return domain.start + beyond if domain.start.is_finite else domain.end - beyond
    fitting = next(
        (v for v in (value, abs(value), -abs(value)) if possible_signs(v) <= possible_signs(s)),
        None,
    )
    if fitting is None or isinstance(domain, Simplex):
        raise NoNumberError
    return fitting


def _at_generic(e: Expr) -> Expr:
    for label in labels(e):
        return relabel(e, label, GENERIC)
    return e
