"""Whether an expression is positive wherever a block stands inside of its interval: a sufficient
test by the form of the expression.

Every function in the expression is replaced by its range: ``exp(a)`` of a real a by a positive
number p, of a negative one by ``1/(1 + p)``, ``atan(a)`` by ``pi/2 (p - 1)/(p + 1)``; the block
itself, on (0, 1), by ``p/(1 + p)``. A rational function of positive numbers is left. If all of its
coefficients are positive, so is the expression. The test proves this for the values of the maps of
``recipe.declare.maps`` at a real number, and for a mean of two numbers that are inside.

``recipe.language.sign`` cannot stand in for this. It says what sign an expression has wherever it
is defined; here it must also be defined everywhere, as a step that is no number has left its
domain. Nor does it see that ``1 - p**2`` is positive for p between 0 and 1, nor that
``1 + tanh(x)`` is positive, and not only nonnegative.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Interval, Mul, Pow, S, atan, exp, factor, log, oo, pi, tan, tanh

from recipe.language.fold import ends_of
from recipe.language.symbols import Block


class Within:
    """Ranges of the expressions in a rule for a block; equal expressions have one range."""

    def __init__(self, block: Block) -> None:
        self._ranges: dict[Expr, Expr] = {block: _stand_in(block)}

    def is_positive(self, f: Expr) -> bool:
        """Whether every factor of the expression is seen to be positive."""
        return all(g.is_positive or _positive(self.range(g)) for g in Mul.make_args(f))

    def range(self, e: Expr) -> Expr:
        """The expression with ranges in the place of functions; a function whose range is not known
        here stays.
        """
        if e not in self._ranges:
            known = isinstance(e, Add | Mul | Pow | exp | log | atan | tan | tanh)
            self._ranges[e] = _range(e.func(*map(self.range, e.args))) if known else e
        return self._ranges[e]


def _stand_in(block: Block) -> Expr:
    """The block in terms of a positive number; the block itself where its interval is not open."""
    ends = ends_of(block)
    if ends is None or block.domain != Interval.open(*ends):
        return block
    (low, high), p = ends, _number()
    if high == oo:
        return low + p
    return high - p if low == -oo else low + (high - low) * p / (1 + p)


def _number() -> Expr:
    return Dummy(positive=True)


def _range(e: Expr) -> Expr:
    """The range of a function whose arguments are rational functions already."""
    if isinstance(e, exp):
        return _range_of_exp(factor(e.args[0]))
    if isinstance(e, log) and _positive(e.args[0]):
        a = e.args[0] - 1
        return _number() if _positive(a) else -_number() if _positive(-a) else Dummy(real=True)
    if isinstance(e, atan | tanh) and e.args[0].is_real:
        p = _number()
        return (pi / 2 if isinstance(e, atan) else S.One) * (p - 1) / (p + 1)
    if isinstance(e, tan) and _positive(pi / 2 - e.args[0]) and _positive(pi / 2 + e.args[0]):
        return Dummy(real=True)
    if isinstance(e, Pow) and not e.exp.is_Integer and e.exp.is_real and _positive(e.base):
        return _number()
    return e


def _range_of_exp(a: Expr) -> Expr:
    if a.is_negative:
        return 1 / (1 + _number())
    if a.is_positive:
        return 1 + _number()
    return _number() if a.is_real else exp(a)


def _positive(e: Expr) -> bool:
    return bool(e.is_positive or factor(e).is_positive)
