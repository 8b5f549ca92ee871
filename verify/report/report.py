"""Verifying: every obligation of a recipe or a claim, as one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from recipe import Discretisation, Kernel, Recipe, RecipeError, __version__
from verify.diffusion.nonsmooth import UNPROVED, at_kinks, kinks
from verify.obligation import Obligation
from verify.obligations import KERNEL_OBLIGATIONS, OBLIGATIONS
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.process.non_explosion import NON_EXPLOSION
from verify.obligations.process.normalisable import NORMALISABLE
from verify.obligations.process.stationarity import LEDGER, STATIONARITY
from verify.report.layout import paragraphs
from verify.report.markdown import markdown
from verify.subject import Declared, KernelSubject, Subject, kernel_subject_of, scope_of, subject_of
from verify.verdict import Outcome, Verdict, overall, proved, undecided

VERSION = 1  # of the fields of a report as plain data
TOO_DEEP = "an expression in it is nested too deeply to be followed"
OF_REFLECTED = (
    "the sampler is reflected at an edge of its domain, and this obligation is decided without"
    " reflections only"
)
LEDGER_LINES = (
    NORMALISABLE.name,
    NON_EXPLOSION.name,
)  # what the ledger line of stationarity is about
UNDERIVED = "the drift and the diffusion were not derived"

Discharge = Callable[[Obligation, Subject | KernelSubject], Outcome]


@dataclass(frozen=True)
class ReportLine:
    """One obligation and its outcome; what is not required does not enter the verdict on the
    whole.
    """

    name: str
    statement: str
    outcome: Outcome
    required: bool = True


@dataclass(frozen=True)
class Report:
    """What was proved, refuted or left undecided of one recipe, claim or discrete step, and for
    which scope.
    """

    name: str | None
    kind: str
    scope: str
    lines: tuple[ReportLine, ...]

    @property
    def verdict(self) -> Verdict:
        """Proved if every required obligation is, refuted if any of them is, undecided
        otherwise.
        """
        return overall(line.outcome.verdict for line in self.lines if line.required)

    def __str__(self) -> str:
        return "\n".join(str(p) for p in paragraphs(self, self.name or f"this {self.kind}"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # a notebook without Markdown, and IPython

    def _repr_markdown_(self) -> str:
        return markdown(self, self.name or f"this {self.kind}")

    def as_json(self) -> dict[str, Any]:
        """The report as plain data; ``docs/report.md`` describes every field."""
        return {
            "version": VERSION,
            "library": __version__,
            "name": self.name,
            "kind": self.kind,
            "verdict": self.verdict.value,
            "scope": self.scope,
            "obligations": [_line_as_json(line, self.scope) for line in self.lines],
        }


def discharged(obligation: Obligation, subject: Subject | KernelSubject) -> Outcome:
    """The outcome of an obligation; undecided where it does not know reflections or kinks, or
    Python cannot follow it.
    """
    if subject.is_reflected and not obligation.of_reflected:
        return undecided(OF_REFLECTED)
    found = [] if obligation.across_kinks else kinks(subject)
    if found:
        return undecided(UNPROVED.format(at_kinks(found)))
    try:
        return obligation.discharge(subject)
    except RecursionError:
        return undecided(TOO_DEEP)


def verify(
    declared: Declared, *, require: Iterable[str] = (), discharge: Discharge = discharged
) -> Report:
    """Discharge every obligation of a recipe, a claim, a discrete step or a kernel, here and for as
    long as it takes.

    There is no limit of time or memory here: native code hears no signal, so only a process can be
    stopped. The command ``recipe verify`` runs this in a process of its own and stops it.

    Args:
        declared: what to verify.
        require: names of further obligations without which it must not count as verified.
        discharge: how an obligation gets its outcome, for those who want to watch.

    Raises:
        RecipeError: for an unknown obligation, or an update rule that has no limit.
    """
    subjects = subjects_of(declared)
    required = _required(declared, require)
    applying = [
        (o, s)
        for s in subjects
        for o in obligations_of(declared)
        if o.applies(s) and _is_asked_of(o, s, subjects)
    ]
    lines: list[ReportLine] = []
    for o, s in applying:
        if _is_given(o, lines):
            lines.append(_line(o, discharge(o, s), required))
    lines += [
        _open(name, declared) for name in required if name not in {line.name for line in lines}
    ]
    return Report(
        declared.name, subjects[-1].kind, subjects[-1].scope, tuple(_without_what_is_decided(lines))
    )


def _is_asked_of(obligation: Obligation, subject: Any, subjects: list[Any]) -> bool:
    """Not of what a step is made from, where it is asked of the step."""
    return subject is subjects[-1] or not obligation.applies(subjects[-1])


def _is_given(obligation: Obligation, lines: list[ReportLine]) -> bool:
    """Whether what it is asked for depends on has come out so."""
    return obligation.given is None or obligation.given in [
        (line.name, line.outcome.verdict) for line in lines
    ]


def subjects_of(declared: Declared) -> list[Any]:
    """What the lines of a report are about: of a discrete step first what it is made from, as no
    step is better than that.
    """
    if isinstance(declared, Kernel):
        return [kernel_subject_of(declared)]
    made_from = [subject_of(declared.of)] if isinstance(declared, Discretisation) else []
    return [*made_from, subject_of(declared)]


def _line(obligation: Obligation, outcome: Outcome, required: list[str]) -> ReportLine:
    """What others take for granted is no assumption any more where it is refuted: then it
    counts.
    """
    refuted = obligation.name in LEDGER_LINES and outcome.verdict is Verdict.REFUTED
    return ReportLine(
        obligation.name,
        obligation.statement,
        outcome,
        obligation.required or obligation.name in required or refuted,
    )


def obligations_of(declared: Declared) -> tuple[Obligation, ...]:
    """The obligations of its kind, in the order in which a report lists them."""
    return KERNEL_OBLIGATIONS if isinstance(declared, Kernel) else OBLIGATIONS


def unanswered(declared: Declared) -> Report:
    """What is to be reported where even the dynamics were not derived: whether the law is
    stationary is undecided.
    """
    if isinstance(declared, Kernel):
        open_line = ReportLine(
            INVARIANCE.name, INVARIANCE.statement, undecided("it was not reached")
        )
        return Report(declared.name, "kernel", scope_of(declared), (open_line,))
    kind = (
        "recipe"
        if isinstance(declared, Recipe)
        else "step"
        if isinstance(declared, Discretisation)
        else "claim"
    )
    line = ReportLine(STATIONARITY.name, STATIONARITY.statement, undecided(UNDERIVED))
    return Report(declared.name, kind, scope_of(declared), (line,))


def _without_what_is_decided(lines: list[ReportLine]) -> list[ReportLine]:
    """The lines, where stationarity takes for granted only what other lines do not decide, and what
    these take for granted.
    """
    decisive = [line.outcome for line in lines if line.name in LEDGER_LINES]
    proofs = [outcome for outcome in decisive if outcome.verdict is Verdict.PROVED]
    if len(proofs) < len(LEDGER_LINES) and all(
        outcome.verdict is not Verdict.REFUTED for outcome in decisive
    ):
        return lines
    theirs = tuple(a for proof in proofs for a in proof.assumptions)
    return [replace(line, outcome=_instead(line.outcome, theirs)) for line in lines]


def _instead(outcome: Outcome, assumptions: tuple[str, ...]) -> Outcome:
    """The outcome with other assumptions in place of the ledger line of stationarity."""
    found = (assumptions if a == LEDGER else (a,) for a in outcome.assumptions)
    return replace(outcome, assumptions=tuple(dict.fromkeys(a for listed in found for a in listed)))


def _required(declared: Declared, require: Iterable[str]) -> list[str]:
    """The required obligations by name, beside those that apply anyway."""
    made_from = declared.of if isinstance(declared, Discretisation) else declared
    own = made_from.require if isinstance(made_from, Recipe) else ()
    names = list(dict.fromkeys((*own, *require)))
    known = list(
        dict.fromkeys(
            o.name for o in (*obligations_of(declared), *OBLIGATIONS, *KERNEL_OBLIGATIONS)
        )
    )
    for name in names:
        if name not in known:
            raise RecipeError(
                f"there is no obligation {name!r}; the obligations are {', '.join(known)}"
            )
    return names


def _open(name: str, declared: Declared) -> ReportLine:
    """A required obligation that was not discharged, as there is nothing declared that it is
    about.
    """
    obligation = next(
        o for o in (*obligations_of(declared), *OBLIGATIONS, *KERNEL_OBLIGATIONS) if o.name == name
    )
    if obligation not in obligations_of(declared):
        return ReportLine(
            name,
            obligation.statement,
            undecided("it is required, and it is about declarations of another kind"),
        )
    if obligation.vacuous is not None:
        return ReportLine(name, obligation.statement, proved(obligation.vacuous))
    return ReportLine(
        name,
        obligation.statement,
        undecided("it is required, and the declaration has nothing that it is about"),
    )


def _line_as_json(line: ReportLine, scope: str) -> dict[str, Any]:
    outcome = line.outcome
    witness = (
        None
        if outcome.witness is None
        else {"point": outcome.witness.point, "finding": outcome.witness.finding}
    )
    return {
        "name": line.name,
        "required": line.required,
        "statement": line.statement,
        "verdict": outcome.verdict.value,
        "scope": outcome.scope or scope,
        "by": outcome.by,
        "facts": list(outcome.facts),
        "assumptions": list(outcome.assumptions),
        "residual": None if outcome.residual is None else asdict(outcome.residual),
        "witness": witness,
        "repair": outcome.repair,
        "found": None if outcome.found is None else asdict(outcome.found),
    }
