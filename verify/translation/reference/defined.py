"""The conditions under which a text has a value: divisors do not vanish, and roots and logarithms
have arguments of the right sign.

Expressions cancel when they are read: ``r / r`` is 1, though the text gives no number at ``r = 0``.
So every operation of the text states a condition on its arguments, as they are before they are
combined. The condition must follow from the signs of blocks and parameters; or the rule must need
it as well, as then the rule has no value there either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, Mul, Pow, cos

from recipe.language.symbols import GENERIC
from recipe.language.total import labels, relabel
from recipe.signs.defined import NONNEGATIVE, NONZERO, POSITIVE, PROVERS, Condition, conditions
from verify.translation.parse.problems import unread
from verify.translation.reference.equality import EqualityProver

FUNCTIONS = {
    "math.sqrt": lambda x: Condition(x, NONNEGATIVE),
    "math.log": lambda x: Condition(x, POSITIVE),
    "log": lambda x: Condition(x, POSITIVE),
    "math.log1p": lambda x: Condition(1 + x, POSITIVE),
    "log1p": lambda x: Condition(1 + x, POSITIVE),
    "math.lgamma": lambda x: Condition(x, POSITIVE),
    "digamma": lambda x: Condition(x, POSITIVE),
    "loggamma": lambda x: Condition(x, POSITIVE),
    "math.tan": lambda x: Condition(cos(x), NONZERO),
}
IMPLIED = {
    POSITIVE: (POSITIVE,),
    NONNEGATIVE: (POSITIVE, NONNEGATIVE),
    NONZERO: (POSITIVE, NONZERO),
}


def needed_by(operator: ast.operator, a: Any, b: Any) -> list[Condition]:
    """Return the conditions that an operator needs of two numbers."""
    a, b = (Integer(x) if isinstance(x, int) else x for x in (a, b))
    match operator:
        case ast.Div():
            return [Condition(b, NONZERO)]
        case ast.Pow() if not b.is_Integer:
            return [Condition(a, NONNEGATIVE if b.is_positive else POSITIVE)]
        case ast.Pow() if b < 0:
            return [Condition(a, NONZERO)]
    return []


class Defined:
    """The conditions that a text needs, with their lines, and the expressions of the rule."""

    def __init__(self, equality: EqualityProver) -> None:
        self.equality = equality
        self.asked: dict[Condition, int] = {}
        self.rule: dict[Expr, None] = {}

    def ask(self, needs: Iterable[Condition], line: int) -> None:
        """Record the conditions that an operation needs."""
        for need in needs:
            found = labels(need.e) - {GENERIC}
            e = (
                relabel(need.e, min(found), GENERIC)
                if len(found) == 1 and GENERIC not in labels(need.e)
                else need.e
            )
            self.asked.setdefault(Condition(e, need.sign), line)

    def require(self) -> None:
        """Require all recorded conditions.

        Raises:
            TranslationError: for a condition that is not proved and that the rule does not need.
        """
        if self.equality.numerically:
            return  # the points at which numbers are compared have values
        for condition, line in self.asked.items():
            if not self._holds(condition):
                raise unread(line, f"{condition} is not proved, and the rule does not need it")

    @cached_property
    def _of_the_rule(self) -> list[Condition]:
        return list(dict.fromkeys(c for e in self.rule for c in conditions(e)))

    def _holds(self, c: Condition) -> bool:
        return (
            PROVERS[c.sign](c.e)
            or self._by_parts(c)
            or any(self._gives(known, c) for known in self._of_the_rule)
        )

    def _gives(self, known: Condition, c: Condition) -> bool:
        if known.sign not in IMPLIED[c.sign]:
            return False
        return self.equality.equal(c.e, known.e) or (
            c.sign == NONZERO and self.equality.equal(c.e, -known.e)
        )

    def _by_parts(self, c: Condition) -> bool:
        """Return True if all factors of a product have the sign, or the base of a power has it."""
        if isinstance(c.e, Mul):
            return all(self._holds(Condition(factor, c.sign)) for factor in c.e.args)
        return (
            isinstance(c.e, Pow)
            and bool(c.e.exp.is_number)
            and self._holds(Condition(c.e.base, c.sign))
        )
