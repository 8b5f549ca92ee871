"""Translation validation: prove that the text of a generated module is the declared step, before it
is written or run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from codegen.generate import Module
from codegen.printing.trusted_texts import device_functions, eight_statements, header_statements
from recipe_cli.sandbox.child import StoppedError, within_limits
from recipe_cli.sandbox.process_limits import Limits
from verify.translation import Legend, Trusted, validate
from verify.verdict import Outcome, Verdict


class NotTranslatedError(Exception):
    """The text of a module is not proved to be the declared step, so it is neither written nor
    run.

    Args:
        name: the name of the module.
        outcome: the outcome of the proof, with its verdict and reason.
    """

    def __init__(self, name: str, outcome: Outcome) -> None:
        self.verdict = outcome.verdict
        relation = (
            "is not what it was made from"
            if outcome.verdict is Verdict.REFUTED
            else "is not proved to be what it was made from"
        )
        super().__init__(
            f"the text of the module {name} {relation}: {outcome.by}; nothing is written"
        )


def translation_of(module: Module) -> Outcome:
    """Return the outcome of proving that the text of a module is the declared step: that of a
    recipe by its scheme, a printed rule, or a kernel.
    """
    posteriors = {U: e.gradient.posterior for U, e in module.estimators.items()}
    return validate(module.source, module.moves, legend_of(module), trusted_texts(), posteriors)


def require_translation(module: Module, limits: Limits) -> None:
    """Check that the text of a module is proved to be the declared step, in a child process.

    Raises:
        NotTranslatedError: if it is not proved within the limits.
    """
    try:
        outcome = within_limits(partial(plain_translation_of, module), limits)
    except StoppedError as stopped:
        outcome = stopped.outcome
    if outcome.verdict is not Verdict.PROVED:
        raise NotTranslatedError(module.name, outcome)


def plain_translation_of(module: Module) -> Outcome:
    """Return the outcome without the steps of its proof, which hold expressions."""
    return replace(translation_of(module), steps=())


def legend_of(module: Module) -> Legend:
    """Return what the names in the text of a module stand for."""
    plan, estimators = module.plan, module.estimators
    return Legend(
        fields=plan.fields,
        settings=plan.settings,
        factors=plan.factors,
        data={U: e.gradient.fields for U, e in estimators.items()},
        potentials=plan.potentials,
        modes={
            U: (e.control.modes, e.control.at_mode)
            for U, e in estimators.items()
            if e.control is not None
        },
        variances=plan.variances,
    )


@cache
def trusted_texts() -> Trusted:
    """Return the texts of this release that the proof takes as given: device functions, header, and
    loops of eight.
    """
    return Trusted(device_functions(), header_statements(), eight_statements())
