"""``stable-step``: for which steps the discrete process on a quadratic potential stays bounded, and what its variance is."""

from __future__ import annotations

from sympy import Expr

from recipe import Discretisation, RecipeError
from verify.affine.closed_form import Stationary, stationary
from verify.obligation import Obligation, of_steps
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, Witness, undecided
from verify.zero.errors import CannotDecideError
from verify.zero.point import Point
from verify.zero.shown import LONGEST, TOO_LONG

BY = "criterion of Liénard and Chipart on the characteristic polynomial; the covariance solves its Lyapunov equation"


def discharge(subject: Subject) -> Outcome:
    """Proved with the steps for which it holds; refuted where there is none."""
    assert isinstance(subject.declared, Discretisation)
    try:
        found = stationary(subject.declared.update)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))
    scope = "; ".join(found.scope) or None
    taken = tuple(f"the step has a value: {line}" for line in found.defined)
    if not found.stability.never:
        return Outcome(Verdict.PROVED, BY, assumptions=taken, scope=scope, facts=_facts(found))
    bounded = found.stability.bounded
    if bounded is not None and bounded.impossible is None:
        return Outcome(
            Verdict.PROVED, BY, assumptions=taken, scope=scope, facts=(f"stays bounded where {bounded}", str(found.reason))
        )
    witness = _witness(found)
    if witness is None or found.stability.conditions.impossible == 0:
        return undecided("the spectral radius is below one for no step, and it was not decided whether it is above one")
    return Outcome(Verdict.REFUTED, "every step is unstable, whatever its size", witness, scope=scope)


def _witness(found: Stationary) -> Witness | None:
    """Any point will do, as no step is stable."""
    symbols = [s for s in found.update.parameters if s in found.step_map.M.free_symbols]
    chosen = Point({}, 1).choose_all([found.update.step, *found.curvatures.values(), *symbols])
    if chosen is None:
        return None
    return Witness({str(s): str(x) for s, x in chosen.items()}, "an eigenvalue of one step lies outside of the unit circle")


def _facts(found: Stationary) -> tuple[str, ...]:
    step, stability = found.update.step, found.stability
    facts = [f"stable if and only if {stability.conditions}"]
    if stability.steps is not None:
        facts.append("that is " + ", or ".join(s.shown(step) for s in stability.steps))
    if found.covariance is None:
        return (*facts, str(found.reason))
    for (a, b), e in found.covariance.items():
        if a == b:
            facts.append(f"Var {a} = {_short(e)}" + (f", {_short(found.ratio[a])} of the target's" if a in found.ratio else ""))
        elif e != 0:
            facts.append(f"Cov({a}, {b}) = {_short(e)}")
    return tuple(facts)


def _short(e: Expr) -> str:
    return str(e) if len(str(e)) <= LONGEST else TOO_LONG


STABLE_STEP = Obligation(
    name="stable-step",
    statement="on a quadratic potential one step is z' = M z + m + N w; M has spectral radius below 1 (if N = 0: bounded powers)",
    explanation=(
        "Near a mode every smooth potential is quadratic, with curvature k in some direction, and a step that is too long for the "
        "largest curvature diverges. Where the step is an affine map, the conditions on step, curvature and friction are exact, "
        "and so is the covariance that the discrete process has in the long run, which is compared with that of exp(-H)."
    ),
    discharge=discharge,
    applies=of_steps,
    required=False,
)
