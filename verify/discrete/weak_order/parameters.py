"""Rational functions of the parameters, over which linear equations are solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import QQ, Expr, Symbol

from recipe.language.errors import OutsideLanguageError
from verify.discrete.weak_order.ring import Poly, Ring


class ParameterField:
    """The field of rational functions of the generators that do not depend on the state."""

    def __init__(self, ring: Ring, parameters: Sequence[int]) -> None:
        self.ring = ring
        self.parameters = list(parameters)
        self._letters = [Symbol(f"p{k}") for k in self.parameters]
        self.domain = QQ.frac_field(*self._letters) if self._letters else QQ
        self._values = dict(
            zip(self.parameters, self.domain.gens if self._letters else (), strict=True)
        )
        for k in (
            self.parameters
        ):  # 1/m is the reciprocal of m where both occur, not a generator of its own
            base, power = ring.meanings[k].as_base_exp()
            own = next((j for j in self.parameters if ring.meanings[j] == base), None)
            if power == -1 and own is not None:
                self._values[k] = 1 / self._values[own]

    def element(self, p: Poly) -> Any:
        """Return a polynomial of these generators as an element of the field.

        Raises:
            OutsideLanguageError: where it has another generator, which would otherwise be lost.
        """
        strange = set(self.ring.numbers_of(p)) - set(self.parameters)
        if strange:
            raise OutsideLanguageError(
                f"{self.ring.meanings[min(strange)]} is no parameter of the linear equations"
            )
        total = self.domain.zero
        for exponents, c in p.to_dict().items():
            term = self.domain.convert_from(QQ(int(c.p), int(c.q)), QQ)
            for k, value in self._values.items():
                term = term * value ** int(exponents[k])
            total += term
        return total

    def expression(self, element: Any) -> Expr:
        """Return an element as an expression."""
        meanings = {
            letter: self.ring.meanings[k]
            for letter, k in zip(self._letters, self.parameters, strict=True)
        }
        return self.domain.to_sympy(element).xreplace(meanings)
