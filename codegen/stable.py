"""Rewrites that keep logistic and softmax functions finite: ``log(1 + exp(a))`` overflows at a = 710, ``softplus(a)`` nowhere."""

from __future__ import annotations

import math

import sympy
from sympy import Add, Expr, Function, Mul, Pow, S

from codegen.random import device
from recipe.total import Total


class Softplus(Function):
    """``log(1 + exp(a))``."""


class Sigmoid(Function):
    """``1/(1 + exp(-a))``."""


class LogAddExp(Function):
    """``log(exp(a) + exp(b))``."""


@device
def softplus(a: float) -> float:
    """log(1 + exp(a))."""
    return max(a, 0.0) + math.log1p(math.exp(-abs(a)))


@device
def sigmoid(a: float) -> float:
    """1/(1 + exp(-a))."""
    e = math.exp(-abs(a))
    return (1.0 if a >= 0.0 else e) / (1.0 + e)


@device
def logaddexp(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def stabilised(e: Expr) -> Expr:
    """The same function in forms that neither overflow nor lose all digits; inside sums too."""
    if not e.args:
        return e
    if isinstance(e, Total):
        return Total(stabilised(e.body), e.index)
    e = e.func(*(stabilised(a) if isinstance(a, Expr) else a for a in e.args))
    if isinstance(e, sympy.log):
        a = _log(e.args[0])
        return e if a is None else a
    if isinstance(e, Add):
        return _complement(e)
    if isinstance(e, Pow):
        return _power(e)
    if isinstance(e, Mul):
        e = _shares(e)
    return _product(e) if isinstance(e, Mul) else e


def _logit(e: Expr) -> Expr | None:
    """``a`` where the expression is ``1 + exp(a)``."""
    if isinstance(e, Add) and len(e.args) == 2 and S.One in e.args:
        other = e.args[1] if e.args[0] == S.One else e.args[0]
        if isinstance(other, sympy.exp):
            return other.args[0]
    return None


def _log(e: Expr) -> Expr | None:
    """The logarithm of ``exp(a)`` or of ``c + exp(a) + k*exp(b) + ...`` with positive c, k, ..., without those exponentials."""
    if isinstance(e, sympy.exp):
        return e.args[0]
    a = _logit(e)
    if a is not None:
        return Softplus(a)
    if not isinstance(e, Add) or not any(isinstance(f, sympy.exp) for term in e.args for f in Mul.make_args(term)):
        return None
    if not all(term.is_positive for term in e.args):
        return None
    result, *others = sorted(map(_exponent, e.args), key=lambda a: not a.is_number)  # first a number: a sum near 1 keeps its digits
    for a in others:
        result = LogAddExp(result, a)
    return result


def _exponent(term: Expr) -> Expr:
    """The logarithm of a positive term ``k*exp(a)``."""
    growing = [f for f in Mul.make_args(term) if isinstance(f, sympy.exp)]
    return sympy.log(term / Mul(*growing)) + Add(*(f.args[0] for f in growing))


def _complement(e: Add) -> Expr:
    """``c - c*sigmoid(a)`` with a number c becomes ``c*sigmoid(-a)``."""
    if len(e.args) == 2 and e.args[0].is_Number:
        factor, rest = e.args[1].as_coeff_Mul()
        if isinstance(rest, Sigmoid) and factor == -e.args[0]:
            return e.args[0] * Sigmoid(-rest.args[0])
    return e


def _power(e: Pow) -> Expr:
    """``(1 + exp(a))^-n`` becomes ``sigmoid(-a)^n``; of another sum of exponentials, ``exp(-n*log(sum))``."""
    if not (e.exp.is_number and e.exp.is_negative):
        return e
    a = _logit(e.base)
    if a is not None:
        return Sigmoid(-a) ** -e.exp if e.exp.is_Integer else e
    a = _log(e.base)
    return e if a is None else sympy.exp(e.exp * a)


def _shares(e: Expr) -> Expr:
    """``(u*exp(a) + v) * exp(-log(sum))`` becomes ``u*exp(a - log(sum)) + v*exp(-log(sum))``: ``exp(a)`` alone overflows."""
    if not e.has(LogAddExp):
        return e
    exponents = {f: _log(f) for f in Mul.make_args(e)}
    growing = Add(*(a for a in exponents.values() if a is not None))
    rest = [f for f, a in exponents.items() if a is None]
    sums = next((f for f in rest if isinstance(f, Add) and f.has(sympy.exp)), None)
    if sums is None or growing == 0:
        return Mul(*rest, sympy.exp(growing))
    others = Mul(*(f for f in rest if f is not sums), sympy.exp(growing))
    return Add(*(_shares(term * others) for term in sums.args))


def _product(e: Mul) -> Expr:
    """``exp(b + k*a) * sigmoid(-a)^n`` with 0 < k <= n becomes ``exp(b) * sigmoid(a)^k * sigmoid(-a)^(n-k)``."""
    growing = next((f for f in e.args if isinstance(f, sympy.exp)), None)
    if growing is None:
        return e
    for factor in e.args:
        base, power = factor.as_base_exp()
        if not (isinstance(base, Sigmoid) and power.is_Integer and power > 0):
            continue
        a, exponent = -base.args[0], growing.args[0]
        k = _multiple(exponent, a, int(power))
        if k:
            rest = Mul(*(f for f in e.args if f not in (factor, growing)))
            return _product(Mul(rest, sympy.exp(exponent - k * a), base ** (power - k), Sigmoid(a) ** k))
    return e


def _multiple(exponent: Expr, a: Expr, most: int) -> int:
    """The k of 0 .. most for which ``exponent - k*a`` has the fewest terms; the smallest such k."""

    def terms(k: int) -> int:
        left = sympy.expand(exponent - k * a)
        return 0 if left == 0 else len(Add.make_args(left))

    return min(range(most + 1), key=terms)
