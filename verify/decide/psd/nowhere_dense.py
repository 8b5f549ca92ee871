"""Where a factorisation may be undefined: on a nowhere dense set only.

A denominator must be different from zero on a dense set, for every length and every value of a
parameter that is a whole number. The derivatives and values of abstract functions count as
coordinates of their own, as D is defined and continuous in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from sympy import Abs, Add, Expr, Interval, Mul, Pow, Rational, S, Symbol, sign
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense, DenseEntry, Jet, Partial
from recipe.language.sign import (
    NOT_NEGATIVE,
    NOT_POSITIVE,
    domain_of,
    is_nonzero,
    is_positive,
    possible_signs,
)
from recipe.language.symbols import GENERIC, Length, Simplex, Vector, assumptions_of
from recipe.language.total import Total, labels, opened, relabel
from verify.decide.definedness import (
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    PROVERS,
    Condition,
    conditions,
    is_continuous,
)
from verify.decide.zero.decide import find_nonzero

CONTINUOUS = {
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
SEEDS = 4


def undefined_on_more_than_a_null_set(expressions: Iterable[Expr]) -> Condition | None:
    """A condition of some expressions that is not seen to hold on a dense set; None where
    all are.
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
        if _of_one_sign([body]) and vanishes_nowhere_densely(body):
            return True
    if (
        isinstance(e, Add)
        and _of_one_sign(e.args)
        and any(vanishes_nowhere_densely(a) for a in e.args)
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
    """Whether an expression is analytic on its whole connected domain, for every length."""
    if e.has(Abs, sign):
        return False
    symbols = [s for s in e.atoms(Symbol) if not isinstance(s, Length)]
    if any(fact not in CONTINUOUS for s in symbols for fact in assumptions_of(s)):
        return False
    roots = [p.base for p in e.atoms(Pow) if not p.exp.is_Integer]
    return all(is_positive(base) for base in roots) and is_continuous(e)


def _is_of_one_coordinate(e: Expr) -> bool:
    """Whether one value that is not zero is enough: with sums or lengths it would be enough for one
    length only.
    """
    return not (
        e.has(Total) or any(isinstance(s, Length) for s in e.atoms(Symbol)) or len(labels(e)) > 1
    )


def _not_zero_where_all_are_alike(e: Expr) -> bool:
    """Whether an expression is proved not to be zero where the coordinates of each vector are one
    and the same number.

    There a sum is the length times a number, and the sign says it for every length; two different
    coordinates are told apart no more, so it holds for one coordinate, too. So an analytic
    expression is not identically zero for any length.
    """
    for seed in range(SEEDS):
        try:
            if is_nonzero(_where_alike(e, seed).expand()):
                return True
        except NoNumberError:
            continue
    return False


class NoNumberError(Exception):
    """There is no number that could stand for all the coordinates of something."""


def _where_alike(e: Expr, seed: int) -> Expr:
    """An expression of lengths only. What an abstract function is taken of does not count: its
    values are coordinates.
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
    """A number that may stand for all the coordinates or values of one name: ones, or what the seed
    says.
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
