"""Fields on the state as exact vectors, so that an ansatz becomes a system of linear equations.

An expression is a sum of monomials in the generators that depend on the state. The coefficients are
built of the other generators. Canonical monomials are assumed to be independent. Where they are
not, fewer solutions are found, and every solution is verified like any other claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from recipe.language.assumed import cached
from recipe.language.blocks import Block
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Indexed
from verify.decide.linear_algebra.equations import solve
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.generators import CAPACITIES
from verify.decide.zero.ratio import Poly, Ratio

Monomial = tuple[int, ...]
Vector = dict[Monomial, Ratio]
MAX_CLEARINGS = 4  # clearing denominators may bring in relations, and these new denominators


class VectorReader:
    """Reads expressions into one canonical form, whose generators depend on the state or do not."""

    def __init__(self, state: tuple[Block, ...]) -> None:
        self.state = state
        self.canonical = Canonical(CAPACITIES[-1])
        self.generators = self.canonical.generators

    def expression(self, r: Ratio) -> Expr:
        """Return a ratio as an expression."""
        return self.generators.expression(r)

    def read(self, expressions: Sequence[Expr]) -> list[Ratio]:
        """Return all expressions over one set of generators; they are read again where one of them
        brings in a finer root.

        Raises:
            CannotDecideError: where the canonical form does not reach one of them.
        """
        while True:
            self.canonical.refined = False
            found = [self.canonical.read(e) for e in expressions]
            if not self.canonical.refined:
                return found
            self.canonical.read_again(expressions[0])

    def columns(self, fields: Sequence[Sequence[Expr]]) -> list[Vector]:
        """Return each field, one expression for each component, as a vector; the first number of a
        key is the component.
        """
        count = len(fields[0])
        ratios = self.read([e for field in fields for e in field])
        columns: list[Vector] = [{} for _ in fields]
        for place in range(count):
            numerators = self._over_one_denominator(
                [ratios[k * count + place] for k in range(len(fields))]
            )
            for column, numerator in zip(columns, numerators, strict=True):
                column.update(
                    {(place, *monomial): c for monomial, c in self.by_monomial(numerator).items()}
                )
        return columns

    def solved(self, fields: Sequence[Sequence[Expr]], target: Sequence[Expr]) -> list[Expr] | None:
        """Return coefficients, free of the state, with which the fields add up to the target; None
        if there are none.

        Where there is a choice, the first fields are used.
        """
        *columns, wanted = self.columns([*fields, target])
        found = solve(columns, wanted, self.generators.field)
        return None if found is None else [self.expression(c).factor() for c in found]

    def by_monomial(self, poly: Poly) -> Vector:
        """Split a polynomial by its monomials in the generators that depend on the state."""
        moving = self._moving()
        grouped: dict[Monomial, dict[Monomial, int]] = {}
        for exponents, coefficient in poly.to_dict().items():
            inside = tuple(
                n if k < len(moving) and moving[k] else 0 for k, n in enumerate(exponents)
            )
            outside = tuple(n - m for n, m in zip(exponents, inside, strict=True))
            grouped.setdefault(inside, {})[outside] = coefficient
        one = self.generators.number(1).den
        return {
            inside: Ratio(self.generators.context.from_dict(terms), one)
            for inside, terms in grouped.items()
        }

    def monomial(self, exponents: Monomial) -> Ratio:
        """Return a monomial as a ratio."""
        return Ratio(
            self.generators.context.from_dict({exponents: 1}), self.generators.number(1).den
        )

    def _moving(self) -> list[bool]:
        return [_moves(meaning, self.state) for meaning in self.generators.meanings]

    def _over_one_denominator(self, ratios: list[Ratio]) -> list[Poly]:
        """Return the numerators over a common denominator, with every relation applied."""
        for _ in range(MAX_CLEARINGS):
            common = self.generators.number(1).den
            for r in ratios:
                common = common * (r.den // common.gcd(r.den))
            if common == 1:
                return [r.num for r in ratios]
            ratios = [
                self.generators.reduce(
                    Ratio(r.num * (common // r.den), self.generators.number(1).den)
                )
                for r in ratios
            ]
        raise CannotDecideError("the denominators of the ansatz cannot be cleared")


@cached(maxsize=4096)
def _moves(meaning: Expr, state: tuple[Block, ...]) -> bool:
    return bool(blocks_in(meaning, state)) or any(
        isinstance(s, Indexed) for s in meaning.free_symbols
    )
