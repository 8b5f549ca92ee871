"""What of an update rule vanishes in its limit, so that the limit says nothing of it."""

from __future__ import annotations

from recipe import Update
from recipe.declare.limit import noises_of_limit
from recipe.declare.reflect_update import unfolded
from recipe.language.blocks import Block
from recipe.language.entry import parts
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import name_of
from verify.decide.zero.decide import vanishes
from verify.diffusion.hypoelliptic.spanning import decide_spanning
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, undecided


def is_frozen(subject: Subject, block: Block) -> bool:
    """Return True if a block has neither drift nor noise, so that it keeps each of its values for
    ever.
    """
    dynamics = subject.dynamics
    noise = [p for other in subject.state for p in parts(dynamics.diffusion[block, other])]
    if any(p != 0 for p in noise):
        return False
    return vanishes(dynamics.drift[block])


def not_judged_by_limit(subject: Subject) -> Outcome | None:
    """Return why the limit of a rule does not say which law its steps keep, however small they are;
    None where nothing of this kind is found.

    A block that moves by less than the step rests in the limit, which keeps every law of it. Noise
    that vanishes faster than the root of the step is not in the limit; over the time in which it
    acts the rule may drift away to another law, unless the limit itself has one law only.
    """
    rule = subject.declared
    if not isinstance(rule, Update):
        return None
    moved = {block for block, e in rule.rule if e != block}
    for block in (b for b in subject.state if b in moved and is_frozen(subject, b)):
        return undecided(
            f"{name_of(block)} moves by less than a multiple of the step {rule.step}, so that it"
            f" rests in the limit, which keeps every law; {_own_time(rule)}"
        )
    written = {w for _, e in unfolded(rule).update.rule for w in e.atoms(Noise, ScalarNoise)}
    vanished = sorted(name_of(w) for w in written - noises_of_limit(rule))
    if vanished and decide_spanning(subject.dynamics, subject.H).verdict is not Verdict.PROVED:
        return undecided(
            f"the noise {vanished[0]} vanishes faster than sqrt({rule.step}), so that the limit is"
            f" without it, and is not proved to have one law only; {_own_time(rule)}"
        )
    return None


def _own_time(rule: Update) -> str:
    """The repair."""
    return (
        "write the rule in its own time: a step h for which noise scales as sqrt(h) and drift as h"
        f", such as {rule.step} = sqrt(h)"
    )
