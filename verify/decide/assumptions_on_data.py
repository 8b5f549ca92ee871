"""What is assumed of data must hold of some data, whatever the parameters are; otherwise it would
prove everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from sympy import Expr, Integer, Symbol

from recipe.language.symbols import ScalarData, VectorData, generic
from recipe.language.total import substitute
from verify.decide.definedness import PROVERS, Condition, conditions

VALUES = tuple(map(Integer, (0, 1, -1, 2, -2)))  # of a datum, the same for all coordinates
TRIES = 60


def instances(expressions: Iterable[Expr]) -> Iterator[dict[Symbol, Expr]]:
    """Small whole numbers for the data in some expressions."""
    symbols = sorted(
        {generic(z) for e in expressions for z in e.atoms(VectorData, ScalarData)}, key=str
    )
    for values in islice(product(VALUES, repeat=len(symbols)), TRIES):
        yield dict(zip(symbols, values, strict=True))


def value_of(e: Expr, datum: Mapping[Symbol, Expr]) -> Expr | None:
    """The value with these data; None where it is not seen to have one, for all parameters. What is
    inside comes first.
    """
    defined = all(PROVERS[c.sign](substitute(c.e, datum)) for c in reversed(conditions(e)))
    return substitute(e, datum) if defined else None


def has_instance(condition: Condition) -> bool:
    """Whether there are data with which a condition holds, for all parameters."""
    found = (value_of(condition.e, datum) for datum in instances([condition.e]))
    return any(e is not None and PROVERS[condition.sign](e) for e in found)
