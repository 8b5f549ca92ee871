"""``validate``: decide whether the text of a module computes the step that it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from recipe.declare.posterior import Posterior
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from verify.translation.batch.batch import check_many
from verify.translation.parse.domain import check_invalid_block
from verify.translation.parse.interface import Legend, Trusted
from verify.translation.parse.module import ParsedModule, read_module
from verify.translation.parse.problems import TranslationError, unread
from verify.translation.posterior.estimates import private_arrays
from verify.translation.posterior.posterior import calls_of, check_density
from verify.translation.posterior.posterior_functions import PosteriorFunctions, densities
from verify.translation.reading.reader import Call
from verify.translation.reference.equality import COMPARED_SEEDS
from verify.translation.run.drivers import check_run, check_step
from verify.translation.run.scheduled import check_scheduled
from verify.translation.run.stop_and_record import check_end
from verify.verdict import Outcome, proved, undecided

AGREEMENT = (
    f"at {len(COMPARED_SEEDS)} points every number of the text agrees with the rule to 20 digits"
)


def validate(
    text: str,
    source: Update | Kernel,
    legend: Legend,
    trusted: Trusted,
    posteriors: Mapping[Potential, Posterior] | None = None,
) -> Outcome:
    """Decide whether the text of a generated module computes its rule or kernel.

    A proof holds for every dimension, every value and every step, in real arithmetic.

    Args:
        text: the text of the module.
        source: the update rule or the kernel that the module was made from.
        legend: the names of the fields of the module.
        trusted: the texts that are assumed to be right.
        posteriors: the posteriors behind the potentials of the rule; None if there are none.

    Returns:
        Outcome: *proved*; *refuted*, with the first wrong line and a point where text and rule
            differ if there is one; or *undecided*, with the first line that cannot be read.
    """
    try:
        _validate(text, source, legend, trusted, posteriors or {})
    except TranslationError as error:
        by = f"line {error.line}: {error.outcome.by}" if error.line else error.outcome.by
        return replace(error.outcome, by=by)
    except RecursionError:
        return undecided("an expression is nested too deeply to be read")
    return proved("every function of the text was read, and is the rule")


def compare(
    text: str,
    source: Update | Kernel,
    legend: Legend,
    trusted: Trusted,
    posteriors: Mapping[Potential, Posterior] | None = None,
) -> Outcome:
    """Compare the numbers that a text and its rule give, where the proof is left open.

    The text is read as ``validate`` reads it. What it computes is compared with the rule at a few
    points, in ball arithmetic with 128 bits. This proves nothing, so it is never *proved*.

    Args:
        text, source, legend, trusted, posteriors: as for ``validate``.

    Returns:
        Outcome: *refuted* where a number differs; *undecided* otherwise. ``is_agreement`` says
            whether all of the text was compared and agrees.
    """
    try:
        _validate(text, source, legend, trusted, posteriors or {}, numerically=True)
    except TranslationError as error:
        by = f"line {error.line}: {error.outcome.by}" if error.line else error.outcome.by
        return replace(error.outcome, by=by)
    except RecursionError:
        return undecided("an expression is nested too deeply to be read")
    return undecided(AGREEMENT)


def is_agreement(compared: Outcome) -> bool:
    """Return True if all of a text was compared and no difference was found.

    Args:
        compared: what ``compare`` returned.
    """
    return compared.by == AGREEMENT


def _validate(
    text: str,
    source: Update | Kernel,
    legend: Legend,
    trusted: Trusted,
    posteriors: Mapping[Potential, Posterior],
    *,
    numerically: bool = False,
) -> None:
    module = replace(read_module(text, legend, trusted), numerically=numerically)
    check_invalid_block(module, legend)
    found = densities(posteriors)
    module = replace(module, private=private_arrays(module, legend, found))
    calls: dict[str, Call] = {}
    for density in found:
        check_density(module, legend, density)
        calls |= calls_of(module, legend, density)
    reader = check_run(module, legend, source, calls, partial(check_end, module, source))
    read = {s for d in found for s in d.posterior.parameters}
    check_scheduled(module, legend, read, reader.fields.valid_step_field or None)
    if "run_many" in module.functions:
        check_many(module, legend, source, reader, check_end)
    if isinstance(source, Update):
        check_step(module, legend, source, reader.random.law_fields)
    _check_all_read(module, source, found)


def _check_all_read(
    module: ParsedModule, source: Update | Kernel, found: list[PosteriorFunctions]
) -> None:
    """Require that every function of the text was read: an unread function could do anything."""
    names = {"allocate", "run"} | ({"step"} if isinstance(source, Update) else set())
    names |= {n for d in found for n in (d.gradient, d.value, *d.estimators)}
    for name, function in module.functions.items():
        if name not in names | module.read:
            raise unread(function, f"{name} is called by nothing that is read")
