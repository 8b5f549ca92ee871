"""``noise-budget``: the noise that estimated gradients add, and the largest step size at which the
drawn noise can compensate for it.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, factor

from recipe import Discretisation, Recipe, RecipeError
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block
from recipe.language.entry import Coupling, is_zero_entry, parts
from recipe.language.variance import gradient_variance
from recipe.scheme.compensation import added_noise, noisy_potentials
from recipe.scheme.evaluations import Evaluation, evaluations_of
from recipe.signs.sign import is_positive
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import Outcome, Witness, proved, refuted, undecided


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Compare D with ``B_hat = (D + Q) diag(V, 0) (D + Q)^T``, by the gradient evaluations of one
    step.

    Source:
        Ma, Chen and Fox, "A Complete Recipe for Stochastic Gradient MCMC" (NeurIPS 2015): a step
        draws noise of covariance ``eps (2 D - eps B_hat)``.
    """
    assert isinstance(subject.declared, Discretisation)
    recipe, update = subject.declared.of, subject.declared.update
    assert isinstance(recipe, Recipe)
    if not outcomes.proved("consistency"):
        return undecided(
            "the step is not proved to be consistent with this recipe, so D says nothing about its"
            " noise"
        )
    try:
        noise, evaluations = added_noise(recipe), evaluations_of(update)
    except RecipeError as error:
        return undecided(str(error))
    listed = _listed(evaluations, update.step)
    for block, added in noise.items():
        entry = recipe.D.entry(block, block)
        place = recipe.D.place(block, block)
        if is_zero_entry(entry):
            finding = (
                f"{place} = 0, and a step adds noise of variance {update.step}^2*{added} there, and"
                " has no noise of its own there that could be drawn smaller"
            )
            return refuted(
                f"{listed}; its noise cannot be compensated at any step size",
                Witness({place: "0"}, finding),
            )
        if isinstance(entry, Coupling) and entry.kernel != 0:
            return undecided(f"{place} is not diagonal")
        if not is_positive(parts(entry)[0]):
            return undecided(
                f"{place} = {parts(entry)[0]} is not proved to be positive at every state; where it"
                " is 0, no step is small enough"
            )
    noisy = [e for e in evaluations if e.potential in noisy_potentials(recipe)]
    variances = {block: _variance(block, noisy) for block in noise}
    bounds = [
        factor(2 * parts(recipe.D.entry(b, b))[0] / v) for b, v in variances.items() if v != 0
    ]
    ends = " and ".join(f"{update.step} <= {bound}" for bound in bounds)
    largest = f"iff {ends}" if ends else "at every step size"
    return proved(f"{listed}; its noise can be compensated {largest}", GRADIENT_NOISE_ASSUMED)


GRADIENT_NOISE_ASSUMED = (
    "an estimated gradient has noise of variance V that is independent of the rest; its leading"
    " order in the step counts"
)


def _variance(block: Block, evaluations: list[Evaluation]) -> Expr:
    """Return the variance that a step adds to a block, divided by the step squared.

    Each evaluation has noise of its own.
    """
    uses = [
        (e.potential, by, w) for e in evaluations for (b, by), w in e.weights.items() if b == block
    ]
    return factor(sum((w**2 * gradient_variance(U, by) for U, by, w in uses), S.Zero))


def _listed(evaluations: list[Evaluation], step: Symbol) -> str:
    """Return how often each potential's gradient is evaluated in a step, and with which weights, as
    text.
    """
    potentials = dict.fromkeys(e.potential for e in evaluations)
    texts = []
    for U in potentials:
        own = [e for e in evaluations if e.potential == U]
        count = f"{len(own)} evaluation{'s' if len(own) > 1 else ''} of the gradient of {U} a step"
        weights = "; ".join(
            ", ".join(f"{step * w} for {b}" for (b, _), w in e.weights.items()) for e in own
        )
        texts.append(f"{count}, with the weight {weights}")
    return "; ".join(texts)


def estimates_a_gradient(subject: Subject) -> bool:
    """Return True for a step of a recipe that uses a gradient of an abstract potential.

    Such a gradient may be estimated from data.
    """
    declared = subject.declared
    if not (isinstance(declared, Discretisation) and isinstance(declared.of, Recipe)):
        return False
    return any(
        isinstance(p.head, Potential) for _, e in declared.update.rule for p in e.atoms(Partial)
    )


NOISE_BUDGET = Obligation(
    name="noise-budget",
    statement=(
        "range B_hat within range D, and eps B_hat <= 2 D, with B_hat = (D + Q) diag(V, 0) (D +"
        " Q)^T where V is used once"
    ),
    explanation=(
        "A gradient that is estimated from a minibatch has noise of variance V, and a step adds it"
        " on top of its own noise. If D has noise in the same direction, less of that can be drawn"
        " instead, up to a largest step; if it has none, as in Hamiltonian dynamics, no step is"
        " small enough. The number of times that the scheme uses one evaluation counts: two kicks"
        " by one estimate add up, two by independent estimates average."
    ),
    discharge=discharge,
    needs=("consistency",),
    applies=estimates_a_gradient,
    required=False,
)
