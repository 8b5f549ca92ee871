"""``marginal``: integrating every other block out of exp(-H) leaves the law that was declared."""

from __future__ import annotations

from recipe import Recipe
from recipe.calculus import gradient
from recipe.recipe import marginal_place
from recipe.symbols import Block
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided
from verify.zero.decide import decide_zero


def discharge(subject: Subject) -> Outcome:
    """Where ``H - U`` does not depend on the kept blocks, the others are independent of them and integrate to a constant."""
    assert isinstance(subject.declared, Recipe)
    return conjunction(
        ((marginal_place(kept), _decide(subject, block, U)) for kept, U in subject.declared.marginal for block in kept),
        by="H - U does not depend on what is kept",
    )


def _decide(subject: Subject, block: Block, U: object) -> Outcome:
    difference = decide_zero(gradient(subject.H - U, block))
    if difference.verdict is Verdict.PROVED:
        return Outcome(Verdict.PROVED, difference.by, assumptions=("exp(-(H - U)) has a finite integral over the other blocks",))
    # An auxiliary law that depends on theta may still integrate to a constant, so this refutes nothing.
    return undecided(f"H - U depends on {block}, and no procedure here integrates the other blocks out")


def declares_marginal(subject: Subject) -> bool:
    """Whether a marginal law was declared."""
    return isinstance(subject.declared, Recipe) and bool(subject.declared.marginal)


MARGINAL = Obligation(
    name="marginal",
    statement="the integral of exp(-H) over the other blocks is exp(-U) up to a constant",
    explanation=(
        "A sampler with auxiliary variables is used for the law of its positions. Where H - U depends on the auxiliaries alone, "
        "they are independent of the positions, and dropping them leaves exp(-U)."
    ),
    discharge=discharge,
    applies=declares_marginal,
)
