"""Explosion of logarithms of positive coordinates.

A coordinate ``phi = log(x)`` goes to -oo where x reaches 0. Two forms of laws are known.

* *By the positive coordinates.* By Ito's formula x is a diffusion on the positive orthant, and phi
  explodes iff x reaches a face, the corner or infinity.
* *By the law itself.* With ``exp(-H) = prod u_k^c_k exp(-h(s))``, u = exp(phi), s = total(u) and
  C = total(c), V = H is ``total(c log(s/u)) + (h(s) - C log(s))``. For c > 0 the first part is not
  negative, and goes to infinity where a u_k goes to 0 relative to s. So V goes to infinity at
  infinity if the second part does so at both ends of s, and L V <= const then excludes explosion
  (Khasminskii 2012, theorem 3.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Add, Dummy, Interval, Lambda, S, exp, log, oo

from recipe import Recipe, RecipeError, ito
from recipe.declare.replace_fields import with_fields
from recipe.language.blocks import Vector
from recipe.language.calculus import contract, summands
from recipe.language.free_symbols import blocks_in
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.zero.canonical import normalised
from verify.diffusion.boundary.decide import never_reached
from verify.diffusion.boundary.edges import edges
from verify.diffusion.boundary.total import find_reached
from verify.diffusion.infinity.ends import ends, goes_to_infinity
from verify.diffusion.infinity.liouville import law_of_total
from verify.generator.coupling import own_diffusion
from verify.generator.fokker_planck import generator
from verify.subject import Subject, subject_of
from verify.verdict import Outcome, Verdict, proved, refuted


def decide_in_positive_coordinates(
    subject: Subject, non_explosion_of: Callable[[Recipe], Outcome]
) -> Outcome | None:
    """Decide explosion of a block phi on the real line by that of ``x = exp(phi)``.

    Args:
        subject: a recipe whose noise in phi grows like ``exp(-phi)``.
        non_explosion_of: decides whether another recipe reaches infinity in finite time.

    Returns:
        None if the recipe has another form, or neither is decided there.
    """
    declared = subject.declared
    if not isinstance(declared, Recipe) or len(subject.state) != 1:
        return None
    (phi,) = subject.state
    grown = normalised(own_diffusion(subject.dynamics, phi) * exp(phi))
    if phi.domain != S.Reals or blocks_in(grown, subject.state):
        return None
    y, name = Dummy("y"), declared.unused_name("x")
    try:
        changed = ito(declared, phi, Lambda(y, log(y)), domain=Interval.open(0, oo), phi=name)
    except RecipeError:
        return None
    # without the transform, which would lead back to phi
    made = with_fields(changed, transform=None)
    of = subject_of(made)
    (x,) = of.state
    inside, same = never_reached((x,), of), non_explosion_of(made)
    if same.verdict is Verdict.PROVED and inside is not None:
        by = f"{x} = exp({phi}) reaches neither 0 nor infinity: {same.by}"
        return replace(same, by=by, assumed=(*same.assumed, *inside))
    found = find_reached(next(edges(x)), of)
    if found is None:
        return None
    witness, repair = found
    by = f"{phi} goes to -oo in finite time, where {x} = exp({phi}) reaches 0"
    return refuted(by, witness, repair)


def decide_by_law_of_logarithms(subject: Subject) -> Outcome | None:
    """Prove with V = H that logarithms of positive coordinates do not explode; None if a condition
    is not proved.
    """
    if len(subject.state) != 1:
        return None
    (phi,) = subject.state
    if not isinstance(phi, Vector) or phi.domain != S.Reals:
        return None
    if not is_continuous(subject.H, *subject.dynamics.coefficients()):
        return None
    law = law_of_total(subject.H, phi, subject.state)
    if law is None or not is_positive(law.c) or not is_continuous(law.h):
        return None
    radial = (law.h - contract(law.c, phi) * log(law.sum)).expand()
    if not all(goes_to_infinity(radial, law.sum, end) for end in ends(law.sum)):
        return None
    change = normalised(generator(subject.dynamics, subject.H))
    of_state = Add(*(t for t in summands(change) if blocks_in(t, subject.state)))
    if not is_nonnegative(-of_state):
        return None
    return proved("L V <= c for V = H, which goes to infinity at infinity")
