"""Verifying: every obligation of a recipe or a claim, as one report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from recipe import Recipe, RecipeError, Update
from verify.obligation import Obligation
from verify.obligations import OBLIGATIONS, WITHOUT_PROCEDURE
from verify.subject import Subject, scope_of, subject_of
from verify.verdict import Outcome, Verdict, overall, undecided

NO_PROCEDURE = "this version has no procedure that decides it"


@dataclass(frozen=True)
class Line:
    """One obligation and its outcome."""

    name: str
    statement: str
    outcome: Outcome


@dataclass(frozen=True)
class Report:
    """What was proved, refuted or left undecided of one recipe or claim, and for which scope."""

    name: str | None
    kind: str
    scope: str
    lines: tuple[Line, ...]

    @property
    def verdict(self) -> Verdict:
        """Proved if every obligation is, refuted if any is, undecided otherwise."""
        return overall(line.outcome.verdict for line in self.lines)

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
    lines = [_discharge(obligation, subject) for obligation in OBLIGATIONS if obligation.applies(subject)]
    lines += [_open(name) for name in _required(declared, require) if name not in {line.name for line in lines}]
    return Report(declared.name, subject.kind, scope_of(subject), tuple(lines))


def _discharge(obligation: Obligation, subject: Subject) -> Line:
    return Line(obligation.name, obligation.statement, obligation.discharge(subject))


def _required(declared: Recipe | Update, require: Iterable[str]) -> list[str]:
    """The required obligations by name, beside those that apply anyway."""
    own = declared.require if isinstance(declared, Recipe) else ()
    names = list(dict.fromkeys((*own, *require)))
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
        "verdict": outcome.verdict.value,
        "scope": scope,
        "by": outcome.by,
        "assumptions": list(outcome.assumptions),
        "witness": witness,
        "repair": outcome.repair,
    }
