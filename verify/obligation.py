"""An obligation: what must hold of a sampler, how it is discharged, and how that is explained.

An obligation never discharges another one. It names what it needs to know, and ``verify.engine``
hands it the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recipe import Discretisation, Kernel, Recipe, Update
from verify.scope import Declared
from verify.subject import KernelSubject, Subject
from verify.verdict import Assumption, Outcome, Verdict


def of_diffusions(subject: Subject) -> bool:
    """An obligation of every recipe and every claim: of what a sampler is as its step vanishes."""
    return not of_steps(subject)


def of_steps(subject: Subject) -> bool:
    """An obligation of every discrete step."""
    return isinstance(subject.declared, Discretisation)


def of_kernels(subject: KernelSubject) -> bool:
    """An obligation of every kernel."""
    return isinstance(subject.declared, Kernel)


def of_recipes(subject: Subject) -> bool:
    """An obligation of recipes only."""
    return isinstance(subject.declared, Recipe)


def of_claims(subject: Subject) -> bool:
    """An obligation of claims only: of update rules with nothing said of D or Q."""
    return isinstance(subject.declared, Update)


@dataclass(frozen=True)
class Outcomes:
    """What an obligation is handed when it is discharged.

    ``needed`` has the outcome of each obligation that it ``needs`` and that applies to its subject.
    One that was stopped by a limit of time or memory is undecided there.

    ``about(declared)`` verifies another declaration, which the obligation has found. It yields the
    name and the outcome of each obligation that it ``asks`` and that applies there, in that order;
    each is discharged when it is wanted.
    """

    needed: Mapping[str, Outcome]
    about: Callable[[Declared], Iterator[tuple[str, Outcome]]]

    def __getitem__(self, name: str) -> Outcome:
        """The outcome of one obligation, which must apply to the subject."""
        return self.needed[name]

    def proved(self, name: str) -> bool:
        """Whether one obligation applies to the subject and is proved."""
        return name in self.needed and self.needed[name].verdict is Verdict.PROVED


@dataclass(frozen=True)
class Obligation:
    """One obligation, of a ``Subject`` or of a ``KernelSubject``.

    What it says:
        name: how reports, certificates and ``recipe explain`` call it.
        statement: the mathematics, as text.
        latex: the same for print, where LaTeX says it better than text.
        explanation: what a statistician wants to know about it.

    How it is decided:
        discharge: ``discharge(subject)``, or ``discharge(subject, outcomes)`` where it needs or
            asks anything; returns its outcome.
        applies: whether it is about a subject at all.
        needs: names of obligations about the same subject. They are discharged first, and their
            outcomes are handed on.
        asks: names of obligations that are discharged about another declaration, which this
            obligation finds or which its subject was made from.
        assumes: what a proof may take for granted and another obligation would discharge. Where
            this obligation is required and the other is refuted, the other counts as well.
        given: another obligation with a verdict; without that verdict this one is not asked for.
        of_reflected: whether it knows reflections. One that does not is undecided of a sampler
            that is reflected at an edge, as it would reason about the rule without its folds.
        across_kinks: whether it knows kinks. One that does not is undecided of a sampler with an
            absolute value in it, as it takes derivatives of every order for granted.

    How it counts:
        required: whether it enters the verdict on the whole. Others are shown, and enter it only
            if a recipe or a user requires them.
        vacuous: why it holds where it is required and does not apply. Without a reason it is then
            undecided.
    """

    name: str
    statement: str
    explanation: str
    discharge: Callable[..., Outcome]
    latex: str | None = None
    applies: Callable[[Any], bool] = of_diffusions
    needs: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    assumes: tuple[Assumption, ...] = ()
    given: tuple[str, Verdict] | None = None
    of_reflected: bool = False
    across_kinks: bool = False
    required: bool = True
    vacuous: str | None = None

    def comes_after(self) -> tuple[str, ...]:
        """Names of the obligations about the same subject that must be discharged before it."""
        return self.needs if self.given is None else (*self.needs, self.given[0])

    def outcome(self, subject: Subject | KernelSubject, outcomes: Outcomes) -> Outcome:
        """Discharge it, with the outcomes that it needs."""
        if self.needs or self.asks:
            return self.discharge(subject, outcomes)
        return self.discharge(subject)
