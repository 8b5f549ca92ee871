"""What can be said of an obligation, and how several answers become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from verify.evidence import Step


class Verdict(Enum):
    """*proved* for the whole scope, *refuted* by an exact witness, or *undecided*."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Witness:
    """An exact point, written in the recipe's own symbols, and what was found there."""

    point: dict[str, str | list[str]]
    finding: str


@dataclass(frozen=True)
class Formula:
    """An expression to be read: as text and as LaTeX; ``where`` says what its letters mean that
    nobody has declared.
    """

    text: str
    latex: str
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assumption:
    """What a verdict takes for granted, as a sentence, and which obligations would discharge it.

    Where all of its ``obligations`` are proved, nothing is assumed but what their proofs assume. An
    assumption without any is one that no obligation is about.
    """

    sentence: str
    obligations: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Outcome:
    """The answer to one obligation.

    ``by`` says how it was decided (or what was tried), ``assumed`` is what the verdict takes for
    granted. ``repair`` proposes what to write instead, where that is known;
    ``residual`` is what should be zero and is not; ``steps`` are what a checker needs to go through
    it again. ``scope`` says for what it holds, where that is not all that was asked for; ``facts``
    are what was found beside it, a sentence each. ``found`` is what was looked for and found: a
    recipe, a law.
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
        """What the verdict takes for granted, a sentence each."""
        return tuple(a.sentence for a in self.assumed)


def assuming(lines: Iterable[str | Assumption]) -> tuple[Assumption, ...]:
    """Sentences as assumptions; a bare sentence is one that no obligation is about."""
    return tuple(Assumption(a) if isinstance(a, str) else a for a in lines)


def proved(by: str, *assumed: str | Assumption, steps: Iterable[Step] = ()) -> Outcome:
    """A proof for everything that the scope says."""
    return Outcome(Verdict.PROVED, by, assumed=assuming(assumed), steps=tuple(steps))


def refuted(by: str, witness: Witness, repair: str | None = None) -> Outcome:
    """An exact counterexample."""
    return Outcome(Verdict.REFUTED, by, witness=witness, repair=repair)


def undecided(tried: str) -> Outcome:
    """Neither; ``tried`` says what was attempted and why it did not reach."""
    return Outcome(Verdict.UNDECIDED, tried)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Refuted if any is, proved if all are and there is one, undecided otherwise."""
    found = set(verdicts)
    if Verdict.REFUTED in found:
        return Verdict.REFUTED
    return Verdict.PROVED if found == {Verdict.PROVED} else Verdict.UNDECIDED


def conjunction(parts: Iterable[tuple[str, Outcome]], by: str) -> Outcome:
    """One outcome for a list of named conditions: the first refuted, else the first undecided, else
    proved by ``by``.
    """
    listed = list(parts)
    assumed = tuple(dict.fromkeys(a for _, o in listed for a in o.assumed))
    for wanted in (Verdict.REFUTED, Verdict.UNDECIDED):
        for name, outcome in listed:
            if outcome.verdict is wanted:
                return replace(outcome, by=f"{name}: {outcome.by}", assumed=assumed, steps=())
    steps = tuple(dict.fromkeys(step for _, o in listed for step in o.steps))
    return Outcome(Verdict.PROVED, by, assumed=assumed, steps=steps)
