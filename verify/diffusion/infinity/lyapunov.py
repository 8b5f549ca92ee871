"""Functions that bound how fast a process can go to infinity.

If ``V -> oo`` at infinity is smooth and ``L V <= c (1 + V)``, the process reaches infinity in no
finite time (Khasminskii 2012, "Stochastic stability of differential equations", theorem 3.5; Meyn &
Tweedie 1993, "Stability of Markovian processes III", theorem 2.1). Which c it is does not matter,
so growth decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.calculus import contract
from recipe.language.symbols import Block
from verify.decide.definedness import is_smooth
from verify.decide.zero.decide import vanishes
from verify.diffusion.infinity.dominance import coercive, exceeding
from verify.diffusion.infinity.separation import TooManyTermsError
from verify.generator.fokker_planck import generator


def bounds_growth(dynamics: Dynamics, V: Expr) -> tuple[str, ...] | None:
    """The assumptions under which ``V -> oo`` and ``L V <= c (1 + V)`` are proved; None where they
    are not.
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
    """Functions to try: the one that was given, H, and sums of even powers."""
    if given is not None:
        yield given
    yield H
    for power in (2, 4):
        yield Add(*(contract(b**power, b) for b in state))
