"""Truncated Taylor arithmetic: numbers that carry their derivatives along, to second order.

A ``Jet`` holds the value, gradient and Hessian of a quantity at a point; a ``Series`` holds the
first coefficients of one in a small number s, and its coefficients may be jets. Nothing here
differentiates a formula: sums, products and the chain rule are all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from oracles.decimals import HALF, ONE, PI, ZERO, by_mpmath


class UndefinedError(ArithmeticError):
    """There is no real value at the point."""


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity with its first and second derivatives by all coordinates, as arrays of numbers."""

    value: Any
    gradient: np.ndarray
    hessian: np.ndarray

    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Series):
            return NotImplemented
        if isinstance(other, Jet):
            return Jet(
                self.value + other.value,
                self.gradient + other.gradient,
                self.hessian + other.hessian,
            )
        return Jet(self.value + other, self.gradient, self.hessian)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Series):
            return NotImplemented
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.gradient * other, self.hessian * other)
        cross = np.outer(self.gradient, other.gradient)
        return Jet(
            self.value * other.value,
            self.gradient * other.value + other.gradient * self.value,
            self.hessian * other.value + other.hessian * self.value + cross + cross.T,
        )

    __rmul__ = __mul__

    def composed(self, f0: Any, f1: Any, f2: Any) -> Jet:
        """``f`` of this, from the value and two derivatives of ``f`` at the value."""
        return Jet(
            f0, self.gradient * f1, self.hessian * f1 + np.outer(self.gradient, self.gradient) * f2
        )


@dataclass(frozen=True, eq=False)
class Series:
    """``s^start (c_0 + c_1 s + c_2 s^2 + ...)``, known as far as there are coefficients; start may
    be negative.
    """

    start: int
    coefficients: tuple[Any, ...]

    @property
    def end(self) -> int:
        """The first order that is not known."""
        return self.start + len(self.coefficients)

    def at(self, order: int) -> Any:
        """The coefficient of ``s^order``."""
        if order >= self.end:
            raise UndefinedError(f"order {order} of a series is not known")
        return self.coefficients[order - self.start] if order >= self.start else ZERO

    @property
    def value(self) -> Any:
        """At s = 0."""
        if any(not _is_zero(self.at(order)) for order in range(self.start, 0)):
            raise UndefinedError("the series has a pole")
        return self.at(0)

    def __add__(self, other: Any) -> Series:
        other = other if isinstance(other, Series) else _constant(other, self.end)
        start, end = min(self.start, other.start), min(self.end, other.end)
        return Series(start, tuple(self.at(k) + other.at(k) for k in range(start, end)))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series(self.start, tuple(_product(c, other) for c in self.coefficients))
        left, right = self.without_leading_zeros(), other.without_leading_zeros()
        a, b = left.coefficients, right.coefficients
        return Series(
            left.start + right.start,
            tuple(
                _total([_product(a[j], b[k - j]) for j in range(k + 1)])
                for k in range(min(len(a), len(b)))
            ),
        )

    __rmul__ = __mul__

    def without_leading_zeros(self) -> Series:
        """The same, from the first coefficient on that is not zero; as it is where nothing but
        zeros is known.
        """
        zeros = next((k for k, c in enumerate(self.coefficients) if not _is_zero(c)), 0)
        return Series(self.start + zeros, self.coefficients[zeros:])

    def composed(self, f0: Any, f1: Any, f2: Any) -> Series:
        """``f`` of this, from the value and two derivatives of ``f`` at the value: known up to the
        cube of what changes.
        """
        change = Series(1, tuple(self.at(k) for k in range(1, self.end)))
        first = next((k for k in range(1, self.end) if not _is_zero(change.at(k))), self.end)
        found = change * f1 + change * change * (f2 * HALF) + f0
        return Series(found.start, found.coefficients[: 3 * first - found.start])


def _constant(x: Any, end: int) -> Series:
    return Series(0, (x, *[ZERO] * (max(end, 1) - 1)))


def _is_zero(x: Any) -> bool:
    if isinstance(x, Jet):
        return x.value == 0 and not x.gradient.any() and not x.hessian.any()
    return bool(x == 0)


