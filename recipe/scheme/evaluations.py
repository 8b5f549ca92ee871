"""How often a step evaluates a gradient, and how heavily it uses each evaluation.

Two gradients of a potential at one state of its blocks are one evaluation: of an estimate from data
they have the same noise. Where the blocks rest from the last use in a step to the first use in the
next, these are one evaluation as well (BAOAB kicks twice with it), as the generated code keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, S, cancel, nan, zoo

from recipe.declare.update import Update
from recipe.language.abstract import Partial, Potential
from recipe.language.calculus import freeze
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block, generic

Use = tuple[Block, Block]  # the block that moves, and the one that the derivative is by
Found = dict[tuple[Potential, tuple[int, ...]], dict[Use, Expr]]


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of the gradient of a potential.

    ``weights`` has, for a block that it moves and the block that the derivative is by, what this is
    multiplied with in all, divided by the step; of a vanishing step, as what a gradient does by way
    of another block is of a higher order.
    """

    potential: Potential
    weights: dict[Use, Expr]


def evaluations_of(update: Update) -> list[Evaluation]:
    """The evaluations of one step, those that two steps share counted once.

    Raises:
        OutsideLanguageError: where a gradient is used in another way than multiplied by a number.
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
    """Count a use at the end of a step with those at the beginning of the next."""
    for U in {U for U, _ in found}:
        end = tuple(version[b] for b in _read_by(U, update))
        start = tuple(0 for _ in end)
        if start != end and (U, start) in found and (U, end) in found:
            for use, weight in found.pop((U, end)).items():
                found[U, start][use] = found[U, start].get(use, S.Zero) + weight


def _weight(gradient: Partial, e: Expr, update: Update) -> Expr:
    """What a gradient is multiplied with in an assignment, per unit of a vanishing step."""
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
