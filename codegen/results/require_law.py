"""Nothing is computed of draws of another law: draws of another posterior with the same blocks
would give wrong numbers in silence. What is not known of draws is not required.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.results.law_of_draws import (
    answers_of,
    digests_at,
    noted_law,
    noted_numbers,
    parameters_at,
)
from codegen.results.numbers_of_law import NO_ROWS, Numbers, are_of_two_laws, numbers_of
from codegen.results.quantities import AtDraws
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import name_of
from recipe.language.text import listed

SAME = 1e-6  # of a parameter, as data are compared as float32


class LawWarning(UserWarning):
    """The warning that draws are of another law than the posterior, as far as is known."""


def require_draws_of_posterior(attributes: Mapping[str, Any], at: AtDraws) -> None:
    """Require that draws are of a posterior, where it is known of what they are.

    Its data may be other ones where ``with_data`` has put them in.

    Args:
        attributes: the attributes of the draws; those of other programs say nothing of their law.
        at: the draws with the posterior that is given for them.

    Raises:
        RecipeError: naming what they are of.

    Warns:
        LawWarning: where the sampler kept another law, or nothing can be compared.
    """
    noted, law = noted_law(attributes), at.posterior
    if noted is None:
        return
    if noted.get("prior"):
        raise RecipeError(
            "these are draws of the prior, sample(..., posterior.prior()), and not of the"
            " posterior; data drawn from them are the prior predictive law,"
            " sample_prior_predictive(draws, posterior)"
        )
    _require_prior(noted, law)
    _require_likelihood(noted, law)
    _require_parameters(noted, parameters_at(at))
    _require_answers(noted, answers_of(law))
    _say_law(noted)
    if law.declared.order:  # with_data says that other data are meant
        return
    before, now = noted.get("data", {}), digests_at(at)
    moved = [_given(n, law) for n, digest in now.items() if before.get(n, digest) != digest]
    if others := list(dict.fromkeys(moved)):
        raise RecipeError(
            f"these are draws of a posterior with other data, {listed(others)}: sample this one, or"
            " say that new data of the same model are meant, by with_data of the posterior of the"
            f" draws: fitted.with_data({{{others[0]!r}: ...}})"
        )


def require_draws_of_prior(attributes: Mapping[str, Any], at: AtDraws) -> None:
    """Require that draws are of the prior of a posterior, where it is known of what they are.

    Args:
        attributes: the attributes of the draws.
        at: the draws with the posterior, and not its ``prior()``.

    Raises:
        RecipeError: where they are of a posterior, or of another prior.
    """
    noted = noted_law(attributes)
    if noted is None:
        return
    if not noted.get("prior"):
        raise RecipeError(
            "these are draws of a posterior, and not of its prior; draw from posterior.prior(), or"
            " take sample_posterior_predictive(draws, posterior)"
        )
    require_draws_with_prior(attributes, at)


def require_draws_with_prior(attributes: Mapping[str, Any], at: AtDraws) -> None:
    """Require that draws are of a posterior, or a prior, with the prior of this one, where it is
    known of what they are.

    Args:
        attributes: the attributes of the draws.
        at: the draws with the posterior.

    Raises:
        RecipeError: where they are of another prior.
    """
    noted, law = noted_law(attributes), at.posterior
    if noted is None:
        return
    _require_prior(noted, law)
    of_prior = {name_of(s) for s in parameters_of([law.log_prior])}
    _require_parameters(noted, {n: v for n, v in parameters_at(at).items() if n in of_prior})
    _say_law(noted)


def _require_prior(noted: Mapping[str, Any], posterior: Posterior) -> None:
    now = numbers_of(posterior.log_prior, posterior)
    if not are_of_two_laws(noted_numbers(noted, "log_prior"), now):
        return
    before = noted.get("priors", {})
    for block, prior in posterior.priors.items():
        if before.get(block, prior) != prior:
            raise RecipeError(
                f"these are draws with the prior {before[block]} of {block}, and this posterior has"
                f" {prior}; give the posterior that they were drawn from, or sample this one"
            )
    raise RecipeError(
        "these are draws with another log prior; give the posterior that they were drawn from, or"
        " sample this one"
    )


def _require_likelihood(noted: Mapping[str, Any], posterior: Posterior) -> None:
    """Require one log likelihood: at made-up data, or at the rows that are noted, where it is
    finite at none of the former.
    """
    before, now = noted_numbers(noted, "log_likelihood"), _at_rows(posterior)
    if before is None or now is None:
        return
    differ = are_of_two_laws(before, now)
    rows = noted.get("rows")
    if differ is None and rows:
        there = {str(name): np.asarray(row, dtype=float) for name, row in rows.items()}
        differ = are_of_two_laws(noted_numbers(noted, "at_rows"), _at_rows(posterior, there))
    if differ:
        raise RecipeError(
            "these are draws of a posterior with another log likelihood; give the posterior that"
            " they were drawn from, or sample this one"
        )
    if differ is None:
        _warn(
            "the log likelihood is not finite where it would be compared with that of the draws, so"
            " that nothing says whether these are draws of this posterior"
        )


def _at_rows(posterior: Posterior, rows: Mapping[str, np.ndarray] = NO_ROWS) -> Numbers | None:
    return numbers_of(posterior.log_likelihood, posterior, rows)


def _require_parameters(noted: Mapping[str, Any], now: Mapping[str, float | str]) -> None:
    """Require the values of the parameters that draws were made with, as far as they are noted."""
    before = noted.get("params", {})
    for name, value in now.items():
        old = before.get(name, value)
        if old == value or _are_close(old, value):
            continue
        if isinstance(old, str) or isinstance(value, str):
            raise RecipeError(
                f"these are draws with other values of {name}; give params={{{name!r}: ...}} that"
                " they were drawn with, or sample with these"
            )
        raise RecipeError(
            f"these are draws with {name} = {old:.10g}, and params= says {name} = {value:.10g};"
            " give the value that they were drawn with, or sample with this one"
        )


def _require_answers(noted: Mapping[str, Any], now: Mapping[str, str]) -> None:
    """Require that the numbers of answers stand for the same words, where both sides have words."""
    before = noted.get("answers", {})
    for name, order in now.items():
        if before.get(name, order) != order:
            raise RecipeError(
                f"these are draws of a posterior whose {name} is {before[name]}, and that of this"
                f" one is {order}; give the posterior that they were drawn from, or sample this one"
            )


def _are_close(old: Any, value: Any) -> bool:
    numbers = isinstance(old, float) and isinstance(value, float)
    return numbers and math.isclose(old, value, rel_tol=SAME)


def _say_law(noted: Mapping[str, Any]) -> None:
    """Say that what is computed is not of the posterior, where the sampler kept another law."""
    for sentence in noted.get("said", ()):
        _warn(f"what is computed is of draws of another law than the posterior's: {sentence}")


def _warn(sentence: str) -> None:
    warnings.warn(sentence, LawWarning, stacklevel=5)


def _given(name: str, posterior: Posterior) -> str:
    """Return the name of the data that a user gives, where others are made of these labels."""
    likelihood = posterior.declared.log_likelihood
    made = {} if likelihood is None else {name_of(i.data): i.label for i in likelihood.indicators}
    named = {name_of(s): s.labels for s, _ in posterior.data if getattr(s, "labels", None)}
    return name_of({**named, **made}.get(name, name))
