"""The entire functions ``phi_k`` of exponential integrators, and the integral of phi_1.

``phi_0(z) = e^z`` and ``phi_k(z) = int_0^1 e^((1 - s) z) s^(k-1) / (k-1)! ds`` for k > 0. So
``phi_1(z) = (e^z - 1) / z``, and at 0, where this quotient is undefined, phi_1 is 1. The solution
of ``x' = l x + c`` is ``x(t) = e^(l t) x + t phi_1(l t) c`` for every rate l, zero included
(Hochbruck & Ostermann 2010, "Exponential integrators", Acta Numerica 19, section 2.1).
``Ein(x) = int_0^x phi_1(-t) dt`` is the complementary exponential integral (DLMF 6.2.3).
"""

from __future__ import annotations

from typing import Any

from mpmath.libmp import prec_to_dps
from sympy import (
    Ei,
    EulerGamma,
    Expr,
    Function,
    Integer,
    Rational,
    exp,
    expint,
    factorial,
    log,
)


class Phi(Function):
    """``Phi(k, z)`` is ``phi_k(z)`` for a positive integer k.

    It is smooth and positive, has the value ``1/k!`` at 0, and satisfies ``Phi(k, z) = 1/k! + z
    Phi(k + 1, z)``.
    """

    nargs = 2

    @classmethod
    def eval(cls, k: Any, z: Any) -> Expr | None:
        """The value ``1/k!`` at z = 0, and None (nothing to evaluate) elsewhere."""
        if not (isinstance(k, Integer) and k > 0):
            raise ValueError(f"Phi({k}, {z}): the first argument must be a positive integer")
        return Rational(1, factorial(k)) if z.is_zero else None

    def fdiff(self, argindex: int = 2) -> Expr:
        """The derivative ``phi_k' = phi_k - k phi_(k+1)``, which follows from the integral."""
        k, z = self.args
        return Phi(k, z) - k * Phi(k + 1, z)

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[1].is_extended_real else None

    def _eval_rewrite_as_exp(self, k: Expr, z: Expr, **hints: Any) -> Expr:
        """The function as ``(e^z - a polynomial) / z^k``, which is undefined at z = 0."""
        tail = sum((z**n / factorial(n) for n in range(int(k))), Integer(0))
        return (exp(z) - tail) / z**k


class Ein(Function):
    """``Ein(x)`` is the integral of ``(1 - exp(-t))/t`` from 0 to x, for x > 0 ``gamma + log(x) +
    E1(x)``.

    It is smooth, increases from minus infinity to infinity, and is 0 at 0.
    """

    nargs = 1

    @classmethod
    def eval(cls, x: Any) -> Expr | None:
        """The value 0 at 0, and None (nothing to evaluate) elsewhere."""
        return Integer(0) if x.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        """The integrand at x: written with exp where x is not 0."""
        (x,) = self.args
        return (1 - exp(-x)) / x if x.is_positive else Phi(1, -x)

    def _eval_is_extended_real(self) -> bool | None:
        return self.args[0].is_extended_real

    def _eval_is_positive(self) -> bool | None:
        return self.args[0].is_positive

    def _eval_is_negative(self) -> bool | None:
        return self.args[0].is_negative

    def _eval_evalf(self, prec: int) -> Expr | None:
        x = self.args[0].evalf(prec_to_dps(prec) + 5)
        if not x.is_Float:
            return None
        found = EulerGamma + log(abs(x)) + (expint(1, x) if x > 0 else -Ei(-x))
        return found.evalf(prec_to_dps(prec))  # type: ignore[no-any-return]


def exp_by_phi(e: Expr, vanishes: Any) -> Expr:
    """Replace exponentials by ``exp(z) = 1 + z Phi(1, z)``, so that the 1 can cancel.

    This is an identity for every z. Only exponentials whose argument satisfies the predicate
    ``vanishes`` are replaced.
    """

    def opened(f: Expr) -> Expr:
        return 1 + f.args[0] * Phi(1, f.args[0])

    return e.replace(lambda f: isinstance(f, exp) and vanishes(f.args[0]), opened)


__all__ = ["Ein", "Phi", "exp_by_phi"]
