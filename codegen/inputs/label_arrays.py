"""Arrays that are made of labels: the coordinates that they name, and where they are the last."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.inputs.lengths import Lengths
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_data import CoordinateAt, LabelAt, LabelIsLast
from recipe.declare.posterior import Posterior
from recipe.language.data import VectorData
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers
from recipe.language.numbers import array_of_numbers
from recipe.language.symbols import Length, name_of

MAX_LABEL = 2**31  # more groups than that fit into no memory


class LabelWarning(UserWarning):
    """The warning that no row has one of the labels, that names stand beside none, or that a
    sampler of rows given labels has another law than the declared one.
    """


def label_arrays(
    posterior: Posterior, lengths: Lengths, others: dict[Symbol, np.ndarray]
) -> dict[Symbol, np.ndarray]:
    """Return the numbers of the coordinates that each row names, of the shape (rows,), by symbol;
    and of each indicator of the last label, 1 or 0.

    A kernel reads and writes at these numbers, so each is checked here. Where nothing else says how
    many coordinates there are, there are as many as the largest label of all says.

    Raises:
        RecipeError: for labels that are too large for the known number of coordinates.
    """
    found = {s: _labels(s, value) for s, value in posterior.data if isinstance(value, LabelAt)}
    rows = next((len(a) for a in (*found.values(), *others.values())), 1)
    found |= {
        s: np.full(rows, value.number, np.uint32)
        for s, value in posterior.data
        if isinstance(value, CoordinateAt)
    }
    meant = {block.length for block in posterior.coords}  # whose names are all of them
    counted = {k.length for k in posterior.parameters if known_numbers((k,))}  # by a list
    for s, count in _counts(found, lengths).items():
        where = _where(s)
        above = found[s] > count if s.but_last else found[s] >= count
        if above.any():
            row = int(np.argmax(above))
            said = (
                f"row {row} of {where} is {found[s][row]}"
                if s.coordinate is None
                else f"the log likelihood has {where}"
            )
            raise RecipeError(
                f"{said}, and {_counted(s)} are numbered from 0 to {count - 1 + s.but_last}"
            )
        categories = None if s.but_last else posterior.label_names.get(s.length)
        if lengths.known(s.length) is None or (categories and s.length not in meant):
            _warn_of_gaps(s, count, found, categories)
            meant.add(s.length)
        elif s.but_last and s.length not in counted and not (found[s] == count).any():
            _warn_of_last(s, count)
        least = f", whose largest label is {count - 1 + s.but_last},"
        lengths.learn(s.length, count, where + (least if s.coordinate is None else ""))
    last = {
        s: (np.asarray(value.labels) == lengths.known(value.length)).astype(np.uint8)
        for s, value in posterior.data
        if isinstance(value, LabelIsLast)
    }
    for s, labels in found.items():
        if s.but_last:
            labels[labels == lengths.known(s.length)] = 0
    for array in (*found.values(), *last.values()):
        array.flags.writeable = False
    return found | last


def _counts(found: dict[Any, np.ndarray], lengths: Lengths) -> dict[Any, int]:
    """Return the number of coordinates by the symbol of the labels: the known one, or what the
    largest label of all says.
    """
    largest: dict[Length, int] = {}
    for s, labels in found.items():
        needed = int(labels.max()) + (not s.but_last)
        largest[s.length] = max(largest.get(s.length, 1), needed)
    return {
        s: largest[s.length] if (known := lengths.known(s.length)) is None else known for s in found
    }


def _warn_of_gaps(
    s: VectorData, count: int, found: dict[Any, np.ndarray], names: Names | None
) -> None:
    """Say which labels no row has, where the largest one or their categories say how many there
    are.

    Labels of a law on a simplex of ``count`` coordinates are one more than these.
    """
    here = [labels for z, labels in found.items() if z.length == s.length]
    seen = np.zeros(count + 1, dtype=bool)
    for labels in here:
        seen[labels] = True
    unseen = np.flatnonzero(~seen[:count]).tolist()
    if not unseen:
        return
    called = unseen if names is None else [names[k] for k in unseen]
    listed = ", ".join(map(str, called[:5])) + (", ..." if len(unseen) > 5 else "")
    plural = "s" if len(unseen) > 1 else ""
    if s.but_last:
        what, repair = "categories", "number the categories without gaps if they are not meant"
    elif names is not None:
        what = "coordinates"
        repair = "leave unused categories out, or name the coordinates in coords= if they are meant"
    else:
        what = "coordinates"
        repair = (
            "labels count from 0, so subtract 1 where yours begin with 1"
            if unseen == [0]
            else "number the groups without gaps, or name them in coords= if they are meant"
        )
    warnings.warn(
        f"{_where(s)} has no row with the label{plural} {listed}, so {len(unseen)} of"
        f" {count + s.but_last} {what} have no data and follow the prior alone; {repair}",
        LabelWarning,
        stacklevel=2,
    )


def _warn_of_last(s: VectorData, count: int) -> None:
    """Say that no row has the last label, as somebody who counts all probabilities as coordinates
    has one too many.
    """
    warnings.warn(
        f"{_where(s)} has no row with the label {count}, the last of {count + 1} categories: a"
        f" block on a simplex has one coordinate less than there are categories, so if there are"
        f" {count} of them, give it {count - 1} coordinates (coords=, lengths=)",
        LabelWarning,
        stacklevel=2,
    )


def _where(s: VectorData) -> str:
    """The labels behind some data, as messages name them."""
    if s.coordinate is None:
        return f"the data of {name_of(s.labels)}"
    return f"{s.length.owner}[{s.coordinate}]"


def _counted(s: VectorData) -> str:
    """What labels number, as messages name it."""
    return "its categories" if s.but_last else f"the coordinates of {s.length.owner}"


def _labels(s: VectorData, value: LabelAt) -> np.ndarray:
    """Return the labels as an array of their own; that they are whole numbers from 0 was demanded
    before.
    """
    where = f"the data of {name_of(s.labels)}"
    labels = array_of_numbers(where, value.labels, "an array of whole numbers")
    if labels.ndim != 1 or labels.size == 0:
        raise RecipeError(f"{where} must be one label for each row, not of shape {labels.shape}")
    if labels.max() > MAX_LABEL:
        raise RecipeError(f"{where} has the label {labels.max()}; number the groups from 0")
    return np.array(labels, dtype=np.uint32)
