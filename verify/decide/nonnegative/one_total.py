"""Merge totals over one length: ``c total(f) - total(g) = total(c f - g)`` with a coordinate-free
c.
"""

from __future__ import annotations

from sympy import Add, Expr, S

from recipe.language.symbols import OTHER, Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly


def one_total(poly: Poly, generators: Generators) -> tuple[Expr, int, Length] | None:
    """The polynomial as a single total: its summand, the label of the index, and the length.

    None if some term is not a coordinate-free multiple of exactly one total over that length.
    """
    used = [generators.meanings[k] for k in generators.generators_of(poly)]
    for length in dict.fromkeys(e.index.length for e in used if isinstance(e, Total)):
        label = min({OTHER, *(k for e in used for k in labels(e))}) - 1
        summands = [
            _summand(m, int(c), generators, length, label) for m, c in poly.to_dict().items()
        ]
        if None not in summands:
            return Add(*summands), label, length
    return None


def _summand(
    m: tuple[int, ...], c: int, generators: Generators, length: Length, label: int
) -> Expr | None:
    """The summand of one term at ``label``; None unless the term has exactly one total over the
    length.

    With several totals it would be arbitrary which of them to take the summand from.
    """
    totals = [
        k
        for k, n in enumerate(m)
        if n == 1 and _body(generators.meanings[k], length, label) is not None
    ]
    if len(totals) != 1:
        return None
    body = _body(generators.meanings[totals[0]], length, label)
    return (
        generators.monomial_expression(
            tuple(n if k != totals[0] else 0 for k, n in enumerate(m)), c
        )
        * body
    )


def _body(e: Expr, length: Length, label: int) -> Expr | None:
    if e == length:
        return S.One
    return (
        relabel(e.body, e.index.label, label)
        if isinstance(e, Total) and e.index.length == length
        else None
    )
