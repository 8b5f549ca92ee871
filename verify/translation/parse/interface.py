"""The interface of a module: the meanings of its names, and the texts that are trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Symbol

from recipe.language.abstract import Potential
from recipe.language.blocks import Block

ByBlock = tuple[str, ...]
Snapshots = tuple[str, str, ByBlock, ByBlock, ByBlock]
Tables = tuple[str, ByBlock, ByBlock, ByBlock]


@dataclass(frozen=True)
class Legend:
    """The names of the fields of a module: its interface with the code that calls it.

    Attributes:
        fields: for each block the field of ``State`` that holds it.
        settings: for each parameter or matrix its field of ``Params``.
        factors: for each matrix the field of ``Params`` that holds its Cholesky factor.
        data: for each potential and datum its field of ``Data``.
        potentials: the order of the gradients, if ``gradient`` is a tuple of several.
        modes: for each potential with control variates the fields of ``Data`` that hold the mode
            and the gradient at the mode, by block.
        variances: for each potential the fields of ``State`` that hold the running variance of its
            gradient, by block.
        snapshots: for each potential with SVRG the field of ``Data`` with the calls from one
            snapshot to the next, the field of ``State`` that counts calls, and the fields of
            ``State``, by block, with the snapshot, the gradient there and its estimate.
        tables: for each potential with SAGA the field of ``State`` that counts calls, and the
            fields of ``State``, by block, with what was seen of every row, the mean of it, and the
            gradient from one row.
        all_rows: for each potential with SVRG and a gradient of the user the field of ``Data`` with
            the numbers of all rows.
        adapting: for each potential whose running variance stays after the warm-up, the field of
            ``Data`` that is 0 then.
        scheduled: the fields of ``Params`` that may change from step to step, in the order in which
            ``run_scheduled`` takes their values.
    """

    fields: Mapping[Block, str]
    settings: Mapping[Symbol, str] = field(default_factory=dict)
    factors: Mapping[Symbol, str] = field(default_factory=dict)
    data: Mapping[Potential, Mapping[Symbol, str]] = field(default_factory=dict)
    potentials: tuple[Potential, ...] = ()
    modes: Mapping[Potential, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    variances: Mapping[Potential, tuple[str, ...]] = field(default_factory=dict)
    snapshots: Mapping[Potential, Snapshots] = field(default_factory=dict)
    tables: Mapping[Potential, Tables] = field(default_factory=dict)
    all_rows: Mapping[Potential, str] = field(default_factory=dict)
    adapting: Mapping[Potential, str] = field(default_factory=dict)
    scheduled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trusted:
    """Texts of this release that are assumed to be right, as they have tests of their own.

    Attributes:
        functions: the texts of device functions by name.
        header: the statements that may stand at the top of a module.
        eights: the statements about vectors of eight numbers; a module has all of them in this
            order, or none.
    """

    functions: Mapping[str, str]
    header: tuple[str, ...]
    eights: tuple[str, ...] = ()
