"""Polynomials in totals over one length as multiple sums: Lagrange's identity and its kin.

A product of totals is a double sum, ``total(f) total(g) = sum over i, j of f_i g_j``, and so is a
combination of such products. Both indices run over the same coordinates, so the summand may be
replaced by its mean with i and j exchanged. Where that is nonnegative, so is the whole:
``total(f^2) total(g^2) - total(f g)^2`` has the summand ``(f_i g_j - f_j g_i)^2 / 2``. Products of
three totals have three indices. The length is a total too, with the summand 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import factorial

from sympy import Add, Expr, Mul, Rational

from recipe.language.symbols import OTHER, Index, Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly

MAX_INDICES = 3
MAX_TERMS = 40  # of the polynomial; every one has as many copies as its indices have orders

FormOf = Callable[[Expr], Expr | None]
Monomial = tuple[int, ...]


def multiple_sum(poly: Poly, generators: Generators, form_of: FormOf) -> Expr | None:
    """A form of a polynomial in totals whose sign can be read off; None if none was found.

    Args:
        poly: the polynomial.
        generators: the meanings of its generators.
        form_of: a nonnegative form of an expression, or None.

    The terms with as many totals of one length are one multiple sum, whose summand must be
    nonnegative by itself.
    """
    used = [generators.meanings[k] for k in generators.generators_of(poly)]
    lengths = dict.fromkeys(n for e in used if (n := _length(e)) is not None)
    if len(poly) > MAX_TERMS:
        return None
    for length in lengths:
        first = min({OTHER, *(k for e in used for k in labels(e))}) - 1
        parts = [
            _form_of_part(part, generators, (length, first), form_of)
            for part in _by_number_of_totals(poly, generators, length).values()
        ]
        kept = [p for p in parts if p is not None]
        if len(kept) == len(parts):
            return Add(*kept, evaluate=False) if len(kept) > 1 else kept[0]
    return None


def _length(e: Expr) -> Length | None:
    return e if isinstance(e, Length) else e.index.length if isinstance(e, Total) else None


def _by_number_of_totals(
    poly: Poly, generators: Generators, length: Length
) -> dict[int, dict[Monomial, int]]:
    """The terms, by how many totals over this length each has."""
    found: dict[int, dict[Monomial, int]] = {}
    for m, c in poly.to_dict().items():
        number = sum(n for k, n in enumerate(m) if n and _length(generators.meanings[k]) == length)
        found.setdefault(int(number), {})[m] = int(c)
    return found


def _form_of_part(
    terms: dict[Monomial, int], generators: Generators, place: tuple[Length, int], form_of: FormOf
) -> Expr | None:
    length, first = place
    summands = [_at_indices(m, c, generators, length, first) for m, c in terms.items()]
    at = [first - k for k in range(summands[0][1])]
    if len(at) > MAX_INDICES:
        return None
    form = form_of(Add(*(_symmetric(e, at) for e, _ in summands)).expand())
    return None if form is None else _summed(form, at, length)


def _at_indices(
    m: Monomial, c: int, generators: Generators, length: Length, first: int
) -> tuple[Expr, int]:
    """A term with each of its totals replaced by its summand at an index of its own, and how many
    these are.
    """
    factors: list[Expr] = [Rational(c)]
    used = 0
    for k, n in enumerate(m):
        meaning = generators.meanings[k] if n else None
        if meaning is None:
            continue
        if _length(meaning) != length:
            factors.append(meaning ** int(n))
            continue
        for _ in range(int(n)):
            if isinstance(meaning, Total):
                factors.append(relabel(meaning.body, meaning.index.label, first - used))
            used += 1
    return Mul(*factors), used


def _symmetric(e: Expr, at: list[int]) -> Expr:
    """The mean of a summand over all orders of its indices."""
    orders = list(itertools.permutations(at))
    return Add(*(_moved(e, dict(zip(at, order, strict=True))) for order in orders)) / factorial(
        len(at)
    )


def _moved(e: Expr, to: dict[int, int]) -> Expr:
    """The expression with every index moved, all at once."""
    away = {old: -1000 + k for k, old in enumerate(to)}  # labels that nothing has
    for old, spare in away.items():
        e = relabel(e, old, spare)
    for old, new in to.items():
        e = relabel(e, away[old], new)
    return e


def _summed(form: Expr, at: list[int], length: Length) -> Expr:
    for label in at:
        bound = 1 + max((t.index.label for t in form.atoms(Total)), default=0)
        form = Total(relabel(form, label, bound), Index("", length, bound))
    return form


__all__ = ["multiple_sum"]
