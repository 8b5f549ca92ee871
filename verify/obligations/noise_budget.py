"""``noise-budget``: the noise of estimated gradients can be made up for by drawing less noise."""

from __future__ import annotations

from recipe import Discretisation, RecipeError, Update
from recipe.symbols import name_of
from verify.affine.budget import Budget, budget
from verify.affine.closed_form import stationary
from verify.obligation import Obligation, of_steps
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, undecided
from verify.zero.decide import find_nonzero
from verify.zero.errors import CannotDecideError

LEDGER = (
    "the errors of gradients are independent from evaluation to evaluation and from coordinate to coordinate, with mean 0",
    "a gradient at a state that was just evaluated there is not evaluated again",
)


def discharge(subject: Subject) -> Outcome:
    """Proved where D is positive wherever such noise comes in; refuted where it is zero there."""
    assert isinstance(subject.declared, Discretisation)
    update = subject.declared.update
    try:
        found = budget(update)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))
    facts = (*_facts(found, update), *_variances(update))
    if found.out_of_reach:
        block = found.out_of_reach[0]
        witness = find_nonzero(found.B_hat[block, block])
        by = f"the noise of the gradient reaches {block}, where the recipe adds none that it could replace"
        verdict = Verdict.UNDECIDED if witness is None else Verdict.REFUTED
        return Outcome(verdict, by, witness, LEDGER, facts=facts)
    if found.unclear:
        return Outcome(Verdict.UNDECIDED, "; ".join(found.unclear), assumptions=LEDGER, facts=facts)
    return Outcome(Verdict.PROVED, "D is positive wherever the noise of gradients comes in", assumptions=LEDGER, facts=facts)


def _facts(found: Budget, update: Update) -> list[str]:
    times = "gradient is" if found.evaluations == 1 else "gradients are"
    facts = [f"{found.evaluations} {times} evaluated a step, used {found.written} times"]
    facts += [
        f"a step adds the covariance {update.step}**2 * ({e}) of {a} and {b}, to leading order" for (a, b), e in found.B_hat.items()
    ]
    if found.largest_step:
        facts.append(f"it can be made up for, to leading order, up to {update.step} = {', '.join(map(str, found.largest_step))}")
    return facts


def _variances(update: Update) -> list[str]:
    """What errors of variance V add to the variances on a quadratic potential."""
    try:
        found = stationary(update)
    except (RecipeError, CannotDecideError):
        return []
    return [
        f"on a quadratic potential, errors of variance V of the gradient by {name_of(by)} add V * {added[b, b]} to Var {b}"
        for by, added in found.by_noise.items()
        for b in found.blocks
    ]


NOISE_BUDGET = Obligation(
    name="noise-budget",
    statement="range B_hat lies in range D, where estimated gradients add the covariance eps^2 B_hat to a step",
    explanation=(
        "A gradient that is estimated from a part of the data heats the sampler. Where the recipe adds noise of its own to the "
        "same coordinates, that noise can be reduced by as much, as long as the step is small enough. HMC has none. Gradients "
        "at one state are one evaluation, so that half kicks at one position have one error, and it counts in full."
    ),
    discharge=discharge,
    applies=of_steps,
    required=False,
)
