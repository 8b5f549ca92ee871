"""Which law draws are of: noted when they are made, and compared by ``require_law`` before anything
is computed of them.

Of densities numbers at a few points are noted, so that one law that is written in two ways is one
law, of data digests, and of parameters their values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from codegen.results.numbers_of_law import ROWS, Numbers, numbers_of
from codegen.results.quantities import AtDraws
from recipe.declare.label_data import laws_of
from recipe.declare.ordered_answers import answers_in_order
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Vector
from recipe.language.data import VectorData
from recipe.language.free_symbols import names_to_give
from recipe.language.symbols import Indexed, name_of

ATTRIBUTE = "law"
MOST_NOTED = 2**12  # numbers of rows of data that are noted
WHOLE = 2**20  # numbers of an array that are all read; of a larger one some rows are
SOME_ROWS = 2**12


def law_of(at: AtDraws, said: Sequence[str] = ()) -> dict[str, str]:
    """Return the attribute that says which law draws are of.

    Args:
        at: the draws, with the posterior and the data that they were drawn with.
        said: what is said where the sampler keeps another law than the posterior.
    """
    law = at.posterior
    noted: dict[str, Any] = {
        "prior": law.prior_of is not None,
        **_numbers("log_prior", numbers_of(law.log_prior, law)),
        **_numbers("log_likelihood", numbers_of(law.log_likelihood, law)),
        "priors": dict(law.priors),
        "params": parameters_at(at),
        "data": digests_at(at),
        "last": _last_categories(law),
        "answers": answers_of(law),
        "said": list(said),
    }
    if noted["log_likelihood"] and set(noted["log_likelihood"]) == {None}:
        rows = _first_rows(at)
        noted["rows"] = {name: a.tolist() for name, a in rows.items()}
        noted |= _numbers("at_rows", numbers_of(law.log_likelihood, law, rows))
    return {ATTRIBUTE: json.dumps(noted)}


def _numbers(name: str, found: Numbers | None) -> dict[str, Any]:
    """Return numbers as they are noted under a name."""
    if found is None:
        return {name: None}
    return {name: list(found.differences), f"largest of {name}": found.largest}


def noted_numbers(noted: Mapping[str, Any], name: str) -> Numbers | None:
    """Return numbers that were noted; of a file that does not say the largest of them, 0."""
    found = noted.get(name)
    if not isinstance(found, list):
        return None
    return Numbers(tuple(found), float(noted.get(f"largest of {name}", 0.0)))


def _first_rows(at: AtDraws) -> dict[str, np.ndarray]:
    """Return the first rows of the data that are numbers, by name, where they are few: fewer rows
    than ``ROWS`` are repeated.
    """
    plain = {
        name_of(s): np.asarray(at.arrays[s], dtype=float)[:ROWS]
        for s, _ in at.posterior.data
        if getattr(s, "labels", None) is None and getattr(s, "coordinate", None) is None
    }
    if not all(map(len, plain.values())) or sum(a.size for a in plain.values()) > MOST_NOTED:
        return {}
    return {name: np.resize(a, (ROWS, *a.shape[1:])) for name, a in plain.items()}


def parameters_at(at: AtDraws) -> dict[str, float | str]:
    """Return the values of the parameters of the densities, by name: numbers, and of arrays a
    digest.
    """
    found: dict[str, float | str] = {}
    given = names_to_give(at.posterior.parameters)  # the numbers of all others are in the law
    for s in at.posterior.parameters:
        if name_of(s) not in given:
            continue
        value = np.asarray(at.named[name_of(s)], dtype=float)
        if not isinstance(s, Indexed):
            found[name_of(s)] = float(value)
        elif value.ndim or s.length in at.sizes:  # one number is that of all coordinates
            size = value.size if value.ndim else at.sizes[s.length]
            found[name_of(s)] = _digest(np.broadcast_to(value.ravel(), (size,)))
    return found


def last_categories_in(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the categories that blocks on a simplex have no coordinate for, the last
    ones, by block, as far as draws say them.

    Args:
        attributes: the attributes of the draws.
    """
    last = (noted_law(attributes) or {}).get("last")
    return {str(k): str(v) for k, v in last.items()} if isinstance(last, dict) else {}


def _last_categories(posterior: Posterior) -> dict[str, str]:
    found: dict[str, str] = {}
    for s, _ in posterior.data:
        names = posterior.categories.get(getattr(s, "labels", None))
        if names and isinstance(s, VectorData) and s.but_last:
            found |= {b.name: names[-1] for b in posterior.blocks if _counts(b, s)}
    return found


def answers_of(posterior: Posterior) -> dict[str, str]:
    """Return the orders of answers that are words, ``low < medium < high``, by name."""
    laws = [*posterior.laws, *laws_of(posterior.declared.derived)]
    found = answers_in_order(laws, posterior.categories)
    return {name_of(y): order for y, order in found.items()}


def _counts(block: Any, s: VectorData) -> bool:
    return isinstance(block, Vector) and block.length == s.length


def noted_law(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what draws say of their law; None where they say nothing that can be read."""
    try:
        noted = json.loads(str(attributes.get(ATTRIBUTE, "null")))
    except ValueError:
        return None
    return noted if isinstance(noted, dict) else None


def digests_at(at: AtDraws) -> dict[str, str]:
    """Return digests of the data of the log likelihood, by name: of the numbers as float32, as a
    run may round them, in the coordinates of the draws.
    """
    kept = (s for s, _ in at.posterior.data if getattr(s, "coordinate", None) is None)
    return {name_of(s): _digest(at.arrays[s]) for s in kept}


def _digest(array: np.ndarray) -> str:
    """Return the shape and a digest of an array; of a large one of some of its rows."""
    rows = np.arange(len(array))
    if array.size > WHOLE:
        rows = np.unique(np.linspace(0, len(array) - 1, SOME_ROWS).astype(np.int64))
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array[rows] + 0.0, dtype="<f4")  # -0.0 becomes 0.0
    return f"{array.shape} {hashlib.blake2b(numbers.tobytes(), digest_size=16).hexdigest()}"
