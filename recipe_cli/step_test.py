"""What ``recipe test`` asks of a step: its law given the state, by the battery."""

from __future__ import annotations

from codegen import generate
from codegen.generate import Module
from recipe import Recipe, RecipeError, Update
from recipe.scheme import PRINTED
from recipe_cli.declarations import Declaration
from recipe_cli.tested import Asked, Subject, numbers_for
from recipe_cli.trial import trials_of
from recipe_cli.trial_law import NothingToCompareError
from verify.statistics import Battery, battery
from verify.statistics.recover.equations import equations_of
from verify.statistics.recover.plan import plan_of

DEFAULT_SCHEMES = ("semi-implicit", "exact", PRINTED)  # the first that fits


def step_subject(declaration: Declaration, asked: Asked) -> tuple[Subject, Module]:
    """The step of a recipe by a scheme, or an update as it stands, with its module and all of its
    numbers.
    """
    what, scheme, module = _generated(declaration, asked.scheme)
    rule = module.moves
    assert isinstance(rule, Update)  # a step, as a recipe and an update have
    trials = trials_of([U for U in module.plan.potentials if U not in module.estimators])
    return (
        Subject(declaration.where, scheme, what, rule, asked, numbers_for(rule, asked), trials),
        module,
    )


def _generated(declaration: Declaration, scheme: str | None) -> tuple[Recipe | Update, str, Module]:
    """What is generated, by which scheme: the one that was typed, or the first of the default ones
    that fits.
    """
    declared, refusals = declaration.declared, []
    assert isinstance(declared, Recipe | Update)
    if isinstance(declared, Update):
        if scheme not in (None, PRINTED):
            raise RecipeError(
                f"{declaration.name} is an update rule, a discrete step already: leave --scheme out"
            )
        return declared, PRINTED, generate(declared, name=declaration.name)
    for tried in DEFAULT_SCHEMES if scheme is None else (scheme.lower(),):
        try:
            if tried != PRINTED:
                return declared, tried, generate(declared, scheme=tried, name=declaration.name)
            if declared.update is None:
                raise RecipeError(
                    f"{declaration.name} has no printed rule; `recipe schemes {declaration.file}`"
                    " lists what fits"
                )
            return declared.update, tried, generate(declared.update, name=declaration.name)
        except RecipeError as error:
            refusals.append(error)
    raise refusals[0]


def battery_of(subject: Subject) -> Battery:
    """The states and tests for a step, whose random numbers are functions of seed, chain and
    step.
    """
    try:
        plan_of(equations_of(subject.rule))
    except RecipeError as hidden:
        raise NothingToCompareError(str(hidden)) from None
    a = subject.asked
    how = {**subject.numbers, "seed": a.seed, "level": a.level, "factor": a.factor}
    return battery(subject.rule, batched=True, coupled=True, **how)
