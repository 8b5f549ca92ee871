"""Whether a rule is linear in its noise, so that what it draws is normal."""

from __future__ import annotations

from sympy import Expr

from recipe.language.calculus import partial
from recipe.language.expectation import NOISE
from recipe.language.symbols import OTHER, Indexed, generic


def is_linear_in_noise(e: Expr) -> bool:
    """Whether no derivative by noise, at the same coordinate or at another, has noise in it."""
    for w in {generic(s) for s in e.atoms(*NOISE)}:
        slopes = (
            [partial(e, w), partial(e, w.at(OTHER))] if isinstance(w, Indexed) else [partial(e, w)]
        )
        if any(slope.has(*NOISE) for slope in slopes):
            return False
    return True
