"""The meaning of the fields of ``Params``, ``Data`` and ``State`` in a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.reference.rule import factor_of


@dataclass
class Fields:
    """What each field stands for. The last two are added to while the loop over steps is read.

    Attributes:
        parameters: the parameter or the matrix of each field of ``Params``.
        factors: the Cholesky factor of each field of ``Params`` that holds one.
        columns: the datum of each field of ``Data``.
        variances: the fields of ``State`` that hold running variances.
        estimator_arrays: the fields of ``State`` that only estimators may use.
        valid_step_field: the field of ``State`` with the number of the step for which scratch
            arrays are right.
    """

    parameters: Mapping[str, Any]
    factors: Mapping[str, Any]
    columns: Mapping[str, Any]
    variances: frozenset[str]
    estimator_arrays: set[str]
    valid_step_field: str = ""


def fields_of(module: ParsedModule, legend: Legend) -> Fields:
    """Return what each field of a module stands for, by its legend."""
    return Fields(
        parameters={field: s for s, field in legend.settings.items()},
        factors={field: factor_of(M) for M, field in legend.factors.items()},  # type: ignore[arg-type]
        columns={field: s for fields in legend.data.values() for s, field in fields.items()},
        variances=frozenset(f for fields in legend.variances.values() for f in fields),
        estimator_arrays=set(module.private),
    )
