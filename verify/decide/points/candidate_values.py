"""Rational values that satisfy the declaration of a symbol."""

from __future__ import annotations

import random
from functools import lru_cache

from sympy import Interval, Rational, S, Symbol, oo

from recipe.language.blocks import Scalar, Vector
from recipe.language.domain import finite_ends
from recipe.language.symbols import assumptions_of

CANDIDATE_VALUES = tuple(
    Rational(p, q) for q in (4, 1, 2) for p in (1, -1, 3, -3, 5, -5, 2, 7, 6, 4, -6, 0)
)


@lru_cache(maxsize=1024)
def candidates(symbol: Symbol, edge: bool) -> list[Rational]:
    """Candidate values that satisfy the declaration of a symbol.

    With ``edge``, zero and the ends of the domain come first and are repeated, as failures are
    likelier there.
    """
    domain = symbol.domain if isinstance(symbol, Vector | Scalar) else None
    fitting = [c for c in CANDIDATE_VALUES if fits(c, symbol)]
    special = [Rational(0)]
    if isinstance(domain, Interval):
        fitting = [c for c in (*fitting, *_inside(domain)) if c in domain]
        special = [
            c for c in (Rational(0), domain.start, domain.end) if c.is_Rational and c in domain
        ]
    return [c for c in special if fits(c, symbol)] * 4 + fitting if edge else fitting


def generic_value(symbol: Symbol, chance: random.Random) -> Rational | None:
    """A fraction with a large prime denominator that satisfies the declaration of a symbol; None if
    none was found.
    """
    domain = symbol.domain if isinstance(symbol, Vector | Scalar) else S.Reals
    middle = (
        _inside(domain) if isinstance(domain, Interval) else [Rational(k) for k in range(-3, 4)]
    )
    spread = chance.choice((1, 4)) if domain == S.Reals else 1
    low, high = spread * min(middle), spread * max(middle)
    for _ in range(20):
        value = low + (high - low) * Rational(chance.randint(1, 1008), 1009)
        if fits(value, symbol) and (domain == S.Reals or value in domain):
            return value
    return None


def _inside(domain: Interval) -> list[Rational]:
    """Five rational points between the ends; an irrational end is rounded to twelve digits."""
    ends = [
        x if not x.is_finite or x.is_Rational else Rational(str(x.evalf(12)))
        for x in (domain.start, domain.end)
    ]
    start = ends[0] if ends[0] != -oo else (ends[1] - 8 if ends[1] != oo else Rational(-4))
    end = ends[1] if ends[1] != oo else start + 8
    return [start + (end - start) * Rational(k, 16) for k in (3, 5, 8, 11, 14)]


def fits(value: Rational, symbol: Symbol) -> bool:
    """Return True if a value satisfies the assumptions on a symbol."""
    facts = assumptions_of(symbol)
    return all(
        getattr(value, f"is_{fact}", truth) in (truth, None)
        for fact, truth in facts.items()
        if fact != "commutative"
    )


def is_discrete(symbol: Symbol) -> bool:
    """Return True if the values of a symbol do not vary continuously."""
    return any(
        fact in assumptions_of(symbol)
        for fact in ("integer", "rational", "irrational", "even", "odd", "prime")
    )


def is_inside(value: Rational, symbol: Symbol) -> bool:
    """Return True if a value is in the domain of a block; any value is, of another symbol."""
    if not isinstance(symbol, Vector | Scalar):
        return True
    gaps = ((end.gap(value), end) for end in finite_ends(symbol.domain))
    return all(bool(gap >= 0 if end.belongs else gap > 0) for gap, end in gaps)
