"""Messages between the child process that runs a recipe file and its parent.

They are texts and verdicts, so that no object of the file comes into the parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recipe_cli.declarations.declaration import Declaration, UnfitDeclaration
from recipe_cli.errors import Mistake
from verify.report import Report
from verify.verdict import Outcome


@dataclass(frozen=True)
class Task:
    """What the child process has to do.

    Attributes:
        load: the function that runs the file and returns its declarations.
        require: the names of further obligations that must be proved.
        certify: whether a certificate is wanted.
        gigabytes: the memory limit.
        done: how many declarations are finished already; they are skipped.
        answered: the outcomes of the next declaration that are known already, by obligation.
        again: whether the file ran before, so that its output is not shown a second time.
    """

    load: Callable[[], Sequence[Declaration | UnfitDeclaration]]
    require: tuple[str, ...]
    certify: bool
    gigabytes: float
    done: int
    answered: Mapping[str, Outcome]
    again: bool


@dataclass(frozen=True)
class CodeLine:
    """A line of code that computes a term of a rule.

    Attributes:
        block: the name of the block.
        term: the term; empty for the function itself.
        is_noise: whether the term is noise.
        file: the file, as a person knows it.
        line: the number of the line.
    """

    block: str
    term: str
    is_noise: bool
    file: str
    line: int


@dataclass(frozen=True)
class DeclarationFacts:
    """The facts about a declaration that reports need, as plain data.

    Attributes:
        name: its name.
        file: the file that declares it.
        expect: the verdict that its author expects; None if none is named.
        source: where it was published; None if it does not say.
        target: the text of minus its log density, up to a constant.
        code: the lines that its terms were read from; none where it was written down.
    """

    name: str
    file: str
    expect: str | None
    source: str | None = None
    target: str = ""
    code: tuple[CodeLine, ...] = ()


@dataclass(frozen=True)
class Begun:
    """The child process begins to verify a declaration.

    Attributes:
        declared: the declaration.
        unanswered: the report to give if the process stops before the dynamics are derived.
    """

    declared: DeclarationFacts
    unanswered: Report


@dataclass(frozen=True)
class Working:
    """The child process begins to decide an obligation."""

    obligation: str


@dataclass(frozen=True)
class Answered:
    """The child process has decided an obligation."""

    obligation: str
    outcome: Outcome


@dataclass(frozen=True)
class JudgedDeclaration:
    """A verified declaration.

    Attributes:
        declared: the declaration.
        report: its report.
        certificate: the certificate as plain data; None if none was wanted or something is not
            proved.
    """

    declared: DeclarationFacts
    report: Report
    certificate: dict[str, Any] | None = None


@dataclass(frozen=True)
class RefusedDeclaration:
    """A declaration, or a whole file, that could not be verified.

    Attributes:
        mistake: the reason.
        stop: whether the command must stop here, as after a fault of this program.
    """

    mistake: Mistake
    stop: bool = False


Result = JudgedDeclaration | RefusedDeclaration


@dataclass(frozen=True)
class OutOfMemory:
    """The child process has run out of memory, and ends."""


@dataclass(frozen=True)
class Ended:
    """The child process has verified or refused every declaration."""
