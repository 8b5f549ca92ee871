"""Exact refutation of a Metropolised map: a point at which the density changes.

Psi keeps volume. G is what happens on rejection: it turns signs, or it is the identity where the
state is kept. Started from exp(-H), the density at z afterwards is what arrives from ``Psi^-1(z)``
and is accepted, and what arrives from ``G(z)`` and was rejected. Divided by exp(-H(z)) it is

    min(1, e^(H(z) - H(Psi^-1 z))) + e^(H(z) - H(G z))
        - min(e^(H(z) - H(G z)), e^(H(z) - H(Psi G z))).

It is continuous in z, so one point where it is not 1 proves that the laws differ.
"""

from __future__ import annotations

from sympy import Add, Expr, Min, Rational, exp

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from verify.decide.points.balls import shown_ball
from verify.kernels.instance import Place, instances, number, places
from verify.kernels.shears import Shear
from verify.verdict import Witness

COORDINATES = tuple(Rational(p, 2) for p in (1, -1, 2, -2, 3, -3, 4))
MAX_MAP_STEPS = 300  # from one point; exact numbers grow with each application of the map
MAX_POINTS = 24
MAX_DENOMINATOR_BITS = 4_000  # beyond, a trajectory is given up


def density_witness(
    kernel: Kernel, part: MetropolisedMap, shears: tuple[Shear, ...]
) -> Witness | None:
    """Return a point of an instance at which the density after the test certainly differs from
    exp(-H).

    A witness refutes the kernel. None says only that no such point was found among those that were
    tried.
    """
    low, high = (part.times, part.times) if isinstance(part.times, int) else part.times
    if sum(range(low, high + 1)) > MAX_MAP_STEPS:
        return None
    for instance in instances(kernel):
        try:
            explicit = [(s.block, instance.of(s.g)) for s in shears]
            H = instance.of(kernel.target)
        except OutsideLanguageError:
            continue
        turned = part.flips if part.flip_on_rejection else ()
        for z in places(kernel.state, COORDINATES, MAX_POINTS):
            found = [
                r
                for n in range(low, high + 1)
                if (r := _ratio(H, explicit, turned, n, z)) is not None
            ]
            value = number(Add(*found) / len(found) - 1) if len(found) == high + 1 - low else None
            if value is not None and not value.contains(0):
                point = instance.shown() | {str(b): str(v) for b, v in z.items()}
                return Witness(
                    point,
                    f"the density after the test is {shown_ball(value + 1)} times that of exp(-H)"
                    " there, not 1",
                )
    return None


def _ratio(
    H: Expr, shears: list[tuple[Block, Expr]], turned: tuple[Block, ...], n: int, z: Place
) -> Expr | None:
    """Return the density after n steps of the map and the test, divided by exp(-H(z)).

    None where a number that it needs is irrational or too long.
    """
    G_z = {b: -v if b in turned else v for b, v in z.items()}
    backwards = [(b, -g) for b, g in reversed(shears)]
    places = (z, _moved(backwards, n, z), G_z, _moved(shears, n, G_z))
    if any(p is None for p in places):
        return None
    here, from_far, from_near, beyond = (H.xreplace(p) for p in places)
    gaps = (here - from_far, here - from_near, here - beyond)
    if not all(gap.is_Rational for gap in gaps):
        return None
    accepted, stays, leaves = gaps
    return exp(Min(0, accepted)) + exp(stays) - exp(Min(stays, leaves))


def _moved(shears: list[tuple[Block, Expr]], n: int, z: Place) -> Place | None:
    """Apply the shears n times; None where a coordinate becomes irrational or too long."""
    at = dict(z)
    for _ in range(n):
        for block, g in shears:
            at[block] = at[block] + g.xreplace(at)
            if not at[block].is_Rational or int(at[block].q).bit_length() > MAX_DENOMINATOR_BITS:
                return None
    return at
