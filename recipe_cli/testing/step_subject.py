"""The subject of a test of a step: the step of a recipe by a scheme, or an update rule."""

from __future__ import annotations

from codegen import generate
from codegen.module import Module
from recipe import Recipe, RecipeError, Update
from recipe.scheme import PRINTED
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.testing.program_subject import ComparisonOptions, ProgramSubject, given_parameters
from verify.statistics import trial_of

DEFAULT_SCHEMES = ("semi-implicit", "exact", PRINTED)  # the first that fits is taken


def step_subject(
    declaration: Declaration, options: ComparisonOptions
) -> tuple[ProgramSubject, Module]:
    """Return the subject of a test of a step, with all numbers, and its module.

    Raises:
        RecipeError: if no scheme fits, or a parameter or potential does not.
    """
    what, scheme, module = _generated(declaration, options.scheme)
    rule = module.moves
    assert isinstance(rule, Update)  # a recipe and an update have a step
    trial = trial_of(
        rule,
        step_size=options.step_size,
        params=given_parameters(rule, options),
        length=options.length,
        potentials=[U for U in module.plan.potentials if U not in module.estimators],
    )
    return ProgramSubject(declaration.where, scheme, what, options, trial), module


def _generated(declaration: Declaration, scheme: str | None) -> tuple[Recipe | Update, str, Module]:
    """Return what the module is generated from, the name of the scheme, and the module.

    The scheme is the given one, or the first of the default ones that fits.
    """
    declared, refusals = declaration.declared, []
    assert isinstance(declared, Recipe | Update)
    if isinstance(declared, Update):
        if scheme not in (None, PRINTED):
            raise RecipeError(
                f"{declaration.name} is an update rule and needs no discretisation: leave --scheme"
                " out"
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
