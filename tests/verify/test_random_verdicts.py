"""The verifier on random samplers and mutants of them, each verdict judged by numbers in explicit
coordinates.

A mutant can be a right sampler as well (a correction that was zero is dropped): the oracle says
which. No wrong *proved* and no wrong *refuted* is allowed; of right samplers at most 1 % may be
undecided, of wrong ones at most 2 %.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from generators.pasteable import pasteable
from generators.random_cases import FAMILIES, Case, case
from generators.strategies.samplers import samplers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.judge import JUDGEMENTS, Judge

from recipe import Recipe, Update
from verify import Verdict
from verify.engine import outcome_of
from verify.obligations import OBLIGATIONS
from verify.subject import subject_of
from verify.verdict import overall

SLOW_CASES, SHARES = 2016, 4
SAMPLE = range(0, SLOW_CASES, 289)  # 289 is prime to the number of families
MOST_UNDECIDED = {"right": 0.01, "wrong": 0.02}


@pytest.fixture(autouse=True, scope="module")
def _verdicts_alone():
    """What is said of a refutation beside its witness takes longer than to find it, and is not
    judged here.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "verify.obligations.process.stationarity._explained", lambda outcome, *_: outcome
        )
        yield


@dataclass(frozen=True)
class Judged:
    """One case with the verdict of every judged obligation and what the oracle says of it."""

    case: Case
    verdicts: dict[str, Verdict]
    truths: dict[str, bool | None]

    @property
    def kind(self) -> str:
        return "wrong" if False in self.truths.values() else "right"

    @property
    def is_undecided(self) -> bool:
        return overall(self.verdicts.values()) is Verdict.UNDECIDED

    def faults(self) -> list[str]:
        """Verdicts that contradict the oracle."""
        found = [
            f"{name}: {v.value}, and the oracle says {self.truths[name]}"
            for name, v in self.verdicts.items()
            if self.is_fault(name)
        ]
        if self.case.built_psd and self.truths.get("diffusion-psd") is False:
            found.append("the oracle contradicts the construction of D")
        return found

    def is_fault(self, name: str) -> bool:
        verdict, truth = self.verdicts[name], self.truths[name]
        if truth is None:  # no opinion; what is refuted all the same is not confirmed
            return verdict is Verdict.REFUTED
        return verdict is (Verdict.REFUTED if truth else Verdict.PROVED)


def judged(random_case: Case, patience: int) -> Judged:
    judge = Judge(random_case.declared)
    verdicts = verdicts_of(random_case.declared, patience)
    return Judged(random_case, verdicts, {name: judge(name) for name in verdicts})


class TooSlowError(BaseException):
    """Of no kind that the program would catch."""


def verdicts_of(declared: Recipe | Update, patience: int) -> dict[str, Verdict]:
    """The verdicts on what the oracle judges; an obligation that takes longer than so many seconds
    counts as undecided.
    """
    subject, found = subject_of(declared), {}
    for obligation in OBLIGATIONS:
        if obligation.name in JUDGEMENTS and obligation.applies(subject):
            try:
                found[obligation.name] = within(
                    patience, lambda name=obligation.name: outcome_of(declared, name).verdict
                )
            except TooSlowError:
                found[obligation.name] = Verdict.UNDECIDED
    return found


def within(seconds: int, compute: Callable[[], Verdict]) -> Verdict:
    """The verdict, if it takes no longer than so many seconds of this process."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return compute()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check(numbers: range, patience: int) -> list[Judged]:
    """Judge the cases of these numbers; a wrong verdict is shown with the sampler."""
    results = []
    for number in numbers:
        result = judged(case(number), patience)
        shown = f"case({number}), {result.case.family}, {result.case.mutation or 'as built'}"
        assert not result.faults(), "\n".join(
            [shown, *result.faults(), pasteable(result.case.declared)]
        )
        results.append(result)
    return results


def undecided(results: list[Judged], kind: str) -> list[int]:
    return [r.case.number for r in results if r.kind == kind and r.is_undecided]


def summary(results: list[Judged]) -> str:
    """One line: how many cases of each kind, how many of them are undecided, and by which
    obligation.
    """
    count = Counter(r.kind for r in results)
    open_obligations = Counter(
        (r.kind, name) for r in results for name, v in r.verdicts.items() if v is Verdict.UNDECIDED
    )
    by = (
        ", ".join(f"{name} of {n} {kind}" for (kind, name), n in sorted(open_obligations.items()))
        or "none"
    )
    kinds = ", ".join(
        f"{count[k]} {k} ({len(undecided(results, k))} undecided)" for k in MOST_UNDECIDED
    )
    return f"{len(results)} cases: {kinds}; open obligations: {by}"


def test_random_samplers_are_judged_as_numbers_judge_them():
    """Too few for the shares of undecided ones to mean anything: no wrong verdict."""
    print("\n" + summary(check(SAMPLE, patience=2)))


@pytest.mark.slow
@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
@given(st.booleans().flatmap(lambda mutated: samplers(mutated=mutated)))
def test_a_wrong_verdict_would_shrink(drawn: Case):
    """The same class as hypothesis draws it: what fails is shown as the smallest sampler that still
    fails.
    """
    assert not judged(drawn, patience=2).faults()


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.booleans().flatmap(lambda mutated: samplers(mutated=mutated)))
def test_no_verdict_is_wrong(drawn: Case):
    assert not judged(drawn, patience=20).faults()


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_many_random_samplers(share):
    results = check(range(share, SLOW_CASES, SHARES), patience=60)
    print("\n" + summary(results))
    for kind, most in MOST_UNDECIDED.items():
        found, count = undecided(results, kind), sum(r.kind == kind for r in results)
        assert len(found) <= most * count, (
            f"{kind}: of {count} cases {found} are undecided; {summary(results)}"
        )


def test_every_family_is_drawn_right_and_mutated():
    drawn = {(c.family, c.mutation is None) for c in map(case, range(3 * len(FAMILIES)))}
    assert drawn == {(family, right) for family in FAMILIES for right in (True, False)}


def test_the_same_number_is_the_same_sampler():
    assert pasteable(case(8).declared) == pasteable(case(8).declared)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 12])
def test_what_is_shown_of_a_wrong_verdict_can_be_pasted(number):
    pasted: dict[str, object] = {}
    exec(pasteable(case(number).declared), pasted)
    assert verdicts_of(pasted["sampler"], patience=5) == verdicts_of(
        case(number).declared, patience=5
    )
