"""Where an expression is defined: denominators do not vanish, arguments of logarithms and roots are
positive.

A random number is defined where its law exists: a non-central chi-squared number needs df > 0 and
nonc >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Abs, Expr, Pow, S, cos, log, loggamma, polygamma, sign, tan

from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import Total, opened
from recipe.signs.sign import is_nonnegative, is_nonzero, is_positive

POSITIVE, NONNEGATIVE, NONZERO = "> 0", ">= 0", "!= 0"
PROVERS = {POSITIVE: is_positive, NONNEGATIVE: is_nonnegative, NONZERO: is_nonzero}


@dataclass(frozen=True)
class Condition:
    """For an expression to be defined, ``e`` must be ``> 0``, ``>= 0`` or ``!= 0``, as ``sign``
    says.

    ``of`` is the smallest subexpression that needs this; it is used in messages alone.
    """

    e: Expr
    sign: str
    of: Expr = field(default=S.NaN, compare=False)

    @property
    def strict_sign(self) -> str:
        """The sign with which the operation is smooth as well: a root of 0 is not."""
        return NONZERO if self.sign == NONZERO else POSITIVE

    def __str__(self) -> str:
        return f"{self.e} {self.sign}"


def conditions(e: Expr) -> list[Condition]:
    """The conditions for an expression to be defined, each once."""
    found: dict[Condition, None] = {}
    _collect(e, found)
    return list(found)


def _collect(e: Expr, found: dict[Condition, None]) -> None:
    if isinstance(e, Total):
        body, _ = opened(e, GENERIC, OTHER)
        _collect(body, found)
        return
    for condition in own_conditions(e):
        found.setdefault(condition)
    for a in e.args:
        _collect(a, found)


def own_conditions(e: Expr) -> list[Condition]:
    """The conditions of the outermost operation of an expression, without those of its
    arguments.
    """
    if isinstance(e, Pow) and e.exp.is_integer and not e.exp.is_Integer:
        return [] if e.exp.is_nonnegative else [Condition(e.base, NONZERO, e)]
    if isinstance(e, Pow) and not e.exp.is_Integer:
        return [Condition(e.base, NONNEGATIVE if is_positive(e.exp) else POSITIVE, e)]
    if isinstance(e, Pow) and e.exp < 0:
        return [Condition(e.base, NONZERO, e)]
    if isinstance(e, log | loggamma | polygamma):
        return [Condition(e.args[-1], POSITIVE, e)]
    if isinstance(e, tan):
        return [Condition(cos(e.args[0]), NONZERO, e)]
    if isinstance(e, NoncentralChiSquared):
        return [Condition(e.df, POSITIVE, e), Condition(e.nonc, NONNEGATIVE, e)]
    return []


def is_continuous(*expressions: Expr) -> bool:
    """Return True if the expressions are proved to be defined, and so continuous, on the whole
    domain.

    An expression with ``sign`` is not continuous. False proves nothing.
    """
    return not any(e.has(sign) for e in expressions) and all(
        PROVERS[c.sign](c.e) for e in expressions for c in conditions(e)
    )


def is_smooth(*expressions: Expr) -> bool:
    """Return True if the expressions are proved to be infinitely differentiable on the whole
    domain.

    Roots must have positive arguments, not just nonnegative ones. False proves nothing.

    This is the plain question: every derivative, by every symbol, parameters included, and no
    absolute value at all. Where it fails, ``verify.decide.smoothness.faults`` asks the finer one:
    how many derivatives by the state are there for certain, and where is the next one missing? An
    expression that is smooth here has no faults there, for both ask for the same strict signs.
    """
    if any(e.has(Abs, sign) for e in expressions):
        return False
    return all(PROVERS[c.strict_sign](c.e) for e in expressions for c in conditions(e))