def _product(a: Any, b: Any) -> Any:
    """Most coefficients are plain zeros, and stay so."""
    return ZERO if _is_zero(a) or _is_zero(b) else a * b


def _total(terms: list[Any]) -> Any:
    result = terms[0]
    for t in terms[1:]:
        result = result + t
    return result


def coordinate(value: Any, k: int, n: int) -> Jet:
    """The k-th of n coordinates."""
    gradient = np.array([Decimal(int(j == k)) for j in range(n)], dtype=object)
    return Jet(value, gradient, np.full((n, n), ZERO, dtype=object))


def power(x: Any, p: Any) -> Any:
    """``x^p`` for a number p; an integer p for a base of any sign."""
    if isinstance(p, int) and 1 <= p <= 3:
        return x if p == 1 else x * power(x, p - 1)
    if isinstance(x, Series):
        return _power_of_series(x, p)
    if isinstance(x, Jet):
        return x.composed(
            power(x.value, p), power(x.value, p - 1) * p, power(x.value, p - 2) * (p * (p - 1))
        )
    if x == 0 and p == 0:
        return ONE
    if (x == 0 and p < 0) or (x < 0 and not isinstance(p, int)):
        raise UndefinedError(f"{x} to the power {p}")
    return x.sqrt() if p == HALF else x**p


def _power_of_series(x: Series, p: Any) -> Series:
    """``(c s^m (1 + u))^p = c^p s^(m p) (1 + u)^p``, with u small."""
    x = x.without_leading_zeros()
    if _is_zero(x.coefficients[0]):
        raise UndefinedError("nothing but zeros is known of a series")
    start = x.start * p
    if start != int(start):
        raise UndefinedError(f"s to the power {start} is no term of a series")
    u = Series(0, x.coefficients) * power(x.coefficients[0], -1)
    change = Series(0, (ZERO, *u.coefficients[1:]))
    root = (change + ONE).composed(ONE, ONE * p, ONE * p * (p - 1))
    return Series(int(start), root.coefficients) * power(x.coefficients[0], p)


def apply(name: str, x: Any) -> Any:
    """The elementary function of that name."""
    if isinstance(x, Jet | Series):
        return x.composed(*DERIVATIVES[name](x.value))
    if name in ("log", "loggamma") and x <= 0:
        raise UndefinedError(f"{name} of {x}")
    if name == "exp":
        return x.exp()
    return x.ln() if name == "log" else by_mpmath(name, x)


def sine(x: Any, order: int) -> Any:
    """The derivative of the sine of that order."""
    signed = apply("cos" if order % 2 else "sin", x)
    return signed * (-1 if order % 4 >= 2 else 1)


def _trigonometric(x: Any) -> tuple[Any, Any, Any]:
    t = apply("tan", x)
    return t, t * t + 1, t * (t * t + 1) * 2


def _hyperbolic(x: Any) -> tuple[Any, Any, Any]:
    t = apply("tanh", x)
    return t, t * t * -1 + 1, t * (t * t + -1) * 2


def _error_function(x: Any) -> tuple[Any, Any, Any]:
    bell = apply("exp", x * x * -1) * (2 / PI.sqrt())
    return apply("erf", x), bell, bell * x * -2


# The value and two derivatives of each elementary function.
DERIVATIVES: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "exp": lambda x: (apply("exp", x),) * 3,
    "log": lambda x: (apply("log", x), power(x, -1), power(x, -2) * -1),
    "sin": lambda x: (sine(x, 0), sine(x, 1), sine(x, 2)),
    "cos": lambda x: (sine(x, 1), sine(x, 2), sine(x, 3)),
    "tan": _trigonometric,
    "sinh": lambda x: (apply("sinh", x), apply("cosh", x), apply("sinh", x)),
    "cosh": lambda x: (apply("cosh", x), apply("sinh", x), apply("cosh", x)),
    "tanh": _hyperbolic,
    "atan": lambda x: (apply("atan", x), power(x * x + 1, -1), power(x * x + 1, -2) * x * -2),
    "erf": _error_function,
}
