"""``stationarity``: exp(-H) solves the stationary Fokker-Planck equation inside the domain."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from recipe import Recipe, Update
from recipe.language.blocks import Block, Vector
from recipe.language.symbols import name_of
from recipe.language.variance import ScalarVariance, VectorVariance
from verify.audit.lengths import lengths_of
from verify.audit.parameters import parameters_of
from verify.audit.repair import find_repair
from verify.audit.repair.edits import Claim
from verify.audit.skew import find_recipe
from verify.audit.stationary import has_no_current
from verify.decide.matrices import decide_skew
from verify.decide.smoothness import first_fault
from verify.decide.zero.decide import decide_zero, vanishes
from verify.decide.zero.show_difference import formula, shown_factored
from verify.diffusion.boundary.decide import decide_boundary
from verify.diffusion.boundary.edges import has_edge
from verify.diffusion.nonsmooth import decide_flux, decide_regular, kinks, prove_no_flux
from verify.diffusion.published_rule import has_update, published
from verify.diffusion.vanishing import not_judged_by_limit
from verify.generator.fokker_planck import current, residual
from verify.obligation import Obligation, Outcomes
from verify.scope import kinds_of
from verify.subject import Subject, subject_of
from verify.verdict import Assumption, Outcome, Verdict, proved

INVARIANCE_ASSUMED = Assumption(
    "exp(-H) is normalisable and the process does not explode (without these a stationary law need"
    " not be invariant)",
    ("normalisable", "non-explosion"),
)


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Compare the current block by block if there is a published drift, which is faster; else
    decide the full residual.

    Both hold where the derivatives exist. H, D, Q and the drift must have them at every point but
    the kinks, and neither the current nor D may jump across these.

    Source:
        Ma, Chen and Fox, "A Complete Recipe for Stochastic Gradient MCMC" (NeurIPS 2015), theorem
            1.
    """
    outcome = _off_kinks(subject, outcomes)
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    rough = _where_not_smooth(subject)
    if rough.verdict is not Verdict.PROVED:
        return rough
    not_judged = not_judged_by_limit(subject)
    if not_judged is not None:
        return not_judged
    return replace(
        outcome,
        facts=(*outcome.facts, *rough.facts),
        assumed=(*outcome.assumed, *_held(subject)),
    )


def _held(subject: Subject) -> tuple[Assumption, ...]:
    """Return the premise that running variances in a printed rule stay as they are: with them the
    rule is another one in every step.
    """
    rule = subject.declared.rule if isinstance(subject.declared, Update) else ()
    atoms = (s for _, e in rule for s in e.atoms(VectorVariance, ScalarVariance))
    names = sorted({name_of(s) for s in atoms})
    return tuple(
        Assumption(f"{name}, the running variance of a gradient, stays as it is") for name in names
    )


def _where_not_smooth(subject: Subject) -> Outcome:
    """Decide whether all derivatives exist that the equation uses, and whether no probability flows
    through the places where they do not; a proof of the second is a fact of the outcome.
    """
    regular, found = decide_regular(subject), kinks(subject)
    if regular.verdict is not Verdict.PROVED:
        flux = None if found else prove_no_flux(subject)
        return regular if flux is None else replace(flux, facts=(flux.by,))
    if not found:
        return regular
    flux = decide_flux(subject.dynamics, current(subject.dynamics, subject.gradient), found)
    return replace(flux, facts=(flux.by,))


