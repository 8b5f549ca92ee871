"""Sines and cosines in canonical form: every angle as multiples of common smallest angles.

``cos(a) + i sin(a)`` turns sums into products, so the point of the circle of an angle is a product
of powers of the points of its terms. Points are pairs (cosine, sine) of ratios: no imaginary unit
is a generator.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING

import flint
from sympy import Expr, Pow, Rational, S, atan, cos, log, pi, sin

from verify.decide.zero.ratio import Ratio

if TYPE_CHECKING:
    from verify.decide.zero.thorough import Thorough

Circle = tuple[Ratio, Ratio]  # cosine and sine of one angle

MAX_MULTIPLE = 24  # of a common smallest angle; beyond it, an angle has a generator of its own
MAX_TERMS = 6  # of an angle that is taken apart: each doubles the terms of the sine
MAX_PARTS_OF_PI = 60


class Angles:
    """Reads the points of the circle of angles.

    All rewrites are the addition theorems, which hold for every real angle; the half angle of an
    arctangent is between -pi/4 and pi/4, where the cosine is positive.
    """

    def __init__(self, canonical: Thorough) -> None:
        self._canonical = canonical
        self._generators = canonical.generators
        self._finest: dict[Hashable, int] = {}
        self._finest_part_of_pi = 1

    def circle(self, angle: Ratio) -> Circle:
        """The cosine and the sine of an angle."""
        terms = list(self._generators.terms(angle))
        if len(terms) > MAX_TERMS:
            # a common factor is split off, so that the angle and its multiples are still related
            content = Rational(int(angle.num.content()), int(angle.den.content()))
            if angle.num.leading_coefficient() < 0:
                content = -content
            terms = [(angle / self._generators.number(int(content.p), int(content.q)), content)]
        point = self._one()
        for term, q in terms:
            point = self._times(point, self._turned(term, q))
        return point

    def _one(self) -> Circle:
        return self._generators.number(1), self._generators.number(0)

    def _times(self, a: Circle, b: Circle) -> Circle:
        reduce = self._generators.reduce
        return reduce(a[0] * b[0] - a[1] * b[1]), reduce(a[0] * b[1] + a[1] * b[0])

    def _power(self, a: Circle, n: int) -> Circle:
        if n < 0:
            a, n = (a[0], -a[1]), -n
        result = self._one()
        for bit in f"{n:b}":
            result = self._times(result, result)
            if bit == "1":
                result = self._times(result, a)
        return result

    def _turned(self, term: Ratio, q: Rational) -> Circle:
        """The point of the angle ``q * term``."""
        meaning = self._generators.expression(term)
        if meaning == pi:
            return self._part_of_pi(q)
        if (meaning / pi).is_integer and q.q == 1:  # whole half turns
            sign = self._canonical.read(Pow(S.NegativeOne, meaning / pi))
            return sign ** (int(q.p) % 2), self._generators.number(0)
        if isinstance(meaning, atan) and q.q & (q.q - 1) == 0:
            return self._power(self._arctangent(meaning, int(q.q)), int(q.p))
        if isinstance(meaning, log) or abs(q.p) > MAX_MULTIPLE or q.q > MAX_MULTIPLE:
            return self._pair(("own", term.key(), q), q * meaning)
        return self._multiple(term.key(), meaning, q)

    def _multiple(self, key: str, meaning: Expr, q: Rational) -> Circle:
        """The angle as a multiple of ``meaning/n``, where n serves all angles met so far."""
        finest = self._finest.get(key, 1)
        n = math.lcm(finest, int(q.q))
        if abs(q.p) * n // q.q > MAX_MULTIPLE:
            return self._pair(("own", key, q), q * meaning)
        point = self._pair(("part", key, n), meaning / n)
        if n != finest and self._generators.known(("cos", ("part", key, finest))):
            coarse = self._pair(("part", key, finest), meaning / finest)
            for old, new in zip(coarse, self._power(point, n // finest), strict=True):
                self._generators.relate(old, 1, new)
            self._canonical.refined = True
        self._finest[key] = n
        return self._power(point, int(q.p) * n // int(q.q))

    def _pair(self, key: Hashable, angle: Expr) -> Circle:
        """Two generators on the circle."""
        sine = self._generators.generator(("sin", key), sin(angle))
        is_new = not self._generators.known(("cos", key))
        cosine = self._generators.generator(("cos", key), cos(angle))
        if is_new:
            self._generators.relate(cosine, 2, self._generators.number(1) - sine**2)
        return cosine, sine

    # -- arctangents and parts of pi
    # ----------------------------------------------------------------------------------------------

    def _arctangent(self, angle: atan, part: int) -> Circle:
        """The point of ``atan(u)/part``, for a power of two: its cosine is positive."""
        read = self._canonical.read
        if part == 1:
            u = read(angle.args[0])
            cosine = read(Pow(1 + angle.args[0] ** 2, Rational(-1, 2)))
            return cosine, self._generators.reduce(cosine * u)
        cosine, sine = self._arctangent(angle, part // 2)
        two = self._generators.number(2)
        square = (self._generators.number(1) + cosine) / two
        half = self._canonical.rational_power(square, Rational(1, 2))
        return half, self._generators.reduce(sine / (two * half))

    def _part_of_pi(self, q: Rational) -> Circle:
        """The point of ``q pi``: roots of numbers if sympy has them, else powers of one point."""
        values = cos(q * pi), sin(q * pi)
        if not any(value.has(cos, sin) for value in values):
            return self._canonical.read(values[0]), self._canonical.read(values[1])
        odd = int(q.q) // (int(q.q) & -int(q.q))
        if q.q % 2 == 0 and not cos(pi / odd).has(cos):
            return self._power(self._half_of_part(int(q.q)), int(q.p))
        parts = math.lcm(self._finest_part_of_pi, 2 * int(q.q))
        if parts > MAX_PARTS_OF_PI:
            return self._pair(("pi", q), q * pi)
        if parts != self._finest_part_of_pi:
            self._canonical.refined |= self._finest_part_of_pi > 1
            self._finest_part_of_pi = parts
        whole = int(q.p) * parts // int(q.q)
        return self._cosine_of_part(whole, parts), self._cosine_of_part(parts // 2 - whole, parts)

    def _half_of_part(self, parts: int) -> Circle:
        """The point of ``pi/parts``, an angle below a right one, by halving."""
        double = self._part_of_pi(Rational(2, parts))[0]
        one, two, half = self._generators.number(1), self._generators.number(2), Rational(1, 2)
        root = self._canonical.rational_power
        return root((one + double) / two, half), root((one - double) / two, half)

    def _cosine_of_part(self, k: int, parts: int) -> Ratio:
        """``cos(k pi/parts)`` as a polynomial in ``2 cos(pi/parts)``, whose minimal polynomial is
        a relation.
        """
        number = self._generators.number
        key = ("2 cos", parts)
        is_new = not self._generators.known(key)
        g = self._generators.generator(key, 2 * cos(pi / parts))
        if is_new:
            *low, _ = flint.fmpz_poly.cos_minpoly(2 * parts).coeffs()
            value = sum((number(-int(c)) * g**n for n, c in enumerate(low)), number(0))
            self._generators.relate(g, len(low), value)
        before, at = number(2), g  # 2 cos((n+1) a) = 2 cos(a) 2 cos(n a) - 2 cos((n-1) a)
        k = abs(k) % (2 * parts)
        for _ in range(k):
            before, at = at, self._generators.reduce(g * at - before)
        return before / number(2)
