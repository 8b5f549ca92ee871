"""A sum of totals of one length as one total: ``c total(f) - total(g) = total(c f - g)`` with a
coordinate-free c.
"""

from __future__ import annotations

from sympy import Add, Expr, S

from recipe.language.symbols import OTHER, Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly


def one_total(poly: Poly, generators: Generators) -> tuple[Expr, int, Length] | None:
    """The summand, the index that it stands at, and the length; None where a term is no multiple of
    one total.
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
    """A term as what is summed; a term with several totals is not taken apart, as one of them would
    have to be chosen.
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
