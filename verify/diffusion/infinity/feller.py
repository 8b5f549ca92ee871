"""Feller's test at an infinite end: does one coordinate reach infinity in finite time?

Let ``dx = b dt + sqrt(2 a) dW`` with continuous b and a > 0, and turn the sign so that the end is
+oo. With ``k = b/a`` and the densities ``s' = exp(-integral of k)`` of the scale and ``m = 1/(a
s')`` of the speed, the end is reached with positive probability iff ``v = integral of s' M`` is
finite there, where M is the integral of m (Feller 1952; Karatzas & Shreve 1991, theorem 5.5.29).
As M is bounded below by a positive number, ``integral of s' = oo`` is enough for v = oo.

The order of ``t k`` as t -> oo decides:

*   ``t k -> c < 1``, or ``-> -oo``: s' is at least ``t^(-c')`` with c' < 1, so its integral is oo.
*   ``t k -> oo`` and ``a b'/b^2 -> 0``: ``(1/(b s'))' = (1 - a b'/b^2) m``, so M is between two
    multiples of ``1/(b s')`` and v' between two multiples of ``1/b``.
*   ``t k -> c > 1`` and ``t a'/a -> q``: ``s' = t^(-c + o(1))`` has a finite integral. If ``1 - q +
    c > 0``, ``(t/(a s'))'`` is asymptotically ``(1 - q + c) m``, and v' is between two multiples of
    ``t/a``. Else ``m = t^(c - q + o(1))`` has ``c - q <= -1``, M is at most ``t^(o(1))``, and v is
    finite.

At c = 1 this is open. Where no current of exp(-h) flows, ``b = a' - a h'``, s' is ``exp(h)/a`` and
m is ``exp(-h)`` up to constants, and their integrals are decided without k.
"""

from __future__ import annotations

from sympy import Dummy, Expr, S, cos, log, sin

from recipe.language.blocks import Block
from recipe.signs.sets import NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE, POSITIVE
from recipe.signs.sign import is_nonzero, possible_signs
from verify.decide.asymptotics.growth import (
    ONE,
    OrderOfInfinity,
    bound,
    compare,
    goes_to_zero,
    leading,
)
from verify.diffusion.infinity.ends import End, T, at_end, is_bounded_below, is_integrable


def is_reached(b: Expr, a: Expr, x: Block, end: End, h: Expr | None = None) -> bool | None:
    """Decide whether x reaches an infinite end in finite time with positive probability.

    Args:
        b: the drift, a continuous function of x.
        a: the diffusion, a positive continuous function of x.
        x: the coordinate.
        end: the end, +oo or -oo.
        h: a function with ``b = a' - a h'``; None if none is known.

    Returns:
        None if that is not decided.
    """
    outward = b if end.name == "oo" else -b
    found = _by_scale_and_speed(a, x, end, h) if h is not None else None
    return _by_order(outward, a, x, end) if found is None else found


def _by_scale_and_speed(a: Expr, x: Block, end: End, h: Expr) -> bool | None:
    """Decide it by the integrals of ``s' = exp(h)/a`` and ``m = exp(-h)``."""
    scale = is_integrable(log(a) - h, x, end)
    if scale is False or (scale is None and _oscillates_above(h - log(a), x, end)):
        return False
    return True if scale and is_integrable(h, x, end) else None


def _oscillates_above(e: Expr, x: Block, end: End) -> bool:
    """Return True if e is proved to be bounded below on a set of infinite measure: then the
    integral of exp(e) up to the end is infinite.

    e is ``A u + B`` with a sine or cosine u of a multiple of x. Where ``s u >= 1/2``, for a sign s
    with s A bounded below, e is at least ``s A/2 + B`` up to a constant.
    """
    waves = [u for u in e.atoms(sin, cos) if x in u.free_symbols]
    if len(waves) != 1 or not is_nonzero(waves[0].args[0].diff(x)):
        return False
    (u,) = waves
    stands_for = Dummy()
    linear = e.xreplace({u: stands_for}).expand()
    A, B = linear.coeff(stands_for, 1), linear.coeff(stands_for, 0)
    if (
        (linear - A * stands_for - B).expand() != 0
        or u.args[0].diff(x).free_symbols & {x}
        or (A.has(stands_for) or B.has(stands_for))
    ):
        return False
    return any(
        is_bounded_below(s * A / 2 + B, x, end) and is_bounded_below(s * A, x, end) for s in (1, -1)
    )


def _by_order(outward: Expr, a: Expr, x: Block, end: End) -> bool | None:
    """Decide it by the order of ``t k``."""
    ratio = at_end(outward / a, x, end)
    if ratio is None:
        return None
    ratio = T * ratio
    if ratio == 0 or goes_to_zero(bound(ratio, T)):
        return False
    order = leading(ratio, T)
    size = None if order is None else compare(order, ONE)
    if order is None or size is None:
        return None
    signs = possible_signs(order.coefficient)
    if signs <= NOT_POSITIVE:
        return False
    if size == 1:
        return _with_a_strong_drift(outward, a, x, end) if signs == POSITIVE else None
    above = possible_signs((order.coefficient - 1).expand())
    if above == NEGATIVE:
        return False
    return _with_a_drift_like(order.coefficient, a, x, end) if above == POSITIVE else None


def _with_a_strong_drift(outward: Expr, a: Expr, x: Block, end: End) -> bool | None:
    """Decide it where ``t k -> oo``, by the integral of ``1/b``."""
    time = _order(1 / outward, x, end)
    correction = at_end(a * outward.diff(x) / outward**2, x, end)
    if time is None or correction is None or not goes_to_zero(bound(correction, T)):
        return None
    return has_finite_integral(time)


def _with_a_drift_like(c: Expr, a: Expr, x: Block, end: End) -> bool | None:
    """Decide it where ``t k -> c > 1``."""
    power = at_end(x * a.diff(x) / a, x, end)  # t a'/a, at both ends
    noise = _order(a, x, end)
    if power is None or noise is None or noise.rates:
        return None
    q = noise.power
    if not goes_to_zero(bound((power - q).expand(), T)) and not _goes_to(power, q):
        return None
    signs = possible_signs((1 - q + c).expand())
    if signs == POSITIVE:
        time = _order(x / a if end.name == "oo" else -x / a, x, end)
        return None if time is None else has_finite_integral(time)
    return True if signs <= NOT_POSITIVE else None


def _goes_to(e: Expr, q: Expr) -> bool:
    """Return True if e is proved to go to a nonzero number q."""
    order = leading(e, T)
    return order is not None and compare(order, ONE) == 0 and (order.coefficient - q).expand() == 0


def _order(e: Expr, x: Block, end: End) -> OrderOfInfinity | None:
    f = at_end(e, x, end)
    return None if f is None else leading(f, T)


def has_finite_integral(order: OrderOfInfinity) -> bool | None:
    """Decide whether a positive function of this order is integrable up to infinity; None if it is
    open.

    In the borderline case ``log(t)^q/t``, it is integrable iff q < -1.
    """
    if not order.rates and order.power == -1:
        signs = possible_signs(order.logs + 1)
        return True if signs == NEGATIVE else False if signs <= NOT_NEGATIVE else None
    return {1: False, -1: True}.get(compare(order, OrderOfInfinity(S.One, -S.One)) or 0)
