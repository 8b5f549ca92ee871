"""The test that a rule is linear in its noise, so that its new value is normal given the state."""

from __future__ import annotations

from sympy import Expr

from recipe.language.calculus import partial
from recipe.language.expectation import NOISE
from recipe.language.symbols import OTHER, Indexed, generic


def is_linear_in_noise(e: Expr) -> bool:
    """Return True if no derivative by a noise, at the same coordinate or at another, contains
    noise.
    """
    for w in {generic(s) for s in e.atoms(*NOISE)}:
        slopes = (
            [partial(e, w), partial(e, w.at(OTHER))] if isinstance(w, Indexed) else [partial(e, w)]
        )
        if any(slope.has(*NOISE) for slope in slopes):
            return False
    return True
