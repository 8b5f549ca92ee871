"""Lyapunov functions, which prove that a process does not explode.

If ``V -> oo`` at infinity is smooth and ``L V <= c (1 + V)``, the process does not reach infinity
in finite time (Khasminskii 2012, "Stochastic stability of differential equations", theorem 3.5;
Meyn & Tweedie 1993, "Stability of Markovian processes III", theorem 2.1). The value of c does not
matter, so comparing the growth of both sides is enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from recipe.language.calculus import contract
from recipe.signs.defined import is_smooth
from verify.decide.zero.decide import vanishes
from verify.diffusion.infinity.dominance import coercive, exceeding
from verify.diffusion.infinity.separation import TooManyTermsError
from verify.generator.fokker_planck import generator


def bounds_growth(dynamics: Dynamics, V: Expr) -> tuple[str, ...] | None:
    """Prove ``V -> oo`` and ``L V <= c (1 + V)``; return the assumptions of the proof, which may be
    none.

    None if V is not proved to be a Lyapunov function, which leaves explosion open.
    """
    try:
        found = coercive(V, dynamics.state) if is_smooth(V) else None
        if found is None:
            return None
        left = exceeding(generator(dynamics, V), found, dynamics.state)
        return found.assumptions if vanishes(left) else None
    except TooManyTermsError:
        return None


def candidates(H: Expr, state: tuple[Block, ...], given: Expr | None) -> Iterator[Expr]:
    """Lyapunov functions to try: the given one, H, and sums of even powers of the coordinates."""
    if given is not None:
        yield given
    yield H
    for power in (2, 4):
        yield Add(*(contract(b**power, b) for b in state))
