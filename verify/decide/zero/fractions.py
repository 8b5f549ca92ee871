"""Summands over a basis: multivariate partial fractions.

A summand is ``sum of c * m / (q_1^e_1 ... q_n^e_n)`` with coordinate-free ``c``, monomials ``m``
and irreducible ``q`` in the generators at one index. Dividing out every ``m`` that the leading
monomial of one of its ``q`` divides, and parting coprime ``q`` that share generators, leaves terms
that are linearly independent over the coordinate-free field in all but rare cases; where they are
not, two equal summands look different, and the verdict is *undecided*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from verify.decide.linear_algebra.equations import solve
from verify.decide.zero.errors import TooLargeError
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly, Ratio

Exponents = tuple[int, ...]
Denominator = tuple[tuple[str, int], ...]  # (key of an irreducible factor, power), by key
Terms = dict[tuple[Exponents, Denominator], Ratio]
# a power of x, the key of the factor whose exponent is lowered by one, and the weight of the term
Part = tuple[Poly, str, Ratio]
Grouping = Callable[[Poly], dict[Exponents, Poly]]

MAX_REWRITES = 20_000


@dataclass(frozen=True)
class Divisor:
    """An irreducible factor of a denominator as ``lead_coefficient * lead + rest``.

    ``lead`` is its leading monomial in the generators that depend on the index; all coefficients
    are coordinate-free. Nothing is divided by it unless ``may_divide``: the coefficient of the
    leading monomial must not vanish on an open set, as ``1 + sign(b)`` does.
    """

    poly: Poly
    lead: Exponents
    lead_coefficient: Ratio
    rest: dict[Exponents, Ratio]
    may_divide: bool


class Fractions:
    """Decomposes summands into partial fractions over one basis.

    ``group`` reads a polynomial as one in the generators that depend on the index, with
    coordinate-free coefficients.
    """

    def __init__(self, generators: Generators, group: Grouping) -> None:
        self._generators = generators
        self._group = group
        self._divisors: dict[str, Divisor] = {}
        self._bezout: dict[tuple[str, str], list[Part]] = {}

    def decompose(self, num: Poly, factors: list[tuple[Poly, int]]) -> Terms:
        """Return ``num / product of factors`` as basis terms, each with its coordinate-free
        coefficient.

        Raises:
            TooLargeError: if there are too many partial fractions.
        """
        denominator = tuple(sorted((self._known(q), n) for q, n in factors))
        pending: Terms = {}
        self._add(pending, num, denominator, self._generators.number(1))
        done: Terms = {}
        for _ in range(MAX_REWRITES):
            if not pending:
                return {term: c for term, c in done.items() if not c.is_zero()}
            (exponents, over), coefficient = pending.popitem()
            if coefficient.is_zero() or self._rewrite(pending, exponents, over, coefficient):
                continue
            _accumulate(done, (exponents, over), coefficient)
        raise TooLargeError("a summand has too many partial fractions")

    def denominator(self, over: Denominator) -> Poly:
        """The product of powers of irreducible factors that a denominator names by their keys."""
        product = self._generators.number(1).num
        for key, n in over:
            product *= self._divisors[key].poly ** n
        return product

    def _known(self, poly: Poly) -> str:
        """The key of an irreducible factor, whose leading monomial is found when the factor is
        first met.
        """
        key = str(poly)
        if key not in self._divisors:
            grouped = self._vector(poly)
            lead = max(grouped, key=lambda e: (sum(e), e))
            self._divisors[key] = Divisor(
                poly,
                lead,
                grouped[lead],
                {e: c for e, c in grouped.items() if e != lead},
                self._generators.vanishes_on_no_open_set(grouped[lead].num),
            )
        return key

    def _rewrite(
        self, pending: Terms, exponents: Exponents, over: Denominator, coefficient: Ratio
    ) -> bool:
        """Rewrite one term, its results going to ``pending``; False if it is a basis term
        already.
        """
        for key, _ in over:
            divisor = self._divisors[key]
            if divisor.may_divide and all(
                n >= m for n, m in zip(exponents, divisor.lead, strict=True)
            ):
                self._divide(pending, exponents, over, coefficient, key)
                return True
        for a, (first, _) in enumerate(over):
            for second, _ in over[a + 1 :]:
                parted = self._bezout_weights(first, second)
                if parted:
                    monomial = self._generators.context.from_dict({exponents: 1})
                    for power, lowered, weight in parted:
                        self._add(
                            pending, monomial * power, _lowered(over, lowered), coefficient * weight
                        )
                    return True
        return False

    def _divide(
        self, pending: Terms, exponents: Exponents, over: Denominator, coefficient: Ratio, key: str
    ) -> None:
        """``m / q^e = (m / lead) (1 / q^(e-1) - rest / q^e) / lead_coefficient``."""
        divisor = self._divisors[key]
        quotient = tuple(n - m for n, m in zip(exponents, divisor.lead, strict=True))
        share = coefficient / divisor.lead_coefficient
        context = self._generators.context
        self._add(pending, context.from_dict({quotient: 1}), _lowered(over, key), share)
        for e, c in divisor.rest.items():
            product = tuple(n + m for n, m in zip(quotient, e, strict=True))
            self._add(pending, context.from_dict({product: 1}), over, -share * c)

    def _add(self, pending: Terms, poly: Poly, over: Denominator, coefficient: Ratio) -> None:
        one = self._generators.number(1).den
        reduced = self._generators.reduce(Ratio(poly, one))
        usable = reduced.num if reduced.den == 1 else poly
        for exponents, c in self._group(usable).items():
            _accumulate(pending, (exponents, over), coefficient * Ratio(c, one))

    def _bezout_weights(self, first: str, second: str) -> list[Part]:
        """``1 / (q_1 q_2)`` as a sum of ``weight * x^k / q_2`` and ``weight * x^k / q_1`` (Bezout's
        identity).

        Empty unless both factors depend on the same single generator x, and on no other.
        """
        if (first, second) not in self._bezout:
            self._bezout[first, second] = self._solve_bezout(first, second)
        return self._bezout[first, second]

    def _solve_bezout(self, first: str, second: str) -> list[Part]:
        p, q = self._divisors[first], self._divisors[second]
        shared = {k for d in (p, q) for e in (d.lead, *d.rest) for k, n in enumerate(e) if n}
        if len(shared) != 1:
            return []
        x = self._generators.of_index(shared.pop()).num
        parts = [(x**k, first) for k in range(sum(q.lead))] + [
            (x**k, second) for k in range(sum(p.lead))
        ]
        one = self._generators.number(1)
        columns = [self._vector(power * self._divisors[lowered].poly) for power, lowered in parts]
        weights = solve(columns, self._vector(one.num), self._generators.field)
        if weights is None or not all(
            self._generators.vanishes_on_no_open_set(w.den) for w in weights
        ):
            return []
        return [
            (power, lowered, w)
            for (power, lowered), w in zip(parts, weights, strict=True)
            if not w.is_zero()
        ]

    def _vector(self, poly: Poly) -> dict[Exponents, Ratio]:
        one = self._generators.number(1).den
        return {e: Ratio(c, one) for e, c in self._group(poly).items()}


def _lowered(over: Denominator, key: str) -> Denominator:
    return tuple((k, n - (k == key)) for k, n in over if n - (k == key) > 0)


def _accumulate(terms: Terms, term: tuple[Exponents, Denominator], coefficient: Ratio) -> None:
    terms[term] = terms[term] + coefficient if term in terms else coefficient
