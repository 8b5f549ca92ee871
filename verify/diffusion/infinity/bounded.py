"""Which expressions are bounded on the whole domain, for every length and all parameters?

A bounded summand of H changes the mass of every set by a factor between two positive numbers.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Integer, Mul, Pow, atan, cos, erf, exp, sin, tanh

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import freeze
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, generic
from recipe.language.total import Total, opened
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NOT_POSITIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs

BETWEEN_BOUNDS = (sin, cos, tanh, atan, erf)
SCALES = (Integer(1), Integer(2), Integer(4))


def is_bounded_everywhere(e: Expr, blocks: tuple[Block, ...]) -> bool:
    """Return True if ``|e|`` is proved to be at most a number that may depend on lengths and
    parameters; False proves nothing.
    """
    if not blocks_in(e, blocks):
        return True
    if isinstance(e, BETWEEN_BOUNDS):
        return is_continuous(e.args[0])
    if isinstance(e, exp):
        return is_bounded_above(e.args[0], blocks)
    if isinstance(e, Vector | Scalar):
        return on_simplex(e) or len(finite_ends(generic(e).domain)) == 2
    if isinstance(e, Total):  # a sum of so many numbers as the length says
        body, _ = opened(e, GENERIC)
        return is_bounded_everywhere(body, blocks)
    if isinstance(e, Add):
        return all(is_bounded_everywhere(a, blocks) for a in e.args)
    if isinstance(e, Pow) and e.exp.is_Integer:
        return (
            is_bounded_everywhere(e.base, blocks)
            if e.exp > 0
            else _is_bounded_below(e.base, blocks)
        )
    if isinstance(e, Mul):
        return all(is_bounded_everywhere(a, blocks) for a in e.args) or _is_bounded_quotient(e)
    return False


def is_bounded_above(e: Expr, blocks: tuple[Block, ...]) -> bool:
    """Return True if e is proved to be at most a number; False proves nothing."""
    return is_continuous(e) and all(
        possible_signs(a) <= NOT_POSITIVE or is_bounded_everywhere(a, blocks)
        for a in Add.make_args(e)
    )


def _is_bounded_below(e: Expr, blocks: tuple[Block, ...]) -> bool:
    """Return True if e is a positive constant and terms that are not negative."""
    constant = Add(*(a for a in Add.make_args(e) if not blocks_in(a, blocks)))
    return is_positive(constant) and is_continuous(e) and is_nonnegative(e - constant)


def _is_bounded_quotient(e: Mul) -> bool:
    """Return True for ``n/p`` with p > 0 and ``|n| <= c p`` for a number c."""
    frozen, stands_for = freeze(e)
    numbers = {a: Dummy(real=True, nonnegative=True if is_nonnegative(b) else None) for b, a in
               stands_for.items()}  # fmt: skip
    frozen = frozen.xreplace(numbers)
    below = [f for f in Mul.make_args(frozen) if isinstance(f, Pow) and f.exp == -1]
    if len(below) != 1 or not is_continuous(e):
        return False
    p, n = below[0].base, frozen / below[0]
    return is_positive(p) and any(
        all(is_nonnegative((c * p + side * n).expand()) for side in (1, -1)) for c in SCALES
    )


__all__ = ["is_bounded_above", "is_bounded_everywhere"]
