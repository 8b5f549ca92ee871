"""Decimal numbers of 60 digits, some eight times as fast as those of mpmath, which has the
functions that decimals lack.
"""

from __future__ import annotations

import decimal
from decimal import Decimal

import mpmath

DIGITS = 60
BEYOND = (decimal.Overflow, decimal.Underflow)  # a number whose exponent has some 18 digits
TRAPPED = [decimal.InvalidOperation, decimal.DivisionByZero, *BEYOND]

decimal.setcontext(
    decimal.Context(DIGITS, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=TRAPPED)
)

ZERO, ONE, HALF, INFINITY = Decimal(0), Decimal(1), Decimal("0.5"), Decimal("Infinity")


def binary(x: Decimal) -> mpmath.mpf:
    """The same number in mpmath."""
    return mpmath.mpf(str(x))


def decimal_of(x: mpmath.mpf) -> Decimal:
    """A number of mpmath."""
    assert mpmath.isfinite(x)
    return Decimal(int(mpmath.sign(x) * x.man)) * Decimal(2) ** int(x.exp)


def by_mpmath(name: str, *arguments: Decimal | int) -> Decimal:
    """A function of mpmath."""
    with mpmath.workdps(DIGITS + 5):
        return decimal_of(
            getattr(mpmath, name)(*(a if isinstance(a, int) else binary(a) for a in arguments))
        )


with mpmath.workdps(DIGITS + 5):
    PI = decimal_of(+mpmath.pi)
