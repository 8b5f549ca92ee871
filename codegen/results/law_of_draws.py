"""Which law draws are of: noted when they are made, and compared before anything is computed of
them, as draws of another posterior with the same blocks would give wrong numbers in silence.

Densities are compared by their numbers at a few made-up points, so that one law that is written in
two ways is one law, and data by digests.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from codegen.inputs.evaluate import Values
from codegen.inputs.initial_states import in_domain
from codegen.results.quantities import AtDraws
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import Indexed, ScalarData, Vector, VectorData, generic, name_of
from recipe.language.text import listed

ATTRIBUTE = "law"
POINTS, ROWS, LENGTH = 4, 3, 3  # made-up points, rows of data, and coordinates of a vector
CLOSE = 1e-11  # of the largest number, above what the order of a sum changes
WHOLE = 2**20  # numbers of an array that are all read; of a larger one some rows are
SOME_ROWS = 2**12


def law_of(at: AtDraws) -> dict[str, str]:
    """Return the attribute that says which law draws are of.

    Args:
        at: the draws, with the posterior and the data that they were drawn with.
    """
    law = at.posterior
    noted = {
        "prior": law.prior_of is not None,
        "log_prior": _numbers_of(law.log_prior, law),
        "log_likelihood": _numbers_of(law.log_likelihood, law),
        "priors": dict(law.priors),
        "data": _digests(at),
        "last": _last_categories(law),
    }
    return {ATTRIBUTE: json.dumps(noted)}


def last_categories_in(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the categories that blocks on a simplex have no coordinate for, the last
    ones, by block, as far as draws say them.

    Args:
        attributes: the attributes of the draws.
    """
    last = (_noted(attributes) or {}).get("last")
    return {str(k): str(v) for k, v in last.items()} if isinstance(last, dict) else {}


def _last_categories(posterior: Posterior) -> dict[str, str]:
    found: dict[str, str] = {}
    for s, _ in posterior.data:
        names = posterior.categories.get(getattr(s, "labels", None))
        if names and isinstance(s, VectorData) and s.but_last:
            found |= {b.name: names[-1] for b in posterior.blocks if _counts(b, s)}
    return found


def _counts(block: Any, s: VectorData) -> bool:
    return isinstance(block, Vector) and block.length == s.length


def require_draws_of_posterior(attributes: Mapping[str, Any], at: AtDraws) -> None:
    """Require that draws are of a posterior, where it is known of what they are.

    Its data may be other ones where ``with_data`` has put them in.

    Args:
        attributes: the attributes of the draws; those of other programs say nothing of their law.
        at: the draws with the posterior that is given for them.

    Raises:
        RecipeError: naming what they are of.
    """
    noted, law = _noted(attributes), at.posterior
    if noted is None:
        return
    if noted.get("prior"):
        raise RecipeError(
            "these are draws of the prior, sample(..., posterior.prior()), and not of the"
            " posterior; data drawn from them are the prior predictive law,"
            " sample_prior_predictive(draws, posterior)"
        )
    _require_prior(noted, law)
    if _differ(noted.get("log_likelihood"), _numbers_of(law.log_likelihood, law)):
        raise RecipeError(
            "these are draws of a posterior with another log likelihood; give the posterior that"
            " they were drawn from, or sample this one"
        )
    if law.declared.order:  # with_data says that other data are meant
        return
    before, now = noted.get("data", {}), _digests(at)
    moved = [_given(n, law) for n, digest in now.items() if before.get(n, digest) != digest]
    if others := list(dict.fromkeys(moved)):
        raise RecipeError(
            f"these are draws of a posterior with other data, {listed(others)}: sample this one, or"
            " say that new data of the same model are meant, by with_data of the posterior of the"
            f" draws: fitted.with_data({{{others[0]!r}: ...}})"
        )


def require_draws_of_prior(attributes: Mapping[str, Any], posterior: Posterior) -> None:
    """Require that draws are of the prior of a posterior, where it is known of what they are.

    Args:
        attributes: the attributes of the draws.
        posterior: the posterior, or its ``prior()``.

    Raises:
        RecipeError: where they are of a posterior, or of another prior.
    """
    noted = _noted(attributes)
    if noted is None:
        return
    if not noted.get("prior"):
        raise RecipeError(
            "these are draws of a posterior, and not of its prior; draw from posterior.prior(), or"
            " take sample_posterior_predictive(draws, posterior)"
        )
    _require_prior(noted, posterior)


def require_draws_with_prior(attributes: Mapping[str, Any], posterior: Posterior) -> None:
    """Require that draws are of a posterior, or a prior, with the prior of this one, where it is
    known of what they are.

    Raises:
        RecipeError: where they are of another prior.
    """
    noted = _noted(attributes)
    if noted is not None:
        _require_prior(noted, posterior)


