"""The engine: which obligations a declaration has, and in which order they are discharged.

The engine discharges each obligation once for a subject, after the obligations that it needs, and
hands it their outcomes. A report lists the obligations in another order, which is that of
``verify.obligations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from recipe import Discretisation, Kernel, LabelledPosterior, Recipe, RecipeError, Vector
from recipe.language.assumed import assumed, under
from verify.decide.definedness import meets_conditions
from verify.diffusion.nonsmooth import why_not_smooth
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, Outcomes
from verify.obligations import KERNEL_OBLIGATIONS, LABEL_OBLIGATIONS, OBLIGATIONS
from verify.obligations.kernel.invariance import INVARIANCE
from verify.obligations.labels.invariance import LABELS_INVARIANCE
from verify.obligations.process.stationarity import STATIONARITY
from verify.report import Report, ReportLine
from verify.scope import Declared, narrowed, scope_of
from verify.subject import KernelSubject, Subject, kernel_subject_of, subject_of
from verify.verdict import Assumption, Outcome, Verdict, proved, undecided

TOO_DEEP = "an expression is nested too deeply to be followed"
NO_REFLECTIONS = (
    "the sampler is reflected at an edge of its domain, and this obligation is decided only for"
    " samplers without reflections"
)
NEEDS_SMOOTHNESS = "its proof takes derivatives of every order for granted, and {}"
OUTSIDE = "refuted for parameters that the conditions may rule out"
UNDERIVED = "the drift and the diffusion were not derived"
NOT_REACHED = "it was not reached"
OF_ANOTHER_KIND = "it is required, but is about another kind of declaration"
OF_NOTHING_DECLARED = "it is required, but the declaration has nothing that it applies to"

AnySubject = Subject | KernelSubject | LabelSubject
Discharge = Callable[[Obligation, AnySubject, Outcomes], Outcome]


def verify(
    declared: Declared, *, require: Iterable[str] = (), discharge: Discharge | None = None
) -> Report:
    """Discharge every obligation of a recipe, a claim, a discrete step or a kernel.

    The call runs in this process and has no limit of time or memory: native code hears no signal,
    so only a process can be stopped. The command ``recipe verify`` calls this function in a process
    of its own, and stops that one.

    Args:
        declared: what to verify: a ``Recipe``, an ``Update`` (a claim), a ``Discretisation`` (a
            discrete step), a ``Kernel`` or a ``LabelledPosterior`` (data with labels).
        require: names of obligations that must be proved as well, beside those that are always
            required.
        discharge: a function ``(obligation, subject, outcomes) -> Outcome`` that is called for each
            obligation, for callers that watch or limit the work; None stands for ``discharged``.

    Returns:
        Report: one line for each obligation that applies. The lines of a discrete step follow those
            of the recipe or claim that it was made from.

    Raises:
        RecipeError: if there is no obligation of a required name, or an update rule has no limit.

    Source:
        The condition for stationarity is that of Ma, Chen and Fox, "A Complete Recipe for
            Stochastic Gradient MCMC" (NeurIPS 2015), theorem 1.

    Example:
        >>> from recipe import Potential, Recipe, Vector
        >>> from verify import verify
        >>> theta = Vector("theta")
        >>> U = Potential("U", theta)
        >>> langevin = Recipe(theta, H=U, D=1, Q=0)
        >>> print(verify(langevin).verdict.value)
        proved
    """
    subjects = subjects_of(declared)
    required = _required(declared, require)
    asked = list(_obligations_with_outcomes(subjects, discharge or discharged))
    assumed = _assumed_by(o for o, _ in asked if o.required)
    lines = []
    for obligation, outcomes in asked:
        if obligation.name in outcomes:
            outcome = outcomes[obligation.name]
            counts = outcome.verdict is Verdict.REFUTED and obligation.name in assumed
            is_required = obligation.required or obligation.name in required or counts
            lines.append(_line(obligation, outcome, is_required))
    lines += [
        _line_without_outcome(name, declared)
        for name in required
        if name not in {line.name for line in lines}
    ]
    scope = _scope_of(lines, subjects[-1])
    return Report(declared.name, subjects[-1].kind, scope, _without_decided_assumptions(lines))


def _scope_of(lines: list[ReportLine], subject: Subject | KernelSubject | LabelSubject) -> str:
    """Return the scope of a whole report: where the edges are proved for the potential of a
    posterior, and not for every one, it is no larger.
    """
    edges = (line.outcome for line in lines if line.name == "boundary")
    proofs = [o.scope for o in edges if o.verdict is Verdict.PROVED]
    return narrowed(subject.scope, subject.declared, proofs)


def outcome_of(declared: Declared, name: str) -> Outcome:
    """Return the outcome of one obligation, and discharge only that one and those that it needs.

    Args:
        declared: a recipe, claim, discrete step or kernel.
        name: the name of the obligation.

    Raises:
        KeyError: if the obligation does not apply to the declaration.
    """
    return _outcomes_about(declared, (name,))[name]


def unanswered(declared: Declared) -> Report:
    """Return the report on a declaration whose dynamics were not derived.

    It has one line: that ``exp(-H)`` is kept is undecided.
    """
    if isinstance(declared, Kernel):
        line, kind = _line(INVARIANCE, undecided(NOT_REACHED)), "kernel"
    elif isinstance(declared, LabelledPosterior):
        line, kind = _line(LABELS_INVARIANCE, undecided(NOT_REACHED)), "joint law"
    else:
        line, kind = _line(STATIONARITY, undecided(UNDERIVED)), _kind_of(declared)
    return Report(declared.name, kind, scope_of(declared), (line,))


# -- discharging
# --------------------------------------------------------------------------------------------------


def discharged(obligation: Obligation, subject: AnySubject, outcomes: Outcomes) -> Outcome:
    """Return the outcome of an obligation, a refutation with its repair."""
    return repaired(obligation, subject, decided(obligation, subject, outcomes))


def repaired(obligation: Obligation, subject: AnySubject, outcome: Outcome) -> Outcome:
    """Return the outcome of an obligation; a refutation with its repair, if one is found."""
    if obligation.repaired is None or outcome.verdict is not Verdict.REFUTED:
        return outcome
    with under(subject.declared.where):
        try:
            return obligation.repaired(subject, outcome)
        except RecursionError:
            return outcome


def decided(obligation: Obligation, subject: AnySubject, outcomes: Outcomes) -> Outcome:
    """Return the outcome of an obligation, before a repair is searched for.

    It is undecided for a reflected sampler or one that is not smooth if the obligation does not
    handle these, and if an expression is too deep for Python's stack.
    """
    if subject.is_reflected and not obligation.handles_reflections:
        return undecided(NO_REFLECTIONS)
    with under(subject.declared.where):
        try:
            plain = obligation.handles_kinks or isinstance(subject, LabelSubject)
            reason = None if plain else why_not_smooth(subject)  # type: ignore[arg-type]
            if reason is not None:
                return undecided(NEEDS_SMOOTHNESS.format(reason))
            return _within_conditions(obligation.outcome(subject, outcomes), subject)
        except RecursionError:
            return undecided(TOO_DEEP)


def _within_conditions(outcome: Outcome, subject: AnySubject) -> Outcome:
    """Return the outcome; undecided in place of a refutation whose parameters break the conditions
    of the declaration, or for lengths for which no parameters are found that meet them.
    """
    if outcome.witness is None or not assumed():
        return outcome
    point = outcome.witness.point
    sizes = {
        b.length: int(str(point.get(str(b.length), 1)))
        for b in subject.state
        if isinstance(b, Vector)
    }
    allowed = meets_conditions(sizes, point)
    return outcome if allowed else undecided(f"{OUTSIDE}: {outcome.by}")


class SubjectOutcomes(Mapping[str, Outcome]):
    """The outcomes about one subject by the names of obligations, in the order of the obligations.

    An obligation is discharged once, when its outcome is first read, after the obligations that it
    needs. An obligation with a condition ``given`` is absent if another obligation has not come out
    with that verdict.

    Args:
        subject: the subject of all outcomes.
        obligations: the obligations that apply to it.
        discharge: the function that discharges one obligation.
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
            handed = Outcomes(needed, partial(_outcomes_in_order, obligation.asks))
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


