"""Logarithms of the gamma function, and their derivatives, in canonical form.

``log Gamma(z + 1) = log Gamma(z) + log(z)`` and Gauss's multiplication formula

    log Gamma(n z) = sum over k < n of log Gamma(z + k/n) + (n z - 1/2) log(n) - (n - 1)/2 log(2 pi)

hold for z > 0; those of polygamma follow by derivatives. Arguments that differ by whole numbers are
written with the smallest that occurs: an expression is defined only where all of them are
positive, so the recurrence is used for positive z alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr, Rational, cos, gamma, log, loggamma, pi, polygamma, sin

from recipe.signs.sign import is_positive
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import Ratio

if TYPE_CHECKING:
    from verify.decide.zero.thorough import Thorough

MAX_FACTOR = 8  # of the multiplication formula
MAX_STEPS = 40  # of the recurrence

LOG_GAMMA = -1  # the order of log Gamma among its derivatives: polygamma(m, z) has the order m


@dataclass(frozen=True)
class Shifted:
    """An argument ``factor * part + shift``, where ``part`` has no constant term."""

    part: Ratio
    factor: Rational
    shift: Rational


class Gammas:
    """Reads log Gamma and polygamma of arguments that are related."""

    def __init__(self, canonical: Thorough) -> None:
        self._canonical = canonical
        self._generators = canonical.generators
        self._finest: dict[tuple[str, int], Rational] = {}
        self._lowest: dict[tuple[bool | None, str, Rational, Rational], int] = {}

    def log_gamma(self, argument: Ratio) -> Ratio:
        """``log Gamma`` of an argument."""
        return self._read(LOG_GAMMA, self._taken_apart(argument))

    def poly_gamma(self, order: int, argument: Ratio) -> Ratio:
        """The derivative of ``log Gamma`` of order ``order + 1``."""
        return self._read(order, self._taken_apart(argument))

    def gamma(self, argument: Ratio) -> Ratio:
        """``Gamma`` of an argument that may be negative: it obeys the recurrence wherever both
        sides are defined.
        """
        u = self._taken_apart(argument)
        base, steps = self._base(None, u)
        meaning = gamma(self._expression(u, base))
        result = self._generators.generator(("gamma", meaning), meaning)
        for k in range(steps):
            result = result * self._value(u, base + k)
        return result

    def _taken_apart(self, u: Ratio) -> Shifted:
        number = self._generators.number
        lead = next(iter(u.den.to_dict()), None)
        top = u.num.to_dict().get(lead, 0)
        shift = Rational(int(top), int(u.den.to_dict()[lead]))
        rest = u - number(int(shift.p), int(shift.q))
        if rest.is_zero():
            return Shifted(rest, Rational(0), shift)
        factor = Rational(int(rest.num.content()), int(rest.den.content()))
        if rest.num.leading_coefficient() < 0:
            factor = -factor
        return Shifted(rest / number(int(factor.p), int(factor.q)), factor, shift)

    def _read(self, order: int, u: Shifted) -> Ratio:
        n = self._multiple(u)
        if n > 1:
            return self._multiplied(order, u, n)
        if u.factor == 0 and u.shift <= 0:
            raise CannotDecideError(f"the gamma function at {u.shift} has no logarithm")
        if u.factor < 0 and order <= 1:
            if is_positive(self._expression(u, u.shift - 1)):
                below = Shifted(u.part, u.factor, u.shift - 1)
                return self._read(order, below) + self._step(order, self._value(u, below.shift))
            if self._is_between_0_and_1(u):
                return self._reflected(order, u)
        base, steps = self._base(order == LOG_GAMMA, u)
        result = self._at_base(order, u, base)
        for k in range(steps):
            result += self._step(order, self._value(u, base + k))
        return result

    def _is_between_0_and_1(self, u: Shifted) -> bool:
        z = self._expression(u, u.shift)
        return is_positive(z) and is_positive(1 - z)

    def _reflected(self, order: int, u: Shifted) -> Ratio:
        """``Gamma(z) Gamma(1 - z) = pi/sin(pi z)`` for 0 < z < 1, and its derivatives."""
        other = self._read(order, Shifted(u.part, -u.factor, 1 - u.shift))
        angle = pi * self._expression(u, u.shift)
        if order == LOG_GAMMA:
            return self._canonical.read(log(pi) - log(sin(angle))) - other
        if order == 0:
            return other - self._canonical.read(pi * cos(angle) / sin(angle))
        return self._canonical.read((pi / sin(angle)) ** 2) - other

    def _multiple(self, u: Shifted) -> int:
        """How many times the argument is the smallest multiple of its part met so far."""
        if u.factor == 0:
            return 1
        key = (u.part.key(), 1 if u.factor > 0 else -1)
        size = abs(u.factor)
        before = self._finest.get(key, size)
        finest = Rational(math.gcd(before.p * size.q, size.p * before.q), before.q * size.q)
        if max(before, size) / finest > MAX_FACTOR:
            finest = before
        if finest != before:
            self._canonical.refined = True
        self._finest[key] = finest
        times = size / finest
        return int(times) if times.is_Integer and times <= MAX_FACTOR else 1

    def _multiplied(self, order: int, u: Shifted, n: int) -> Ratio:
        read, number = self._canonical.read, self._generators.number
        parts = [
            self._read(order, Shifted(u.part, u.factor / n, (u.shift + k) / n)) for k in range(n)
        ]
        total = sum(parts[1:], parts[0])
        if order == LOG_GAMMA:
            z = self._value(u, u.shift)
            total += (z - number(1, 2)) * read(log(n))
            return total - number(n - 1, 2) * read(log(2 * pi))
        total = total / number(n ** (order + 1))
        return total + read(log(n)) if order == 0 else total

    def _base(self, kind: bool | None, u: Shifted) -> tuple[Rational, int]:
        """The smallest shift met so far that differs by a whole number, and the steps from it.

        Each kind of function has its own: a digamma function has values at negative arguments, so
        it does not tell where log Gamma is defined.
        """
        whole = math.floor(u.shift)
        if u.factor == 0:
            whole_base = 0 if u.shift != whole else 1
            if not 0 <= whole - whole_base <= MAX_STEPS:
                return u.shift, 0
            return u.shift - whole + whole_base, whole - whole_base
        key = (kind, u.part.key(), u.factor, u.shift - whole)
        before = self._lowest.get(key, whole)
        lowest = min(before, whole)
        if max(before, whole) - lowest > MAX_STEPS:
            return u.shift, 0
        if lowest != before:
            self._canonical.refined = True
        self._lowest[key] = lowest
        return u.shift - whole + lowest, whole - lowest

    def _at_base(self, order: int, u: Shifted, base: Rational) -> Ratio:
        number, read = self._generators.number, self._canonical.read
        if order == LOG_GAMMA and u.factor == 0:
            if base == 1:
                return number(0)
            if base == Rational(1, 2):
                return read(log(pi)) / number(2)
            if Rational(1, 2) < base < 1:  # reflection: Gamma(z) Gamma(1 - z) = pi/sin(pi z)
                other = self._at_base(order, u, 1 - base)
                return read(log(pi)) - read(log(sin(pi * base))) - other
        at = self._expression(u, base)
        # evaluated, log Gamma of a whole number would be the logarithm of a factorial
        meaning = loggamma(at, evaluate=False) if order == LOG_GAMMA else polygamma(order, at)
        return self._generators.generator(("log gamma", order, at), meaning)

    def _step(self, order: int, z: Ratio) -> Ratio:
        """What is added from z to z + 1: ``log(z)`` or its derivatives."""
        if order == LOG_GAMMA:
            return self._canonical.logarithm(z)
        return self._generators.number((-1) ** order * math.factorial(order)) / z ** (order + 1)

    def _value(self, u: Shifted, shift: Rational) -> Ratio:
        number = self._generators.number
        return u.part * number(int(u.factor.p), int(u.factor.q)) + number(
            int(shift.p), int(shift.q)
        )

    def _expression(self, u: Shifted, shift: Rational) -> Expr:
        return self._generators.expression(self._value(u, shift))
