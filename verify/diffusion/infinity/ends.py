"""A function h of one coordinate at the ends of its domain: Is ``exp(-h)`` integrable? How fast
does h grow?
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Dummy, Expr, Interval, Rational, S, log, loggamma, oo

from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms
from recipe.language.free_symbols import blocks_in
from recipe.signs.sets import NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE, POSITIVE
from recipe.signs.sign import is_positive, possible_signs
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
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign
from verify.decide.asymptotics.leading import growth as edge_growth

SMALL = Dummy("e", positive=True)  # the distance from a finite end
T = Dummy("t", positive=True)  # goes to infinity as the coordinate goes to an end
SLIGHT_POWER = Rational(1, 1000)  # stands for a logarithm: every positive power exceeds it
STEEP_POWER = Rational(1000)  # stands for an exponential, which exceeds every power


@dataclass(frozen=True)
class End:
    """One end of a domain, approached by ``x = position(t)`` as t goes to infinity, with ``|dx/dt|
    = t^jacobian``.
    """

    name: str
    position: Expr
    jacobian: int

    @property
    def infinite(self) -> bool:
        """True if the end lies at infinity."""
        return self.jacobian == 0


def ends(block: Block) -> tuple[End, ...]:
    """The two ends of the domain of a block, an interval or the line; the lower one first."""
    domain = block.domain
    low, high = (domain.start, domain.end) if isinstance(domain, Interval) else (-oo, oo)
    lower = End("-oo", -T, 0) if low == -oo else End(str(low), low + 1 / T, -2)
    upper = End("oo", T, 0) if high == oo else End(str(high), high - 1 / T, -2)
    return lower, upper


def at_end(h: Expr, x: Block, end: End) -> Expr | None:
    """h as a function of t on the way to an end.

    None if an abstract function depends on x, as its behaviour there is unknown.
    """
    if any(blocks_in(atom, (x,)) for atom in abstract_atoms(h)):
        return None
    if not end.infinite:  # Gamma(a) = Gamma(a + 1)/a, where a may go to 0
        gammas = h.atoms(loggamma)
        h = h.xreplace({g: loggamma(g.args[0] + 1) - log(g.args[0]) for g in gammas})
    return expanded(h.xreplace({x: end.position}))


def is_integrable(h: Expr, x: Block, end: End) -> bool | None:
    """Decide whether the integral of ``exp(-h)`` up to an end is finite; None if that is not
    decided.
    """
    found = _by_growth(h, x, end)
    return _near_finite_end(h, x, end) if found is None and not end.infinite else found


def _near_finite_end(h: Expr, x: Block, end: End) -> bool | None:
    """Decide it by the scale for a small distance e from the end, where Taylor's series resolve
    terms that cancel.

    With ``L = log(1/e)`` and ``h = a L + b log(L) + c + o(1)``, ``exp(-h)`` lies between two
    multiples of ``e^a L^-b``, which is integrable iff a > -1, or a = -1 and b > 1.
    """
    if any(blocks_in(atom, (x,)) for atom in abstract_atoms(h)):
        return None
    try:
        found = edge_growth(h.xreplace({x: end.position.xreplace({T: 1 / SMALL})}), SMALL)
        if found.escape:
            return found.escape > 0
        excess = certain_sign((found.log + 1).expand())
        if excess == 0:
            excess = certain_sign((found.loglog - 1).expand())
            return None if excess is None else excess > 0
    except (NoLeadingTermError, RecursionError):
        return None
    return None if excess is None else excess > 0


def _by_growth(h: Expr, x: Block, end: End) -> bool | None:
    """Decide it by the scale for a variable t that goes to infinity."""
    f = at_end(h, x, end)
    if f is None:
        return None
    c, rest = _logarithm_apart(f)
    k, rest = _iterated_logarithm_apart(rest)
    if is_bounded(bound(rest, T)):
        # exp(-f) lies between two multiples of t^-c log(t)^-k; with the Jacobian it is integrable
        # iff c - jacobian > 1, or c - jacobian = 1 and k > 1 (Bertrand's integrals).
        excess = (c - end.jacobian - 1).expand()
        signs = possible_signs((k - 1).expand() if excess == 0 else excess)
        if k == 0 or excess == 0:
            return True if signs == POSITIVE else False if signs <= NOT_POSITIVE else None
        return {POSITIVE: True, NEGATIVE: False}.get(signs)
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


def _iterated_logarithm_apart(f: Expr) -> tuple[Expr, Expr]:
    """``(k, rest)`` with ``f = k log(log(t)) + rest``, where rest is bounded if it was before.

    ``log(u) = q log(log(t)) + log(c) + o(1)`` for an u with the leading term ``c log(t)^q``.
    """
    k, rest = S.Zero, S.Zero
    for term in Add.make_args(f):
        factor, of = term.as_independent(T, as_Add=False)
        order = leading(of.args[0], T) if isinstance(of, log) else None
        slow = order is not None and order.power == 0 and not order.rates
        if order is not None and slow and order.logs != 0 and is_positive(order.coefficient):
            k += factor * order.logs
        else:
            rest += term
    return k, rest


def is_bounded_below(h: Expr, x: Block, end: End) -> bool:
    """Return True if h is proved to stay above some number on the way to an end."""
    f = at_end(h, x, end)
    if f is None:
        return False
    order = leading(f, T)
    return is_bounded(bound(f, T)) or (order is not None and is_positive(order.coefficient))


def goes_to_infinity(h: Expr, x: Block, end: End) -> bool:
    """Return True if h is proved to go to infinity on the way to an end."""
    f = at_end(h, x, end)
    if f is None:
        return False
    c, rest = _logarithm_apart(f)
    if is_bounded(bound(rest, T)):
        return is_positive(c)
    order = leading(f, T)
    return order is not None and compare(order, ONE) == 1 and is_positive(order.coefficient)


def logarithmic_slope(h: Expr, x: Block, end: End) -> Expr | None:
    """The c with ``h = c log(t) + O(1)`` on the way to an end; None if h is not of this form."""
    f = at_end(h, x, end)
    if f is None:
        return None
    c, rest = _logarithm_apart(f)
    return c if is_bounded(bound(rest, T)) else None


def lower_power(h: Expr, x: Block, end: End) -> Expr | None:
    """A power p with ``h >= a |x|^p - b`` for some a > 0 and b, on the way to an infinite end.

    0 if h goes to infinity more slowly than every power; None unless h is proved to go to infinity.
    """
    f = at_end(h, x, end)
    order = None if f is None else leading(f, T)
    if order is None or compare(order, ONE) != 1 or not is_positive(order.coefficient):
        return None
    if order.rates:
        return STEEP_POWER
    if is_positive(order.power):
        return (
            order.power
            if possible_signs(order.logs) <= NOT_NEGATIVE
            else order.power * (1 - SLIGHT_POWER)
        )
    return S.Zero if order.power == 0 else None


def upper_power(g: Expr, x: Block, end: End) -> Expr | None:
    """A power p >= 0 with ``|g| <= a |x|^p + b`` on the way to an infinite end; None if none is
    known.

    At a finite end, 0 for a bounded function and None for any other.
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
    return power + (SLIGHT_POWER if order.logs != 0 else 0)
