"""Rational functions with integer coefficients, on python-flint's sparse polynomials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sympy.polys.domains.field import Field

from verify.decide.zero.errors import TooLargeError

Poly = Any  # flint.fmpz_mpoly: python-flint has no public type to name here

MAX_TERMS = 100_000
MAX_EXPONENT = 10_000


@dataclass(frozen=True, eq=False)
class Ratio:
    """``num / den`` in lowest terms, with a positive leading coefficient of ``den``."""

    num: Poly
    den: Poly

    def __bool__(self) -> bool:
        return not self.is_zero()

    def __add__(self, other: Ratio) -> Ratio:
        if self.den == other.den:
            return ratio(self.num + other.num, self.den)
        return ratio(self.num * other.den + other.num * self.den, self.den * other.den)

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        _check_size(len(self.num) * len(other.num))
        return ratio(self.num * other.num, self.den * other.den)

    def __truediv__(self, other: Ratio) -> Ratio:
        return self * other.inverse()

    def __pow__(self, n: int) -> Ratio:
        if n < 0:
            return self.inverse() ** (-n)
        if n > MAX_EXPONENT:
            raise TooLargeError(f"the power {n} is too high for a canonical form")
        _check_size(*(math.comb(len(p) + n - 1, n) for p in (self.num, self.den)))
        return Ratio(self.num**n, self.den**n)

    def inverse(self) -> Ratio:
        """Return ``1 / self``.

        Raises:
            ZeroDivisionError: if the ratio is identically zero.
        """
        if self.num == 0:
            raise ZeroDivisionError("a denominator is identically zero")
        return ratio(self.den, self.num)

    def is_zero(self) -> bool:
        """Return True if the numerator is the zero polynomial."""
        return bool(self.num == 0)

    def is_generator(self) -> bool:
        """Return True if the ratio is a single generator, to the first power."""
        return bool(
            self.den == 1
            and len(self.num) == 1
            and self.num.leading_coefficient() == 1
            and self.num.total_degree() == 1
        )

    def key(self) -> str:
        """A text that is the same for equal ratios and different for others."""
        return f"({self.num})/({self.den})"


class Ratios(Field):  # type: ignore[misc]
    """The ratios in some generators as a field of sympy's, which is what its linear algebra asks
    for.
    """

    rep = "ratios"

    def __init__(self, one: Ratio) -> None:
        self.zero, self.one = one - one, one


def ratio(num: Poly, den: Poly) -> Ratio:
    """Return ``num / den`` in lowest terms.

    Raises:
        ZeroDivisionError: if the denominator is the zero polynomial.
        TooLargeError: if one of them has too many terms.
    """
    _check_size(len(num), len(den))
    if den == 0:
        raise ZeroDivisionError("a denominator is identically zero")
    if num == 0:
        return Ratio(num, den * 0 + 1)
    common = num.gcd(den)
    if den.leading_coefficient() < 0:
        common = -common
    return Ratio(num // common, den // common)


def _check_size(*terms: int) -> None:
    if max(terms) > MAX_TERMS:
        raise TooLargeError(f"the expression has more than {MAX_TERMS} terms in canonical form")


def factors_of(poly: Poly) -> tuple[int, list[tuple[Poly, int]]]:
    """Return a polynomial as a number times powers of polynomials.

    They are irreducible but where coefficients exceed a machine word: python-flint sorts factors by
    machine words. Then they are the content and the rest.
    """
    try:
        constant, factors = poly.factor()
    except OverflowError:
        constant, rest = poly.primitive()
        factors = [(rest, 1)]
    return int(constant), [(factor, int(n)) for factor, n in factors]
