"""What the process that runs a recipe file is told to do, and what it tells its parent: text and
verdicts, so that nothing of the file comes over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recipe_cli.declarations import Declaration, UnfitDeclaration
from recipe_cli.errors import Mistake
from verify.report import Report
from verify.verdict import Outcome


@dataclass(frozen=True)
class Task:
    """What to do: ``done`` declarations are finished, and of the next one these obligations are
    ``answered``.
    """

    load: Callable[[], Sequence[Declaration | UnfitDeclaration]]
    require: tuple[str, ...]
    certify: bool
    gigabytes: float
    done: int
    answered: Mapping[str, Outcome]
    again: bool  # the file was run before, and what it prints is known


@dataclass(frozen=True)
class DeclarationFacts:
    """What a reader wants to know of a declaration, as plain data; ``target`` is minus the log
    density that it is said to have.
    """

    name: str
    file: str
    expect: str | None
    source: str | None = None
    target: str = ""


@dataclass(frozen=True)
class Begun:
    """A declaration is worked on; ``unanswered`` is what is to be reported of it if its dynamics
    are never derived.
    """

    declared: DeclarationFacts
    unanswered: Report


@dataclass(frozen=True)
class Working:
    """An obligation is worked on."""

    obligation: str


@dataclass(frozen=True)
class Answered:
    """An obligation is answered."""

    obligation: str
    outcome: Outcome


@dataclass(frozen=True)
class JudgedDeclaration:
    """A declaration and its report; where one was asked for and all is proved, the certificate."""

    declared: DeclarationFacts
    report: Report
    certificate: dict[str, Any] | None = None


@dataclass(frozen=True)
class RefusedDeclaration:
    """A declaration, or a whole file, of which there is no report, and why. After a fault of this
    program ``stop`` may be set.
    """

    mistake: Mistake
    stop: bool = False


Result = JudgedDeclaration | RefusedDeclaration


@dataclass(frozen=True)
class OutOfMemory:
    """Memory ran out, and the process ends."""


@dataclass(frozen=True)
class Ended:
    """Every declaration has been judged or refused."""
