"""``marginal``: integrating every other block out of exp(-H) leaves the law that was declared, or
that H = U + ... suggests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from sympy import Add, Expr

from recipe import Recipe
from recipe.declare.recipe import marginal_place
from recipe.language.abstract import Potential
from recipe.language.calculus import gradient, partial, summands
from recipe.language.entry import is_zero_entry
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import OTHER, Block, Vector
from recipe.language.text import listed, text
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, vanishes
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.marginalise import Remainder, integrate_gaussians, rescalings, shifts
from verify.diffusion.nonsmooth import kinks
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, proved, undecided

FINITE = "exp(-(H - U)) has a finite integral over the other blocks"
Claim = tuple[tuple[Block, ...], Expr]


def discharge(subject: Subject) -> Outcome:
    """Each declared law; where none is declared, the one that H suggests."""
    recipe = subject.declared
    assert isinstance(recipe, Recipe)
    laws = recipe.marginal or [inferred(recipe)[0]]  # type: ignore[index]
    integrated = [b for b in kinks(subject) if any(b not in kept for kept, _ in laws)]
    if integrated:
        return undecided(f"{listed(integrated)} is integrated out, and H has a kink in it")
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
    """Integrate the others out as far as that can be done exactly, and see whether what is left
    depends on what is kept.
    """
    kept, U = claim
    start = Remainder(recipe.H - U, tuple(b for b in recipe.state if b not in kept))
    if _depends_on_none(start.W, kept):
        return _given_finite(start.W, kept, start.left, "H - U does not depend on what is kept")
    reached = start
    for reached in _integrated(start):
        if _depends_on_none(reached.W, kept):
            return _given_finite(reached.W, kept, reached.left, "; ".join(reached.how))
        outcome = _refuted_by(reached, kept)
        if outcome is not None:
            return outcome
    names = listed(reached.left) or listed(start.left)
    return undecided(
        f"H - U depends on {listed(kept)}, and no procedure here integrates {names} out"
    )


def _given_finite(W: Expr, kept: tuple[Block, ...], left: tuple[Block, ...], by: str) -> Outcome:
    """Proved if what is left to integrate is integrable, refuted if it is not: then nothing is left
    of the law of the others.
    """
    W = normalised(W)  # what is kept may stand in it still, and cancel
    finite = (
        proved("") if not left else undecided("") if blocks_in(W, kept) else decide_finite(W, left)
    )
    if finite.verdict is Verdict.REFUTED:
        return replace(finite, by=f"the integral over {listed(left)} is infinite: {finite.by}")
    return proved(by, *(finite.assumptions if finite.verdict is Verdict.PROVED else (FINITE,)))


def _integrated(start: Remainder) -> Iterator[Remainder]:
    """What integration leaves: of normal blocks first, then with the others shifted or rescaled in
    every way that is seen.
    """
    found = integrate_gaussians(start)
    yield found
    for block in found.left:
        for moved in (*shifts(found, block), *rescalings(found, block)):
            yield from _integrated(moved)


def _depends_on_none(W: Expr, kept: tuple[Block, ...]) -> bool:
    return all(vanishes(gradient(W, block)) for block in kept)


def _refuted_by(reached: Remainder, kept: tuple[Block, ...]) -> Outcome | None:
    """Where what is left is ``a(others) + c(kept)``, the law of the kept blocks is ``exp(-U - c)``:
    c must be constant.
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
    """Whether the mixed derivatives by what is kept and what is left to integrate vanish."""
    for block in kept:
        slope = gradient(reached.W, block)
        for other in reached.left:
            places = (other, other.at(OTHER)) if isinstance(other, Vector) else (other,)
            if not all(vanishes(partial(slope, place)) for place in places):
                return False
    return True


@lru_cache(maxsize=256)
def inferred(recipe: Recipe) -> tuple[Claim, Outcome] | None:
    """The law of the blocks of U where H is ``U + ...`` with one abstract U and further blocks, and
    what is to be said of it.

    Other summands may depend on the same blocks alone, as a log-determinant does or a prior: the
    law is then exp(-U), or it has them as well, whichever is proved. A law that nobody declared is
    refuted only where nothing else can be meant: every other summand has an auxiliary block in it,
    and the blocks of U are moved without noise, by a momentum.
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
    """Whether the kept blocks have no noise, and Q couples one of them with another block."""
    others = [b for b in recipe.state if b not in kept]
    noiseless = all(is_zero_entry(recipe.D.entry(b, c)) for b in kept for c in recipe.state)
    return noiseless and any(not is_zero_entry(recipe.Q.entry(b, c)) for b in kept for c in others)


def laws_of(recipe: Recipe) -> tuple[Claim, ...]:
    """The marginal laws that were declared, or the one that follows from how H is written."""
    found = None if recipe.marginal else inferred(recipe)
    return recipe.marginal if found is None else (found[0],)


def has_marginal(subject: Subject) -> bool:
    """Whether there is such a law."""
    return isinstance(subject.declared, Recipe) and bool(laws_of(subject.declared))


MARGINAL = Obligation(
    name="marginal",
    statement="the integral of exp(-H) over the other blocks is exp(-U) up to a constant",
    latex=r"\int e^{-H} \propto e^{-U} \text{ over the other blocks}",
    explanation=(
        "A sampler with auxiliary variables is used for the law of its positions. Where H - U"
        " depends on the auxiliaries alone, they are independent of the positions, and dropping"
        " them leaves exp(-U). Where their law depends on the positions, as with a Riemannian"
        " momentum, its normalising constant does so too: H must have the logarithm of it (a"
        " log-determinant), or the positions have another law. Normal auxiliaries are integrated"
        " out, others are rescaled. With no marginal= the law is inferred where H is U + ... with"
        " one abstract U."
    ),
    discharge=discharge,
    across_kinks=True,
    of_reflected=True,
    applies=has_marginal,
)
