"""The entire functions ``phi_k`` of exponential integrators.

``phi_0(z) = e^z`` and ``phi_k(z) = int_0^1 e^((1 - s) z) s^(k-1) / (k-1)! ds`` for k > 0. So
``phi_1(z) = (e^z - 1) / z``, and at 0, where this quotient is undefined, phi_1 is 1. The solution
of ``x' = l x + c`` is ``x(t) = e^(l t) x + t phi_1(l t) c`` for every rate l, zero included
(Hochbruck & Ostermann 2010, "Exponential integrators", Acta Numerica 19, section 2.1).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Function, Integer, Rational, exp, factorial


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


def exp_by_phi(e: Expr, vanishes: Any) -> Expr:
    """Replace exponentials by ``exp(z) = 1 + z Phi(1, z)``, so that the 1 can cancel.

    This is an identity for every z. Only exponentials whose argument satisfies the predicate
    ``vanishes`` are replaced.
    """

    def opened(f: Expr) -> Expr:
        return 1 + f.args[0] * Phi(1, f.args[0])

    return e.replace(lambda f: isinstance(f, exp) and vanishes(f.args[0]), opened)


__all__ = ["Phi", "exp_by_phi"]
