"""An expression in canonical form, as the rules look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sympy import Expr

from verify.decide.zero.canonical import Canonical
from verify.decide.zero.generators import CAPACITIES
from verify.decide.zero.ratio import Poly, Ratio

Prove = Callable[[Expr], bool]  # a proof that a simpler expression is zero
Exponents = tuple[int, ...]


@dataclass(frozen=True)
class Form:
    """An expression and its canonical form, a quotient of polynomials in generators.

    The denominator is a product of what the expression is divided by, and vanishes nowhere where
    the expression is defined. So the expression is zero iff the numerator is.
    """

    written: Expr
    canonical: Canonical
    ratio: Ratio

    @property
    def numerator(self) -> Poly:
        """The polynomial that must be zero."""
        return self.ratio.num

    def meaning(self, k: int) -> Expr:
        """What the k-th generator stands for."""
        return self.canonical.generators.meanings[k]

    def used(self) -> list[int]:
        """The generators of the numerator."""
        return self.canonical.generators.generators_of(self.numerator)

    def expression(self, poly: Poly) -> Expr:
        """A polynomial in the generators as an expression."""
        return self.canonical.generators.poly_expression(poly)

    def grouped(self, inside: set[int]) -> dict[Exponents, Poly]:
        """The numerator as a polynomial in the other generators, with coefficients that are
        polynomials in those of ``inside``.
        """
        groups: dict[Exponents, dict[Exponents, int]] = {}
        for exponents, c in self.numerator.to_dict().items():
            own = tuple(n if k in inside else 0 for k, n in enumerate(exponents))
            rest = tuple(n - m for n, m in zip(exponents, own, strict=True))
            groups.setdefault(rest, {})[own] = int(c)
        context = self.canonical.generators.context
        return {rest: context.from_dict(terms) for rest, terms in groups.items()}


def read(e: Expr) -> Form:
    """Read an expression in canonical form, twice if need be.

    Raises:
        CannotDecideError: if it has none.
    """
    canonical = Canonical(CAPACITIES[0])
    ratio = canonical.read(e)
    if canonical.refined and not ratio.is_zero():
        ratio = canonical.read_again(e)
    return Form(e, canonical, ratio)


def terms_of(poly: Poly) -> Iterator[tuple[list[tuple[int, int]], int]]:
    """The terms of a polynomial: pairs (generator, power), and the coefficient."""
    for exponents, c in poly.to_dict().items():
        yield [(k, int(n)) for k, n in enumerate(exponents) if n], int(c)
