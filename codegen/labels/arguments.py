"""The arguments of ``sample_labels``, checked, with all that decides the draws."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sympy import Interval

from codegen.check_arguments import checked_integer
from codegen.files.counts import CountTable, count_table
from codegen.inputs.schedule import Schedule, schedule_of
from recipe.language.errors import RecipeError


class DataByIndex(Protocol):
    """Data that are fetched by their numbers: a stream that can be taken up anywhere.

    Attributes:
        width: the number of columns.
        digest: a text that is another one for other data, for checkpoints.
    """

    @property
    def width(self) -> int:
        """The number of columns."""
        ...

    @property
    def digest(self) -> str:
        """A text that is another one for other data."""
        ...

    def __len__(self) -> int:
        """Return N, the number of data; a stream without N has no posterior."""
        ...

    def rows(self, which: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``starts``, ``columns`` and ``counts`` of some data, as ``CountTable.rows`` does.

        Args:
            which: the numbers of the data, from 0.
        """
        ...


@dataclass(frozen=True)
class LabelOptions:
    """What decides the draws, beside the model and the sampler.

    Attributes:
        labels: K.
        batch: n, the number of data in a minibatch.
        sweeps, burn_in: sweeps over the labels of a datum, and how many of them are not counted.
        steps: the number of the last step.
        schedule: the step sizes.
        seed, chain: of the random numbers.
        threads: how many threads work; it changes no draw.
    """

    labels: int
    batch: int
    sweeps: int
    burn_in: int
    steps: int
    schedule: Schedule
    seed: int
    chain: int
    threads: int

    def fingerprint(self, texts: Mapping[str, str], numbers: Mapping[str, Any], data: str) -> str:
        """Return a digest of everything that decides the state after a step.

        Args:
            texts: the texts of the modules, by what they are for.
            numbers: the values of parameters.
            data: the digest of the data.
        """
        listed = {name: np.asarray(value).tolist() for name, value in numbers.items()}
        own = [self.labels, self.batch, self.sweeps, self.burn_in, self.seed, self.chain]
        whole = [dict(texts), listed, data, own, repr(self.schedule)]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def checked_data(data: Any) -> DataByIndex:
    """Return data that can be fetched by index.

    Raises:
        RecipeError: for anything else; one sentence says what is missing.
    """
    if (
        isinstance(data, CountTable)
        or hasattr(data, "tocsr")
        or isinstance(data, np.ndarray | list)
    ):
        return count_table(data)
    missing = [n for n in ("rows", "width", "digest", "__len__") if not hasattr(data, n)]
    if missing:
        raise RecipeError(
            f"data= is a {type(data).__name__}: give counts (a CountTable, scipy.sparse, an array),"
            " or an object with rows(which), width, digest and len(), which is N; it lacks"
            f" {', '.join(missing)}"
        )
    for what, number in (("len(data)", len(data)), ("data.width", data.width)):
        if number < 1:
            raise RecipeError(f"{what} is {number}, and must be 1 or more")
    return data  # type: ignore[no-any-return]


def fetched(data: DataByIndex, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return some data; what an object of the user's own returns is checked.

    Raises:
        RecipeError: in one sentence, for a column out of range, a count that is no positive whole
            number, a datum without items, and another number of data than was asked for.
    """
    if isinstance(data, CountTable):
        return data.rows(which)
    asked = f"data.rows(which) of {len(which)} data (numbered here from 0)"
    try:
        starts, columns, counts = data.rows(which)
    except (TypeError, ValueError) as error:
        raise RecipeError(f"{asked} gives no starts, columns and counts: {error}") from None
    try:
        table = CountTable(starts, columns, counts, data.width)
    except RecipeError as error:
        raise RecipeError(f"{asked}: {error}") from None
    if len(table) != len(which):
        raise RecipeError(f"{asked} gives {len(table)}")
    return table.starts, table.columns, table.counts


def checked_burn_in(burn_in: Any, sweeps: int, *, independent: bool = False) -> int:
    """Return how many of some sweeps are not counted: by default half, and none of draws that are
    independent.

    Raises:
        RecipeError: where none would be counted.
    """
    if burn_in is None:
        burn_in = 0 if independent else sweeps // 2
    return checked_integer("burn_in", burn_in, 0, sweeps - 1)


def checked_options(
    data: DataByIndex, given: Mapping[str, Any], *, independent: bool = False
) -> LabelOptions:
    """Return the options of a run.

    Args:
        data: the data.
        given: the options by name.
        independent: whether the draws of a label are, as where a datum has one.

    Raises:
        RecipeError: naming the argument at fault.
    """
    N = len(data)
    batch = N if given["batch_size"] is None else given["batch_size"]
    sweeps = checked_integer("sweeps", given["sweeps"], 1)
    return LabelOptions(
        labels=checked_integer("labels", given["labels"], 1, 2**31),
        batch=checked_integer("batch_size", batch, 1, N),
        sweeps=sweeps,
        burn_in=checked_burn_in(given["burn_in"], sweeps, independent=independent),
        steps=checked_integer("steps", given["steps"], 1),
        schedule=schedule_of(given["step_size"]),
        seed=checked_integer("seed", given["seed"], 0, 2**64 - 1),
        chain=checked_integer("chain", given["chain"], 0, 2**20),
        threads=checked_integer("threads", given["threads"], 1, 1024),
    )


def checked_rows(
    initial: Any, options: LabelOptions, data: DataByIndex, domain: Interval | None
) -> np.ndarray | None:
    """Return the first rows as they were given; None for None.

    Args:
        initial: of the shape (labels, columns).
        options: of the run.
        data: all data.
        domain: the open interval that each number must be in; None for one that is not checked.

    Raises:
        RecipeError: for another shape, and naming the number that is outside.
    """
    if initial is None:
        return None
    rows, shape = np.asarray(initial, dtype=np.float64), (options.labels, data.width)
    if rows.shape != shape or not np.isfinite(rows).all():
        raise RecipeError(
            f"initial= has the shape {rows.shape}, and must be finite numbers of the shape {shape}:"
            " a row for each label"
        )
    if domain is not None:
        ends = float(domain.start), float(domain.end)
        outside = np.argwhere((rows <= ends[0]) | (rows >= ends[1]))
        if outside.size:
            k, w = outside[0]
            raise RecipeError(
                f"initial= has {rows[k, w]:g} in the row of label {k}, column {w}, which is not in"
                f" the domain {domain}"
            )
    return rows
