"""Sums over coordinates in canonical form.

Sums of different summands are independent, as the length varies, iff 1 and the summands are
linearly independent over the field of coordinate-free expressions. So every summand is written over
a basis first: monomials, and partial fractions of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sympy import Expr, Mul

from recipe.language.symbols import Index, Indexed, Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.fractions import Fractions
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly, Ratio, factors_of

Exponents = tuple[int, ...]
Place = tuple[int, Length]  # a bound label and the length that it runs over

# A multiple sum over more indices stays nested, as every order of its indices would be compared.
MAX_INDICES = 4
# The index of a sum that is opened for inspection gets a label that counts down from here, so that
# it meets no bound label.
FIRST_OPEN_LABEL = 999


class SumGenerators:
    """The generators that stand for sums over coordinates, over a basis of summands."""

    def __init__(self, generators: Generators) -> None:
        self._generators = generators
        self._fractions: dict[int, Fractions] = {}

    def read(self, body: Ratio, index: Index) -> Ratio:
        """The sum of a reduced summand over the index; every coordinate-free factor is pulled
        out.
        """
        label, body = index.label, self._generators.without_signs_below(body)
        if label not in self._fractions:
            self._fractions[label] = Fractions(
                self._generators, lambda poly: self._by_local_monomial(poly, label)
            )
        fractions = self._fractions[label]
        outer, local = self._split_denominator(body.den, label)
        result = self._generators.number(0)
        for (exponents, over), coefficient in fractions.decompose(body.num, local).items():
            summand = Ratio(
                self._generators.context.from_dict({exponents: 1}), fractions.denominator(over)
            )
            result += coefficient * self._sum_of(summand, (label, index.length))
        return self._generators.reduce(result / Ratio(outer, self._generators.number(1).den))

    def _by_local_monomial(self, poly: Poly, label: int) -> dict[Exponents, Poly]:
        """The polynomial as one in the generators that depend on ``label``, with coordinate-free
        coefficients.
        """
        local = [label in at for at in self._generators.labels]
        grouped: dict[Exponents, dict[Exponents, int]] = {}
        for exponents, coefficient in poly.to_dict().items():
            inside = tuple(n if k < len(local) and local[k] else 0 for k, n in enumerate(exponents))
            outside = tuple(n - m for n, m in zip(exponents, inside, strict=True))
            grouped.setdefault(inside, {})[outside] = coefficient
        return {
            inside: self._generators.context.from_dict(terms) for inside, terms in grouped.items()
        }

    def _split_denominator(self, den: Poly, label: int) -> tuple[Poly, list[tuple[Poly, int]]]:
        """The coordinate-free part of a denominator, and its irreducible factors that depend on the
        index.
        """
        constant, factors = factors_of(den)
        outer, local = self._generators.number(1).num * constant, []
        for factor, n in factors:
            if any(
                label in self._generators.labels[k] for k in self._generators.generators_of(factor)
            ):
                local.append((factor, n))
            else:
                outer *= factor**n
        return outer, local

    def _sum_of(self, summand: Ratio, place: Place) -> Ratio:
        if summand.num == 1 and summand.den == 1:
            return self._generators.generator(place[1], place[1])
        return self._sum_generator(summand, place)

    def _sum_generator(self, summand: Ratio, place: Place) -> Ratio:
        factors, places = self._flattened(summand, place)
        meaning = min((_closed(f, p) for f, p in _renamings(Mul(*factors), places)), key=str)
        return self._generators.generator(meaning, meaning)

    def _flattened(self, summand: Ratio, place: Place) -> tuple[list[Expr], list[Place]]:
        """The factors and indices of a summand, after inner sums over other indices are merged into
        one multiple sum.
        """
        factors: list[Expr] = [1 / self._generators.poly_expression(summand.den)]
        places = [place]
        (exponents,) = summand.num.to_dict()
        taken = {
            label for k, n in enumerate(exponents) if n for label in self._generators.labels[k]
        } | labels(factors[0])
        for k, n in enumerate(exponents):
            if not n:
                continue
            meaning = self._generators.meanings[k]
            depth = _depth(meaning)
            if (
                depth
                and place[0] in self._generators.labels[k]
                and len(places) + int(n) * depth <= MAX_INDICES
            ):
                for _ in range(int(n)):
                    body, inner = _opened_apart(meaning, taken | {label for label, _ in places})
                    factors.append(body)
                    places += inner
            else:
                factors.append(meaning ** int(n))
        return factors, places


def _depth(meaning: Expr) -> int:
    """The number of sums that are nested directly in one another."""
    return 1 + _depth(meaning.body) if isinstance(meaning, Total) else 0


def _opened_apart(t: Expr, taken: set[int]) -> tuple[Expr, list[Place]]:
    """The body of nested sums, with their indices renamed to labels that are not ``taken``."""
    opened: list[Place] = []
    while isinstance(t, Total):
        fresh = next(k for k in itertools.count(FIRST_OPEN_LABEL, -1) if k not in taken)
        taken = taken | {fresh}
        opened.append((fresh, t.index.length))
        t = relabel(t.body, t.index.label, fresh)
    return t, opened


def _renamings(body: Expr, places: list[Place]) -> Iterator[tuple[Expr, list[Place]]]:
    """The summand under every assignment of labels to its indices."""
    taken = labels(body) - {label for label, _ in places}  # labels that an enclosing sum binds
    names = list(
        itertools.islice(
            (k for k in itertools.count(FIRST_OPEN_LABEL, -1) if k not in taken), len(places)
        )
    )
    for permuted in itertools.permutations(names):
        moves = {label: new for (label, _), new in zip(places, permuted, strict=True)}
        renamed = sorted(((moves[label], length) for label, length in places), key=lambda p: p[0])
        yield (
            body.xreplace(
                {s: s.at(moves[s.label]) for s in body.atoms(Indexed) if s.label in moves}
            ),
            renamed,
        )


def _closed(body: Expr, places: list[Place]) -> Expr:
    """The multiple sum over ``places``.

    Its bound labels are the smallest possible, as ``sum_over`` chooses them, so they meet no open
    label.
    """
    for label, length in places:
        height = 1 + max((t.index.label for t in body.atoms(Total)), default=0)
        body = Total(relabel(body, label, height), Index("", length, height))
    return body
