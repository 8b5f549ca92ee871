"""``validate_labels``: decide whether the text of a module draws labels from their conditional
law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Integer, Symbol, exp

from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.total import total
from recipe.latent.increments import at_item
from recipe.latent.labels import DATUM, ITEM
from recipe.latent.posterior import LabelledPosterior
from verify.labels.conditional import decide_conditional, difference_that_can_occur
from verify.labels.subject import LabelSubject
from verify.translation.labels.draws import DrawReader
from verify.translation.labels.draws_of_data import check_draws_of_data
from verify.translation.labels.factors import (
    check_row_norm,
    count_factor,
    label_weight,
    row_factor,
)
from verify.translation.labels.subject import LabelText
from verify.translation.parse.defined_names import check_names_are_defined
from verify.translation.parse.interface import Trusted
from verify.translation.parse.module import TopOfModule, read_top
from verify.translation.parse.problems import TranslationError, unread, wrong
from verify.translation.reference.defined import Defined
from verify.translation.reference.equality import COMPARED_SEEDS, EqualityProver
from verify.verdict import Outcome, Verdict, proved, undecided

_NONE = Integer(0)  # how far a right ratio is from that of the joint law, in logarithms
OF_DATUM = {"row_weights", "row_norm", "draw_labels"}
OWN = {ITEM: OF_DATUM | {"count_factor"}, DATUM: OF_DATUM}
AGREEMENT = (
    f"at {len(COMPARED_SEEDS)} points the weights of the text have the ratio of the joint law to 20"
    " digits"
)


def validate_labels(
    text: str, model: LabelledPosterior, parameters: Mapping[str, Symbol], trusted: Trusted
) -> Outcome:
    """Decide whether the text of a module draws labels from their conditional law.

    A proof holds for every number of labels, of columns and of items, every row and every parameter
    in its domain, in real arithmetic, if counters that differ give independent uniform numbers.

    Args:
        text: the text of the module.
        model: the joint law of a datum and its labels.
        parameters: the parameter that each field of ``Params`` stands for.
        trusted: the texts that are assumed to be right.

    Returns:
        Outcome: *proved*; *refuted*, with the first wrong line; or *undecided*, with the first line
            that cannot be read, or with what is not known of the weights.
    """
    return _outcome(text, model, parameters, trusted, numerically=False)


def compare_labels(
    text: str, model: LabelledPosterior, parameters: Mapping[str, Symbol], trusted: Trusted
) -> Outcome:
    """Compare the weights of a text with those of the joint law in numbers, where the proof is left
    open. All else of the text is read as ``validate_labels`` reads it.

    Args:
        text, model, parameters, trusted: as for ``validate_labels``.

    Returns:
        Outcome: *undecided*, as numbers give no exact witness: with the first line where the text
            differs or cannot be compared, or with ``AGREEMENT``. ``weights_agree`` says whether all
            of it was compared and agrees. *Refuted* only where the reading finds a witness.
    """
    found = _outcome(text, model, parameters, trusted, numerically=True)
    return undecided(AGREEMENT) if found.verdict is Verdict.PROVED else found


def weights_agree(compared: Outcome) -> bool:
    """Return True if all of a text was compared and no difference was found.

    Args:
        compared: what ``compare_labels`` returned.
    """
    return compared.by == AGREEMENT


def _outcome(
    text: str,
    model: LabelledPosterior,
    parameters: Mapping[str, Symbol],
    trusted: Trusted,
    *,
    numerically: bool,
) -> Outcome:
    try:
        top = read_top(text, trusted)
        check_names_are_defined(text, top.tree)
        _check_functions(top, model, parameters)
        lengths = [b.length for b in model.blocks if b.length is not None]
        defined = Defined(EqualityProver(lengths, numerically))
        read = LabelText(model, parameters, top.own, top.known, defined)
        if model.labels.each == ITEM:
            read = replace(read, of_count=count_factor(read))
            DrawReader(read).read()
        else:
            check_draws_of_data(read)
        _check_weight(read)
        defined.require()
    except TranslationError as error:
        by = f"line {error.line}: {error.outcome.by}" if error.line else error.outcome.by
        return replace(error.outcome, by=by)
    except RecursionError:
        return undecided("an expression is nested too deeply to be read")
    return proved("every function of the text was read, and draws from the joint law")


def _check_functions(
    top: TopOfModule, model: LabelledPosterior, parameters: Mapping[str, Symbol]
) -> None:
    """Refuse functions and classes that nothing reads, and other fields of ``Params``."""
    expected = OWN[model.labels.each] | ({"label_weight"} if len(model.blocks) > 1 else set())
    for name, function in top.own.items():
        if name not in expected:
            raise unread(function, f"{name} is called by nothing that is read")
    if top.classes != {"Params": tuple(parameters)}:
        raise unread(None, f"the fields of Params are not {', '.join(parameters) or 'none'}")


def _check_weight(text: LabelText) -> None:
    """Require that the factors of the text make a weight with the ratios of the joint law."""
    model, z = text.model, text.model.labels
    of_row = row_factor(text)
    if z.each == ITEM:
        of_column = of_row.at(z.like)
        weight = text.of_count * of_row.at(at_item(z.like, z))
    else:
        of_column = exp(of_row.at(z.like))
        weight = exp(total(z.row * of_row.at(z.like), over=z.like) + label_weight(text))
    text.defined.rule |= dict.fromkeys([model.weight])
    try:
        held = LabelledPosterior(
            model.blocks, z, model.log_joint, model.log_prior, conditional=weight
        )
    except (RecipeError, OutsideLanguageError) as error:
        raise unread(text.functions["row_weights"], f"the weight is not read: {error}") from None
    _check_ratio(LabelSubject(held), text)
    check_row_norm(text, of_column)


def _check_ratio(subject: LabelSubject, text: LabelText) -> None:
    z, at = text.model.labels, text.functions["row_weights"]
    weight, expected = z.text_of(subject.weight), z.text_of(text.model.weight)
    said = f"the weight of the text is {weight}, and must be {expected} up to a common factor"
    if text.equality.numerically:
        difference = difference_that_can_occur(subject)
        if text.equality.differ(difference, _NONE):
            raise wrong(at, said)
        if not (text.equality.has_values(difference) and text.equality.equal(difference, _NONE)):
            raise unread(at, f"the weight of the text, {weight}, could not be compared")
        return
    outcome = decide_conditional(subject)
    if outcome.verdict is Verdict.REFUTED:
        raise wrong(at, said, outcome.witness)
    if outcome.verdict is not Verdict.PROVED:
        raise unread(at, f"the weight of the text, {weight}: {outcome.by}")
