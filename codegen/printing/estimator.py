"""Estimates of a gradient that are built around the one from rows of data: control variates, and
the running variance; ``moving_reference`` has SVRG and SAGA.

All only call the function below them with the same or with single rows, so they serve derived
gradients and a user's own alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from codegen.device.estimators import add_difference, join_mean, join_variance
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
from codegen.lowering.statements import Plan
from codegen.printing.gradient import SHARED, count_text
from codegen.printing.moving_reference import (
    Snapshot,
    Table,
    reference_function,
    snapshot_of,
    table_of,
)
from codegen.printing.reductions import WIDE
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.symbols import Length

ALL_ROWS = "state.rows[:0]"  # no rows stand for all of them
Reduction = Literal["plain", "control_variates", "svrg", "saga"]  # of the variance of an estimate


@dataclass(frozen=True)
class ControlVariates:
    """The gradient at a mode, plus the difference to it.

    Fields of ``Data`` hold the mode and the gradient there, ``scratch`` of ``State`` its estimate;
    all by block.
    """

    function: str
    modes: tuple[str, ...]
    at_mode: tuple[str, ...]
    scratch: tuple[str, ...]


@dataclass(frozen=True)
class Average:
    """The mean over rows, with its variance: fields of ``State`` by block, and the one that counts
    the calls. ``adapts`` is the field of ``Data`` that is 0 once the running variance stays; None
    if it always moves.
    """

    function: str
    calls: str
    adapts: str | None
    one: tuple[str, ...]
    squares: tuple[str, ...]
    variances: tuple[str, ...]


@dataclass(frozen=True)
class Estimator:
    """How ``run`` estimates the gradient of one potential that has data."""

    gradient: PosteriorGradient
    control: ControlVariates | None
    average: Average | None
    reference: Snapshot | Table | None = None

    @property
    def takes_all_rows(self) -> bool:
        """Whether it always takes all rows of the data, as a Metropolis test compares values of the
        potential; a gradient of the user's own is told the rows, all of them.
        """
        return self.gradient.value is not None and self.gradient.derived is not None

    def call(self, results: Iterable[Value], places: Iterable[Value]) -> Call:
        """The call in the loop of ``run``."""
        rows = ALL_ROWS if self.takes_all_rows else "state.rows"
        arguments = [*results, *places, "data", "params", "gradient", rows]
        if self.average is not None:
            return call(self.average.function, *arguments, "state")
        return _call(self, arguments)

    @property
    def scratch(self) -> dict[str, Length | None]:
        """The fields of ``State`` that it works in."""
        fields: list[tuple[str, ...]] = [self.control.scratch] if self.control else []
        fields += [self.average.one, self.average.squares] if self.average else []
        lengths = [getattr(b, "length", None) for b in self.gradient.potential.blocks]
        found = {f: n for group in fields for f, n in zip(group, lengths, strict=True)}
        found |= self.reference.fields(lengths) if self.reference else {}
        return found | ({self.average.calls: None} if self.average else {})

    @property
    def data(self) -> tuple[str, ...]:
        """The fields of ``Data`` that it reads."""
        extra = (*self.control.modes, *self.control.at_mode) if self.control else ()
        moving = self.reference.data if self.reference else ()
        if self.average is not None and self.average.adapts is not None:
            moving = (*moving, self.average.adapts)
        return (*self.gradient.fields.values(), *extra, *moving)

    @property
    def tables(self) -> dict[str, Length | None]:
        """The fields of ``State`` with a row for every datum, and the lengths of these rows."""
        names = self.reference.tables if self.reference else ()
        lengths = [getattr(b, "length", None) for b in self.gradient.potential.blocks]
        return dict(zip(names, lengths, strict=False))


def _call(estimator: Estimator, arguments: Iterable[Value]) -> Call:
    """The call of the function below the average."""
    if estimator.reference is not None:
        return call(estimator.reference.function, *arguments, "state")
    if estimator.control is None:
        return call(estimator.gradient.function, *arguments)
    return call(estimator.control.function, *arguments, "state")


def estimators(
    gradients: Mapping[Potential, PosteriorGradient],
    plan: Plan,
    reduction: Reduction,
    names: Namer,
    fields: Namer,
    data: Namer,
    *,
    stops: bool = False,
) -> dict[Potential, Estimator]:
    """The estimators of a module; ``names`` of functions, ``fields`` of ``State``, ``data`` of
    ``Data`` are those still free. With ``stops`` running variances can be told to stay.
    """
    result = {}
    for U, gradient in gradients.items():
        controlled = reduction == "control_variates"
        control = _control_variates(U, names, fields, data) if controlled else None
        average = None
        if U in plan.variances:
            one, squares = _fields("one", U.blocks, fields), _fields("squares", U.blocks, fields)
            average = Average(
                names.fresh(f"averaged_{U}"),
                fields.fresh(f"calls_{U}"),
                data.fresh(f"adapts_{U}") if stops else None,
                one,
                squares,
                plan.variances[U],
            )
        result[U] = Estimator(
            gradient, control, average, _reference(gradient, reduction, names, fields, data)
        )
    return result


def _reference(
    gradient: PosteriorGradient, reduction: Reduction, names: Namer, fields: Namer, data: Namer
) -> Snapshot | Table | None:
    if reduction == "svrg":
        return snapshot_of(gradient, names, fields, data)
    return table_of(gradient.potential, names, fields) if reduction == "saga" else None


def _control_variates(U: Potential, names: Namer, fields: Namer, data: Namer) -> ControlVariates:
    modes, at_mode = (
        _fields("mode", U.blocks, data),
        _fields(f"gradient_{U}_at_mode", U.blocks, data),
    )
    return ControlVariates(
        names.fresh(f"controlled_{U}"),
        modes,
        at_mode,
        _fields(f"estimate_{U}_at_mode", U.blocks, fields),
    )


def _fields(wish: str, blocks: Iterable[Block], namer: Namer) -> tuple[str, ...]:
    return tuple(namer.fresh(f"{wish}_{b.name}") for b in blocks)


def estimator_functions(estimator: Estimator) -> list[Function]:
    """The functions around the gradient."""
    return [
        *([_controlled(estimator, estimator.control)] if estimator.control else []),
        *(
            [reference_function(estimator.gradient, estimator.reference)]
            if estimator.reference
            else []
        ),
        *([_averaged(estimator, estimator.average)] if estimator.average else []),
    ]


def estimator_devices(estimator: Estimator) -> list[Any]:
    """The device functions that these functions call."""
    averaging = [join_mean, join_variance] if estimator.average else []
    moving = estimator.reference.devices if estimator.reference else []
    return [*([add_difference] if estimator.control else []), *moving, *averaging]


def _controlled(estimator: Estimator, control: ControlVariates) -> Function:
    gradient = estimator.gradient
    results, blocks = gradient.results, gradient.blocks
    estimates = [f"state.{s}" for s in control.scratch]
    modes = [f"data.{m}" for m in control.modes]
    meaning = (
        "Control variates (Baker et al. 2019): the gradient at the mode, plus the difference to it"
        " from these rows."
    )
    body = (
        WIDE,
        Do(call(gradient.function, *results, *blocks, *SHARED)),
        Do(call(gradient.function, *estimates, *modes, *SHARED)),
        *(
            Do(call("add_difference", g, f"data.{at_mode}", estimate))
            for g, at_mode, estimate in zip(results, control.at_mode, estimates, strict=True)
        ),
    )
    arguments = (*results, *blocks, *SHARED, "state")
    return Function("kernel", control.function, arguments, meaning, body)


def _averaged(estimator: Estimator, average: Average) -> Function:
    gradient = estimator.gradient
    results, blocks = gradient.results, gradient.blocks
    ones, squares = ([f"state.{f}" for f in fields] for fields in (average.one, average.squares))
    one_row = _call(estimator, [*ones, *blocks, *SHARED[:-1], "rows[n : n + 1]"])
    calls = f"state.{average.calls}[0]"
    sample = ("rows.size", count_text(gradient), "state.table.size > 0", calls)
    joined = (
        Do(call("join_mean", g, square, one, "n"))
        for g, square, one in zip(results, squares, ones, strict=True)
    )
    meaning = (
        "The mean of the estimates from each row, that is from all of them; its variance joins the"
        " running one in state."
    )
    body: tuple[Instruction, ...] = (
        WIDE,
        *(assign(f"{array}[:]", "0.0") for array in (*results, *squares)),
        For("n", ("rows.size",), (Do(one_row), *joined)),
        *_while_it_adapts(
            average,
            assign(calls, "1.0", "+="),
            *(
                Do(call("join_variance", f"state.{variance}", square, *sample))
                for variance, square in zip(average.variances, squares, strict=True)
            ),
        ),
    )
    arguments = (*results, *blocks, *SHARED, "state")
    return Function("kernel", average.function, arguments, meaning, body)


def _while_it_adapts(average: Average, *body: Instruction) -> tuple[Instruction, ...]:
    """The statements that move the running variance, under the condition that it may move."""
    return body if average.adapts is None else (If(f"data.{average.adapts}[0] > 0.0", body),)
