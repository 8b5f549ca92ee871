"""Verdicts and outcomes of obligations, and how several outcomes become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from verify.evidence import Step


class Verdict(Enum):
    """The answer to a question.

    Attributes:
        PROVED: it holds for the whole scope.
        REFUTED: it fails at an exact witness.
        UNDECIDED: neither was found.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Witness:
    """A counterexample: an exact point, and what was found there.

    Attributes:
        point: the value of each symbol as text, by its name; for a vector a list of its
            coordinates.
        finding: a sentence that says what is wrong at the point.
    """

    point: dict[str, str | list[str]]
    finding: str


@dataclass(frozen=True)
class Formula:
    """An expression for a reader, as text and as LaTeX.

    Attributes:
        text: the expression as text.
        latex: the expression as LaTeX, without dollars.
        where: definitions of letters that the declaration does not declare, a sentence each.
    """

    text: str
    latex: str
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assumption:
    """A premise of a proof, and the obligations that would discharge it.

    If all its ``obligations`` are proved, the premise is replaced by the assumptions of their
    proofs.

    Attributes:
        sentence: the premise.
        obligations: names of obligations; empty if no obligation would discharge it.
    """

    sentence: str
    obligations: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Outcome:
    """The answer to one obligation.

    Attributes:
        verdict: proved, refuted or undecided.
        by: how it was decided; for an undecided obligation, what was tried.
        witness: the counterexample of a refutation; None if there is none.
        assumed: the premises of the verdict.
        repair: what to write instead; None if that is not known.
        steps: the evidence that a checker needs to verify the proof again.
        residual: the expression that should be zero and is not; None if there is none.
        scope: what the verdict holds for, if that is not the scope of the whole report; else None.
        facts: further findings, a sentence each.
        found: what was searched for and found, such as a recipe or a law; None if nothing was.
    """

    verdict: Verdict
    by: str
    witness: Witness | None = None
    assumed: tuple[Assumption, ...] = ()
    repair: str | None = None
    steps: tuple[Step, ...] = ()
    residual: Formula | None = None
    scope: str | None = None
    facts: tuple[str, ...] = ()
    found: Formula | None = None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The premises of the verdict, a sentence each."""
        return tuple(a.sentence for a in self.assumed)


def assuming(lines: Iterable[str | Assumption]) -> tuple[Assumption, ...]:
    """Return sentences as assumptions; a bare sentence has no obligation that would
    discharge it.
    """
    return tuple(Assumption(a) if isinstance(a, str) else a for a in lines)


def proved(by: str, *assumed: str | Assumption, steps: Iterable[Step] = ()) -> Outcome:
    """Return a proof for the whole scope.

    Args:
        by: how it was decided.
        assumed: the premises of the proof.
        steps: the evidence for a checker.
    """
    return Outcome(Verdict.PROVED, by, assumed=assuming(assumed), steps=tuple(steps))


def refuted(by: str, witness: Witness, repair: str | None = None) -> Outcome:
    """Return a refutation by an exact counterexample.

    Args:
        by: how it was decided.
        witness: the counterexample.
        repair: what to write instead; None if that is not known.
    """
    return Outcome(Verdict.REFUTED, by, witness=witness, repair=repair)


def undecided(tried: str) -> Outcome:
    """Return an undecided outcome; ``tried`` says what was attempted and why it did not succeed."""
    return Outcome(Verdict.UNDECIDED, tried)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a conjunction.

    It is refuted if any of the verdicts is, proved if there are some and all are proved, and
    undecided otherwise.
    """
    found = set(verdicts)
    if Verdict.REFUTED in found:
        return Verdict.REFUTED
    return Verdict.PROVED if found == {Verdict.PROVED} else Verdict.UNDECIDED


def conjunction(parts: Iterable[tuple[str, Outcome]], by: str) -> Outcome:
    """Return one outcome for a list of named conditions.

    It is the first refuted one, else the first undecided one, else proved.

    Args:
        parts: the name and outcome of each condition.
        by: how a proof of all conditions is described.
    """
    listed = list(parts)
    assumed = tuple(dict.fromkeys(a for _, o in listed for a in o.assumed))
    for wanted in (Verdict.REFUTED, Verdict.UNDECIDED):
        for name, outcome in listed:
            if outcome.verdict is wanted:
                return replace(outcome, by=f"{name}: {outcome.by}", assumed=assumed, steps=())
    steps = tuple(dict.fromkeys(step for _, o in listed for step in o.steps))
    return Outcome(Verdict.PROVED, by, assumed=assumed, steps=steps)
