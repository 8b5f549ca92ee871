"""Explosion of single coordinates, by Feller's test and comparison.

Let ``dx = f dt + sqrt(2 D) dW`` with D > 0 a function of x alone. Where ``f >= g(x)`` for x > 0,
whatever the other coordinates are, x stays above the solution with drift g until it comes to 0
(Ikeda & Watanabe 1981, theorem VI.1.1), and reaches +oo with positive probability if that one does.
Where ``f <= g(x)`` for x > 0 it stays below the solution with drift g that is reflected at 0, which
is finite at all times if +oo is not reached. The process is finite as long as each of its
coordinates is.
"""

from __future__ import annotations

from sympy import Dummy, Expr, S, factor_terms

from recipe.declare.dynamics import Dynamics
from recipe.language.abstract import DenseEntry
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import abstract_atoms
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.language.total import Total
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.zero.decide import vanishes
from verify.diffusion.infinity.ends import End, ends
from verify.diffusion.infinity.feller import is_reached
from verify.diffusion.infinity.second_order import find_runaway
from verify.diffusion.infinity.separation import (
    TooManyTermsError,
    at_length_one,
    of_one_coordinate,
    parts_of,
)
from verify.generator.coupling import own_diffusion
from verify.verdict import Outcome, Witness, proved, refuted


def decide_by_coordinates(dynamics: Dynamics, H: Expr) -> Outcome | None:
    """*Refuted* if a coordinate is proved to explode, *proved* if each is proved not to.

    None if neither, which leaves the question open.
    """
    if any(on_simplex(b) for b in dynamics.state):
        return None
    alone = _potentials_of_one_coordinate(H, dynamics.state)
    witness = find_explosion(dynamics, _at_length_one(H, alone, dynamics)) or find_runaway(dynamics)
    if witness is not None:
        return refuted(
            "a coordinate reaches infinity in finite time with positive probability", witness
        )
    if all(_stays_finite(dynamics, x, alone.get(x)) for x in dynamics.state):
        return proved("no coordinate reaches infinity in finite time, by Feller's test")
    return None


def _potentials_of_one_coordinate(H: Expr, state: tuple[Block, ...]) -> dict[Block, Expr]:
    """The function h of one coordinate of each block that is separate in H."""
    try:
        parts = [p for p in parts_of(H, state) if len(p.blocks) == 1]
    except TooManyTermsError:
        return {}
    found = {p.blocks[0]: of_one_coordinate(p.e, p.blocks[0]) for p in parts}
    return {b: h for b, h in found.items() if h is not None}


def _at_length_one(H: Expr, alone: dict[Block, Expr], dynamics: Dynamics) -> dict[Block, Expr]:
    """The same, and of a single block H where it has one coordinate."""
    if len(dynamics.state) > 1 or abstract_atoms(at_length_one(H)):
        return alone
    return {dynamics.state[0]: at_length_one(H), **alone}


def _without_current(f: Expr, D: Expr, x: Block, h: Expr | None) -> Expr | None:
    """h where the density exp(-h) of the coordinate has no current, ``f = D' - D h'``; else
    None.
    """
    return h if h is not None and vanishes(f + D * h.diff(x) - D.diff(x)) else None


def _stays_finite(dynamics: Dynamics, x: Block, h: Expr | None) -> bool:
    """Return True if one coordinate of a block is proved not to reach infinity, for every length
    and whatever the others do.
    """
    infinite = [end for end in ends(x) if end.infinite]
    f, D = dynamics.drift[x], own_diffusion(dynamics, x)
    if not infinite:
        return True
    if (
        f.atoms(Total, DenseEntry)
        or D.atoms(Total, DenseEntry)
        or not _is_noise_of_one_coordinate(f, D, x, dynamics)
    ):
        return False
    g = f.xreplace({b: S.Zero for b in dynamics.state if b != x})
    h = _without_current(g, D, x, h)
    return all(
        is_reached(g, D, x, end, h) is False and _is_outwards(g - f, x, end) for end in infinite
    )


def find_explosion(dynamics: Dynamics, alone: dict[Block, Expr]) -> Witness | None:
    """A coordinate that is proved to explode when every vector has length 1; None if none was
    found.

    ``alone`` has the functions h of the blocks that are separate in H. On a half line there must be
    one coordinate only, which then explodes before it reaches the edge, with positive probability.
    """
    if len(dynamics.state) > 1 and any(b.domain != S.Reals for b in dynamics.state):
        return None
    for x in dynamics.state:
        f = at_length_one(dynamics.drift[x])
        D = at_length_one(own_diffusion(dynamics, x))
        if not _is_noise_of_one_coordinate(f, D, x, dynamics):
            continue
        g = f.xreplace({b: S.Zero for b in dynamics.state if b != x})
        h = _without_current(g, D, x, alone.get(x))
        for end in (end for end in ends(x) if end.infinite):
            if is_reached(g, D, x, end, h) and _is_outwards(f - g, x, end):
                return _witness(dynamics, x, g, end, exact=f == g)
    return None


def _is_noise_of_one_coordinate(f: Expr, D: Expr, x: Block, dynamics: Dynamics) -> bool:
    """Return True if D is a positive smooth function of x alone, and the drift f is smooth and
    known.
    """
    return (
        not abstract_atoms(f)
        and not abstract_atoms(D)
        and not blocks_in(D, dynamics.state) - {x}
        and is_positive(D)
        and is_smooth(D, f)
    )


def _is_outwards(e: Expr, x: Block, end: End) -> bool:
    """Return True if a drift is proved to point to the end, or to vanish, wherever x is beyond 0 on
    that side.

    Elsewhere it does not matter: the solutions that are compared end, or are reflected, at 0.
    """
    side = S.One if end.name == "oo" else S.NegativeOne
    if x.domain == S.Reals:
        e = e.xreplace({x: side * Dummy("x", positive=True)})
    e = (side * e).expand()
    # as it stands, or with exp(a + b) - exp(a) as exp(a) (exp(b) - 1)
    return is_nonnegative(e) or is_nonnegative(factor_terms(e))


def _witness(dynamics: Dynamics, x: Block, g: Expr, end: End, *, exact: bool) -> Witness:
    lengths = {str(b.length): "1" for b in dynamics.state if isinstance(b, Vector)}
    relation = "" if exact else "at least " if end.name == "oo" else "at most "
    finding = (
        f"the drift of {x} is {relation}{text(g)}, and by Feller's test {end.name} is reached in"
        " finite time"
    )
    return Witness({**lengths, str(x): f"-> {end.name}"}, finding)
