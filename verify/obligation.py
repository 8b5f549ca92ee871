"""An obligation: a proposition about a sampler, the procedure that decides it, and its explanation.

An obligation never discharges another one. It names the outcomes that it needs, and
``verify.engine`` hands them over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recipe import Discretisation, Kernel, Recipe, Update
from verify.labels.subject import LabelSubject
from verify.scope import Declared
from verify.subject import KernelSubject, Subject
from verify.verdict import Assumption, Outcome, Verdict


def of_diffusions(subject: Subject) -> bool:
    """Return True for the subject of a recipe or a claim: for a sampler in the limit of a small
    step.
    """
    return not of_steps(subject)


def of_steps(subject: Subject) -> bool:
    """Return True for the subject of a discrete step."""
    return isinstance(subject.declared, Discretisation)


def of_kernels(subject: KernelSubject) -> bool:
    """Return True for the subject of a kernel."""
    return isinstance(subject.declared, Kernel)


def of_labels(subject: object) -> bool:
    """Return True for the subject of data with labels."""
    return isinstance(subject, LabelSubject)


def of_recipes(subject: Subject) -> bool:
    """Return True for the subject of a recipe."""
    return isinstance(subject.declared, Recipe)


def of_claims(subject: Subject) -> bool:
    """Return True for the subject of a claim: an update rule without a D or Q."""
    return isinstance(subject.declared, Update)


@dataclass(frozen=True)
class Outcomes:
    """The outcomes that an obligation is handed when it is discharged.

    Attributes:
        needed: the outcome of each obligation that it ``needs`` and that applies to its subject. An
            outcome is undecided if a limit of time or memory stopped its proof.
        about: ``about(declared)`` verifies another declaration, which the obligation has found. It
            yields the name and outcome of each obligation that it ``asks`` and that applies there,
            in the order of ``asks``; each is discharged when it is reached.
    """

    needed: Mapping[str, Outcome]
    about: Callable[[Declared], Iterator[tuple[str, Outcome]]]

    def __getitem__(self, name: str) -> Outcome:
        """Return the outcome of one obligation.

        Raises:
            KeyError: where the obligation does not apply to the subject.
        """
        return self.needed[name]

    def proved(self, name: str) -> bool:
        """Return True if the obligation of this name applies to the subject and is proved."""
        return name in self.needed and self.needed[name].verdict is Verdict.PROVED


@dataclass(frozen=True)
class Obligation:
    """A proposition about a subject, with the procedure that decides it.

    The proposition:
        name: its name in reports, in certificates and for ``recipe explain``.
        statement: the mathematics, as text.
        latex: the mathematics as LaTeX, if that reads better than the text.
        explanation: what it means for a statistician, and how it is decided.

    The procedure:
        discharge: ``discharge(subject)``, or ``discharge(subject, outcomes)`` if it needs or asks
            anything; returns an ``Outcome``.
        repaired: ``repaired(subject, outcome)`` returns a refutation with its repair; None where
            ``discharge`` gives the repair. It is a function of its own where the search takes long,
            so that whoever stops the search has the refutation.
        applies: a function that returns True for the subjects that it is about.
        needs: names of obligations about the same subject. They are discharged first, and their
            outcomes are handed over.
        asks: names of obligations that are discharged about another declaration, which this
            obligation finds or which its subject was made from.
        assumes: assumptions of its proofs that another obligation would discharge. If this
            obligation is required and the other one is refuted, the other one counts as well.
        given: the name of another obligation and a verdict; without that verdict this one is not
            discharged.
        handles_reflections: True if it is decided for samplers that are reflected at an edge.
            Otherwise it is undecided for them, as it would reason about the rule without its folds.
        handles_kinks: True if it is decided for samplers with an absolute value or with a root of
            what may vanish. Otherwise it is undecided for them, as it assumes derivatives of every
            order.

    The weight:
        required: True if it enters the verdict of the report. Others are listed, and enter it only
            if a recipe or a user requires them.
        vacuous: the reason why it holds for a declaration to which it does not apply. Without a
            reason it is undecided there if it is required.
    """

    name: str
    statement: str
    explanation: str
    discharge: Callable[..., Outcome]
    repaired: Callable[[Any, Outcome], Outcome] | None = None
    latex: str | None = None
    applies: Callable[[Any], bool] = of_diffusions
    needs: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    assumes: tuple[Assumption, ...] = ()
    given: tuple[str, Verdict] | None = None
    handles_reflections: bool = False
    handles_kinks: bool = False
    required: bool = True
    vacuous: str | None = None

    def comes_after(self) -> tuple[str, ...]:
        """Return the names of the obligations about the same subject that must be discharged before
        it.
        """
        return self.needs if self.given is None else (*self.needs, self.given[0])

    def outcome(
        self, subject: Subject | KernelSubject | LabelSubject, outcomes: Outcomes
    ) -> Outcome:
        """Discharge the obligation, with the outcomes that it needs, and return its outcome."""
        if self.needs or self.asks:
            return self.discharge(subject, outcomes)
        return self.discharge(subject)
