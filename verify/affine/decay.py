"""Exponentials as powers of one symbol a rate: ``exp(-C h)`` is a number u between 0 and 1 where C h is proved positive."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Add, Expr, Interval, Mul, Rational, S, Symbol, cosh, exp, expand, sinh, tanh

from recipe.free import unused_name
from recipe.phi import Phi
from recipe.symbols import Scalar
from verify.signs.sign import is_nonzero, is_positive


@dataclass(frozen=True)
class Decays:
    """``symbols`` gives, for what is exponentiated up to a rational factor, that unit and the symbol of its exponential."""

    symbols: dict[Expr, tuple[Expr, Symbol]]

    def put(self, e: Expr) -> Expr:
        """An expression with symbols in place of exponentials."""
        e = _in_exponentials(e)
        return e.xreplace({f: self._power(f.args[0]) for f in e.atoms(exp)})

    def back(self, e: Expr) -> Expr:
        """An expression with the exponentials themselves."""
        return e.xreplace({u: exp(unit) for unit, u in self.symbols.values()})

    def _power(self, argument: Expr) -> Expr:
        factors = []
        for c, term in _terms(argument):
            unit, u = self.symbols[term]
            factors.append(u ** (c * term / unit))
        return Mul(*factors)


def decays_in(expressions: Iterable[Expr]) -> Decays:
    """A symbol for every rate in some expressions, fine enough for all of its multiples to be integer powers."""
    written = [_in_exponentials(e) for e in expressions]
    finest: dict[Expr, int] = {}
    for f in sorted(set().union(*(e.atoms(exp) for e in written)), key=str):
        for c, term in _terms(f.args[0]):
            finest[term] = math.lcm(finest.get(term, 1), int(c.q))
    symbols: dict[Expr, tuple[Expr, Symbol]] = {}
    for term, n in finest.items():
        name = unused_name(f"decay{len(symbols)}", written)
        if is_positive(term):
            symbols[term] = (-term / n, Scalar(name, domain=Interval.open(0, 1)))
        elif is_positive(-term):
            symbols[term] = (term / n, Scalar(name, domain=Interval.open(0, 1)))
        else:
            symbols[term] = (-term / n, Symbol(name, positive=True))
    return Decays(symbols)


def _in_exponentials(e: Expr) -> Expr:
    e = e.rewrite([sinh, cosh, tanh], exp) if e.has(sinh, cosh, tanh) else e
    phis = {p: p.rewrite(exp) for p in e.atoms(Phi) if is_nonzero(p.args[1])}
    return e.xreplace(phis) if phis else e


def _terms(argument: Expr) -> list[tuple[Rational, Expr]]:
    return [term.as_coeff_Mul(rational=True) for term in Add.make_args(expand(argument)) if term is not S.Zero]
