"""The leading bias of an observable: ``E_h phi - E phi = step^p (E[phi f] - E[phi] E[f]) +
...``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Rational

from recipe.declare.update import Update
from recipe.language.checks.validate import read
from recipe.language.errors import OutsideLanguageError
from verify.discrete.weak_order.density_change import CAPACITIES
from verify.discrete.weak_order.invariant import Order, invariant_order
from verify.discrete.weak_order.moments import integrated_out
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.step import gradient_of, step_of
from verify.generator.one_dimension import at_length_one


@dataclass(frozen=True)
class Bias:
    """The leading bias of an observable, ``E_h phi - E phi = coefficient * step^power + ...``.

    Attributes:
        power: the power of the step.
        coefficient: None where the target is not normal: it is then the covariance of
            ``observable`` and ``correction`` under exp(-H), an integral that is left to numerical
            work. Zero means that the observable is right to a higher order.
        observable: phi, at length one.
        correction: f, the leading correction of the density.
    """

    power: Rational
    coefficient: Expr | None
    observable: Expr
    correction: Expr


def leading_bias(update: Update, observable: Any, order: Order | None = None) -> Bias | None:
    """Return the leading bias of an observable in one dimension.

    Args:
        update: one step.
        observable: an expression of the state, a number at each state.
        order: the result of ``invariant_order`` for the step, if it is known already.

    Returns:
        The bias; None where the leading correction of the density is not known.
    """
    order = invariant_order(update, marginals=()) if order is None else order
    phi = at_length_one(read(observable, "the observable"))
    if order.correction is None:
        return None
    step = step_of(update)
    ring = Ring(step.coordinates, CAPACITIES[-1])
    gradient = gradient_of(step, ring)

    def mean(p: Poly) -> Poly | None:
        return integrated_out(p, step.coordinates, gradient, ring)

    coefficient = None
    try:
        f, g = ring.read(order.correction), ring.read(phi)
        means = [mean(ring.product(f, g)), mean(f), mean(g)]
        if all(m is not None for m in means):
            coefficient = ring.expression(
                ring.reduced(means[0] - ring.product(means[1], means[2]))
            ).factor()
    except OutsideLanguageError:
        coefficient = None
    return Bias(order.order, coefficient, phi, order.correction)
