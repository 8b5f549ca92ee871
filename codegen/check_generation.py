"""Check what ``generate`` is asked for: arguments that do not go together, or that do not fit the
sampler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen.check_arguments import checked_flag
from codegen.lowering.statements import Plan
from codegen.printing.estimator import Estimator, Reduction
from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.scheme import DEFAULT_SCHEME


def check_no_discretisation(
    what: Update | Kernel,
    called: str,
    scheme: str,
    order: Sequence[Block | str] | None,
    compensate: bool,
) -> None:
    """Raise ``RecipeError`` for an argument that only the discretisation of a recipe has."""
    typed = {
        "scheme": scheme != DEFAULT_SCHEME,
        "order": order is not None,
        "compensate": compensate,
    }
    for name in (name for name, is_typed in typed.items() if is_typed):
        kind = "a printed rule" if isinstance(what, Update) else "a kernel"
        raise RecipeError(
            f"{name}= says how a recipe is discretised; {called} is {kind}, and {kind} is taken as"
            " it stands: leave it out"
        )


def one_reduction(control_variates: bool, svrg: bool, saga: bool) -> Reduction:
    """Return the one reduction of variance that is asked for.

    Raises:
        RecipeError: where several are.
    """
    wanted: dict[Reduction, bool] = {"control_variates": control_variates, "svrg": svrg}
    wanted["saga"] = saga
    names = [name for name, given in wanted.items() if checked_flag(name, given)]
    if len(names) > 1:
        raise RecipeError(
            f"{names[0]}= and {names[1]}= are two references for one gradient; leave one of them"
            " out"
        )
    return names[0] if names else "plain"


def all_posteriors(
    what: Recipe | Update | Kernel, posteriors: Mapping[Potential, Posterior] | None
) -> dict[Potential, Posterior]:
    """Return the posteriors that the declaration brings and those that are given, by potential and
    sorted by its name.
    """
    found = {**dict(what.posteriors), **(posteriors or {})}
    for U, posterior in found.items():
        if U not in what.abstract:
            raise RecipeError(
                f"posteriors= names {U}, which is no potential of this update; leave it out"
            )
        if set(U.blocks) != set(posterior.blocks):
            blocks = ", ".join(b.name for b in posterior.blocks)
            raise RecipeError(
                f"the posterior is a law of {blocks}, and {U} is a function of other blocks; write"
                " the update for the blocks of the posterior, or declare a recipe: `bind` gives it"
                " these blocks"
            )
    return dict(sorted(found.items(), key=lambda item: str(item[0])))


def check_estimators(
    step: Plan, estimated: Mapping[Potential, Estimator], reduction: Reduction, compensate: bool
) -> None:
    """Refuse a Metropolis test without values to compare, and options that need data where there
    are none.
    """
    for U in step.valued:
        if U not in estimated:
            raise RecipeError(
                f"a Metropolis test compares values of {U}: bind it to an expression or a Posterior"
                " first"
            )
    if step.valued and reduction != "plain":
        raise RecipeError(
            f"{reduction}= is about minibatches, and a Metropolis test needs all of the data;"
            " leave it out"
        )
    if reduction != "plain" and not estimated:
        raise RecipeError(f"{reduction}= needs data: bind a Posterior to the potential first")
    if reduction in ("svrg", "saga"):
        _check_moving_reference(step, estimated, reduction, compensate)
    for U in step.variances:
        if compensate and U not in estimated:
            raise RecipeError(
                f"the noise of {U} is estimated from data: bind a Posterior to it first, or leave"
                " compensate= out"
            )


def _check_moving_reference(
    step: Plan, estimated: Mapping[Potential, Estimator], reduction: Reduction, compensate: bool
) -> None:
    """Refuse a reference that moves where it would not be what it is meant to be."""
    if compensate and step.variances:
        raise RecipeError(
            "compensate= estimates the variance of a gradient whose reference stays, and"
            f" {reduction}= moves it; leave one of them out"
        )
    for U, e in estimated.items():
        if not e.gradient.fields:
            raise RecipeError(f"{reduction}= needs rows of data, and {U} has none; leave it out")