def _outcomes_in_order(asked: tuple[str, ...], declared: Declared) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes about another declaration, each discharged when it is reached."""
    outcomes = _outcomes_about(declared, asked)
    return ((name, outcomes[name]) for name in asked if name in outcomes)


def _outcomes_about(declared: Declared, names: Iterable[str]) -> SubjectOutcomes:
    """Return the named outcomes about a declaration, with those that they need.

    Whether other obligations apply is not checked, as that can take a while.
    """
    subject = subjects_of(declared)[-1]
    obligations = {o.name: o for o in obligations_of(declared)}
    wanted = list(names)
    for name in wanted:  # the loop appends to this list
        wanted += [other for other in obligations[name].comes_after() if other not in wanted]
    some = [o for o in obligations.values() if o.name in wanted and o.applies(subject)]
    return SubjectOutcomes(subject, some)


# -- subjects and obligations
# --------------------------------------------------------------------------------------------------


def subjects_of(declared: Declared) -> list[AnySubject]:
    """Return the subjects that a report is about.

    For a discrete step these are the recipe or claim that it was made from, and then the step
    itself: no step is better than what it was made from.
    """
    if isinstance(declared, Kernel):
        return [kernel_subject_of(declared)]
    if isinstance(declared, LabelledPosterior):
        return [LabelSubject(declared)]
    made_from = [subject_of(declared.of)] if isinstance(declared, Discretisation) else []
    return [*made_from, subject_of(declared)]


def obligations_of(declared: Declared) -> tuple[Obligation, ...]:
    """Return the obligations for this kind of declaration, in the order in which a report lists
    them.
    """
    if isinstance(declared, LabelledPosterior):
        return LABEL_OBLIGATIONS
    return KERNEL_OBLIGATIONS if isinstance(declared, Kernel) else OBLIGATIONS


def _obligations_with_outcomes(
    subjects: Sequence[AnySubject], discharge: Discharge
) -> Iterator[tuple[Obligation, SubjectOutcomes]]:
    """Yield each obligation with the outcomes about its subject.

    An obligation that applies to a discrete step is not discharged for what the step was made from.
    """
    applying = [[o for o in obligations_of(s.declared) if o.applies(s)] for s in subjects]
    for subject, obligations in zip(subjects, applying, strict=True):
        outcomes = SubjectOutcomes(subject, obligations, discharge)
        for obligation in obligations:
            if subject is subjects[-1] or obligation not in applying[-1]:
                yield obligation, outcomes


def _required(declared: Declared, require: Iterable[str]) -> list[str]:
    """Return the names of the obligations that the declaration or the caller requires."""
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
    """Return all obligations, those for this kind of declaration first."""
    return (*obligations_of(declared), *OBLIGATIONS, *KERNEL_OBLIGATIONS, *LABEL_OBLIGATIONS)


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


def _line_without_outcome(name: str, declared: Declared) -> ReportLine:
    """Return the line of a required obligation that does not apply to the declaration."""
    obligation = next(o for o in _all_obligations(declared) if o.name == name)
    if obligation not in obligations_of(declared):
        return _line(obligation, undecided(OF_ANOTHER_KIND))
    if obligation.vacuous is not None:
        return _line(obligation, proved(obligation.vacuous))
    return _line(obligation, undecided(OF_NOTHING_DECLARED))


def _assumed_by(required: Iterable[Obligation]) -> set[str]:
    """Return the names of obligations that a required proof assumes: an assumption must not be
    refuted.
    """
    return {name for o in required for a in o.assumes for name in a.obligations}


def _without_decided_assumptions(lines: Sequence[ReportLine]) -> tuple[ReportLine, ...]:
    """Remove from each line the assumptions that other lines of the report decide."""
    decided = {line.name: line.outcome for line in lines}
    return tuple(replace(line, outcome=_without_decided(line.outcome, decided)) for line in lines)


def _without_decided(outcome: Outcome, decided: Mapping[str, Outcome]) -> Outcome:
    remaining = (a for assumption in outcome.assumed for a in _remaining(assumption, decided))
    return replace(outcome, assumed=tuple(dict.fromkeys(remaining)))


def _remaining(assumption: Assumption, decided: Mapping[str, Outcome]) -> tuple[Assumption, ...]:
    """Return the assumptions that remain of one assumption.

    If all its obligations are proved, it is replaced by the assumptions of their proofs. If one of
    them is refuted, nothing is assumed, as the refuted line counts. Otherwise the assumption
    remains.
    """
    outcomes = [decided[name] for name in assumption.obligations if name in decided]
    proofs = [o for o in outcomes if o.verdict is Verdict.PROVED]
    is_refuted = any(o.verdict is Verdict.REFUTED for o in outcomes)
    if not is_refuted and (not proofs or len(proofs) < len(assumption.obligations)):
        return (assumption,)
    return tuple(a for proof in proofs for a in proof.assumed)
