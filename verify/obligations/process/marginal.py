"""``marginal``: integrating the other blocks out of exp(-H) leaves the marginal law that was
declared.

Where none is declared, it is the law exp(-U) that H = U + ... suggests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from sympy import Add, Expr
from sympy.core.function import AppliedUndef

from recipe import Recipe
from recipe.declare.recipe import marginal_place
from recipe.language.abstract import Field, Potential
from recipe.language.assumed import cached
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import gradient, partial, summands
from recipe.language.domain import on_simplex
from recipe.language.entry import is_zero_entry
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import OTHER
from recipe.language.text import listed, text
from verify.decide.smoothness import first_fault
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, vanishes
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.marginalise import Remainder, integrate_gaussians, transported
from verify.diffusion.nonsmooth import kinks
from verify.diffusion.not_constant import (
    find_finite_whole,
    find_strict_change,
    in_numbers,
    scalars_for,
)
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, proved, refuted, undecided

FINITE_INTEGRAL = "exp(-(H - U)) has a finite integral over the other blocks"
MAX_REMAINDERS_COMPARED = 6
MAX_REMAINDERS = 16  # shifted, scaled and integrated in so many ways
ORDER_OF_A_QUADRATIC = 2  # a normal law is recognised by the derivatives of H
Claim = tuple[tuple[Block, ...], Expr]  # the blocks that are kept, and the U of their law exp(-U)


def discharge(subject: Subject) -> Outcome:
    """Decide each declared marginal law, or the inferred one if none is declared."""
    recipe = subject.declared
    assert isinstance(recipe, Recipe)
    laws = recipe.marginal or [inferred(recipe)[0]]  # type: ignore[index]
    integrated = [b for b in kinks(subject) if any(b not in kept for kept, _ in laws)]
    if integrated:
        return undecided(f"{listed(integrated)} must be integrated out, but H has a kink in it")
    if not recipe.marginal:
        (kept, U), outcome = inferred(recipe)  # type: ignore[misc]
        return replace(
            outcome, by=f"inferred from H, the law of {listed(kept)} is {_density(U)}: {outcome.by}"
        )
    outcomes = [
        (marginal_place(kept), decide_marginal(recipe, (kept, U))) for kept, U in recipe.marginal
    ]
    return conjunction(outcomes, by="; ".join(dict.fromkeys(outcome.by for _, outcome in outcomes)))


def _density(U: Expr) -> str:
    return f"exp(-{U})" if isinstance(U, Potential) else f"exp(-({text(U)}))"


def decide_marginal(recipe: Recipe, claim: Claim) -> Outcome:
    """Integrate the other blocks out as far as possible exactly, and decide whether the rest is
    constant.

    The law of the kept blocks is exp(-U) if what remains of H - U does not depend on them.
    """
    kept, U = claim
    fault = first_fault(recipe.H - U, recipe.state, ORDER_OF_A_QUADRATIC)
    if fault is not None:
        return undecided(f"H - U is integrated by its derivatives, and {fault}")
    start = Remainder(recipe.H - U, tuple(b for b in recipe.state if b not in kept))
    if _depends_on_none(start.W, kept):
        by = f"H - U does not depend on {listed(kept)}"
        return _given_finite(start.W, kept, start.left, by)
    every = []
    for reached in islice(_integrated(start, kept), MAX_REMAINDERS):
        if _depends_on_none(reached.W, kept):
            return _given_finite(reached.W, kept, reached.left, "; ".join(reached.how))
        outcome = _refuted_by(reached, kept)
        if outcome is not None:
            return outcome
        every.append(reached)
    names = listed(every[-1].left) or listed(start.left)
    return (
        _refuted_by_growth(every, kept)
        or _refuted_at_length_one(start, kept)
        or _refuted_by_whole(start, kept)
        or undecided(
            f"H - U depends on {listed(kept)}, and no procedure here integrates {names} out"
        )
    )


def _refuted_by_growth(every: list[Remainder], kept: tuple[Block, ...]) -> Outcome | None:
    """Return the refutation by an integral that is proved to grow or fall with a kept block."""
    for reached in every[:MAX_REMAINDERS_COMPARED]:
        witness = find_strict_change(reached.W, kept, reached.left)
        if witness is not None:
            how = "; ".join((*reached.how, f"the integral over {listed(reached.left)} changes"))
            return refuted(how, witness)
    return None


def _refuted_by_whole(start: Remainder, kept: tuple[Block, ...]) -> Outcome | None:
    """Return the refutation by an integral over all blocks that is finite."""
    try:
        witness = find_finite_whole(start.W, kept, start.left)
    except RecursionError:
        return None
    how = f"the integral over {listed(start.left)} is not constant"
    return None if witness is None else refuted(how, witness)


def _refuted_at_length_one(start: Remainder, kept: tuple[Block, ...]) -> Outcome | None:
    """Return the refutation where each vector has one coordinate, and each positive definite matrix
    is 1.

    None if there are no vectors, or nothing is refuted there.
    """
    blocks = (*kept, *start.left)
    one = {} if any(map(on_simplex, blocks)) else scalars_for(blocks)
    W = in_numbers(start.W) if one else None
    if W is None or W.atoms(Field, AppliedUndef):
        return None
    kept = tuple(one.get(b, b) for b in kept)
    begun = Remainder(W.xreplace(one), tuple(one.get(b, b) for b in start.left))
    for reached in islice(_integrated(begun, kept), MAX_REMAINDERS):
        outcome = _refuted_by(reached, kept)
        if outcome is not None and outcome.witness is not None:
            point = {**{str(b.length): "1" for b in one}, **outcome.witness.point}
            witness = replace(outcome.witness, point=point)
            return replace(outcome, witness=witness, repair=None)
    return None


def _given_finite(W: Expr, kept: tuple[Block, ...], left: tuple[Block, ...], by: str) -> Outcome:
    """Return proved if the remaining integral is finite, refuted if it is infinite.

    If it is undecided, the proof assumes that it is finite.
    """
    W = normalised(W)  # terms of the kept blocks may cancel
    finite = (
        proved("") if not left else undecided("") if blocks_in(W, kept) else decide_finite(W, left)
    )
    if finite.verdict is Verdict.REFUTED:
        return replace(finite, by=f"the integral over {listed(left)} is infinite: {finite.by}")
    return proved(
        by, *(finite.assumptions if finite.verdict is Verdict.PROVED else (FINITE_INTEGRAL,))
    )


def _integrated(start: Remainder, kept: tuple[Block, ...]) -> Iterator[Remainder]:
    """Yield what remains after integration.

    Normal blocks are integrated first; then the other blocks are shifted, scaled, raised to powers
    and reflected in every way that is found.
    """
    found = integrate_gaussians(start)
    yield found
    for moved in transported(found, kept):
        yield from _integrated(moved, kept)


def _depends_on_none(W: Expr, kept: tuple[Block, ...]) -> bool:
    """Return True if W is proved not to depend on the kept blocks."""
    return all(vanishes(gradient(W, block)) for block in kept)


def _refuted_by(reached: Remainder, kept: tuple[Block, ...]) -> Outcome | None:
    """Return the refutation if the remainder is ``a(others) + c(kept)`` and c is not constant.

    The law of the kept blocks is then ``exp(-U - c)``. None if the remainder does not have this
    form, or c is not seen to depend on a kept block.
    """
    if not _is_apart(reached, kept):
        return None
    for block in kept:
        outcome = decide_zero(gradient(reached.W, block))
        if outcome.verdict is Verdict.REFUTED:
            by = (
                f"integrating {listed(_others(reached))} out leaves exp(-U - c), where c depends on"
                f" {block}"
            )
            repair = (
                None
                if reached.left
                else (
                    f"take c = {text(normalised(reached.W))} from H, or add it to the law that is"
                    " claimed"
                )
            )
            return replace(outcome, by=by, repair=repair)
    return None


def _others(reached: Remainder) -> list[str]:
    return [note.split()[0] for note in reached.how] or [b.name for b in reached.left]


def _is_apart(reached: Remainder, kept: tuple[Block, ...]) -> bool:
    """Return True if the mixed derivatives by kept blocks and by blocks left to integrate
    vanish.
    """
    for block in kept:
        slope = gradient(reached.W, block)
        for other in reached.left:
            places = (other, other.at(OTHER)) if isinstance(other, Vector) else (other,)
            if not all(vanishes(partial(slope, place)) for place in places):
                return False
    return True


@cached(maxsize=256)
def inferred(recipe: Recipe) -> tuple[Claim, Outcome] | None:
    """Infer the marginal law if H is ``U + ...`` with one abstract U and further blocks, and decide
    it.

    Other summands may depend on the blocks of U alone, as a log-determinant or a prior does: the
    law is then exp(-U), or has these summands as well, whichever is proved. An undeclared law is
    refuted only if no other law can be meant: every other summand contains an auxiliary block, and
    the blocks of U have no noise and are moved by a momentum.

    Returns:
        The law and the outcome; None if H has another form, or nothing is proved.
    """
    potentials = recipe.H.atoms(Potential)
    terms = summands(recipe.H)
    U = next(iter(potentials)) if len(potentials) == 1 else None
    if U is None or U not in terms or set(U.blocks) >= set(recipe.state):
        return None
    own = Add(
        *(
            t
            for t in terms
            if t != U and blocks_in(t, recipe.state) <= set(U.blocks) and blocks_in(t, recipe.state)
        )
    )
    for law in dict.fromkeys((U, U + own)):
        outcome = decide_marginal(recipe, (U.blocks, law))
        if outcome.verdict is Verdict.PROVED or (
            own == 0 and outcome.verdict is Verdict.REFUTED and _has_momentum(recipe, U.blocks)
        ):
            return (U.blocks, law), outcome
    return None


def _has_momentum(recipe: Recipe, kept: tuple[Block, ...]) -> bool:
    """Return True if the kept blocks have no noise and Q couples one of them with another block."""
    others = [b for b in recipe.state if b not in kept]
    noiseless = all(is_zero_entry(recipe.D.entry(b, c)) for b in kept for c in recipe.state)
    return noiseless and any(not is_zero_entry(recipe.Q.entry(b, c)) for b in kept for c in others)


def laws_of(recipe: Recipe) -> tuple[Claim, ...]:
    """Return the declared marginal laws, or the one that is inferred from how H is written."""
    found = None if recipe.marginal else inferred(recipe)
    return recipe.marginal if found is None else (found[0],)


def has_marginal(subject: Subject) -> bool:
    """Return True for a recipe with a declared or inferred marginal law."""
    return isinstance(subject.declared, Recipe) and bool(laws_of(subject.declared))


MARGINAL = Obligation(
    name="marginal",
    statement="the integral of exp(-H) over the other blocks is exp(-U) up to a constant",
    latex=r"\int e^{-H} \propto e^{-U} \text{ over the other blocks}",
    explanation=(
        "A sampler with auxiliary variables is used for the law of its positions. If H - U depends"
        " on the auxiliaries alone, they are independent of the positions, and dropping them leaves"
        " exp(-U). If their law depends on the positions, as with a Riemannian momentum, so does"
        " its normalising constant: H must contain the logarithm of that constant (a"
        " log-determinant), or the positions have another law. Normal auxiliaries are integrated"
        " out, others are rescaled. Without marginal= the law is inferred if H is U + ... with one"
        " abstract U."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=has_marginal,
)
