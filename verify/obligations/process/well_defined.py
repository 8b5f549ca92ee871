"""``well-defined``: every expression of a process has a value at every point of the domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Expr, S

from recipe import Recipe, Update, derive
from recipe.language.abstract import written_image
from recipe.language.entry import parts
from recipe.language.phi import exp_by_phi
from recipe.signs.defined import NONNEGATIVE, NONZERO, Condition, conditions
from recipe.signs.sign import is_nonnegative, is_nonzero
from verify.decide.assumptions_on_data import decide_on_data, is_about_data
from verify.decide.definedness import (
    NO_POINT,
    breaking_point,
    decide_condition,
    decide_for_small_steps,
    has_a_point,
)
from verify.decide.smoothness import is_product_of_squares
from verify.diffusion.nonsmooth import is_without_time, prove_no_flux
from verify.generator.coupling import own_diffusion
from verify.obligation import Obligation
from verify.subject import Subject, densities_of
from verify.verdict import Outcome, Verdict, conjunction, proved, undecided

GAMMA_PLACE, DRIFT_PLACE = "the correction Gamma", "the drift"
FLOW_IS_OPEN = (
    "it has no value on a surface where the process spends no time; that no probability flows out"
    " of this surface or into it was not proved"
)
Place = tuple[Condition, str]  # a failing condition by its place, as it may be continued elsewhere
Named = dict[Place, tuple[str, Outcome]]


def discharge(subject: Subject) -> Outcome:
    """Decide every condition on denominators, logarithms and roots, and report where D vanishes."""
    if not has_a_point([*(e for e, _ in subject.written), *subject.state]):
        return undecided(NO_POINT)
    decided: dict[Condition, Outcome] = {}
    named: Named = {}
    for e, where in (*densities_of(subject.declared), *expressions_of(subject)):
        for condition, outcome in _outcomes(e, where, subject, decided):
            # A condition is decided once. A failing one may be a removable singularity of this
            # expression and not of another.
            named.setdefault(
                (condition, "" if outcome is decided[condition] else where), (where, outcome)
            )
    count = len(named)
    by = (
        "no denominators, logarithms or roots"
        if count == 0
        else f"{count} condition{'s' if count > 1 else ''} on signs"
    )
    left_out = dict(_without_time(named, subject))
    if left_out and prove_no_flux(subject) is None:
        named |= {place: (named[place][0], undecided(FLOW_IS_OPEN)) for place in left_out}
        left_out = {}
    outcome = conjunction((o for key, o in named.items() if key not in left_out), by=by)
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    return replace(
        outcome, by="; ".join((by, *_zeros_of_D(subject))), facts=tuple(left_out.values())
    )


def _without_time(named: Named, subject: Subject) -> Iterator[tuple[Place, str]]:
    """Yield the conditions on the drift of a recipe that fail on surfaces where it spends no time,
    with the sentence for no flux.

    Whatever value the drift is given there, the process is the same. H, D and Q must have a value
    everywhere.
    """
    for place, (where, outcome) in named.items():
        condition = place[0]
        if (
            outcome.verdict is not Verdict.PROVED
            and where.startswith((GAMMA_PLACE, DRIFT_PLACE))
            and (condition.sign == NONZERO or _is_nonnegative(condition.e))
            and is_without_time(condition.e, subject)
        ):
            yield (
                place,
                f"{where} has no value where {condition.e} = 0, and needs none: the process"
                " spends no time there, and no probability flows out of this set or into it",
            )


def _is_nonnegative(e: Expr) -> bool:
    return is_nonnegative(e) or is_product_of_squares(e)


def _outcomes(
    e: Expr, where: str, subject: Subject, decided: dict[Condition, Outcome]
) -> Iterator[tuple[Condition, Outcome]]:
    """Yield the conditions of an expression; if one fails, also those of its continuous
    extension.
    """

    def decide(condition: Condition) -> Outcome:
        if condition not in decided:
            decided[condition] = _decide(condition, subject, where)
        return decided[condition]

    own = conditions(e)
    fails = any(decide(c).verdict is Verdict.REFUTED for c in own)
    kept = conditions(_continued(e, subject)) if fails else own
    for c in dict.fromkeys((*own, *kept)):
        outcome = decide(c)
        if outcome.verdict is Verdict.REFUTED and c not in kept:
            outcome = proved(
                "by continuity", f"{where} is continued to where {c.e} is 0, as its limit is"
            )
        yield c, outcome


def _continued(e: Expr, subject: Subject) -> Expr:
    """Return the expression of a rule with ``(1 - exp(-x step))/x`` extended continuously to x = 0.

    Limits are taken of the extended rule.
    """
    if not isinstance(subject.declared, Update):
        return e
    step = subject.declared.step
    return exp_by_phi(e, lambda z: step in z.free_symbols and z.xreplace({step: S.Zero}) == 0)


def _decide(condition: Condition, subject: Subject, where: str) -> Outcome:
    """Decide one condition; one that depends on the step size is decided for small steps."""
    outcome = decide_condition(condition)
    if outcome.verdict is Verdict.PROVED:
        return outcome
    if condition.sign == NONNEGATIVE and is_product_of_squares(condition.e):
        return proved("a product of squares")
    symbols = condition.e.free_symbols
    if isinstance(subject.declared, Update) and subject.declared.step in symbols:
        # sqrt(1 - eps) is a rule for steps below 1. The limit exists, and is judged by itself.
        return decide_for_small_steps(condition, subject.declared.step)
    if is_about_data(condition):
        return decide_on_data(condition, subject.state)
    if where.startswith(GAMMA_PLACE) and outcome.verdict is Verdict.REFUTED:
        return replace(outcome, by=f"it is singular: {outcome.by}")
    return outcome


def expressions_of(subject: Subject) -> Iterator[tuple[Expr, str]]:
    """Yield every expression of the process that must have a value, with its place.

    An abstract function of an image, ``U(f(phi))``, does not show where f has none.
    """
    yield from subject.written
    for b in subject.state:
        if b.image is not None:
            yield written_image(b), f"the map of {b}"
    if isinstance(subject.declared, Recipe):
        for block, e in derive(subject.declared).gamma.items():
            yield e, f"{GAMMA_PLACE} of {block}"
    for block, e in subject.dynamics.drift.items():
        yield e, f"{DRIFT_PLACE} of {block}"
    for (row, column), entry in subject.dynamics.diffusion.items():
        for e in parts(entry):
            yield e, f"the diffusion between {row} and {column}"


def _zeros_of_D(subject: Subject) -> Iterator[str]:
    """Yield points at which the noise of a coordinate vanishes.

    They are allowed, but other obligations may depend on them.
    """
    for block in subject.state:
        e = own_diffusion(subject.dynamics, block)
        if e == 0 or is_nonzero(e):
            continue
        witness = breaking_point(Condition(e, NONZERO))
        if witness is not None:
            at = ", ".join(
                f"{k} = {v if isinstance(v, str) else v[0]}"
                for k, v in witness.point.items()
                if not k.startswith("d_")
            )
            yield f"D[{block}, {block}] is zero at {at}"


WELL_DEFINED = Obligation(
    name="well-defined",
    statement=(
        "H, D, Q, Gamma, the drift and the diffusion are defined at every point of the domain"
    ),
    explanation=(
        "A denominator that can vanish, or a logarithm or root of something negative, leaves the"
        " process undefined there. Each such condition is proved from the signs that the declared"
        " assumptions give to its parts. The correction Gamma has derivatives of D and Q, so it may"
        " be singular where they are not: D = sqrt(x) at x = 0. A drift may have no value on a"
        " surface on which the process spends no time, and out of which no probability flows: the"
        " kink of H = sqrt((x - 1)**2), multiplied out. The report says where the noise of"
        " a coordinate vanishes (D is zero), which is no fault by itself."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
)
