"""The generator and the verifier meet: the text of a module is validated before it is written or
run.
"""

from __future__ import annotations

from functools import cache

from codegen.generate import Module
from codegen.printing.trusted_texts import device_functions, eight_statements, header_statements
from verify.translation import Legend, Trusted, validate
from verify.verdict import Outcome, Verdict


class NotTranslatedError(Exception):
    """The text of a module is not proved to be what it was made from: nothing is written, and
    nothing runs.
    """

    def __init__(self, name: str, outcome: Outcome) -> None:
        self.verdict = outcome.verdict
        said = (
            "is not what it was made from"
            if outcome.verdict is Verdict.REFUTED
            else "is not proved to be what it was made from"
        )
        super().__init__(f"the text of the module {name} {said}: {outcome.by}; nothing is written")


def translation_of(module: Module) -> Outcome:
    """Whether the text of a module is what it was made from: the step of a recipe by its scheme, a
    printed rule, or a kernel.
    """
    posteriors = {U: e.gradient.posterior for U, e in module.estimators.items()}
    return validate(module.source, module.moves, legend_of(module), trusted_texts(), posteriors)


def require_translation(module: Module) -> None:
    """Require that the text of a module is what it was made from.

    Raises:
        NotTranslatedError: where this is not proved.
    """
    outcome = translation_of(module)
    if outcome.verdict is not Verdict.PROVED:
        raise NotTranslatedError(module.name, outcome)


def legend_of(module: Module) -> Legend:
    """What the names of a module stand for."""
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
    """The texts of this release that are not lifted."""
    return Trusted(device_functions(), header_statements(), eight_statements())
