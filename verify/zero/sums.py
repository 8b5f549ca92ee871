"""Sums over coordinates in canonical form.

Sums of different summands are independent, as the length varies, iff 1 and the summands are linearly independent over the field of
coordinate-free expressions. So every sum is written over a basis of summands: monomials where the summand is a polynomial of its
coordinate, and otherwise whatever linear algebra over that field shows to be new.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sympy import Expr, Mul

from recipe.symbols import Index, Indexed, Length
from recipe.total import Total, labels
from verify.zero.generators import Generators
from verify.zero.linear import solve
from verify.zero.ratio import Poly, Ratio, ratio

Exponents = tuple[int, ...]
Place = tuple[int, Length]  # a bound label and the length that it runs over

OUTERMOST = 999  # bound labels of canonical sums count down from here, away from those that recipes use


class Sums:
    """The basis of summands met so far, and the generators of their sums."""

    def __init__(self, generators: Generators) -> None:
        self._generators = generators
        self._bases: dict[Place, list[tuple[Ratio, Ratio]]] = {}
        self._has_fractions: set[Place] = set()

    def read(self, body: Ratio, index: Index) -> Ratio:
        """The sum of a reduced summand over the index, with every coordinate-free factor pulled out."""
        place = (index.label, index.length)
        outer_den, local_den = self._split_denominator(body.den, index.label)
        result = self._generators.number(0)
        for exponents, coefficient in self.by_local_monomial(body.num, index.label).items():
            piece = ratio(self._generators.context.from_dict({exponents: 1}), local_den)
            result += ratio(coefficient, outer_den) * self._sum_of(piece, place)
        return self._generators.reduce(result)

    def by_local_monomial(self, poly: Poly, label: int) -> dict[Exponents, Poly]:
        """The polynomial as one in the generators at ``label``, with coordinate-free coefficients."""
        local = [label in at for at in self._generators.labels]
        grouped: dict[Exponents, dict[Exponents, int]] = {}
        for exponents, coefficient in poly.to_dict().items():
            inside = tuple(n if k < len(local) and local[k] else 0 for k, n in enumerate(exponents))
            outside = tuple(n - m for n, m in zip(exponents, inside, strict=True))
            grouped.setdefault(inside, {})[outside] = coefficient
        return {inside: self._generators.context.from_dict(terms) for inside, terms in grouped.items()}

    def _split_denominator(self, den: Poly, label: int) -> tuple[Poly, Poly]:
        constant, factors = den.factor()
        one = self._generators.number(1).num
        outer, local = one * constant, one
        for factor, n in factors:
            if self._at(factor, label):
                local *= factor ** int(n)
            else:
                outer *= factor ** int(n)
        return outer, local

    def _at(self, poly: Poly, label: int) -> bool:
        return any(label in self._generators.labels[k] for k in self._generators.generators_of(poly))

    def _sum_of(self, piece: Ratio, place: Place) -> Ratio:
        label, length = place
        if not self._at(piece.num, label) and not self._at(piece.den, label):
            return piece * self._generators.generator(length, length)
        if self._couples_coordinates(piece, label):
            return self._sum_generator(piece, place)
        basis = self._bases.setdefault(place, [(self._generators.number(1), self._generators.generator(length, length))])
        if piece.den != 1:
            self._has_fractions.add(place)
        if place in self._has_fractions:
            found = self._in_span(piece, basis, label)
            if found is not None:
                return found
        generator = self._sum_generator(piece, place)
        if all(known.key() != piece.key() for known, _ in basis):
            basis.append((piece, generator))
        return generator

    def _couples_coordinates(self, piece: Ratio, label: int) -> bool:
        """Whether a factor depends on a second index, as d^2 U / d theta_k d theta_l does."""
        used = self._generators.generators_of(piece.num) + self._generators.generators_of(piece.den)
        return any(label in self._generators.labels[k] and len(self._generators.labels[k]) > 1 for k in used)

    def _in_span(self, piece: Ratio, basis: list[tuple[Ratio, Ratio]], label: int) -> Ratio | None:
        """The sum of ``piece`` by those of the basis, where it is a combination of their summands."""
        common = piece.den
        for summand, _ in basis:
            common = common * summand.den // common.gcd(summand.den)
        cleared = []
        for summand in (piece, *(s for s, _ in basis)):
            r = self._generators.reduce(summand * Ratio(common, self._generators.number(1).num))
            if r.den != 1:
                return None  # a relation brought a denominator back: leave the summand a basis element of its own
            cleared.append({e: Ratio(c, r.den) for e, c in self.by_local_monomial(r.num, label).items()})
        weights = solve(cleared[1:], cleared[0], self._generators.number(0))
        if weights is None:
            return None
        return sum((w * g for w, (_, g) in zip(weights, basis, strict=True)), self._generators.number(0))

    def _sum_generator(self, piece: Ratio, place: Place) -> Ratio:
        factors, places = self._flattened(piece, place)
        meaning = min((_closed(f, p) for f, p in _renamings(Mul(*factors), places)), key=str)
        return self._generators.generator(meaning, meaning)

    def _flattened(self, piece: Ratio, place: Place) -> tuple[list[Expr], list[Place]]:
        """The factors of a summand, where inner sums over other indices are opened into one multiple sum."""
        factors: list[Expr] = [1 / self._generators.poly_expression(piece.den)]
        places = [place]
        (exponents,) = piece.num.to_dict()
        for k, n in enumerate(exponents):
            if not n:
                continue
            meaning = self._generators.meanings[k]
            if isinstance(meaning, Total) and place[0] in self._generators.labels[k] and n == 1:
                body, inner = _opened_apart(meaning, places)
                factors.append(body)
                places += inner
            else:
                factors.append(meaning ** int(n))
        return factors, places


def _opened_apart(t: Expr, places: list[Place]) -> tuple[Expr, list[Place]]:
    """The body under nested sums, their indices renamed away from those that are in use."""
    opened: list[Place] = []
    while isinstance(t, Total):
        fresh = min(label for label, _ in (*places, *opened)) - 1
        opened.append((fresh, t.index.length))
        t = _moved(t.body, {t.index.label: fresh})
    return t, opened


def _renamings(body: Expr, places: list[Place]) -> Iterator[tuple[Expr, list[Place]]]:
    """The summand under every assignment of canonical labels to its indices."""
    taken = labels(body) - {label for label, _ in places}  # indices that an enclosing sum binds
    names = list(itertools.islice((k for k in itertools.count(OUTERMOST, -1) if k not in taken), len(places)))
    for permuted in itertools.permutations(names) if len(places) <= 4 else [tuple(names)]:
        moves = {label: new for (label, _), new in zip(places, permuted, strict=True)}
        renamed = sorted(((moves[label], length) for label, length in places), key=lambda p: p[0])
        yield _moved(body, moves), renamed


def _moved(body: Expr, moves: dict[int, int]) -> Expr:
    return body.xreplace({s: s.at(moves[s.label]) for s in body.atoms(Indexed) if s.label in moves})


def _closed(body: Expr, places: list[Place]) -> Expr:
    for label, length in places:
        body = Total(body, Index("", length, label))
    return body
