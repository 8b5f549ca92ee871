"""Groups of variables with named dimensions: the shape that draws have in a file, in ArviZ and in
xarray.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NEVER_MOVED = "stayed where it began"  # in the sentence of a divergence, also of a saved one


@dataclass(frozen=True)
class Variable:
    """An array, the name of each of its dimensions, and attributes.

    Attributes:
        dims: a name for each axis of the array.
        values: the array.
        attributes: what is said about it, such as a unit.
    """

    dims: tuple[str, ...]
    values: np.ndarray
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Variables over shared dimensions, such as the group posterior of a file of draws.

    Attributes:
        variables: by name; those of a posterior have the dimensions chain and draw.
        coordinates: by name, variables that name the points along dimensions. The one that has the
            name of a dimension names the points of this dimension.
        attributes: what is said about all of them, such as how draws were made.
    """

    variables: Mapping[str, Variable]
    coordinates: Mapping[str, Variable] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        """The length of each dimension, in the order in which variables name them.

        Raises:
            ValueError: where a variable has another number of axes than of dimensions, names a
                dimension twice, or variables do not agree about a length.
        """
        sizes: dict[str, int] = {}
        for name, variable in [*self.variables.items(), *self.coordinates.items()]:
            dims, shape = variable.dims, variable.values.shape
            if len(set(dims)) < len(dims) or len(dims) != len(shape):
                raise ValueError(f"{name} has the dimensions {dims} and the shape {shape}")
            for dim, size in zip(dims, shape, strict=True):
                if sizes.setdefault(dim, size) != size:
                    raise ValueError(f"the dimension {dim} has the lengths {sizes[dim]} and {size}")
        for dim in sizes:
            names = self.coordinates.get(dim)
            if dim in self.variables or (names is not None and names.dims != (dim,)):
                raise ValueError(f"{dim} is a dimension, and does not name points of it alone")
        return sizes

    def points(self, dim: str) -> list[Any]:
        """Return the names of the points along a dimension: 0, 1, ... where it has no coordinate.

        Args:
            dim: the name of the dimension.
        """
        if dim in self.coordinates:
            points: list[Any] = self.coordinates[dim].values.tolist()
            return points
        return list(range(self.sizes[dim]))


def coordinate_of(name: str, group: Group) -> str | None:
    """Return where the draws of one coordinate are, such as ``a[Oak]``, as the table calls it: a
    clause of a message; None where there is no such coordinate.

    Args:
        name: the name.
        group: the variables.
    """
    block = name.partition("[")[0]
    if block not in group.variables or len(group.variables[block].dims) != 3:
        return None
    points = group.points(group.variables[block].dims[2])
    place = next((k for k, point in enumerate(points) if f"{block}[{point}]" == name), None)
    return None if place is None else f"it is a coordinate of {block}: ['{block}'][..., {place}]"
