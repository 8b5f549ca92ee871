"""Prove that a map of all coordinates together, from R^d onto the open simplex, is a bijection, and
that its determinant is the one in the law of phi.

Every identity is one for all lengths d. That f is smooth and ``g(f(phi)) = phi`` for a smooth g
makes f' invertible everywhere; ``f(g(theta)) = theta`` makes f reach all of the simplex.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, log

from recipe.declare.transformations.onto_simplex import log_volume
from recipe.declare.transformations.preimage import in_preimages
from recipe.language.abstract import written_image
from recipe.language.blocks import Vector
from recipe.language.calculus import explicit, partial
from recipe.language.domain import on_simplex
from recipe.language.symbols import OTHER
from recipe.language.total import total
from recipe.signs.sign import is_positive
from verify.decide.zero.decide import vanishes
from verify.verdict import Outcome, proved, undecided


def decide_invertible(phi: Vector) -> Outcome:
    """Decide whether f has the inverse g on its range, and the derivative and the determinant that
    the law of phi is written with.
    """
    own, left, right, rest = phi.slope  # type: ignore[misc]
    if not all(is_positive(e(phi)) for e in (own, rest)):
        return undecided("the factors of det f' are not seen to be positive")
    determinant = total(log(own(phi))) + log(rest(phi))
    f = written_image(phi)
    identities = (
        (explicit(f, phi) - own(phi), "f' = diag(own) + left right^T"),
        (partial(f, phi.at(OTHER)) - left(phi) * right(phi.at(OTHER)), "f' off its diagonal"),
        (1 + total(left(phi) * right(phi) / own(phi)) - rest(phi), "the determinant lemma"),
        (partial(determinant - log_volume(phi), phi), "the determinant of f'"),
        (in_preimages(phi.inverse(phi.image), (phi,)) - phi, "g(f(phi)) = phi"),  # type: ignore[misc, arg-type]
    )
    return _all_vanish(
        identities,
        f"g(f(phi)) = phi for every d, with g = {_inverse(phi)}; det f'"
        " by the matrix determinant lemma",
    )


def decide_reaches_simplex(phi: Vector) -> Outcome:
    """Decide whether f goes from R^d into the simplex and onto it."""
    if not on_simplex(phi.image):
        return undecided("maps of all coordinates together are known onto the simplex only")
    f = written_image(phi)
    if not (is_positive(f) and is_positive(1 - total(f))):
        return undecided("f is not seen to stay in the simplex")
    onto = phi.forward(phi.inverse(phi.image)) - phi.image  # type: ignore[misc, operator]
    return _all_vanish(
        [(onto, "f(g(theta)) = theta")],
        f"f > 0 and total(f) < 1; f(g(theta)) = theta for every d, with g = {_inverse(phi)}",
    )


def _inverse(phi: Vector) -> Expr:
    return phi.inverse(phi.image)  # type: ignore[misc, no-any-return]


def _all_vanish(identities: Iterable[tuple[Expr, str]], by: str) -> Outcome:
    """The outcome where each of some named expressions must be identically zero."""
    for e, name in identities:
        if not vanishes(e):
            return undecided(f"{name} is not proved")
    return proved(by)
