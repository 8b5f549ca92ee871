"""One assignment of a rule, ``block := e``, as a Markov kernel on that block given the other
blocks: does it leave ``exp(-H)`` invariant?

An assignment without noise whose slope in its block is 1 or -1 keeps volume. It leaves ``exp(-H)``
invariant iff H does not change. Otherwise the block must be normal given the rest, ``N(m, 1/p)``,
and the assignment affine with normal noise, ``c r + b + n``. Then the block is normal afterwards
too, and the assignment leaves ``exp(-H)`` invariant iff mean and variance are as before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, S

from recipe.kernel.conditional import Conditional, conditional_of
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.expectation import NOISE, expectation
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.text import text
from recipe.language.total import relabel, substitute
from recipe.signs.sign import is_positive
from verify.decide.zero.decide import decide_zero, vanishes
from verify.kernels.linear_in_noise import is_linear_in_noise
from verify.verdict import Outcome, conjunction, undecided


@dataclass(frozen=True)
class Affine:
    """``block := slope * block + rest``: neither ``slope`` nor ``rest`` contains the block,
    ``slope`` has no noise, and ``rest`` is normal.
    """

    slope: Expr
    rest: Expr


def decide_assignment(H: Expr, block: Block, e: Expr) -> Outcome:
    """Decide whether assigning ``block := e``, with the other blocks as they are, leaves exp(-H)
    invariant.

    PROVED and REFUTED are exact. UNDECIDED says why the assignment is outside what can be compared:
    it is not affine, the conditional law of the block is not known to be normal, or an end of its
    domain may be crossed.
    """
    if block.domain != S.Reals:
        return undecided(f"{block} := {e} may leave the domain {block.domain} of {block}")
    rule = affine_of(block, e)
    if isinstance(rule, str):
        return undecided(rule)
    if not e.has(*NOISE) and vanishes(rule.slope**2 - 1):
        return _keeps_volume(H, block, e)
    law = law_given_rest(H, block)
    if isinstance(law, str):
        return undecided(f"{block} := {e} was not proved to be exact: {law}")
    return _keeps_normal(block, rule, law)


def affine_of(block: Block, e: Expr) -> Affine | str:
    """Return the assignment as affine in its block with normal noise, or a sentence that says why
    it is not seen to be.
    """
    slope = explicit(e, block) if isinstance(block, Vector) else partial(e, block)
    if block in blocks_in(slope, (block,)) or slope.has(*NOISE):
        return f"{block} := {e} is not affine in {block}"
    if isinstance(block, Vector) and not vanishes(partial(e, block.at(OTHER))):
        return f"{block} := {e} joins the coordinates of {block}"
    if not is_linear_in_noise(e):
        return f"{block} := {e} is not linear in its noise"
    try:
        rest = substitute(e, {block: S.Zero})
    except OutsideLanguageError:
        return f"{block} := {e} has an abstract function of {block}"
    if not vanishes(e - slope * block - rest):
        return f"{block} := {e} is not affine in {block}"
    return Affine(slope, rest)


def law_given_rest(H: Expr, block: Block) -> Conditional | str:
    """Return the normal law of a block given the others, or a sentence that says why none was
    proved.

    The proof is ``dH/dr = p (r - m)`` with p > 0 and m, p free of the block r.
    """
    try:
        law = conditional_of(H, block)
    except RecipeError as error:
        return str(error)
    if block in blocks_in(law.mean, (block,)) | blocks_in(law.precision, (block,)):
        return f"the law of {block} given the rest was not found"
    if not vanishes(partial(H, block) - law.precision * (block - law.mean)):
        return f"the law of {block} given the rest was not found"
    if not is_positive(law.precision):
        return f"the precision {law.precision} of {block} is not proved to be positive"
    return law


def _keeps_volume(H: Expr, block: Block, e: Expr) -> Outcome:
    """Decide whether H keeps its value under an assignment that keeps volume."""
    try:
        moved = substitute(H, {block: e})
    except OutsideLanguageError:
        return undecided(
            f"{block} := {e} moves an argument of an abstract function in H, so that H is not known"
            " to keep its value"
        )
    outcome = decide_zero(moved - H)
    names = f"H({block} := {e}) - H"
    return conjunction([(names, outcome)], by=f"{block} := {e} keeps volume and H")


def _keeps_normal(block: Block, rule: Affine, law: Conditional) -> Outcome:
    """Decide whether mean and covariance of a normal block, given the rest, are as before."""
    noise = rule.rest - expectation(rule.rest)
    mean = rule.slope * law.mean + expectation(rule.rest) - law.mean
    variance = (rule.slope**2 - 1) / law.precision + expectation(noise**2)
    parts = [
        (f"the mean of {block} given the rest, after minus before", decide_zero(mean)),
        (f"the variance of {block} given the rest, after minus before", decide_zero(variance)),
    ]
    if isinstance(block, Vector):
        across = expectation(noise * relabel(noise, GENERIC, OTHER))
        parts.append((f"the covariance of two coordinates of {block}", decide_zero(across)))
    outcome = conjunction(
        parts, by=f"{block} is normal given the rest, and its mean and variance are kept"
    )
    if outcome.witness is None or rule.slope != 0:
        return outcome
    law_text = f"N({text(law.mean)}, {text(1 / law.precision)})"
    return replace(
        outcome,
        repair=(
            f"{block} must be redrawn from {law_text}, its law given the rest: refresh(recipe,"
            f" {block})"
        ),
    )
