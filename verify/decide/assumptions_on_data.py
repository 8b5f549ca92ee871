"""Check that assumptions on data hold for some data, whatever the parameters are.

An assumption that no data satisfy would prove everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from sympy import Expr, Integer, Symbol

from recipe.language.blocks import Block
from recipe.language.data import ScalarData, VectorData
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import generic
from recipe.language.total import substitute
from recipe.signs.defined import PROVERS, Condition, conditions
from verify.verdict import Outcome, proved, undecided

# Each value is tried for all coordinates of a datum at once.
DATUM_VALUES = tuple(map(Integer, (0, 1, -1, 2, -2)))
MAX_INSTANCES = 60


def instances(expressions: Iterable[Expr]) -> Iterator[dict[Symbol, Expr]]:
    """Choices of a small integer for each datum in the expressions."""
    symbols = sorted(
        {generic(z) for e in expressions for z in e.atoms(VectorData, ScalarData)}, key=str
    )
    for values in islice(product(DATUM_VALUES, repeat=len(symbols)), MAX_INSTANCES):
        yield dict(zip(symbols, values, strict=True))


def value_of(e: Expr, datum: Mapping[Symbol, Expr]) -> Expr | None:
    """The expression with data inserted; None unless it is proved to be defined there for all
    parameters.

    Conditions of inner subexpressions are checked before those of outer ones.
    """
    defined = all(PROVERS[c.sign](substitute(c.e, datum)) for c in reversed(conditions(e)))
    return substitute(e, datum) if defined else None


def has_instance(condition: Condition) -> bool:
    """Return True if data were found for which the condition is proved, whatever the parameters
    are.

    False proves nothing: only a few small integers are tried.
    """
    found = (value_of(condition.e, datum) for datum in instances([condition.e]))
    return any(e is not None and PROVERS[condition.sign](e) for e in found)


def is_about_data(condition: Condition) -> bool:
    """Return True if a condition depends on data."""
    return any(isinstance(s, VectorData | ScalarData) for s in condition.e.free_symbols)


def decide_on_data(condition: Condition, state: tuple[Block, ...]) -> Outcome:
    """Decide a condition on the data, which are given; a point with other data would refute
    nothing.
    """
    if blocks_in(condition.e, state):
        return undecided(f"{condition} could not be proved for all data")
    if not has_instance(condition):
        return undecided(f"no data were found for which {condition}, whatever the parameters are")
    return proved("of the data", f"the data are such that {condition}")
