"""Translation validation: prove that the text of a generated module is the declared step, before it
is written or run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial, singledispatch

from codegen.labels.text import LabelModule
from codegen.module import Module
from codegen.printing.moving_reference import Snapshot, Table
from codegen.printing.trusted_texts import device_functions, eight_statements, header_statements
from recipe_cli.sandbox.child import StoppedError, within_limits
from recipe_cli.sandbox.process_limits import Limits
from verify.translation import (
    Legend,
    Trusted,
    compare,
    compare_labels,
    is_agreement,
    validate,
    validate_labels,
    weights_agree,
)
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


AnyModule = Module | LabelModule


@singledispatch
def translation_of(module: AnyModule) -> Outcome:
    """Return the outcome of proving that the text of a module is what it was made from: the step of
    a recipe by its scheme, a printed rule, a kernel, or draws of labels.
    """
    raise TypeError(type(module))


@translation_of.register(Module)
def _(module: Module) -> Outcome:
    posteriors = {U: e.gradient.posterior for U, e in module.estimators.items()}
    return validate(module.source, module.moves, legend_of(module), trusted_texts(), posteriors)


@translation_of.register(LabelModule)
def _(module: LabelModule) -> Outcome:
    return validate_labels(module.source, module.model, module.settings, trusted_texts())


@singledispatch
def comparison_of(module: AnyModule) -> Outcome:
    """Return the outcome of comparing the numbers of a text with those of its rule, which proves
    nothing: see ``verify.translation.compare``.
    """
    raise TypeError(type(module))


@comparison_of.register(Module)
def _(module: Module) -> Outcome:
    posteriors = {U: e.gradient.posterior for U, e in module.estimators.items()}
    return compare(module.source, module.moves, legend_of(module), trusted_texts(), posteriors)


@comparison_of.register(LabelModule)
def _(module: LabelModule) -> Outcome:
    return compare_labels(module.source, module.model, module.settings, trusted_texts())


@dataclass(frozen=True)
class Checked:
    """What is known of the text of a module that may run.

    Attributes:
        unproved: why it is not proved to be its rule, and how it was compared; empty where it is
            proved.
    """

    unproved: str = ""


def require_translation(module: AnyModule, limits: Limits, validated: bool = False) -> Checked:
    """Check that the text of a module is the declared step, in child processes.

    Where a proof is left open, the numbers of the text are compared with those of the rule.

    Args:
        module: the module.
        limits: time and memory of the proof, and of the comparison.
        validated: True to refuse a text that is not proved.

    Returns:
        What is known.

    Raises:
        NotTranslatedError: if the text is another step; if it is not proved within the limits and
            cannot be compared either, or ``validated`` is True.
    """
    outcome, compared = checked_translation(module, limits)
    if outcome.verdict is Verdict.PROVED:
        return Checked()
    if outcome.verdict is Verdict.REFUTED or validated or compared is None:
        raise NotTranslatedError(module.name, outcome)
    return Checked(unproved_sentence(module.name, outcome, compared))


def checked_translation(module: AnyModule, limits: Limits) -> tuple[Outcome, Outcome | None]:
    """Return the outcome of the proof, and of the comparison where the proof is left open.

    The first outcome is *refuted* where either finds a witness. The second one is None if the text
    is proved or refuted, differs without a witness, or cannot be compared; only a text that agrees
    in numbers has one.
    """
    outcome = _limited(plain_translation_of, module, limits)
    if outcome.verdict is not Verdict.UNDECIDED:
        return outcome, None
    compared = _limited(plain_comparison_of, module, limits)
    if compared.verdict is Verdict.REFUTED:
        return compared, None
    agrees = is_agreement(compared) or weights_agree(compared)
    return outcome, compared if agrees else None


def unproved_sentence(name: str, outcome: Outcome, compared: Outcome) -> str:
    """Return the warning about a text that was compared and not proved."""
    return (
        f"the text of the module {name} is not proved to be what it was made from ({outcome.by});"
        f" {compared.by}; --require-validated refuses it"
    )


def _limited(decide: Callable[[AnyModule], Outcome], module: AnyModule, limits: Limits) -> Outcome:
    try:
        return within_limits(partial(decide, module), limits)  # type: ignore[no-any-return]
    except StoppedError as stopped:
        return stopped.outcome


def plain_translation_of(module: AnyModule) -> Outcome:
    """Return the outcome without the steps of its proof, which hold expressions."""
    return replace(translation_of(module), steps=())


def plain_comparison_of(module: AnyModule) -> Outcome:
    """Return the outcome of the comparison without steps."""
    return replace(comparison_of(module), steps=())


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
        snapshots={
            U: (r.every, r.calls, r.snapshots, r.at_snapshot, r.scratch)
            for U, r in module.references.items()
            if isinstance(r, Snapshot)
        },
        tables={
            U: (r.calls, r.tables, r.means, r.scratch)
            for U, r in module.references.items()
            if isinstance(r, Table)
        },
        all_rows={
            U: r.all_rows
            for U, r in module.references.items()
            if isinstance(r, Snapshot) and r.all_rows is not None
        },
        adapting={
            U: e.average.adapts
            for U, e in estimators.items()
            if e.average is not None and e.average.adapts is not None
        },
        scheduled=tuple(module.scheduled.values()),
    )


@cache
def trusted_texts() -> Trusted:
    """Return the texts of this release that the proof takes as given: device functions, header, and
    loops of eight.
    """
    return Trusted(device_functions(), header_statements(), eight_statements())
