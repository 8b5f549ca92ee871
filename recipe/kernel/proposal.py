"""A proposal with normal noise: mean and standard deviation of every block that it moves, and minus the log of its density."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, S, Symbol, expand, log

from recipe.calculus import contract, explicit, partial, tidy
from recipe.errors import RecipeError
from recipe.expectation import NOISE
from recipe.free import blocks_in
from recipe.kernel.partner import Partners
from recipe.symbols import OTHER, Block, Noise, Vector, generic
from recipe.total import substitute
from recipe.update import Update


@dataclass(frozen=True)
class Normal:
    """Mean and standard deviation (up to its sign) of one coordinate of a new value; different coordinates are independent."""

    mean: Expr
    root: Expr


def normals_of(update: Update) -> dict[Block, Normal]:
    """The law of every block that the rule moves, given the old state; blocks that keep their value are left out.

    Raises:
        RecipeError: where a block moves without noise of its own, or the noise is not linear, elementwise and independent.
    """
    if update.sequential and len(update.rule) > 1:
        raise RecipeError("the density of a proposal is derived from a simultaneous rule; write it as a dict {block: new value}")
    laws: dict[Block, Normal] = {}
    used: dict[Symbol, Block] = {}
    for block, e in update.rule:
        if e == block:
            continue
        w = _own_noise(block, e)
        if w in used:
            raise RecipeError(f"{block} and {used[w]} move by the same noise {w}: the proposal has no density; give each its own")
        used[w] = block
        laws[block] = _normal(block, e, w)
    if not laws:
        raise RecipeError("the proposal moves no block")
    return laws


def _own_noise(block: Block, e: Expr) -> Symbol:
    found = sorted({generic(s) for s in e.atoms(*NOISE)}, key=str)
    if not found:
        raise RecipeError(
            f"{block} moves to {e} without noise: neither the proposal nor its reverse has a density, so Metropolis needs D > 0; a "
            "deterministic reversible map is metropolis(map, flip=...)"
        )
    if len(found) > 1:
        raise RecipeError(f"the rule of {block} adds the noises {', '.join(map(str, found))}; write their sum as one noise")
    if isinstance(found[0], Noise) and found[0].covariance is not None:
        raise RecipeError(
            f"the noise {found[0]} of {block} has the covariance {found[0].covariance}, of whose inverse the language has no "
            "symbol; metropolis(...) takes elementwise noise"
        )
    return found[0]


def _normal(block: Block, e: Expr, w: Symbol) -> Normal:
    root = tidy(explicit(e, w) if isinstance(w, Noise) else partial(e, w))
    across = expand(partial(e, w.at(OTHER))) if isinstance(w, Noise) else S.Zero
    if across != 0 or isinstance(w, Noise) is not isinstance(block, Vector):
        raise RecipeError(f"the noise {w} in the rule of {block} couples coordinates; metropolis(...) takes elementwise noise")
    if root.has(*NOISE):
        raise RecipeError(f"the rule {e} of {block} is not linear in its noise {w}: its law is not normal")
    return Normal(substitute(e, {w: S.Zero}), root)


def cost_of(update: Update, partners: Partners) -> Expr:
    """``cost(x, y) = H(x) - log q(y | x)``, up to a constant: q is the density of the new state y given x."""
    second = dict(partners)
    cost = update.target
    for block, law in normals_of(update).items():
        cost += contract((second[block] - law.mean) ** 2 / law.root**2 / 2, block)
        if blocks_in(law.root, update.state):
            cost += contract(log(law.root**2) / 2, block)
    return cost
