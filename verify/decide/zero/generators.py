"""The generators of the canonical form, and the relations between them.

A generator stands for a symbol, a derivative atom, ``exp`` of one term, ``log`` of one factor, a
root, a sine, an opaque function value or a sum over coordinates. Distinct generators are treated as
independent except for the recorded relations ``g^q = value``; each relation is an identity, so an
expression that reduces to zero is zero.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import flint
from sympy import Abs, Add, Expr, Integer, Mul, Pow

from recipe.language.total import labels
from verify.decide.points.general_position import is_nonzero_somewhere
from verify.decide.zero.errors import TableFullError, TooLargeError
from verify.decide.zero.ratio import MAX_TERMS, Poly, Ratio, Ratios, ratio

CAPACITIES = (96, 384)  # generators in a table; the small table is faster and is tried first
MAX_TERMS_OF_NORM = 200  # of polynomials that resultants are taken of


class Generators:
    """A table of generators that grows while expressions are read. All ratios of one table share
    its polynomial ring.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.context = flint.fmpz_mpoly_ctx.get(("g", capacity), flint.Ordering.degrevlex)
        self._polys = self.context.gens()
        self._one = self.context.from_dict({(0,) * capacity: 1})
        self.field = Ratios(self.number(1))
        self._index: dict[Hashable, int] = {}
        self.meanings: list[Expr] = []
        self.labels: list[frozenset[int]] = []
        self._relations: dict[int, tuple[int, Ratio]] = {}
        self._signs: list[int] = []

    def number(self, p: int, q: int = 1) -> Ratio:
        """The rational constant ``p / q``."""
        return ratio(self._one * p, self._one * q)

    def generator(self, key: Hashable, meaning: Expr) -> Ratio:
        """The generator of this key as a ratio; it is added to the table when the key is first met.

        ``meaning`` is the expression that the generator stands for.

        Raises:
            TableFullError: if the table has no room for another generator.
        """
        if key not in self._index:
            if len(self.meanings) == self.capacity:
                raise TableFullError(
                    f"the expression needs more than {self.capacity} generators in canonical form"
                )
            self._index[key] = len(self.meanings)
            self.meanings.append(meaning)
            self.labels.append(frozenset(labels(meaning)))
        return self.of_index(self._index[key])

    def known(self, key: Hashable) -> bool:
        """Return True if the key has a generator."""
        return key in self._index

    def of_index(self, k: int) -> Ratio:
        """The k-th generator as a ratio."""
        return Ratio(self._polys[k], self._one)

    def relate(self, generator: Ratio, power: int, value: Ratio) -> None:
        """Record the identity ``generator^power = value``; it replaces an earlier one for this
        generator.
        """
        self._relations[self._polys.index(generator.num)] = (power, value)

    def sign(self, meaning: Expr) -> Ratio:
        """The generator of a ``sign(x)``, whose square is 1: the value is 1 or -1."""
        side = self.generator(meaning, meaning)
        k = self._index[meaning]
        if k not in self._signs:
            self._signs.append(k)
            self._relations[k] = (2, self.number(1))
        return side

    def square_of(self, k: int) -> Ratio | None:
        """The recorded value of the square of the k-th generator; None if no such relation is
        recorded.
        """
        power, value = self._relations.get(k, (0, None))
        return value if power == 2 else None

    def reduce(self, r: Ratio) -> Ratio:
        """Apply the relations until none applies."""
        while True:
            num, den = self._reduce_poly(r.num), self._reduce_poly(r.den)
            reduced = num / den
            if num.den == 1 and den.den == 1 and reduced.num == r.num and reduced.den == r.den:
                return reduced
            r = reduced

    def without_signs_below(self, r: Ratio) -> Ratio:
        """Remove every sign s from the denominator: ``n/(a + b s)`` becomes ``n (a - b s)/(a^2 -
        b^2)``.

        Summands that are equal as functions then look alike. The ratio is returned as it is unless
        the last denominator, a product over all choices of signs, is proved not to vanish on any
        open set: ``a - b s`` may be zero for some signs, such as ``2 + s - t`` for s = -1, t = 1,
        and nothing may be multiplied by it then.
        """
        above, below = self.number(1), Ratio(r.den, self._one)
        for k in self._signs:
            if below.num.degrees()[k]:
                b = self.coefficient(below.num, k)
                a = below.num - b * self._polys[k]
                conjugate = Ratio(a - b * self._polys[k], self._one)
                above = self.reduce(above * conjugate / Ratio(below.den, self._one))
                below = self.reduce(Ratio(a * a - b * b, below.den * below.den))
        if below.den == 1 and below.num == r.den:
            return r
        if below.is_zero() or not self.vanishes_on_no_open_set(below.num):
            return r
        return self.reduce(Ratio(r.num, self._one) * above / below)

    def vanishes_on_no_open_set(self, poly: Poly) -> bool:
        """Return True if a polynomial in generators is proved to be nonzero on a dense set.

        Generators without a relation may take any values: what is derived for all of those, but
        where a polynomial vanishes, holds everywhere by continuity. Those with a relation, such as
        roots, are eliminated by resultants: the last one is a multiple of the polynomial by what is
        finite, so that neither vanishes where it does not. It is 0 for ``sqrt(b^2) - b``, which is
        0 for b > 0 alone. A number is nonzero if a ball around it excludes 0.
        """
        norm, eliminated = poly, set[int]()
        while norm != 0:
            related = [k for k in self.generators_of(norm) if k in self._relations]
            if not related:
                return True
            k = max(related)
            if k in eliminated or len(norm) > MAX_TERMS_OF_NORM:
                return False
            eliminated.add(k)
            power, value = self._relations[k]
            norm = norm.resultant(value.den * self._polys[k] ** power - value.num, k)
        e = self.poly_expression(poly)
        return not e.free_symbols and is_nonzero_somewhere(e)

    def _reduce_poly(self, poly: Poly) -> Ratio:
        for k, (power, value) in self._relations.items():
            if poly.degrees()[k] >= power:
                return self.rewritten(poly, k, power, value)
        return Ratio(poly, self._one)

    def rewritten(self, poly: Poly, k: int, power: int, value: Ratio) -> Ratio:
        """Replace ``g^n``, for the k-th generator g, by ``g^(n mod power) * value^(n div
        power)``.
        """
        by_quotient: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in poly.to_dict().items():
            quotient, rest = divmod(int(exponents[k]), power)
            by_quotient.setdefault(quotient, {})[(*exponents[:k], rest, *exponents[k + 1 :])] = (
                coefficient
            )
        total = self.number(0)
        for quotient, terms in by_quotient.items():
            total += Ratio(self.context.from_dict(terms), self._one) * value**quotient
        return total

    def coefficient(self, poly: Poly, k: int) -> Poly:
        """The coefficient of the first power of the k-th generator."""
        terms = {(*m[:k], 0, *m[k + 1 :]): c for m, c in poly.to_dict().items() if m[k] == 1}
        return self.context.from_dict(terms)

    def expression(self, r: Ratio) -> Expr:
        """The ratio as a sympy expression, with each generator replaced by its meaning."""
        return self.poly_expression(r.num) / self.poly_expression(r.den)

    def poly_expression(self, poly: Poly) -> Expr:
        """The polynomial as a sympy expression.

        Raises:
            TooLargeError: if it has too many terms.
        """
        if len(poly) > MAX_TERMS // 10:
            raise TooLargeError("an argument has too many terms in canonical form")
        return Add(*(self.monomial_expression(e, int(c)) for e, c in poly.to_dict().items()))

    def monomial_expression(self, exponents: tuple[int, ...], coefficient: int = 1) -> Expr:
        """One term as a sympy expression.

        ``x sign(x)`` is written as ``|x|``, so that its sign can be read off.
        """
        left, sizes = list(exponents), []
        for k in self._signs:
            of = self._index.get(self.meanings[k].args[0], k)
            if of != k and left[k] and left[of]:
                left[k], left[of] = left[k] - 1, left[of] - 1
                sizes.append(Abs(self.meanings[of]))
        return Mul(
            Integer(coefficient),
            *sizes,
            *(Pow(self.meanings[k], int(n)) for k, n in enumerate(left) if n),
        )

    def generators_of(self, poly: Poly) -> list[int]:
        """The numbers of the generators that occur in a polynomial."""
        return [k for k, n in enumerate(poly.degrees()) if n > 0]
