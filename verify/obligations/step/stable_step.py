"""``stable-step``: the steps at which a chain for a quadratic potential is stable, and its
covariance in closed form.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, factorial, nan, oo, zoo

from recipe import Discretisation, RecipeError, Update
from recipe.language.blocks import Block
from recipe.signs.sets import NEGATIVE, POSITIVE
from recipe.signs.sign import possible_signs
from verify.decide.size import can_be_multiplied_out
from verify.discrete.linear import (
    AffineStep,
    Stability,
    StationaryCovariance,
    affine_step,
    boundedness,
    stability,
    stationary_covariance,
)
from verify.obligation import Obligation, of_claims, of_steps
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, Witness, assuming, refuted, undecided

MAX_BIAS_ORDER = 4  # biases of a higher order in the step are not searched for


def discharge(subject: Subject) -> Outcome:
    """Decide stability by Hurwitz's conditions on the matrix of the step; it is refuted if no step
    is stable.
    """
    try:
        step = affine_step(_rule(subject))
    except RecipeError as error:
        return undecided(str(error))
    if step.C.is_zero_matrix:
        return _without_noise(step)
    found = stability(step)
    if found.never is not None:
        finding = f"{found.never} would have to be positive, and is not, whatever the step is"
        return refuted(
            "no step is stable for a quadratic potential", Witness({str(step.step): "any"}, finding)
        )
    assumed = assuming(f"the step has a value: {line}" for line in step.defined)
    covariance = stationary_covariance(step)
    facts = _facts(covariance) + (
        _bias(covariance, step) if of_claims(subject) and covariance is not None else ()
    )
    return Outcome(
        Verdict.PROVED, _stability_text(found, step), assumed=assumed, facts=facts, scope=step.scope
    )


def _rule(subject: Subject) -> Update:
    """Return the update rule of a discrete step or of a claim."""
    declared = subject.declared
    assert isinstance(declared, Discretisation | Update)
    return declared.update if isinstance(declared, Discretisation) else declared


def _applies(subject: Subject) -> bool:
    """Return True for every discrete step, and for a claim whose printed rule is affine and has
    noise.
    """
    if not of_claims(subject):
        return of_steps(subject)
    rule = _rule(subject)
    if rule.limit_only or not all(
        can_be_multiplied_out(e) for e in (rule.target, *(e for _, e in rule.rule))
    ):
        return False
    try:
        return not affine_step(rule).C.is_zero_matrix
    except (RecipeError, RecursionError):
        return False


def _without_noise(step: AffineStep) -> Outcome:
    """Decide whether the orbits of a step without noise stay bounded: it has no covariance of its
    own.
    """
    found = boundedness(step)
    if found is None or found.never is not None or found.excluded:
        return undecided(
            "the step has no noise and so no stationary covariance; it was not proved that its"
            " orbits are bounded"
        )
    how = (
        f"without noise: orbits are bounded where {_conditions_text(found, step)}, and not beyond"
        if found.conditions
        else "bounded at every step"
    )
    return Outcome(Verdict.PROVED, how, scope=step.scope)


def _stability_text(found: Stability, step: AffineStep) -> str:
    """Return the steps that are stable, as text."""
    if not found.conditions and not found.excluded:
        return "stable at every step"
    return f"stable iff {_conditions_text(found, step)}"


def _conditions_text(found: Stability, step: AffineStep) -> str:
    """Return the conditions for stability, as text."""
    h = step.step
    if found.solved:
        ends = [*(f"{h} < {e}" for e in found.upper), *(f"{h} > {e}" for e in found.lower)]
    else:
        ends = _bounds_of_parameter(found, step) or [f"{c} > 0" for c in found.conditions]
    return " and ".join([*ends, *(f"{e} is not 0" for e in found.excluded)])


def _bounds_of_parameter(found: Stability, step: AffineStep) -> list[str]:
    """Return the conditions as bounds of one parameter, such as the friction, if they are linear in
    it.
    """
    parameters = set().union(*(c.free_symbols for c in found.conditions)) - {
        step.step,
        step.curvature,
    }
    for p in sorted(parameters, key=str):
        slopes = [c.diff(p) for c in found.conditions]
        signs = [possible_signs(slope) for slope in slopes]
        if all(
            p not in slope.free_symbols and sign in (POSITIVE, NEGATIVE)
            for slope, sign in zip(slopes, signs, strict=True)
        ):
            ends = [
                (-c.xreplace({p: S.Zero}) / slope).expand()
                for c, slope in zip(found.conditions, slopes, strict=True)
            ]
            lower = [e for e, sign in zip(ends, signs, strict=True) if sign == POSITIVE]
            upper = [e for e, sign in zip(ends, signs, strict=True) if sign == NEGATIVE]
            if len(lower) == len(upper) == 1:
                return [f"{lower[0]} < {p} < {upper[0]}"]
            return [*(f"{p} > {e}" for e in lower), *(f"{p} < {e}" for e in upper)]
    return []


def _bias(covariance: StationaryCovariance, step: AffineStep) -> tuple[str, ...]:
    """Return the leading terms of the quotients of the chain's variances with those of the
    target.
    """
    h = step.step
    leading = [
        _leading_bias(b, covariance.ratio(b), h)
        for b in step.coordinates
        if covariance.ratio(b) != 1
    ]
    return tuple(line for line in leading if line is not None)


def _leading_bias(b: Block, ratio: Expr, h: Symbol) -> str | None:
    """Return the leading term of one quotient as text; None if it has no value as the step
    vanishes.
    """
    limit = ratio.xreplace({h: S.Zero}).factor()
    if limit.has(nan, zoo, oo):
        return None
    if limit != 1:
        return f"as {h} vanishes, var {b} becomes {limit} times that of the target"
    slope = ratio
    for n in range(1, MAX_BIAS_ORDER + 1):
        slope = slope.diff(h)
        coefficient = (slope.xreplace({h: S.Zero}) / factorial(n)).factor()
        if coefficient.has(nan, zoo, oo):
            return None
        if coefficient != 0:
            return (
                f"the bias of var {b} is of order {n}: its quotient with the target is 1 +"
                f" {_bracketed(coefficient * h**n)} + ..."
            )
    return f"the bias of var {b} is of an order above {MAX_BIAS_ORDER}"


def _bracketed(e: Expr) -> str:
    return f"({e})" if e.could_extract_minus_sign() else str(e)


def _facts(covariance: StationaryCovariance | None) -> tuple[str, ...]:
    """Return means and covariances of the chain beside those of the target, a sentence each."""
    if covariance is None:
        return ("the stationary covariance was not found in closed form",)
    off = {b: pair for b, pair in covariance.means.items() if pair != (0, 0)}
    means = [
        f"mean of {b} = {found}, and the target has {wanted}" for b, (found, wanted) in off.items()
    ]
    return (*means, *(_fact(a, b, covariance) for a, b in covariance.of_step))


def _fact(a: Block, b: Block, covariance: StationaryCovariance) -> str:
    name = f"var {a}" if a == b else f"cov({a}, {b})"
    found, wanted = covariance.of_step[a, b], covariance.of_target[a, b]
    if found == wanted:
        return f"{name} = {found}, exactly that of the target"
    if a != b:
        return f"{name} = {found}, and the target has {wanted}"
    return f"{name} = {covariance.ratio(a)}" + (
        "" if wanted == 1 else f" times that of the target, {wanted}"
    )


STABLE_STEP = Obligation(
    name="stable-step",
    statement=(
        "the eigenvalues of M are inside the unit circle, where z' = M z + noise for a quadratic H;"
        " Sigma = M Sigma M^T + C"
    ),
    explanation=(
        "On a quadratic potential with curvature k most schemes are linear maps, so that closed"
        " forms in the step are known: for which steps the chain is stable, and its stationary"
        " covariance. A step that is unstable at some k is too long for a mode as sharp as that;"
        " explicit Euler on a momentum method is stable only if the friction exceeds the step times"
        " k."
    ),
    discharge=discharge,
    applies=_applies,
    required=False,
)
