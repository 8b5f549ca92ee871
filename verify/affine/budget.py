"""What errors of estimated gradients add to a step, and whether less noise can be drawn in their place.

To leading order they add the covariance ``eps^2 B_hat`` a step to the ``2 eps D`` of the recipe. A gradient that is used twice at
one state, as by the half kicks of BAOAB in two steps, has one error, which counts in full: ``(1/2 + 1/2)^2 V``; two gradients at
different states have two, ``(1/4 + 1/4) V``. Noise of covariance ``2 eps D - eps^2 B_hat`` makes up for it where the range of B_hat
lies in that of D and the step is at most ``2 / lambda_max(D^+ B_hat)``. (Ma, Chen & Fox 2015, section 3.)
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, S, Symbol, cancel

from recipe.abstract import Partial, Potential
from recipe.entry import Coupling, is_zero_entry, parts
from recipe.errors import RecipeError
from recipe.limit import limit_of
from recipe.symbols import Block, Indexed
from recipe.total import Total, substitute
from recipe.update import Update
from recipe.variance import gradient_variance
from verify.affine.evaluations import Evaluation, estimated
from verify.signs.sign import is_positive
from verify.zero.decide import vanishes

Weights = dict[Block, Expr]


@dataclass(frozen=True)
class Budget:
    """The noise that gradients bring and the recipe's own, block by block.

    ``written`` counts the gradients in the rule, once an assignment, ``evaluations`` those that a step has to evaluate anew.
    ``B_hat`` has the entries that do not vanish, on and above the diagonal. ``out_of_reach`` are blocks that get such noise and
    none of the recipe, at any state; ``unclear`` says what was not decided. ``largest_step``, the smallest of these, is the largest
    step that can be made up for (at a state, where it depends on it); None where it has no closed form or there is none.
    """

    written: int
    evaluations: int
    B_hat: dict[tuple[Block, Block], Expr]
    out_of_reach: tuple[Block, ...]
    unclear: tuple[str, ...]
    largest_step: tuple[Expr, ...] | None

    @property
    def can_be_compensated(self) -> bool:
        """Whether the range of B_hat is proved to lie in that of D, at every state."""
        return not self.out_of_reach and not self.unclear


def budget(update: Update) -> Budget:
    """Derive it.

    Raises:
        RecipeError: where nothing is estimated, the rule has no limit, or errors enter otherwise than linearly and by coordinate.
    """
    found = estimated(update)
    rule = list(found.rule) if update.sequential else dict(found.rule)
    drift = limit_of(Update(update.step, rule, update.target)).drift
    weights = [_weights(drift, e) for e in found.evaluations]
    B_hat = _noise(update, found.evaluations, weights)
    own, unclear = _own(update)
    moved = [b for b in update.state if (b, b) in B_hat]
    out = tuple(b for b in moved if own[b] == 0 or vanishes(own[b]))
    largest = None if out or unclear else _largest(found.evaluations, weights, own, B_hat)
    for b in moved:
        if b not in out and not is_positive(own[b]):
            unclear += (f"it was not decided whether D[{b}, {b}] = {own[b]} is positive everywhere",)
    written = sum(isinstance(p.head, Potential) for _, e in update.rule for p in e.atoms(Partial))
    return Budget(written, len(found.evaluations), B_hat, out, unclear, largest)


def _weights(drift: dict[Block, Expr], evaluation: Evaluation) -> Weights:
    """How much of the error each block takes up in a unit of time, all uses of the evaluation together."""
    result: Weights = {}
    for error in (evaluation.error, evaluation.again):
        if error is None:
            continue
        for block, e in drift.items():
            result[block] = result.get(block, S.Zero) + _slope(e, error, block)
    return {b: c for b, c in result.items() if not vanishes(c)}


def _slope(e: Expr, error: Symbol, block: Block) -> Expr:
    if any(_is_at_any_index(s, error) for t in e.atoms(Total) for s in t.atoms(Symbol)):
        raise RecipeError(
            f"the error of a gradient is spread over the coordinates of {block}; this version counts it by coordinate only"
        )
    slope = e.diff(error)
    if slope.has(error) or not vanishes(e - slope * error - substitute(e, {error: S.Zero})):
        raise RecipeError(f"the rule of {block} is not linear in a gradient, so that its error is not simply added")
    return slope


def _is_at_any_index(s: Symbol, error: Symbol) -> bool:
    return s == error or (isinstance(s, Indexed) and isinstance(error, Indexed) and s.base == error.base)


def _noise(update: Update, evaluations: tuple[Evaluation, ...], weights: list[Weights]) -> dict[tuple[Block, Block], Expr]:
    state = update.state
    found = {}
    for i, a in enumerate(state):
        for b in state[i:]:
            terms = [c[a] * c[b] * _variance(e) for e, c in zip(evaluations, weights, strict=True) if a in c and b in c]
            value = Add(*terms)
            if terms and not vanishes(value):
                found[a, b] = value
    return found


def _variance(evaluation: Evaluation) -> Symbol:
    return gradient_variance(evaluation.potential, evaluation.block)


def _own(update: Update) -> tuple[dict[Block, Expr], tuple[str, ...]]:
    """The diagonal of D, and what is not diagonal in it."""
    diffusion = limit_of(update).diffusion
    unclear = [
        f"D couples {a} and {b}"
        for (a, b), entry in diffusion.items()
        if (a != b and not is_zero_entry(entry)) or (isinstance(entry, Coupling) and entry.kernel != 0)
    ]
    return {b: parts(diffusion[b, b])[0] for b in update.state}, tuple(unclear)


def _largest(
    evaluations: tuple[Evaluation, ...], weights: list[Weights], own: dict[Block, Expr], B_hat: dict[tuple[Block, Block], Expr]
) -> tuple[Expr, ...] | None:
    """``2 / lambda_max``: by block where B_hat is diagonal, and where it has rank one; the smallest of them counts."""
    if all(a == b for a, b in B_hat):
        return tuple(cancel(2 * own[a] / e) for (a, _), e in B_hat.items())
    if len(weights) == 1:
        (c,) = weights
        return (cancel(2 / Add(*(x**2 * _variance(evaluations[0]) / own[b] for b, x in c.items()))),)
    return None
