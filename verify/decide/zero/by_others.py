"""Functions outside the language, by those inside it."""

from __future__ import annotations

import sympy
from sympy import Expr, atan, cos, cosh, log, pi, sin, sinh, sqrt, tanh

# Each equation holds wherever the left side is a real number.
BY_OTHERS = {
    sympy.asinh: lambda x: log(x + sqrt(x**2 + 1)),
    sympy.acosh: lambda x: log(x + sqrt(x**2 - 1)),
    sympy.atanh: lambda x: log((1 + x) / (1 - x)) / 2,
    sympy.asin: lambda x: 2 * atan(x / (1 + sqrt(1 - x**2))),
    sympy.acos: lambda x: pi / 2 - 2 * atan(x / (1 + sqrt(1 - x**2))),
    sympy.sec: lambda x: 1 / cos(x),
    sympy.csc: lambda x: 1 / sin(x),
    sympy.cot: lambda x: cos(x) / sin(x),
    sympy.sech: lambda x: 1 / cosh(x),
    sympy.csch: lambda x: 1 / sinh(x),
    sympy.coth: lambda x: 1 / tanh(x),
}


def by_others(e: Expr) -> Expr:
    """Return the expression with functions of the language alone, innermost first."""
    found = sorted(e.atoms(*BY_OTHERS), key=lambda a: (a.count_ops(), str(a)))
    if not found:
        return e
    return by_others(e.xreplace({found[0]: BY_OTHERS[type(found[0])](*found[0].args)}))
