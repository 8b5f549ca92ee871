"""Rational functions of the parameters, in which linear equations are solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import QQ, Expr, Symbol

from verify.order.ring import Poly, Ring


class ParameterField:
    """Rational functions of the generators that do not depend on the state."""

    def __init__(self, ring: Ring, parameters: Sequence[int]) -> None:
        self.ring = ring
        self.parameters = list(parameters)
        self._letters = [Symbol(f"p{k}") for k in self.parameters]
        self.domain = QQ.frac_field(*self._letters) if self._letters else QQ
        self._gens = self.domain.gens if self._letters else ()

    def element(self, p: Poly) -> Any:
        """A polynomial of these generators as an element of the field."""
        total = self.domain.zero
        for exponents, c in p.to_dict().items():
            term = self.domain.convert_from(QQ(int(c.p), int(c.q)), QQ)
            for gen, k in zip(self._gens, self.parameters, strict=True):
                term = term * gen ** int(exponents[k])
            total += term
        return total

    def expression(self, element: Any) -> Expr:
        """The element as an expression."""
        meanings = {letter: self.ring.meanings[k] for letter, k in zip(self._letters, self.parameters, strict=True)}
        return self.domain.to_sympy(element).xreplace(meanings)
