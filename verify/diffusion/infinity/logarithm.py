"""The logarithm of a positive product, as a sum over its factors."""

from __future__ import annotations

from sympy import Add, Expr, Mul, exp, log

from recipe.signs.sign import is_positive


def log_of(a: Expr) -> Expr:
    """The logarithm of a positive expression, as a sum over its factors if each is proved
    positive.
    """
    factors = Mul.make_args(a)
    if not all(is_positive(f) for f in factors):
        return log(a)
    return Add(*(_log_of_factor(f) for f in factors))


def _log_of_factor(f: Expr) -> Expr:
    if isinstance(f, exp):
        return f.args[0]
    base, power = f.as_base_exp()
    return power * log(base) if is_positive(base) else log(f)