def _require_prior(noted: Mapping[str, Any], posterior: Posterior) -> None:
    if not _differ(noted.get("log_prior"), _numbers_of(posterior.log_prior, posterior)):
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


def _noted(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what draws say of their law; None where they say nothing that can be read."""
    try:
        noted = json.loads(str(attributes.get(ATTRIBUTE, "null")))
    except ValueError:
        return None
    return noted if isinstance(noted, dict) else None


def _numbers_of(e: Expr | None, posterior: Posterior) -> list[float | None] | None:
    """Return what a density is at made-up points and data less what it is at the first of these
    points, so that constants do not count; None where it has no numbers.
    """
    if e is None:
        return None
    try:
        found = _made_up(e, posterior).at(e)
    except (RecipeError, ArithmeticError, ValueError, IndexError):
        return None
    differences = (found[1:] - found[:1]).ravel()
    return [x if math.isfinite(x) else None for x in differences.tolist()]


def _made_up(e: Expr, posterior: Posterior) -> Values:
    """Return points, parameters and rows of data, which depend on the names of symbols alone."""
    data = {generic(s) for s in e.atoms(VectorData, ScalarData)}
    vectors = [s for s in data if isinstance(s, VectorData)]
    every = [s.length for s in (*posterior.blocks, *vectors) if isinstance(s, Indexed)]
    size = dict.fromkeys(every, LENGTH)
    for s in vectors:
        if s.coordinate is not None:
            size[s.length] = max(size[s.length], s.coordinate + 2)
    draws: dict[Any, np.ndarray] = {}
    for block in posterior.blocks:
        shape = (POINTS, size[block.length]) if isinstance(block, Vector) else (POINTS,)
        draws[block] = in_domain(block.domain, 2 * _uniform(block.name, shape) - 1)
    for s in parameters_of([e]):
        at_once = (1, size.setdefault(s.length, LENGTH)) if isinstance(s, Indexed) else (1,)
        draws[s] = 0.5 + _uniform(name_of(s), at_once)
    rows = {s: _uniform(name_of(s), (ROWS,)) for s in data - set(vectors)}
    rows |= {s: _uniform(name_of(s), (ROWS, size[s.length])) for s in vectors if s.labels is None}
    rows |= {s.labels: np.arange(ROWS) for s in vectors if s.labels is not None}
    return Values(draws, rows, size)


def _uniform(name: str, shape: Sequence[int]) -> np.ndarray:
    """Return numbers between 0 and 1 that are a function of a name."""
    count = math.prod(shape)
    words = (hashlib.blake2b(f"{name} {n}".encode(), digest_size=8).digest() for n in range(count))
    numbers = np.array([int.from_bytes(word, "little") for word in words]) / 2.0**64
    return numbers.reshape(shape)


def _differ(before: Any, now: Any) -> bool:
    """Return True if two densities are known to be of two laws."""
    if not isinstance(before, list) or not isinstance(now, list):
        return False
    if len(before) != len(now):
        small, large = sorted((before, now), key=len)
        if not small or len(large) % len(small):
            return True
        # one depends on no data, so that it is one number for all rows
        small = [x for x in small for _ in range(len(large) // len(small))]
        before, now = small, large
    pairs = [(b, n) for b, n in zip(before, now, strict=True) if None not in (b, n)]
    scale = max((abs(x) for pair in pairs for x in pair), default=0.0)
    return any(abs(b - n) > CLOSE * scale for b, n in pairs)


def _digests(at: AtDraws) -> dict[str, str]:
    """Return digests of the data of the log likelihood, by name: of the numbers as float32, as a
    run may round them, in the coordinates of the draws.
    """
    kept = (s for s, _ in at.posterior.data if getattr(s, "coordinate", None) is None)
    return {name_of(s): _digest(at.arrays[s]) for s in kept}


def _given(name: str, posterior: Posterior) -> str:
    """Return the name of the data that a user gives, where others are made of these labels."""
    likelihood = posterior.declared.log_likelihood
    made = {} if likelihood is None else {name_of(i.data): i.label for i in likelihood.indicators}
    named = {name_of(s): s.labels for s, _ in posterior.data if getattr(s, "labels", None)}
    return name_of({**named, **made}.get(name, name))


def _digest(array: np.ndarray) -> str:
    """Return the shape and a digest of an array; of a large one of some of its rows."""
    rows = np.arange(len(array))
    if array.size > WHOLE:
        rows = np.unique(np.linspace(0, len(array) - 1, SOME_ROWS).astype(np.int64))
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array[rows] + 0.0, dtype="<f4")  # -0.0 becomes 0.0
    return f"{array.shape} {hashlib.blake2b(numbers.tobytes(), digest_size=16).hexdigest()}"
