"""Marginal laws that a normal target cannot show to be off: potentials with a small quartic part.

For ``U = x^2 / 2 + delta x^4 / 4`` the leading correction of the joint law is ``f_0 + delta f_1 +
O(delta^2)``. At each power of delta, the equation ``L^dagger (rho f) = -A_{p+1}^dagger rho`` is one
for the normal target, with polynomial solutions. If the mean of f given some blocks varies at the
first power of delta, their law is off for every delta that is small enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Rational, Symbol

from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order.density_change import Expansion, expansion_of
from verify.discrete.weak_order.meanings import meanings, unused
from verify.discrete.weak_order.moments import integrated_out
from verify.discrete.weak_order.poisson import correction, generator_on
from verify.discrete.weak_order.prime_notation import power_of_step
from verify.discrete.weak_order.push import Gradient
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.step import Map, Step
from verify.verdict import Verdict


def off_by_a_quartic(step: Step, kept: Sequence[Block], order: Rational) -> str | None:
    """Return, in words, a potential for which the law of the kept blocks is off at this power of
    the step; None where none is found.
    """
    delta = unused(("delta", "strength"), step)
    values = meanings(step, lambda x: x**2 / 2 + delta * x**4 / 4)
    potentials = [atom for atom in values if isinstance(atom, Potential)]
    if not potentials or order.q != 1:
        return None
    try:
        mean = mean_correction(step.with_values(values), kept, 2 * int(order) + 2, delta)
    except (OutsideLanguageError, CannotDecideError):
        return None
    if mean is None or all(decide_zero(mean.diff(x)).verdict is not Verdict.REFUTED for x in kept):
        return None
    where = ", ".join(f"{U} = {values[U]}" for U in potentials)
    return (
        f"where {where} and {delta} is small the density is off at {power_of_step(order)}, if the"
        f" law depends smoothly on {delta}"
    )


def mean_correction(step: Step, kept: Sequence[Block], power: int, delta: Symbol) -> Expr | None:
    """Return the mean of f given the kept blocks, at the first power of delta and up to a constant;
    None where it is not found.
    """
    expansion = expansion_of(step, power + 1)
    ring = expansion.ring
    if any(change != 0 for change in expansion.changes[:power]):
        return None
    normal = _NormalCase(expansion, delta)
    residual = [normal.part(expansion.changes[power], m) for m in (0, 1)]
    f0 = normal.solved(residual[0])
    if f0 is None:
        return None
    f1 = normal.solved(
        residual[1] + normal.part(generator_on(f0, expansion.maps, expansion.gradient, ring), 1)
    )
    mean = None if f1 is None else normal.mean_at_first_power(f0, f1, kept)
    return None if mean is None else ring.expression(mean)


class _NormalCase:
    """The step and the target where delta is 0."""

    def __init__(self, expansion: Expansion, delta: Symbol) -> None:
        self.ring: Ring = expansion.ring
        self._number = self.ring.number_of(delta)
        self._quartic = self.ring.read(expansion.step.H.diff(delta))
        self._maps: list[Map] = [
            {b: c.each(lambda p: self.part(p, 0)) for b, c in m.items()} for m in expansion.maps
        ]
        self._gradient: Gradient = {x: self.part(p, 0) for x, p in expansion.gradient.items()}

    def part(self, p: Poly, power: int) -> Poly:
        """Return the coefficient of a power of delta."""
        return self.ring.split(p, [self._number]).get((power,), self.ring.zero)

    def solved(self, residual: Poly) -> Poly | None:
        """Return the correction of the normal target for a residual; None if none is found."""
        return (
            residual
            if residual == 0
            else correction(residual, self._maps, self._gradient, self.ring)
        )

    def mean_at_first_power(self, f0: Poly, f1: Poly, kept: Sequence[Block]) -> Poly | None:
        """Return ``E[f | kept]`` at the first power of delta; None where an integral is not known.

        It is ``E f_1 - E[f_0 V] + E[f_0] E[V]``, with V the quartic part of H.
        """
        gone = [x for x in self.ring.coordinates if x not in kept]
        wanted = (f1, self.ring.product(f0, self._quartic), f0, self._quartic)
        means = [integrated_out(p, gone, self._gradient, self.ring) for p in wanted]
        known = [m for m in means if m is not None]
        if len(known) < len(means):
            return None
        of_f1, of_f0_V, of_f0, of_V = known
        return of_f1 - of_f0_V + self.ring.product(of_f0, of_V)
