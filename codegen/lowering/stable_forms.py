"""Rewrite logistic and softmax functions to equal forms that stay finite in floating point.

``log(1 + exp(a))`` overflows at a = 710, and ``softplus(a)`` at no a.
"""

from __future__ import annotations

from functools import lru_cache, reduce

import sympy
from sympy import Add, Expr, Function, Mul, Pow, S

from recipe.language.phi import Ein
from recipe.language.total import Total
from recipe.signs.sign import is_positive


class Softplus(Function):
    """``log(1 + exp(a))``."""


class Sigmoid(Function):
    """``1/(1 + exp(-a))``."""


class EinExp(Function):
    """``Ein(exp(a))``."""


class LogAddExp(Function):
    """``log(exp(a) + exp(b))``."""


class Expm1(Function):
    """``exp(a) - 1``."""

    def _eval_is_extended_real(self) -> bool | None:
        return self.args[0].is_extended_real

    def _eval_is_positive(self) -> bool | None:
        return self.args[0].is_positive

    def _eval_is_negative(self) -> bool | None:
        return self.args[0].is_negative


class Largest(Function):
    """The largest of its arguments."""


class ScaledSum(Function):
    """``exp(a - m) + exp(b - m) + ...``, where m is the largest of a, b, ... The value is at least
    1 and at most the number of terms.
    """

    def written_out(self) -> Expr:
        """Return the sum in exponentials and ``Largest``."""
        return Add(*(sympy.exp(a - Largest(*self.args)) for a in self.args))


# The gradients of a model hold the same sums: each is rewritten once.
@lru_cache(maxsize=65536)
def stabilised(e: Expr) -> Expr:
    """Return an equal expression in forms that neither overflow nor lose all digits.

    Rewrites reach into sums over coordinates as well.
    """
    if not e.args:
        return e
    if isinstance(e, Total):
        return Total(stabilised(e.body), e.index)
    e = e.func(*(stabilised(a) if isinstance(a, Expr) else a for a in e.args))
    if isinstance(e, Ein) and isinstance(e.args[0], sympy.exp):
        return EinExp(e.args[0].args[0])
    if isinstance(e, sympy.log):
        a = _stable_log(e.args[0])
        return e if a is None else a
    if isinstance(e, Add):
        return _complement(_near_zero_exponents(e))
    if isinstance(e, Pow):
        return _stable_power(e)
    if isinstance(e, Mul):
        e = _shift_exponents(e)
    return _join_exponential_and_sigmoid(e) if isinstance(e, Mul) else e


def _softplus_argument(e: Expr) -> Expr | None:
    """Return a if the expression is ``1 + exp(a)``; None otherwise."""
    if isinstance(e, Add) and len(e.args) == 2 and S.One in e.args:
        other = e.args[1] if e.args[0] == S.One else e.args[0]
        if isinstance(other, sympy.exp):
            return other.args[0]
    return None


def _stable_log(e: Expr) -> Expr | None:
    """Return the logarithm of an expression in a form without its exponentials; None if there is
    no such form.
    """
    a = _softplus_argument(e)
    if a is not None:
        return Softplus(a)
    exponents = _exponents(e)
    if exponents is not None:
        return reduce(LogAddExp, exponents)
    parts = [_log_of_factor(f) for f in Mul.make_args(e)]
    return None if None in parts else Add(*parts)


def _log_of_factor(f: Expr) -> Expr | None:
    """Return the logarithm of an exponential, of a ``ScaledSum`` or of a positive number; None for
    any other factor.
    """
    base, power = f.as_base_exp()
    if base is S.Exp1:
        return power
    if isinstance(base, ScaledSum):
        return power * (reduce(LogAddExp, base.args) - Largest(*base.args))
    return sympy.log(f) if f.is_number and f.is_positive else None


def _exponents(e: Expr) -> list[Expr] | None:
    """Return ``log(c), a, log(k) + b, ...`` if the expression is ``c + exp(a) + k*exp(b) + ...``
    with positive c, k, ...; None otherwise.
    """
    if not isinstance(e, Add) or not any(
        isinstance(f, sympy.exp) for term in e.args for f in Mul.make_args(term)
    ):
        return None
    if not all(term.is_positive or is_positive(_coefficient(term)) for term in e.args):
        return None
    return sorted(
        map(_exponent, e.args), key=lambda a: not a.is_number
    )  # first a number: a sum near 1 keeps its digits


def _exponent(term: Expr) -> Expr:
    """Return ``log(k) + a``, the logarithm of a positive term ``k*exp(a)``."""
    growing = [f for f in Mul.make_args(term) if isinstance(f, sympy.exp)]
    return sympy.log(_coefficient(term)) + Add(*(f.args[0] for f in growing))


def _coefficient(term: Expr) -> Expr:
    """Return k of a term ``k*exp(a)``."""
    return Mul(*(f for f in Mul.make_args(term) if not isinstance(f, sympy.exp)))


