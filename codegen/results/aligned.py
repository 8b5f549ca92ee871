"""The data of a posterior in the coordinates that draws have: matched by name, not by place.

A table with the columns age and income belongs to draws of ``beta[income]`` and ``beta[age]``, and
labels that are categories to the draws of the groups of these names, whatever their order.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.inputs.label_arrays import LabelWarning
from codegen.inputs.lengths import numbers_as_names
from codegen.inputs.posterior_data import numbers_of
from codegen.results.diagnostics.groups import Group
from recipe.declare.categories import some
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_data import LabelAt, LabelIsLast
from recipe.declare.derived_quantities import expressions_of
from recipe.declare.posterior import Posterior
from recipe.declare.replace_fields import with_fields
from recipe.language.blocks import Vector
from recipe.language.data import VectorData
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.numbers import column_names
from recipe.language.symbols import Length, generic, name_of


def coordinate_names_in(group: Group) -> dict[str, Names]:
    """Return the names of the coordinates of variables, by variable, where they are not numbered
    from 0.

    Args:
        group: the variables.
    """
    found = {}
    for name, variable in group.variables.items():
        points = group.coordinates.get(variable.dims[-1]) if len(variable.dims) == 3 else None
        if points is not None and not _is_numbered(points.values):
            found[name] = tuple(map(str, points.values))
    return found


def _is_numbered(points: np.ndarray) -> bool:
    return points.dtype.kind in "iuf" and np.array_equal(points, np.arange(len(points)))


def own_names(posterior: Posterior) -> dict[str, Names]:
    """Return the names that a posterior gives to the coordinates of blocks, by block; its
    ``prior()`` gives the same.
    """
    if posterior.prior_of is not None:
        return own_names(posterior.prior_of)
    of_length = {b.length: names for b, names in posterior.coords.items()}
    for s, value in posterior.data:
        if isinstance(s, VectorData) and s.length not in of_length and s.labels is None:
            names = column_names(value)
            if names is not None:
                of_length[s.length] = names
    of_length = {**posterior.label_names, **of_length}
    vectors = (b for b in posterior.blocks if isinstance(b, Vector))
    return {b.name: of_length[b.length] for b in vectors if b.length in of_length}


def aligned(
    posterior: Posterior,
    names: Mapping[str, Names],
    last: Mapping[str, str] = MappingProxyType({}),
) -> Posterior:
    """Return the posterior with its data in the coordinates of draws.

    Args:
        posterior: the posterior.
        names: the names of the coordinates that draws have, by block.
        last: the names of the categories that blocks on a simplex have no coordinate for, by block,
            where they are known.

    Returns:
        The posterior with arrays in the place of tables, and the numbers of labels that the draws
        have. Arrays and labels without names stay as they are.

    Raises:
        RecipeError: where the names of columns or labels are not those of the draws.
    """
    blocks = {b.length: b for b in posterior.blocks if isinstance(b, Vector)}
    there = {n: names[b.name] for n, b in blocks.items() if b.name in names}
    whole = {
        n: (*there[n], last[b.name]) for n, b in blocks.items() if n in there and b.name in last
    }
    named = own_names(posterior)
    own = {n: named.get(b.name) for n, b in blocks.items()}
    coords = {b.length: listed for b, listed in posterior.coords.items()}
    _refuse_moved_coordinates(posterior, coords, there)
    given = dict(posterior.given)
    for s in _vector_data(posterior):
        if s.labels is None and s in given:
            names_here = coords.get(s.length), own.get(s.length)
            given[s] = _columns_of(s, given[s], *names_here, there.get(s.length))
    for label, users in _labels(posterior).items():
        if label in given:
            found = [
                _numbers_of(label, s, posterior, coords, own, whole if s.but_last else {}, there)
                for s in users
            ]
            if not all(np.array_equal(found[0], each) for each in found):
                raise RecipeError(
                    f"the labels {label} name coordinates of {_blocks_of(users)}, and the draws of"
                    " these have other names or another order: they are of no one run"
                )
            given[label] = found[0]
    data = tuple((s, _with_labels(posterior, s, value, given)) for s, value in posterior.data)
    return with_fields(
        posterior,
        given=given,
        data=data,
        coords={blocks[n]: listed for n, listed in there.items()},
        label_names={n: m for n, m in posterior.label_names.items() if n not in there},
    )


def _with_labels(posterior: Posterior, s: Any, value: Any, given: Mapping[Symbol, Any]) -> Any:
    """Return data, those that are made of labels of the numbers that these have now."""
    if isinstance(value, LabelAt):
        return LabelAt(given[s.labels], s.but_last)
    if isinstance(value, LabelIsLast):
        likelihood = posterior.declared.log_likelihood
        assert likelihood is not None
        label = next(i.label for i in likelihood.indicators if i.data == s)
        return LabelIsLast(given[label], value.length)
    return given.get(s, value)


def _vector_data(posterior: Posterior) -> list[VectorData]:
    """The data with coordinates, of the log likelihood and of derived quantities."""
    derived = [e for q in posterior.derived.values() for e in expressions_of(q)]
    found = {s for s, _ in posterior.data if isinstance(s, VectorData)}
    found |= {generic(s) for e in derived for s in e.atoms(VectorData)}
    return sorted(found, key=str)


def _labels(posterior: Posterior) -> dict[Symbol, list[VectorData]]:
    """The labels, with the coordinates that each of them names."""
    found: dict[Symbol, list[VectorData]] = {}
    for s in _vector_data(posterior):
        if s.labels is not None and s.coordinate is None:
            found.setdefault(s.labels, []).append(s)
    return found


def _columns_of(
    s: VectorData, value: Any, given: Names | None, own: Names | None, draws: Names | None
) -> Any:
    """Return the columns of data in the order of the coordinates of draws.

    Args:
        s: their symbol.
        value: the data.
        given: the names in ``coords``; None where there are none.
        own: the names that the posterior gives to these coordinates, by whatever data.
        draws: those of the draws; None where they are numbered from 0.
    """
    where, block = f"the data of {name_of(s)}", s.length.owner
    names = column_names(value)
    if draws is None:
        if names is None or given is not None:
            return value
        draws = numbers_as_names(names)
        if set(names) != set(draws):
            _warn_of_numbers(name_of(s), names, block)
            return value
    elif names is None and draws != numbers_as_names(draws):
        numbers = column_names(value, numbered=True)
        names = numbers if numbers is not None and set(numbers) == set(draws) else None
    if given is not None and (names is None or set(names) != set(given)):
        names = given  # the columns have other names, which coords= replaces
    if names is None:
        _check_places(f"the columns of {name_of(s)} have no names", block, own, draws, "")
        return value
    if names == draws:
        return value
    if set(names) != set(draws):
        raise RecipeError(
            f"the columns of {name_of(s)} are {some(names)}; the draws are of"
            f" {_coordinates(block, draws)}: give the columns that the draws have coefficients for,"
            " under these names"
        )
    return numbers_of(where, value, 2)[:, [names.index(n) for n in draws]]


def _numbers_of(
    label: Symbol,
    s: VectorData,
    posterior: Posterior,
    coords: Mapping[Length, Names],
    own: Mapping[Length, Names | None],
    whole: Mapping[Length, Names],
    draws: Mapping[Length, Names],
) -> Any:
    """Return labels as the numbers of the coordinates of draws that they name; ``whole`` has the
    last category of these as well.
    """
    value, block = posterior.given[label], s.length.owner
    names, there = posterior.categories.get(label) or coords.get(s.length), draws.get(s.length)
    if there is None:
        if names is not None and s.length not in coords:
            raise RecipeError(
                f"the labels {label} have names, {some(names)}, and the draws of {block} are"
                " numbered, so nothing says which is which; give numbers, or name the"
                f" coordinates in the run, coords={{{block}: ...}}"
            )
        return value
    if names is None:
        what = f"the labels {label} are numbers"
        _check_places(what, block, own[s.length], there, "label ")
        return value
    if s.length in whole:
        known = whole[s.length]
        return value if names == known else _renumbered(label, value, names, known, block)
    if names == there or (s.but_last and names[:-1] == there):
        return value
    if s.but_last:
        raise RecipeError(
            f"the labels {label} are {some(names)}; the draws are of {_coordinates(block, there)}"
            " and of one more: give them in this order"
        )
    return _renumbered(label, value, names, there, block)


def _blocks_of(users: list[VectorData]) -> str:
    """The blocks whose coordinates labels name."""
    return " and ".join(dict.fromkeys(str(s.length.owner) for s in users))


def _renumbered(label: Symbol, value: Any, names: Names, draws: Names, block: Any) -> np.ndarray:
    """Return labels by the numbers that their names have among draws."""
    numbers = np.asarray(numbers_of(f"the data of {label}", value, 1)).astype(int)
    outside = (numbers < 0) | (numbers >= len(names))
    if outside.any():
        row = int(np.argmax(outside))
        raise RecipeError(
            f"row {row} of the data of {label} is {numbers[row]}, and coords= has"
            f" {len(names)} names"
        )
    place = {name: k for k, name in enumerate(draws)}
    table = np.array([place.get(name, -1) for name in names])
    found = table[numbers]
    if (found < 0).any():
        row = int(np.argmax(found < 0))
        name = names[numbers[row]]
        raise RecipeError(
            f"{label} {name} is no group of the draws (row {row}); {did_you_mean(name, draws)}they"
            f" are of {_coordinates(block, draws)}"
        )
    return found


def _refuse_moved_coordinates(
    posterior: Posterior, own: Mapping[Length, Names], draws: Mapping[Length, Names]
) -> None:
    """Refuse a coordinate by its number where ``coords=`` numbers them unlike the draws."""
    for s in _vector_data(posterior):
        names, there = own.get(s.length), draws.get(s.length)
        if s.coordinate is not None and None not in (names, there) and names != there:
            raise RecipeError(
                f"the posterior has {s.length.owner}[{s.coordinate}], and coords= has names in"
                f" another order than the draws, which are of"
                f" {_coordinates(s.length.owner, there or ())}; give them in this order"
            )


def _check_places(what: str, block: Any, own: Names | None, draws: Names, counted: str) -> None:
    """Say that something without names is matched by place with draws that have names, where no
    other data of the posterior say so.

    Raises:
        RecipeError: where other data of these coordinates have another order than the draws.
    """
    if own == draws or draws == numbers_as_names(draws):
        return
    if own is not None:
        raise RecipeError(
            f"{what}, and other data of {block} have the names {some(own)}, in another order than"
            f" the draws, which are of {_coordinates(block, draws)}; give both with names"
        )
    first = f"{counted}0" if counted else "the first"
    warnings.warn(
        f"{what}, and the draws are of {_coordinates(block, draws)}: {first} is taken for"
        f" {block}[{draws[0]}], and so on; give names, or name the coordinates in coords= of the"
        " posterior",
        LabelWarning,
        stacklevel=2,
    )


def _warn_of_numbers(data: str, names: Names, block: Any) -> None:
    """Say that columns with names are matched by place with draws that are numbered."""
    warnings.warn(
        f"the columns of {data} are {some(names)}, and the draws of {block} are numbered:"
        f" {names[0]} is taken for {block}[0], and so on; fit with names, or name the coordinates"
        " in coords= of the posterior",
        LabelWarning,
        stacklevel=2,
    )


def _coordinates(block: Any, names: Names) -> str:
    return some([f"{block}[{name}]" for name in names], 5)
