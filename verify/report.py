"""Verifying: every obligation of a recipe or a claim, as one report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sympy import S

from recipe import Recipe, RecipeError, Update
from verify.obligation import Obligation
from verify.obligations import OBLIGATIONS, WITHOUT_PROCEDURE
from verify.obligations.non_explosion import NON_EXPLOSION
from verify.obligations.normalisable import NORMALISABLE
from verify.obligations.stationarity import LEDGER
from verify.subject import Subject, scope_of, subject_of
from verify.verdict import Outcome, Verdict, overall, undecided

NO_PROCEDURE = "this version has no procedure that decides it"


@dataclass(frozen=True)
class Line:
    """One obligation and its outcome; what is not required does not enter the verdict on the whole."""

    name: str
    statement: str
    outcome: Outcome
    required: bool = True


@dataclass(frozen=True)
class Report:
    """What was proved, refuted or left undecided of one recipe or claim, and for which scope."""

    name: str | None
    kind: str
    scope: str
    lines: tuple[Line, ...]

    @property
    def verdict(self) -> Verdict:
        """Proved if every required obligation is, refuted if any of them is, undecided otherwise."""
        return overall(line.outcome.verdict for line in self.lines if line.required)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "verdict": self.verdict.value,
            "obligations": [_line_as_json(line, self.scope) for line in self.lines],
        }


def verify(declared: Recipe | Update, *, require: Iterable[str] = ()) -> Report:
    """Discharge every obligation of a recipe or a claim.

    Args:
        declared: what to verify.
        require: names of further obligations without which it must not count as verified.

    Raises:
        RecipeError: for an unknown obligation, or an update rule that has no limit.
    """
    subject = subject_of(declared)
    required = _required(declared, require)
    lines = [_discharge(obligation, subject, required) for obligation in OBLIGATIONS if obligation.applies(subject)]
    lines += [_open(name) for name in required if name not in {line.name for line in lines}]
    return Report(declared.name, subject.kind, scope_of(subject), tuple(_without_what_is_proved(lines)))


def _discharge(obligation: Obligation, subject: Subject, required: list[str]) -> Line:
    return Line(
        obligation.name, obligation.statement, obligation.discharge(subject), obligation.required or obligation.name in required
    )


def _without_what_is_proved(lines: list[Line]) -> list[Line]:
    """The lines, where stationarity takes for granted only what other lines do not prove."""
    proved = {line.name for line in lines if line.outcome.verdict is Verdict.PROVED}
    if not proved >= {NORMALISABLE.name, NON_EXPLOSION.name}:
        return lines
    return [replace(line, outcome=_without(line.outcome, LEDGER)) for line in lines]


def _without(outcome: Outcome, assumption: str) -> Outcome:
    return replace(outcome, assumptions=tuple(a for a in outcome.assumptions if a != assumption))


def _required(declared: Recipe | Update, require: Iterable[str]) -> list[str]:
    """The required obligations by name; a domain with an edge requires ``boundary``."""
    own = declared.require if isinstance(declared, Recipe) else ()
    edge = ("boundary",) if any(b.domain != S.Reals for b in declared.state) else ()
    names = list(dict.fromkeys((*own, *require, *edge)))
    known = [*(o.name for o in OBLIGATIONS), *WITHOUT_PROCEDURE]
    for name in names:
        if name not in known:
            raise RecipeError(f"there is no obligation {name!r}; the obligations are {', '.join(known)}")
    return names


def _open(name: str) -> Line:
    """A required obligation that was not discharged: there is no procedure for it, or nothing declared that it is about."""
    if name in WITHOUT_PROCEDURE:
        return Line(name, WITHOUT_PROCEDURE[name], undecided(NO_PROCEDURE))
    obligation = next(o for o in OBLIGATIONS if o.name == name)
    return Line(name, obligation.statement, undecided("it is required, and the declaration has nothing that it is about"))


def _line_as_json(line: Line, scope: str) -> dict[str, Any]:
    outcome = line.outcome
    witness = None if outcome.witness is None else {"point": outcome.witness.point, "finding": outcome.witness.finding}
    return {
        "name": line.name,
        "required": line.required,
        "verdict": outcome.verdict.value,
        "scope": scope,
        "by": outcome.by,
        "assumptions": list(outcome.assumptions),
        "witness": witness,
        "repair": outcome.repair,
    }