def _complement(e: Add) -> Expr:
    """Rewrite ``c - c*sigmoid(a)`` with a number c to ``c*sigmoid(-a)``, and ``c - c*exp(a)`` to
    ``-c*expm1(a)``.
    """
    if len(e.args) == 2 and e.args[0].is_Number:
        factor, rest = e.args[1].as_coeff_Mul()
        if isinstance(rest, Sigmoid) and factor == -e.args[0]:
            return e.args[0] * Sigmoid(-rest.args[0])
        if isinstance(rest, sympy.exp) and factor == -e.args[0]:
            return factor * Expm1(rest.args[0])
    return e


def _near_zero_exponents(e: Add) -> Expr:
    """Rewrite ``c*exp(-u) - c`` to ``c*expm1(-u)``, where u is an exponential itself: it is seldom
    far from 0, where the two terms cancel.
    """
    terms = list(e.args)
    for term in e.args:
        double = [f for f in Mul.make_args(term) if _is_double(f)]
        if len(double) == 1:
            rest = term / double[0]
            if -rest in terms and term in terms:
                terms.remove(term)
                terms.remove(-rest)
                terms.append(rest * Expm1(double[0].args[0]))
    return Add(*terms) if len(terms) < len(e.args) else e


def _is_double(f: Expr) -> bool:
    """Return True for ``exp(-exp(a))``."""
    return isinstance(f, sympy.exp) and isinstance(-f.args[0], sympy.exp)


def _stable_power(e: Pow) -> Expr:
    """Rewrite ``(1 + exp(a))^-n`` to ``sigmoid(-a)^n``, and divide another sum of exponentials by
    its largest term first.
    """
    if e.exp == S.Half:
        return sympy.sqrt(Mul(*(_as_expm1(f) for f in Mul.make_args(e.base))))
    if not (e.exp.is_number and e.exp.is_negative):
        return e
    a = _softplus_argument(e.base)
    if a is not None:
        return Sigmoid(-a) ** -e.exp if e.exp.is_Integer else e
    exponents = _exponents(e.base)
    return (
        e
        if exponents is None
        else sympy.exp(e.exp * Largest(*exponents)) * ScaledSum(*exponents) ** e.exp
    )


def _as_expm1(e: Expr) -> Expr:
    """Rewrite ``c - c*exp(a)`` to ``-c*expm1(a)``. The noise of an exact Ornstein-Uhlenbeck flow
    over a short time has this form.
    """
    if isinstance(e, Add) and len(e.args) == 2:
        for one, other in (e.args, reversed(e.args)):
            growing = [f for f in Mul.make_args(other) if isinstance(f, sympy.exp)]
            if len(growing) == 1 and one == -other / growing[0]:
                return -one * Expm1(growing[0].args[0])
    return e


def _shift_exponents(e: Expr) -> Expr:
    """Rewrite ``(u*exp(a) + v) * exp(-m)`` to ``u*exp(a - m) + v*exp(-m)``, where m is the largest
    exponent, because ``exp(a)`` alone may overflow.
    """
    if not e.has(Largest):
        return e
    growing, rest = S.Zero, S.One
    for f in Mul.make_args(e):
        exponents = _exponents(f)
        if isinstance(f, sympy.exp):
            growing += f.args[0]
        elif exponents is not None:
            growing += Largest(*exponents)
            rest *= ScaledSum(*exponents)
        else:
            rest *= f
    sums = next((f for f in Mul.make_args(rest) if isinstance(f, Add) and f.has(sympy.exp)), None)
    if sums is None or growing == 0:
        return rest * sympy.exp(growing)
    return Add(*(_shift_exponents(term * (rest / sums) * sympy.exp(growing)) for term in sums.args))


def _join_exponential_and_sigmoid(e: Mul) -> Expr:
    """Rewrite ``exp(b + k*a) * sigmoid(-a)^n`` with 0 < k <= n to ``exp(b) * sigmoid(a)^k *
    sigmoid(-a)^(n-k)``.
    """
    growing = next((f for f in e.args if isinstance(f, sympy.exp)), None)
    if growing is None:
        return e
    for factor in e.args:
        base, power = factor.as_base_exp()
        if not (isinstance(base, Sigmoid) and power.is_Integer and power > 0):
            continue
        a, exponent = -base.args[0], growing.args[0]
        k = _best_multiple(exponent, a, int(power))
        if k:
            rest = Mul(*(f for f in e.args if f not in (factor, growing)))
            return _join_exponential_and_sigmoid(
                Mul(rest, sympy.exp(exponent - k * a), base ** (power - k), Sigmoid(a) ** k)
            )
    return e


def _best_multiple(exponent: Expr, a: Expr, most: int) -> int:
    """Return the k from 0 to ``most`` for which ``exponent - k*a`` has the fewest terms; the
    smallest such k.
    """

    def terms(k: int) -> int:
        left = sympy.expand(exponent - k * a)
        return 0 if left == 0 else len(Add.make_args(left))

    return min(range(most + 1), key=terms)
