"""``detailed-balance``: every Metropolis test satisfies detailed balance."""

from __future__ import annotations

from dataclasses import replace

from sympy import S

from recipe.kernel.part import MetropolisedMap, MetropolisedPath, MetropolisHastings, leaves_of
from verify.kernels.liveness import turning
from verify.kernels.step_sizes import within_scope
from verify.kernels.sweep import decide_part, words_of
from verify.obligation import Obligation
from verify.subject import KernelSubject
from verify.verdict import Outcome, Verdict, conjunction

Test = MetropolisHastings | MetropolisedMap | MetropolisedPath


def discharge(subject: KernelSubject) -> Outcome:
    """Decide each test by itself.

    A Metropolis-Hastings test is decided by the density of its proposal both ways, a Metropolised
    map by the three facts that make it reversible.
    """
    named = []
    for test in _tests(subject):
        # The acceptance does not depend on whether a rejected state's momentum is turned: that
        # matters for the whole sweep only.
        part = turning(test)
        outcome = within_scope(
            decide_part(subject.declared, part), subject.declared, subject.conditions
        )
        if outcome.witness is not None and isinstance(part, MetropolisedMap):
            outcome = replace(outcome, repair=_repair(subject, part))
        named.append((words_of(part), outcome))
    return conjunction(named, by="; ".join(dict.fromkeys(outcome.by for _, outcome in named)))


def _tests(subject: KernelSubject) -> list[Test]:
    """Return the Metropolis tests of the kernel."""
    leaves = (leaf for part in subject.declared.parts for leaf in leaves_of(part))
    return [leaf for leaf in leaves if isinstance(leaf, Test)]


def _repair(subject: KernelSubject, part: MetropolisedMap) -> str | None:
    """Name another block whose sign may be turned instead, so that the test is right; None if none
    is.
    """
    for block in subject.state:
        other = replace(part, flips=(block,))
        if (
            block.domain == S.Reals
            and decide_part(subject.declared, other).verdict is Verdict.PROVED
        ):
            return f"turn {block}: flip={block}"
    return None


DETAILED_BALANCE = Obligation(
    name="detailed-balance",
    statement=(
        "pi(x) q(y | x) a(x, y) = pi(y) q(x | y) a(y, x); for a map: F o Psi is its own inverse,"
        " |det Psi'| = 1, H o F = H"
    ),
    latex=r"\pi(x)\, q(y \mid x)\, a(x, y) = \pi(y)\, q(x \mid y)\, a(y, x)",
    explanation=(
        "A proposal that is accepted with probability min(1, ratio) leaves exp(-H) invariant if"
        " the ratio is pi(y) q(x | y) / (pi(x) q(y | x)). The density q is derived again from mean"
        " and covariance of the rule, and must be positive both ways, so that D > 0. A map without"
        " noise has no density: it must preserve volume, and be undone by turning the momenta,"
        " applying it again and turning them back. Each test is judged by itself; the verdict on"
        " the kernel is that of invariance, as a later part may correct an earlier one."
    ),
    discharge=discharge,
    applies=lambda subject: subject.declared.has_metropolis(),
    vacuous="no part of the kernel accepts and rejects",
    required=False,
)