def _off_kinks(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Decide the equation at all points where H, D and the drift are smooth."""
    if has_update(subject) and _holds_componentwise(subject, outcomes):
        return proved(
            "v = div Q - Q grad H in every block, with v of the published rule, and Q is"
            " skew-symmetric",
            INVARIANCE_ASSUMED,
        )
    left_over = residual(subject.dynamics, subject.gradient)
    outcome = decide_zero(left_over)
    if outcome.verdict is Verdict.PROVED:
        return proved(f"the Fokker-Planck residual is zero ({outcome.by})", INVARIANCE_ASSUMED)
    if outcome.verdict is Verdict.UNDECIDED:
        return _by_components(subject) or outcome
    return _explained(outcome, left_over, subject)


def _explained(outcome: Outcome, left_over: Expr, subject: Subject) -> Outcome:
    """Return a refutation with its residual, and with parameters and lengths at which the residual
    vanishes.
    """
    by = f"the residual is {shown_factored(left_over)}"
    refuted = replace(outcome, by=by, residual=formula(left_over))
    if kinks(subject) or decide_regular(subject).verdict is not Verdict.PROVED:
        return refuted  # a residual that vanishes off a kink does not exclude a flow across it
    facts = tuple(
        f"where {s} = {v} the residual is zero, and exp(-H) stationary"
        for s, v in parameters_of(left_over, subject)
    )
    return _with_lengths(replace(refuted, facts=(*outcome.facts, *facts)), left_over, subject)


def _with_lengths(outcome: Outcome, left_over: Expr, subject: Subject) -> Outcome:
    """Return a refutation with its scope if it holds for some lengths only: at the others the
    residual is zero.
    """
    found = lengths_of(left_over)
    if found is None:
        return outcome
    rest = sorted(
        {
            f"every {b.length}"
            for b in subject.state
            if isinstance(b, Vector) and b.length != found.length
        }
    )
    scope = ", ".join([found.others, *rest, *kinds_of(subject.declared)])
    holds = " and ".join(f"{found.length} = {n}" for n in found.holds)
    return replace(
        outcome,
        scope=scope,
        facts=(*outcome.facts, f"for {holds} the residual is zero, and exp(-H) stationary"),
    )


def _by_components(subject: Subject) -> Outcome | None:
    """Prove it block by block, without relations between sums; None if there is no such proof.

    Either there is no current, or a skew-symmetric Q is found that gives the current.
    """
    if has_no_current(subject.dynamics, subject.gradient):
        return proved("the current v exp(-H) is zero in every block", INVARIANCE_ASSUMED)
    if not isinstance(subject.declared, Update):
        return None
    found = find_recipe(subject.declared, subject.dynamics, subject.gradient)
    if found is None or decide_skew(found.Q).verdict is not Verdict.PROVED:
        return None
    if any(first_fault(e, subject.state, 1) for e in found.Q.written):
        return None
    if not _makes_the_current(found, subject, current(subject.dynamics, subject.gradient)):
        return None
    return proved(
        "v = div Q - Q grad H in every block, with a skew-symmetric Q that was found",
        INVARIANCE_ASSUMED,
    )


def _holds_componentwise(subject: Subject, outcomes: Outcomes) -> bool:
    """Return True if ``v_i = (div Q - Q grad H)_i`` is proved in every block i and Q is
    skew-symmetric.

    Here v is computed from the published drift. Then the current is ``div (Q exp(-H))``, and its
    divergence vanishes (Ma, Chen & Fox 2015, theorem 1). A drift that is derived from Q satisfies
    the identity by construction, so only a separately declared drift makes this a proof.
    """
    recipe = subject.declared
    assert isinstance(recipe, Recipe)
    v = current(replace(subject.dynamics, drift=published(subject).drift), subject.gradient)
    return outcomes.proved("curl-skew") and _makes_the_current(recipe, subject, v)


def _makes_the_current(recipe: Recipe, subject: Subject, v: dict[Block, Expr]) -> bool:
    """Return True if ``v = div Q - Q grad H`` is proved in every block, with the Q of the
    recipe.
    """
    div_Q, Q_grad = recipe.Q.divergence(), recipe.Q.times(subject.gradient)
    return all(vanishes(v[b] - (div_Q[b] - Q_grad[b])) for b in recipe.state)


def _with_repair(subject: Subject, outcome: Outcome) -> Outcome:
    """Return a refutation with its repair, where it is one by the residual."""
    return outcome if outcome.residual is None else replace(outcome, repair=_repair(subject))


def _repair(subject: Subject) -> str | None:
    """Return what to write instead in a claim; None if nothing was found.

    A recipe has no repair here, as its repair belongs to the obligations about D and Q.
    """
    if not isinstance(subject.declared, Update):
        return None
    found = find_repair(Claim(subject.declared, subject.dynamics, subject.gradient), _stays_sound)
    return None if found is None else found.text


def _stays_sound(update: Update) -> bool:
    """Return True if the repaired rule has no flow across kinks or out of the domain.

    Repairs are found by the residual, which sees neither.
    """
    repaired = subject_of(update)
    if _where_not_smooth(repaired).verdict is not Verdict.PROVED:
        return False
    return not has_edge(repaired) or decide_boundary(repaired).verdict is Verdict.PROVED


STATIONARITY = Obligation(
    name="stationarity",
    statement="div v - v . grad H = 0 with v = f + D grad H - div D",
    latex=r"\nabla \cdot v - v \cdot \nabla H = 0, \quad v = f + D \nabla H - \nabla \cdot D",
    explanation=(
        "This is the stationary Fokker-Planck equation for the density exp(-H). It holds inside"
        " the domain; for the law to be invariant the density must also be normalisable, the"
        " process must not explode, and nothing may flow through the edge of the domain. Each"
        " derivative in the equation is proved to exist: a root of a square, such as sqrt((x -"
        " 1)**2), has none where it vanishes."
    ),
    discharge=discharge,
    repaired=_with_repair,
    needs=("curl-skew",),
    assumes=(INVARIANCE_ASSUMED,),
    handles_kinks=True,
    handles_reflections=True,
)
