"""Who is killed by a proof, and who is proved to be as right as the original.

What is asked of a mutant is what is proved of the original: every obligation that holds there must
hold here. A mutant is killed if one of these is *refuted*, with its witness, and equivalent if all
are *proved*. If only obligations are open without which a sampler counts as verified all the same
(that the law is the only one, that nothing explodes), it is said to be stationary; anything else is
undecided. The printed rule of a recipe is not asked for: a recipe that is another one and has the
same law is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mutation.mutant import Fate, Judgement, Mutant
from recipe import Discretisation, RecipeError, Update
from recipe.language.blocks import Block
from recipe.scheme.discretisation import as_printed
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order import Order, invariant_order
from verify.engine import SubjectOutcomes, discharged, obligations_of, subjects_of
from verify.obligation import Obligation, Outcomes
from verify.obligations import KERNEL_OBLIGATIONS, OBLIGATIONS
from verify.subject import subject_of
from verify.verdict import Outcome, Verdict, proved, refuted, undecided

NOT_ASKED = {
    "agrees-with-update",
    "noise-budget",
    "stable-step",
    "invariant-order",
    "boundary-step",
}
ORDER, EXACT = "invariant-order", "exact-transition"
REQUIRED = {o.name for o in (*OBLIGATIONS, *KERNEL_OBLIGATIONS) if o.required} | {ORDER}
CLAIMED = {
    "well-defined",
    "diffusion-psd",
    "stationarity",
}  # what an update rule can be asked, where the original is a recipe


@dataclass(frozen=True)
class Asked:
    """What is proved of an original: obligations by name, and the order of its invariant law if
    that is known.
    """

    names: frozenset[str]
    order: Order | None = None


def asked_of(original: Any) -> Asked:
    """What is proved of an original."""
    names = frozenset(
        name for name, outcome in _outcomes(original, None) if outcome.verdict is Verdict.PROVED
    )
    return Asked(names, _order(original.update) if isinstance(original, Discretisation) else None)


def judge_by_proof(mutant: Mutant, asked: Asked) -> Judgement:
    """Killed by the first obligation that is refuted, equivalent if all are proved."""
    found = []
    try:
        for name, outcome in _all_outcomes(mutant.declared, asked):
            if outcome.verdict is Verdict.REFUTED:
                return Judgement(Fate.PROOF, f"{name}: {outcome.by}")
            found.append((name, outcome))
    except RecipeError as error:
        return Judgement(Fate.UNDECIDED, str(error))
    open_ones = {
        name: outcome.by for name, outcome in found if outcome.verdict is not Verdict.PROVED
    }
    if not open_ones and found:
        return Judgement(Fate.EQUIVALENT, ", ".join(name for name, _ in found))
    law = [name for name in open_ones if name in REQUIRED]
    fate = Fate.UNDECIDED if law or not found else Fate.STATIONARY
    return Judgement(
        fate,
        "; ".join(f"{name}: {by}" for name, by in open_ones.items()) or "nothing is asked of it",
    )


def _all_outcomes(declared: Any, asked: Asked) -> Iterator[tuple[str, Outcome]]:
    names = asked.names & CLAIMED if isinstance(declared, Update) else asked.names
    yield from _outcomes(declared, names)
    if asked.order is not None:
        yield ORDER, _decide_order(declared.update, asked.order)


def _outcomes(declared: Any, names: frozenset[str] | None) -> Iterator[tuple[str, Outcome]]:
    """The outcomes of the obligations of these names, or of all; of a step only those that are
    about the step.
    """
    applying = subjects_of(declared)[-1]
    # a claim that is taken as a step is the same diffusion, and no repair is looked for
    as_step = isinstance(declared, Update) and not declared.limit_only
    subject = subject_of(as_printed(declared)) if as_step else applying
    obligations = [o for o in obligations_of(declared) if o.applies(applying)]
    outcomes = SubjectOutcomes(subject, obligations, _discharged)
    for name in (o.name for o in obligations):
        if name == EXACT and getattr(declared, "exact", None) is None:
            # of a splitting it looks at the pieces, and what is changed is the rule that they were
            # put together to
            continue
        if name not in NOT_ASKED and (names is None or name in names) and name in outcomes:
            yield name, outcomes[name]


def _discharged(obligation: Obligation, subject: Any, outcomes: Outcomes) -> Outcome:
    try:
        return discharged(obligation, subject, outcomes)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))


def _order(update: Update) -> Order | None:
    try:
        found = invariant_order(update)
    except (RecipeError, CannotDecideError):
        return None
    return found if found.order >= 1 else None


def _decide_order(update: Update, wanted: Order) -> Outcome:
    """Whether the law of the state, and that of each block, is right to the order that is proved of
    the original.
    """
    try:
        found = invariant_order(update)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))
    theirs = {m.kept: m for m in found.marginals}
    pairs: list[tuple[str, Any, Any]] = [("the joint law", found, wanted)]
    pairs += [
        (f"the law of {_names(m.kept)}", theirs[m.kept], m)
        for m in wanted.marginals
        if m.kept in theirs
    ]
    for what, ours, original in pairs:
        if ours.exact and ours.order < original.order:
            assert found.witness is not None
            return refuted(
                f"{what} has order exactly {ours.order}, and the original has {original.order}",
                found.witness,
            )
    low = next((what for what, ours, original in pairs if ours.order < original.order), None)
    if low is not None:
        return undecided(f"{low} is not proved to have the order of the original")
    return proved(f"the order of the original, {wanted.order}, or more")


def _names(blocks: tuple[Block, ...]) -> str:
    return ", ".join(str(b) for b in blocks)
