"""Estimates of a gradient that are built around a reference which moves with the chain: the full
gradient at a snapshot (SVRG), or the gradient of every row as it was last seen (SAGA).

Both are unbiased whatever the reference is: given the state, the snapshot and the table, the mean
over the rows of a minibatch is the full gradient (Dubey, Reddi, Poczos, Smola, Xing & Williamson
2016, "Variance reduction in stochastic gradient Langevin dynamics", NIPS). All that they remember
is in ``State``, so that a checkpoint keeps it and each chain has its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from codegen.device.estimators import add_difference, join_table, take
from codegen.lowering.minibatch import PosteriorGradient
from codegen.lowering.names import Namer
from codegen.lowering.program import (
    Call,
    Do,
    For,
    Function,
    If,
    Instruction,
    Value,
    assign,
    call,
)
from codegen.printing.gradient import SHARED, count_text
from codegen.printing.reductions import WIDE
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.symbols import Length

ARGUMENTS = (*SHARED, "state")


@dataclass(frozen=True)
class Snapshot:
    """SVRG: the state of some calls ago, and the full gradient there.

    Attributes:
        function: the name of the function that estimates.
        calls: the field of ``State`` that counts the calls.
        every: the field of ``Data`` with the number of calls from one snapshot to the next.
        all_rows: the field of ``Data`` with the numbers of all rows, which a gradient of the user
            gets for the full gradient; None for a derived one, for which no rows are all of them.
        snapshots: the field of ``State`` with the snapshot of each block.
        at_snapshot: the field with the full gradient there.
        scratch: the field for the estimate at the snapshot.
    """

    function: str
    calls: str
    every: str
    all_rows: str | None
    snapshots: tuple[str, ...]
    at_snapshot: tuple[str, ...]
    scratch: tuple[str, ...]

    def fields(self, lengths: Iterable[Length | None]) -> dict[str, Length | None]:
        """Return the fields of ``State``, with their lengths.

        Args:
            lengths: of the blocks, None for a number.
        """
        groups = (self.snapshots, self.at_snapshot, self.scratch)
        return {**_by_block(groups, lengths), self.calls: None}

    @property
    def tables(self) -> tuple[str, ...]:
        """The fields of ``State`` with a row for every datum."""
        return ()

    @property
    def data(self) -> tuple[str, ...]:
        """The fields of ``Data``."""
        return (self.every,) if self.all_rows is None else (self.every, self.all_rows)

    @property
    def devices(self) -> list[Any]:
        """The device functions that it calls."""
        return [add_difference, take]


@dataclass(frozen=True)
class Table:
    """SAGA: for each row the estimate from this row alone when it was last in a minibatch, and the
    mean of these.

    Attributes:
        function: the name of the function that estimates.
        calls: the field of ``State`` that counts the calls.
        tables: the field of ``State`` of each block that has a row for every datum, one after
            another.
        means: the field with the mean of the rows.
        scratch: the field for the estimate.
    """

    function: str
    calls: str
    tables: tuple[str, ...]
    means: tuple[str, ...]
    scratch: tuple[str, ...]

    def fields(self, lengths: Iterable[Length | None]) -> dict[str, Length | None]:
        """Return the fields of ``State`` that are no table, with their lengths.

        Args:
            lengths: of the blocks, None for a number.
        """
        return {**_by_block((self.means, self.scratch), lengths), self.calls: None}

    @property
    def data(self) -> tuple[str, ...]:
        """The fields of ``Data``."""
        return ()

    @property
    def devices(self) -> list[Any]:
        """The device functions that it calls."""
        return [take, join_table]


def _by_block(
    groups: Iterable[tuple[str, ...]], lengths: Iterable[Length | None]
) -> dict[str, Length | None]:
    known = tuple(lengths)
    return {f: n for group in groups for f, n in zip(group, known, strict=True)}


def snapshot_of(gradient: PosteriorGradient, names: Namer, fields: Namer, data: Namer) -> Snapshot:
    """SVRG for one potential; ``names`` of functions, ``fields`` of ``State``, ``data`` of ``Data``
    are those still free.
    """
    U = gradient.potential
    return Snapshot(
        names.fresh(f"svrg_{U}"),
        fields.fresh(f"calls_{U}"),
        data.fresh(f"every_{U}"),
        data.fresh(f"all_rows_{U}") if gradient.derived is None else None,
        _named("snapshot", U.blocks, fields),
        _named(f"gradient_{U}_at_snapshot", U.blocks, fields),
        _named(f"estimate_{U}_at_snapshot", U.blocks, fields),
    )


def table_of(U: Potential, names: Namer, fields: Namer) -> Table:
    """SAGA for one potential; the arguments are those of ``snapshot_of``."""
    return Table(
        names.fresh(f"saga_{U}"),
        fields.fresh(f"calls_{U}"),
        _named(f"seen_{U}", U.blocks, fields),
        _named(f"mean_{U}", U.blocks, fields),
        _named(f"one_{U}", U.blocks, fields),
    )


def _named(wish: str, blocks: Iterable[Block], namer: Namer) -> tuple[str, ...]:
    return tuple(namer.fresh(f"{wish}_{b.name}") for b in blocks)


def reference_function(gradient: PosteriorGradient, reference: Snapshot | Table) -> Function:
    """The function around the gradient from rows."""
    if isinstance(reference, Snapshot):
        body, meaning = _svrg(gradient, reference), SVRG
    else:
        body, meaning = _saga(gradient, reference), SAGA
    arguments = (*gradient.results, *gradient.blocks, *ARGUMENTS)
    return Function("kernel", reference.function, arguments, meaning, (WIDE, *body))


SVRG = (
    "SVRG (Johnson & Zhang 2013): the full gradient at a snapshot, plus the difference to it from"
    " these rows."
)
SAGA = (
    "SAGA (Defazio, Bach & Lacoste-Julien 2014): the mean of what was seen of every row, plus the"
    " difference to it from these rows, no two of which are the same."
)


def _evaluated(
    gradient: PosteriorGradient, results: Iterable[Value], blocks: Iterable[Value], rows: str
) -> Call:
    return call(gradient.function, *results, *blocks, *SHARED[:-1], rows)


def _svrg(gradient: PosteriorGradient, s: Snapshot) -> tuple[Instruction, ...]:
    results, blocks = gradient.results, gradient.blocks
    snapshots, known, estimates = (
        [f"state.{f}" for f in fields] for fields in (s.snapshots, s.at_snapshot, s.scratch)
    )
    calls = f"state.{s.calls}[0]"
    every_row = "rows[:0]" if s.all_rows is None else f"data.{s.all_rows}"
    renewed = (
        *(Do(call("take", copy, b)) for copy, b in zip(snapshots, blocks, strict=True)),
        Do(_evaluated(gradient, known, blocks, every_row)),
    )
    return (
        If(f"{calls} % data.{s.every}[0] == 0.0", renewed),
        assign(calls, "1.0", "+="),
        Do(_evaluated(gradient, results, blocks, "rows")),
        Do(_evaluated(gradient, estimates, snapshots, "rows")),
        *(
            Do(call("add_difference", g, at, estimate))
            for g, at, estimate in zip(results, known, estimates, strict=True)
        ),
    )


def _saga(gradient: PosteriorGradient, s: Table) -> tuple[Instruction, ...]:
    results, blocks = gradient.results, gradient.blocks
    tables, means, ones = (
        [f"state.{f}" for f in fields] for fields in (s.tables, s.means, s.scratch)
    )
    calls, count = f"state.{s.calls}[0]", count_text(gradient)

    def joined(row: str, used: str) -> tuple[Instruction, ...]:
        return tuple(
            Do(call("join_table", *arrays, row, used, count))
            for arrays in zip(results, means, tables, ones, strict=True)
        )

    first = (
        assign("first", "rows[0]"),
        For(
            "n",
            (count,),
            (
                assign("rows[0]", "n"),
                Do(_evaluated(gradient, ones, blocks, "rows[:1]")),
                *joined("n", count),
            ),
        ),
        assign("rows[0]", "first"),
    )
    return (
        If(f"{calls} == 0.0", first),
        assign(calls, "1.0", "+="),
        *(Do(call("take", g, mean)) for g, mean in zip(results, means, strict=True)),
        For(
            "n",
            ("rows.size",),
            (
                Do(_evaluated(gradient, ones, blocks, "rows[n : n + 1]")),
                *joined("rows[n]", "rows.size"),
            ),
        ),
    )
