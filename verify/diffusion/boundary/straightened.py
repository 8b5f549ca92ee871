"""Reflections of a coordinate without noise whose speed vanishes at the edge like a power.

If the speed of theta > 0 is ``c theta^p g`` with 0 < p < 1, then
``phi = theta^(1 - p)/(c (1 - p))`` has the speed g, reaches 0 where theta does, and is reflected
there where theta is. In phi the law and the drift may be smooth up to the edge although they are
not in theta. With the metric ``G = 1/theta`` of Hamiltonian dynamics phi is ``2 sqrt(theta)``, and
a gamma law of shape a becomes the potential ``-(2 a - 1) log(phi)``, which is smooth for a = 1/2.
"""

from __future__ import annotations

from sympy import Dummy, Interval, Lambda, S, oo

from recipe import Recipe, RecipeError, ito
from recipe.declare.reflection import Reflection
from recipe.declare.replace_fields import with_fields
from recipe.language.symbols import Indexed
from recipe.signs.sign import is_positive
from verify.decide.zero.canonical import normalised
from verify.diffusion.boundary.edges import Edge, edges
from verify.diffusion.boundary.energy import factor_of_own
from verify.diffusion.boundary.reflected import decide_with_flips
from verify.subject import Subject, subject_of
from verify.verdict import Outcome


def decide_straightened(edge: Edge, subject: Subject, reflection: Reflection) -> Outcome | None:
    """Decide a reflection in the coordinate whose speed does not vanish at the edge; None where the
    speed has another form, or theta has another domain than (0, oo).
    """
    declared, theta = subject.declared, edge.block
    if not isinstance(declared, Recipe) or theta.domain != Interval.open(0, oo):
        return None
    own, _ = factor_of_own(edge, subject)
    c, power = own.as_independent(theta, as_Add=False)
    p = S.One if power == theta else power.exp if power.is_Pow and power.base == theta else S.Zero
    if not (p.is_Rational and 0 < p < 1 and is_positive(c)) or c.atoms(Indexed):
        return None
    y = Dummy("y")
    map_back = Lambda(y, (c * (1 - p) * y) ** (1 / (1 - p)))
    bare = with_fields(declared, reflections=(), update=None, noise_factor=None, marginal=())
    try:
        made = ito(
            bare,
            theta,
            map_back,
            inverse=Lambda(y, y ** (1 - p) / (c * (1 - p))),
            domain=theta.domain,
            phi=declared.unused_name("phi"),
        )
    except RecipeError:
        return None
    phi = next(b for b in made.state if b.image is not None)
    turned = Reflection(phi, reflection.flips)
    of_phi = subject_of(
        with_fields(made, H=normalised(made.H), reflections=(turned,), transform=None)
    )
    return decide_with_flips(next(edges(phi)), of_phi, turned)
