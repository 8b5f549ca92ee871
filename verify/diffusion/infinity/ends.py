"""What a function h of one coordinate does at the ends of its domain: is ``exp(-h)`` integrable,
how fast does h grow.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Dummy, Expr, Interval, Rational, S, log, oo

from recipe.language.calculus import abstract_atoms
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import (
    NEGATIVE,
    NOT_NEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    is_positive,
    possible_signs,
)
from recipe.language.symbols import Block
from verify.decide.asymptotics.growth import (
    LOGARITHM,
    ONE,
    OrderOfInfinity,
    bound,
    compare,
    expanded,
    is_bounded,
    leading,
    unfold_logarithms,
)

T = Dummy("t", positive=True)
SLIGHT = Rational(1, 1000)  # any positive power exceeds every logarithm
STEEP = Rational(1000)  # and exponentials exceed every power


@dataclass(frozen=True)
class End:
    """One end of a domain, approached as t goes to infinity: ``x = position(t)``, with ``|dx/dt| =
    t^jacobian``.
    """

    name: str
    position: Expr
    jacobian: int

    @property
    def infinite(self) -> bool:
        """Whether it lies at infinity."""
        return self.jacobian == 0


def ends(block: Block) -> tuple[End, ...]:
    """Both ends of an interval, the lower one first."""
    domain = block.domain
    low, high = (domain.start, domain.end) if isinstance(domain, Interval) else (-oo, oo)
    lower = End("-oo", -T, 0) if low == -oo else End(str(low), low + 1 / T, -2)
    upper = End("oo", T, 0) if high == oo else End(str(high), high - 1 / T, -2)
    return lower, upper


def at_end(h: Expr, x: Block, end: End) -> Expr | None:
    """The function of t that h is on the way to an end; None where an abstract function hides what
    it does.
    """
    if any(blocks_in(atom, (x,)) for atom in abstract_atoms(h)):
        return None
    return expanded(h.xreplace({x: end.position}))


def is_integrable(h: Expr, x: Block, end: End) -> bool | None:
    """Whether the integral of ``exp(-h)`` up to an end is finite; None where that is not
    decided.
    """
    f = at_end(h, x, end)
    if f is None:
        return None
    c, rest = _logarithm_apart(f)
    if is_bounded(bound(rest, T)):
        # exp(-f) lies between two multiples of t^-c; with the Jacobian it is integrable iff c -
        # jacobian > 1.
        signs = possible_signs((c - end.jacobian - 1).expand())
        return True if signs == POSITIVE else False if signs <= NOT_POSITIVE else None
    order = leading(f, T)
    if order is None or compare(order, LOGARITHM) == -1:
        # Below every multiple of log(t), exp(-h) exceeds t^-e for every e > 0 and stays below t^e.
        slow = compare(bound(f, T) or OrderOfInfinity(S.One, S.One), LOGARITHM) == -1
        return not end.infinite if slow else None
    size = compare(order, LOGARITHM)
    excess = order.coefficient if size == 1 else order.coefficient - end.jacobian - 1
    return (
        None
        if size is None
        else {POSITIVE: True, NEGATIVE: False}.get(possible_signs(excess.expand()))
    )


def _logarithm_apart(f: Expr) -> tuple[Expr, Expr]:
    """``(c, rest)`` with ``f = c log(t) + rest``."""
    terms = Add.make_args(expanded(unfold_logarithms(f, T)))
    slow = [a for a in terms if a.as_independent(T, as_Add=False)[1] == log(T)]
    return Add(*(a / log(T) for a in slow)), Add(*(a for a in terms if a not in slow))


def is_bounded_below(h: Expr, x: Block, end: End) -> bool:
    """Whether h is proved to stay above some number on the way to an end."""
    f = at_end(h, x, end)
    if f is None:
        return False
    order = leading(f, T)
    return is_bounded(bound(f, T)) or (order is not None and is_positive(order.coefficient))


def lower_power(h: Expr, x: Block, end: End) -> Expr | None:
    """A power p with ``h >= a |x|^p - b`` for some a > 0 and b on the way to an infinite end; None
    unless h goes to infinity.

    It is 0 where h is proved to go to infinity, and slower than every power.
    """
    f = at_end(h, x, end)
    order = None if f is None else leading(f, T)
    if order is None or compare(order, ONE) != 1 or not is_positive(order.coefficient):
        return None
    if order.rates:
        return STEEP
    if is_positive(order.power):
        return (
            order.power
            if possible_signs(order.logs) <= NOT_NEGATIVE
            else order.power * (1 - SLIGHT)
        )
    return S.Zero if order.power == 0 else None


def upper_power(g: Expr, x: Block, end: End) -> Expr | None:
    """A power p >= 0 with ``|g| <= a |x|^p + b`` on the way to an infinite end; 0 for what stays
    bounded at a finite one.
    """
    f = at_end(g, x, end)
    order = None if f is None else bound(f, T)
    if order is None:
        return None
    if is_bounded(order):
        return S.Zero
    if not end.infinite or (order.rates and possible_signs(order.rates[0][1]) != NEGATIVE):
        return None
    if not order.power.is_number:
        return order.power if is_positive(order.power) and order.logs == 0 else None
    power = max(order.power, S.Zero)
    return power + (SLIGHT if order.logs != 0 else 0)
