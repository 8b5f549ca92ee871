"""Truncated power series in ``s = sqrt(step)`` with polynomials as coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sympy import Rational, binomial

from recipe.language.errors import OutsideLanguageError
from verify.decide.zero.decide import vanishes
from verify.discrete.weak_order.ring import Poly, Ring


@dataclass(frozen=True, eq=False)
class Series:
    """``s^low (c_0 + c_1 s + ...)``, known as far as there are coefficients."""

    ring: Ring
    low: int
    coefficients: tuple[Poly, ...]

    @property
    def end(self) -> int:
        """The first power that is not known."""
        return self.low + len(self.coefficients)

    def at(self, power: int) -> Poly:
        """Return the coefficient of a power below ``end``."""
        if power >= self.end:
            raise IndexError(f"the coefficient of s^{power} is not known")
        return self.coefficients[power - self.low] if power >= self.low else self.ring.zero

    def __add__(self, other: Series) -> Series:
        low, end = min(self.low, other.low), min(self.end, other.end)
        return Series(
            self.ring, min(low, end), tuple(self.at(k) + other.at(k) for k in range(low, end))
        )

    def __mul__(self, other: Series) -> Series:
        known = min(len(self.coefficients), len(other.coefficients))
        ring, ours, theirs = self.ring, self.coefficients, other.coefficients
        found = []
        for n in range(known):
            pairs = ((ours[k], theirs[n - k]) for k in range(n + 1))
            found.append(
                sum((ring.product(a, b) for a, b in pairs if a != 0 and b != 0), ring.zero)
            )
        return Series(ring, self.low + other.low, tuple(found))

    def each(self, change: Callable[[Poly], Poly]) -> Series:
        """Return the series with a function applied to every coefficient."""
        return Series(self.ring, self.low, tuple(change(c) for c in self.coefficients))

    def scaled(self, q: Rational | int) -> Series:
        """Return a rational multiple."""
        number = self.ring.number(q)
        return self.each(lambda c: c * number)

    def cut(self, end: int) -> Series:
        """Return the terms below a power."""
        return Series(self.ring, min(self.low, end), self.coefficients[: max(0, end - self.low)])

    def stripped(self) -> Series:
        """Return the series without zero coefficients in front."""
        skip = next((k for k, c in enumerate(self.coefficients) if c != 0), len(self.coefficients))
        return Series(self.ring, self.low + skip, self.coefficients[skip:])

    def is_zero(self) -> bool:
        """Return True if every known coefficient is the zero polynomial."""
        return all(c == 0 for c in self.coefficients)

    def power(self, n: int) -> Series:
        """Return the n-th power, for n >= 0."""
        result = constant(self.ring, self.ring.number(1), max(self.end, len(self.coefficients)))
        for _ in range(n):
            result = result * self
        return result

    def real_power(self, exponent: Rational) -> Series:
        """Return a rational power, by the binomial series around the leading coefficient.

        ``(s^v b (1 + u))^e = s^(v e) b^e (1 + u)^e`` for s > 0 and b other than 0, where u vanishes
        with s.

        Raises:
            OutsideLanguageError: where no leading coefficient is known, or ``v e`` is not an
                integer.
        """
        lead = self._with_leading_coefficient()
        if not lead.coefficients:
            raise OutsideLanguageError(
                "a power of something that vanishes with the step has no expansion"
            )
        b, shift = lead.coefficients[0], lead.low * exponent
        if shift.q != 1:
            raise OutsideLanguageError(
                f"the power {exponent} of a term of order {Rational(lead.low, 2)} in the step is"
                " not a half power"
            )
        u = Series(
            self.ring,
            0,
            (self.ring.zero, *(self.ring.quotient(c, b) for c in lead.coefficients[1:])),
        )
        factor = self.ring.read(self.ring.expression(b) ** exponent)
        total = composed(u, lambda k: self.ring.number(binomial(exponent, k)))
        return Series(
            self.ring,
            int(shift),
            tuple(self.ring.reduced(self.ring.product(c, factor)) for c in total.coefficients),
        )

    def _with_leading_coefficient(self) -> Series:
        """Strip coefficients that are zero as functions, even where their polynomials are not."""
        found = self.stripped()
        while found.coefficients and vanishes(self.ring.expression(found.coefficients[0])):
            found = Series(self.ring, found.low + 1, found.coefficients[1:]).stripped()
        return found


def constant(ring: Ring, c: Poly, end: int) -> Series:
    """Return the series of a coefficient that does not depend on s, known below ``end``."""
    return Series(ring, 0, (c, *(ring.zero for _ in range(end - 1))))


def composed(u: Series, taylor: Callable[[int], Poly]) -> Series:
    """Return ``sum_k taylor(k) u^k`` for a series u without constant term."""
    total, power = constant(u.ring, u.ring.zero, u.end), constant(u.ring, u.ring.number(1), u.end)
    k = 0
    while not power.is_zero():
        term = taylor(k)
        total, power, k = total + power.each(lambda c, t=term: c * t), (power * u).cut(u.end), k + 1  # type: ignore[misc]
    return total
