"""The leading bias of an observable: ``E_h phi - E phi = step^p (E[phi f] - E[phi] E[f]) +
...``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Rational

from recipe.declare.update import Update
from recipe.language.errors import OutsideLanguageError
from recipe.language.validate import read
from verify.discrete.weak_order.density_change import CAPACITIES
from verify.discrete.weak_order.invariant import Order, invariant_order
from verify.discrete.weak_order.moments import integrated_out
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.step import gradient_of, step_of
from verify.generator.one_dimension import at_length_one


@dataclass(frozen=True)
class Bias:
    """``E_h phi - E phi = coefficient * step^power + ...``.

    ``coefficient`` is None where the target is not normal; it is then the covariance of
    ``observable`` and ``correction`` under exp(-H), an integral that is left to numbers. It may be
    zero: then the observable is right to a higher order.
    """

    power: Rational
    coefficient: Expr | None
    observable: Expr
    correction: Expr


def leading_bias(update: Update, observable: Any, order: Order | None = None) -> Bias | None:
    """The leading bias of an observable in one dimension; None where the leading correction of the
    density is not known.

    Args:
        update: one step.
        observable: a number that depends on the state.
        order: what ``invariant_order`` says of the step, if that is known already.
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
