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
class Outcome:
    """The answer to one obligation.

    ``by`` says how it was decided (or what was tried), ``assumptions`` are ledger lines: what the
    verdict takes for granted. ``repair`` proposes what to write instead, where that is known;
    ``residual`` is what should be zero and is not; ``steps`` are what a checker needs to go through
    it again. ``scope`` says for what it holds, where that is not all that was asked for; ``facts``
    are what was found beside it, a sentence each. ``found`` is what was looked for and found: a
    recipe, a law.
    """

    verdict: Verdict
    by: str
    witness: Witness | None = None
    assumptions: tuple[str, ...] = ()
    repair: str | None = None
    steps: tuple[Step, ...] = ()
    residual: Formula | None = None
    scope: str | None = None
    facts: tuple[str, ...] = ()
    found: Formula | None = None


def proved(by: str, *assumptions: str, steps: Iterable[Step] = ()) -> Outcome:
    """A proof for everything that the scope says."""
    return Outcome(Verdict.PROVED, by, assumptions=assumptions, steps=tuple(steps))


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
    assumptions = tuple(dict.fromkeys(line for _, o in listed for line in o.assumptions))
    for wanted in (Verdict.REFUTED, Verdict.UNDECIDED):
        for name, outcome in listed:
            if outcome.verdict is wanted:
                return replace(
                    outcome, by=f"{name}: {outcome.by}", assumptions=assumptions, steps=()
                )
    steps = tuple(dict.fromkeys(step for _, o in listed for step in o.steps))
    return Outcome(Verdict.PROVED, by, assumptions=assumptions, steps=steps)
