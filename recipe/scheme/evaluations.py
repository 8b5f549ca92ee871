"""Count how often a step evaluates a gradient, and the weight with which it uses each evaluation.

Two gradients of a potential at one state of its blocks are one evaluation: estimated from data,
they have the same noise. Where the blocks do not move between the last use in a step and the first
use in the next step, these two uses are one evaluation as well. (BAOAB kicks twice with one
gradient.) The generated code keeps such a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, S, cancel, nan, zoo

from recipe.declare.update import Update
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block
from recipe.language.calculus import freeze
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import generic

Use = tuple[Block, Block]  # the block that moves, and the block of the derivative
Found = dict[tuple[Potential, tuple[int, ...]], dict[Use, Expr]]


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of the gradient of a potential.

    Attributes:
        potential: the potential.
        weights: the total factor of the gradient, divided by the step, in the limit of a vanishing
            step; by the block that moves and the block that the derivative is taken by. Effects by
            way of a third block are of higher order and left out.
    """

    potential: Potential
    weights: dict[Use, Expr]


def evaluations_of(update: Update) -> list[Evaluation]:
    """The gradient evaluations of one step; an evaluation that two steps share counts once.

    Raises:
        OutsideLanguageError: where a gradient is not used as a factor of a number.
    """
    version: dict[Block, int] = dict.fromkeys(update.state, 0)
    found: Found = {}
    for block, e in update.rule:
        for gradient in sorted(e.atoms(Partial), key=str):
            U = gradient.head
            if isinstance(U, Potential):
                at = tuple(version[b] if update.sequential else 0 for b in _read_by(U, update))
                weights = found.setdefault((U, at), {})
                use = (block, generic(gradient.wrt[0]))
                weights[use] = weights.get(use, S.Zero) + _weight(gradient, e, update)
        version[block] += 1
    _join_steps(found, version, update)
    return [Evaluation(U, weights) for (U, _), weights in found.items()]


def _read_by(U: Potential, update: Update) -> list[Block]:
    """The blocks of the state that a potential depends on."""
    return [b for b in update.state if b in blocks_in(U, update.state)]


def _join_steps(found: Found, version: dict[Block, int], update: Update) -> None:
    """Add the weights of a use at the end of a step to those of the use at the beginning of the
    next.
    """
    for U in {U for U, _ in found}:
        end = tuple(version[b] for b in _read_by(U, update))
        start = tuple(0 for _ in end)
        if start != end and (U, start) in found and (U, end) in found:
            for use, weight in found.pop((U, end)).items():
                found[U, start][use] = found[U, start].get(use, S.Zero) + weight


def _weight(gradient: Partial, e: Expr, update: Update) -> Expr:
    """The factor of a gradient in an assignment, divided by the step, as the step vanishes."""
    frozen, stands_for = freeze(e)
    symbol = stands_for.get(gradient)
    slope = None if symbol is None else frozen.diff(symbol)
    if slope is None or len(gradient.wrt) != 1 or symbol in slope.free_symbols:
        raise OutsideLanguageError(
            f"{gradient} does not stand in the step as a gradient times a number: {e}"
        )
    weight = cancel(slope / update.step).xreplace({update.step: S.Zero})
    if weight.has(nan, zoo):
        raise OutsideLanguageError(
            f"the factor {slope} of {gradient} does not vanish with the step"
        )
    return weight.xreplace({s: atom for atom, s in stands_for.items()})
