"""The engine: what is asked of a declaration, in which order, and what becomes of the outcomes.

Each obligation is discharged once about a subject, after those that it needs, and is handed their
outcomes. The order in which a report lists them is another matter: that of ``verify.obligations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from recipe import Discretisation, Kernel, Recipe, RecipeError
from verify.diffusion.nonsmooth import UNPROVED, at_kinks, kinks
from verify.obligation import Obligation, Outcomes
from verify.obligations import KERNEL_OBLIGATIONS, OBLIGATIONS
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.process.stationarity import STATIONARITY
from verify.report import Report, ReportLine
from verify.scope import Declared, scope_of
from verify.subject import KernelSubject, Subject, kernel_subject_of, subject_of
from verify.verdict import Assumption, Outcome, Verdict, proved, undecided

TOO_DEEP = "an expression in it is nested too deeply to be followed"
OF_REFLECTED = (
    "the sampler is reflected at an edge of its domain, and this obligation is decided without"
    " reflections only"
)
UNDERIVED = "the drift and the diffusion were not derived"
NOT_REACHED = "it was not reached"
OF_ANOTHER_KIND = "it is required, and it is about declarations of another kind"
OF_NOTHING_DECLARED = "it is required, and the declaration has nothing that it is about"

AnySubject = Subject | KernelSubject
Discharge = Callable[[Obligation, AnySubject, Outcomes], Outcome]


def verify(
    declared: Declared, *, require: Iterable[str] = (), discharge: Discharge | None = None
) -> Report:
    """Discharge every obligation of a recipe, a claim, a discrete step or a kernel, here and for as
    long as it takes.

    There is no limit of time or memory here: native code hears no signal, so only a process can be
    stopped. The command ``recipe verify`` runs this in a process of its own and stops it.

    Args:
        declared: what to verify.
        require: names of further obligations without which it must not count as verified.
        discharge: how an obligation gets its outcome, for those who want to watch; ``discharged``
            if it is None.

    Raises:
        RecipeError: for an unknown obligation, or an update rule that has no limit.
    """
    subjects = subjects_of(declared)
    required = _required(declared, require)
    asked = list(_asked_of(subjects, discharge or discharged))
    counting = _counting_if_refuted(o for o, _ in asked if o.required)
    lines = []
    for obligation, outcomes in asked:
        if obligation.name in outcomes:
            outcome = outcomes[obligation.name]
            counts = outcome.verdict is Verdict.REFUTED and obligation.name in counting
            is_required = obligation.required or obligation.name in required or counts
            lines.append(_line(obligation, outcome, is_required))
    lines += [
        _open(name, declared) for name in required if name not in {line.name for line in lines}
    ]
    return Report(declared.name, subjects[-1].kind, subjects[-1].scope, _settled(lines))


def outcome_of(declared: Declared, name: str) -> Outcome:
    """The outcome of one obligation about a declaration, found with those that it needs alone.

    Raises:
        KeyError: where the obligation does not apply to the declaration.
    """
    return _outcomes_about(declared, (name,))[name]


def unanswered(declared: Declared) -> Report:
    """What is to be reported where even the dynamics were not derived: whether the law is kept is
    undecided.
    """
    if isinstance(declared, Kernel):
        line, kind = _line(INVARIANCE, undecided(NOT_REACHED)), "kernel"
    else:
        line, kind = _line(STATIONARITY, undecided(UNDERIVED)), _kind_of(declared)
    return Report(declared.name, kind, scope_of(declared), (line,))


# -- discharging
# --------------------------------------------------------------------------------------------------


def discharged(obligation: Obligation, subject: AnySubject, outcomes: Outcomes) -> Outcome:
    """The outcome of an obligation; undecided where it does not know reflections or kinks, or
    Python cannot follow it.
    """
    if subject.is_reflected and not obligation.of_reflected:
        return undecided(OF_REFLECTED)
    found = [] if obligation.across_kinks else kinks(subject)
    if found:
        return undecided(UNPROVED.format(at_kinks(found)))
    try:
        return obligation.outcome(subject, outcomes)
    except RecursionError:
        return undecided(TOO_DEEP)


class SubjectOutcomes(Mapping[str, Outcome]):
    """The outcomes about one subject by the names of obligations, in the order of these.

    An obligation is discharged once: when its outcome is first wanted, after those that it needs.
    One that depends on a verdict which did not come out (``given``) is not there.
    """

    def __init__(
        self,
        subject: AnySubject,
        obligations: Iterable[Obligation],
        discharge: Discharge = discharged,
    ) -> None:
        self.subject = subject
        self._obligations = {o.name: o for o in obligations}
        self._discharge = discharge
        self._found: dict[str, Outcome] = {}

    def __getitem__(self, name: str) -> Outcome:
        if name not in self:
            raise KeyError(name)
        if name not in self._found:
            obligation = self._obligations[name]
            needed = {other: self[other] for other in obligation.needs if other in self}
            handed = Outcomes(needed, partial(_about, obligation.asks))
            self._found[name] = self._discharge(obligation, self.subject, handed)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        obligation = self._obligations.get(str(name))
        if obligation is None or obligation.given is None:
            return obligation is not None
        other, verdict = obligation.given
        return other in self and self[other].verdict is verdict

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._obligations if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _about(asked: tuple[str, ...], declared: Declared) -> Iterator[tuple[str, Outcome]]:
    """The outcomes about another declaration, each when it is wanted."""
    outcomes = _outcomes_about(declared, asked)
    return ((name, outcomes[name]) for name in asked if name in outcomes)


def _outcomes_about(declared: Declared, names: Iterable[str]) -> SubjectOutcomes:
    """Some outcomes about a declaration, with what they need: of no other obligation is it asked
    whether it applies, which can take a while.
    """
    subject = subjects_of(declared)[-1]
    obligations = {o.name: o for o in obligations_of(declared)}
    wanted = list(names)
    for name in wanted:  # it grows as it is gone through
        wanted += [other for other in obligations[name].comes_after() if other not in wanted]
    some = [o for o in obligations.values() if o.name in wanted and o.applies(subject)]
    return SubjectOutcomes(subject, some)


# -- what is asked
# --------------------------------------------------------------------------------------------------


def subjects_of(declared: Declared) -> list[AnySubject]:
    """What the lines of a report are about: of a discrete step first what it is made from, as no
    step is better than that.
    """
    if isinstance(declared, Kernel):
        return [kernel_subject_of(declared)]
    made_from = [subject_of(declared.of)] if isinstance(declared, Discretisation) else []
    return [*made_from, subject_of(declared)]


def obligations_of(declared: Declared) -> tuple[Obligation, ...]:
    """The obligations of its kind, in the order in which a report lists them."""
    return KERNEL_OBLIGATIONS if isinstance(declared, Kernel) else OBLIGATIONS


def _asked_of(
    subjects: Sequence[AnySubject], discharge: Discharge
) -> Iterator[tuple[Obligation, SubjectOutcomes]]:
    """Each obligation with the outcomes that have its own: what applies to a step is not asked of
    what the step is made from.
    """
    applying = [[o for o in obligations_of(s.declared) if o.applies(s)] for s in subjects]
    for subject, obligations in zip(subjects, applying, strict=True):
        outcomes = SubjectOutcomes(subject, obligations, discharge)
        for obligation in obligations:
            if subject is subjects[-1] or obligation not in applying[-1]:
                yield obligation, outcomes


def _required(declared: Declared, require: Iterable[str]) -> list[str]:
    """The required obligations by name, beside those that apply anyway."""
    made_from = declared.of if isinstance(declared, Discretisation) else declared
    own = made_from.require if isinstance(made_from, Recipe) else ()
    names = list(dict.fromkeys((*own, *require)))
    known = list(dict.fromkeys(o.name for o in _all_obligations(declared)))
    for name in names:
        if name not in known:
            raise RecipeError(
                f"there is no obligation {name!r}; the obligations are {', '.join(known)}"
            )
    return names


def _all_obligations(declared: Declared) -> tuple[Obligation, ...]:
    """Those of its kind first."""
    return (*obligations_of(declared), *OBLIGATIONS, *KERNEL_OBLIGATIONS)


def _kind_of(declared: Declared) -> str:
    if isinstance(declared, Discretisation):
        return "step"
    return "recipe" if isinstance(declared, Recipe) else "claim"


# -- lines of the report
# --------------------------------------------------------------------------------------------------


def _line(obligation: Obligation, outcome: Outcome, required: bool = True) -> ReportLine:
    return ReportLine(
        obligation.name, obligation.statement, outcome, required, latex=obligation.latex
    )


def _open(name: str, declared: Declared) -> ReportLine:
    """A required obligation that was not discharged, as there is nothing declared that it is
    about.
    """
    obligation = next(o for o in _all_obligations(declared) if o.name == name)
    if obligation not in obligations_of(declared):
        return _line(obligation, undecided(OF_ANOTHER_KIND))
    if obligation.vacuous is not None:
        return _line(obligation, proved(obligation.vacuous))
    return _line(obligation, undecided(OF_NOTHING_DECLARED))


def _counting_if_refuted(required: Iterable[Obligation]) -> set[str]:
    """Names of obligations that required ones take for granted: what is refuted cannot be
    assumed.
    """
    return {name for o in required for a in o.assumes for name in a.obligations}


def _settled(lines: Sequence[ReportLine]) -> tuple[ReportLine, ...]:
    """The lines, which assume only what no other line decides."""
    decided = {line.name: line.outcome for line in lines}
    return tuple(
        replace(line, outcome=_without_what_is_decided(line.outcome, decided)) for line in lines
    )


def _without_what_is_decided(outcome: Outcome, decided: Mapping[str, Outcome]) -> Outcome:
    left = (a for assumption in outcome.assumed for a in _left_of(assumption, decided))
    return replace(outcome, assumed=tuple(dict.fromkeys(left)))


def _left_of(assumption: Assumption, decided: Mapping[str, Outcome]) -> tuple[Assumption, ...]:
    """The assumption itself while it is open; else what the proofs take for granted that discharge
    it. Where one of its obligations is refuted, that line counts, and nothing is assumed of it.
    """
    outcomes = [decided[name] for name in assumption.obligations if name in decided]
    proofs = [o for o in outcomes if o.verdict is Verdict.PROVED]
    is_refuted = any(o.verdict is Verdict.REFUTED for o in outcomes)
    if not is_refuted and (not proofs or len(proofs) < len(assumption.obligations)):
        return (assumption,)
    return tuple(a for proof in proofs for a in proof.assumed)
