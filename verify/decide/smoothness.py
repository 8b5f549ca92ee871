"""How many continuous derivatives does an expression have for certain, and where may the next fail?

A derivative is taken by the rules of calculus, which hold where each operation of the expression
can be differentiated: roots of positive numbers, logarithms of positive numbers, quotients by
numbers that are not 0. A root of a square, ``sqrt(x**2 - 2*x + 1)``, is a kink that nobody sees:
its derivative by these rules is right for x != 1 and says nothing of x = 1.

``faults`` lists the operations that are not proved to be smooth on the whole domain, each with the
derivatives that it has for certain. All other operations of the language are smooth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Abs, Expr, Pow, Symbol, ceiling, factor_list, fraction, oo, sign, together
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import PolynomialError

from recipe.language.abstract import Dense, Field, Jet, Partial, Potential
from recipe.language.assumed import cached
from recipe.language.blocks import Block
from recipe.language.calculus import freeze, thaw
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER, generic
from recipe.language.total import Total, opened
from recipe.signs.defined import NONZERO, POSITIVE, Condition, own_conditions
from recipe.signs.sign import is_nonnegative, is_nonzero, is_positive
from verify.decide.definedness import holds

NOT_CONTINUOUS = -1


@dataclass(frozen=True)
class Fault:
    """An operation that may not be smooth where an expression vanishes.

    Attributes:
        of: the operation with its arguments.
        zero: the expression.
        order: the number of continuous derivatives that the operation has for certain;
            NOT_CONTINUOUS if it may jump or have no value.
        unless: the sign of that expression with which the operation is smooth: ``"> 0"`` or
            ``"!= 0"``.
    """

    of: Expr
    zero: Expr
    order: int
    unless: str = NONZERO

    @property
    def is_analytic(self) -> bool:
        """True if the zeros are those of an elementary function.

        They lie on surfaces then. An abstract smooth function may vanish on any closed set.
        """
        return not self.zero.has(Potential, Field, Dense, Partial, Jet, AppliedUndef)

    def __str__(self) -> str:
        if self.order < 0:
            return f"{self.of} is not proved to be continuous unless {self.zero} {self.unless}"
        derivative = ("first", "second", "third")[self.order] if self.order < 3 else "next"
        return (
            f"the {derivative} derivative of {self.of} is not proved to be continuous where"
            f" {self.zero} = 0"
        )


@cached(maxsize=4096)
def faults(e: Expr, state: tuple[Block, ...], step: Symbol | None = None) -> tuple[Fault, ...]:
    """Return the operations in an expression that are not proved to be smooth as functions of the
    state, each once.

    An absolute value of a coordinate, or its sign, is no fault: kinks at 0 of a coordinate are
    judged by themselves (``verify.diffusion.nonsmooth``). Nor is an operation on parameters alone,
    or a random number. ``recipe.signs.defined.is_smooth`` excludes all of these; what is smooth
    there has no faults here.

    Args:
        e: the expression.
        state: the coordinates by which it is differentiated.
        step: the step of a rule, if ``e`` is one; then ``e`` must be smooth for small steps.
    """
    found = dict.fromkeys(_faults(e, step))
    return tuple(
        fault
        for fault in found
        if blocks_in(fault.zero, state)
        or (isinstance(fault.of, Pow) and blocks_in(fault.of.exp, state))
    )


def _faults(e: Expr, step: Symbol | None) -> Iterator[Fault]:
    if isinstance(e, Total):
        body, _ = opened(e, GENERIC, OTHER)
        yield from _faults(body, step)
        return
    if isinstance(e, Abs | sign):
        yield from _of_absolute_value(e, 0 if isinstance(e, Abs) else NOT_CONTINUOUS, e)
    elif isinstance(e, Pow) and isinstance(e.base, Abs) and e.exp.is_Integer and e.exp > 0:
        yield from _of_absolute_value(e.base, int(e.exp) - 1, e)
        yield from _faults(e.base.args[0], step)
        return
    else:
        for condition in own_conditions(e):
            yield from _of_condition(condition, e, step)
    for part in e.args:
        yield from _faults(part, step)


def _of_absolute_value(e: Expr, order: int, of: Expr) -> Iterator[Fault]:
    """Yield the fault of a power of an absolute value, or of a sign, unless it is one of a
    coordinate.
    """
    inside = e.args[0]
    if inside.is_Symbol and isinstance(generic(inside), Block):
        return
    if is_nonzero(inside) or (
        isinstance(e, Abs) and (is_nonnegative(inside) or is_nonnegative(-inside))
    ):
        return
    yield Fault(of, inside, order)


def _of_condition(condition: Condition, e: Expr, step: Symbol | None) -> Iterator[Fault]:
    """Yield the fault of an operation whose argument is not proved to be where it is smooth."""
    if isinstance(e, NoncentralChiSquared):  # a random number, which nobody differentiates
        return
    strict = condition.strict_sign
    if holds(Condition(condition.e, strict), step):
        return
    if isinstance(e, Pow) and e.exp.is_Rational and e.exp > 0:
        yield from _of_root(e, holds(condition, step))
    else:
        is_power = isinstance(e, Pow) and condition.sign != NONZERO
        order = 0 if is_power and is_positive(e.exp) and holds(condition, step) else NOT_CONTINUOUS
        yield Fault(e, condition.e, order, strict)


def _of_root(root: Expr, is_defined: bool) -> Iterator[Fault]:
    """Yield the faults of a power ``b**q`` with a positive fraction q.

    If b >= 0, it has ``ceil(q) - 1`` continuous derivatives. If b is a product of powers f**n that
    are not negative, it is the product of the powers |f|**(n q), which may have more.
    """
    base, q = root.args
    at_least = int(ceiling(q)) - 1
    powers = _factors(base)
    if powers is None or not all(n % 2 == 0 or is_nonnegative(f) for f, n in powers):
        yield Fault(root, base, at_least if is_defined else NOT_CONTINUOUS, POSITIVE)
        return
    for f, n in powers:
        order = _of_power(n, n * q)
        if not is_nonzero(f) and order < oo:
            yield Fault(root, f, max(int(order), at_least))


def is_product_of_squares(base: Expr) -> bool:
    """Return True if an expression is proved to be a product of even powers and of factors that are
    not negative.
    """
    powers = _factors(base)
    return powers is not None and all(n % 2 == 0 or is_nonnegative(f) for f, n in powers)


def _of_power(n: int, power: Expr) -> Expr:
    """Return the number of continuous derivatives of ``|f|**power`` for a smooth f; f >= 0 if n is
    odd.
    """
    is_smooth = power.is_Integer and (n % 2 == 1 or power % 2 == 0)
    return oo if is_smooth else ceiling(power) - 1


def _factors(base: Expr) -> list[tuple[Expr, int]] | None:
    """Return the factors of an expression and their multiplicities, without positive constants.

    None if it is no product of powers with a positive constant, or is divided by what may vanish.
    """
    frozen, stands_for = freeze(base)
    above, below = fraction(together(frozen))
    if not is_nonzero(thaw(below, stands_for)):
        return None
    try:
        constant, powers = factor_list(above / below if below.is_number else above)
    except PolynomialError:
        return None
    if not (constant.is_positive and (below.is_number or is_nonnegative(thaw(below, stands_for)))):
        return None
    return [(thaw(f, stands_for), n) for f, n in powers]


def first_fault(e: Expr, state: tuple[Block, ...], needed: int) -> Fault | None:
    """Return the first fault with too few continuous derivatives; None if there is none."""
    return next(lacking(e, state, needed), None)


def lacking(e: Expr, state: tuple[Block, ...], needed: int) -> Iterator[Fault]:
    """Yield the faults with too few continuous derivatives.

    A function that is smooth off a surface, and continuous, is constant if its derivatives vanish
    there: that needs 0. The zeros of an abstract function may be any closed set, such as Cantor's,
    and there one derivative more is needed.
    """
    return (f for f in faults(e, state) if f.order < needed + (0 if f.is_analytic else 1))
