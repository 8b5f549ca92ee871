"""``stable-step``: for which steps a quadratic potential is sampled at all, and with what covariance, in closed form."""

from __future__ import annotations

from recipe import Discretisation, RecipeError
from recipe.symbols import Block
from verify.affine import AffineStep, Stability, StationaryCovariance, affine_step, boundedness, stability, stationary_covariance
from verify.obligation import Obligation, of_steps
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, Witness, refuted, undecided


def discharge(subject: Subject) -> Outcome:
    """By Hurwitz's conditions on the matrix of the step; refuted where no step is stable."""
    assert isinstance(subject.declared, Discretisation)
    try:
        step = affine_step(subject.declared.update)
    except RecipeError as error:
        return undecided(str(error))
    if step.C.is_zero_matrix:
        return _without_noise(step)
    found = stability(step)
    if found.never is not None:
        finding = f"{found.never} would have to be positive, and is not, whatever the step is"
        return refuted("no step is stable for a quadratic potential", Witness({str(step.step): "any"}, finding))
    taken = tuple(f"the step has a value: {line}" for line in step.defined)
    return Outcome(Verdict.PROVED, _said(found, step), assumptions=taken, facts=_facts(step), scope=step.scope)


def _without_noise(step: AffineStep) -> Outcome:
    """A flow has no covariance of its own; what can be asked is whether its orbits stay bounded."""
    found = boundedness(step)
    if found is None or found.never is not None or found.excluded:
        return undecided("the step has no noise and so no stationary covariance; that its orbits are bounded was not proved")
    how = (
        f"without noise: orbits are bounded where {_ends(found, step)}, and not beyond"
        if found.conditions
        else "bounded at every step"
    )
    return Outcome(Verdict.PROVED, how, scope=step.scope)


def _said(found: Stability, step: AffineStep) -> str:
    if not found.conditions and not found.excluded:
        return "stable at every step"
    return f"stable iff {_ends(found, step)}"


def _ends(found: Stability, step: AffineStep) -> str:
    h = step.step
    if found.solved:
        ends = [*(f"{h} < {e}" for e in found.upper), *(f"{h} > {e}" for e in found.lower)]
    else:
        ends = [f"{c} > 0" for c in found.conditions]
    return " and ".join([*ends, *(f"{e} is not 0" for e in found.excluded)])


def _facts(step: AffineStep) -> tuple[str, ...]:
    covariance = stationary_covariance(step)
    if covariance is None:
        return ("the stationary covariance was not found in closed form",)
    off = {b: pair for b, pair in covariance.means.items() if pair != (0, 0)}
    means = [f"mean of {b} = {found}, and the target has {wanted}" for b, (found, wanted) in off.items()]
    return (*means, *(_fact(a, b, covariance) for a, b in covariance.of_step))


def _fact(a: Block, b: Block, covariance: StationaryCovariance) -> str:
    name = f"var {a}" if a == b else f"cov({a}, {b})"
    found, wanted = covariance.of_step[a, b], covariance.of_target[a, b]
    if found == wanted:
        return f"{name} = {found}, exactly that of the target"
    if a != b:
        return f"{name} = {found}, and the target has {wanted}"
    return f"{name} = {covariance.ratio(a)}" + ("" if wanted == 1 else f" times that of the target, {wanted}")


STABLE_STEP = Obligation(
    name="stable-step",
    statement="the eigenvalues of M are inside the unit circle, where z' = M z + noise for a quadratic H; Sigma = M Sigma M^T + C",
    explanation=(
        "On a quadratic potential with curvature k most schemes are linear maps, so that everything can be said: for which steps "
        "the chain settles, and the covariance that it settles to, as closed forms in the step. A step that is unstable at some k "
        "is too long near a mode as sharp as that; explicit Euler on a momentum method is stable only if the friction exceeds the "
        "step times k."
    ),
    discharge=discharge,
    applies=of_steps,
    required=False,
)
