"""The text of a module: provenance, data types, random numbers, loop functions, ``step`` and
``run``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from codegen.device.chi_squared import CHI_SQUARED
from codegen.device.embed import source_of, with_callees
from codegen.device.intrinsics import INTRINSICS
from codegen.device.random import AHEAD, EMBEDDED, MANY_CHAINS, MINIBATCH, log_uniform, random_row
from codegen.device.recording import keep, keep_many
from codegen.device.simd8 import lanes_text
from codegen.device.stopping import STOPPING
from codegen.device.sums import pairwise_many
from codegen.lowering.batch_form import refusal_of_many
from codegen.lowering.in_place import filled_noises, plan_in_place
from codegen.lowering.names import Namer, local_namer
from codegen.lowering.statements import (
    ChiSquared,
    ElementwiseLoop,
    Loop,
    MatrixProduct,
    Plan,
    Statement,
    Sums,
    every,
    every_noise,
    expressions,
)
from codegen.printing.batch import many_names, many_texts
from codegen.printing.domain_checks import domain_functions, invalid_block_function
from codegen.printing.estimator import Estimator, estimator_devices, estimator_functions
from codegen.printing.gradient import gradient_functions, potential_functions
from codegen.printing.loop_bodies import loop_functions
from codegen.printing.numba_dialect import OURS
from codegen.printing.python_text import printed
from codegen.printing.run import RUN_SCHEDULE, run_function
from codegen.printing.scheduled import scheduled_text
from codegen.printing.step import STEP_FIXED, gradient_argument, step_function
from recipe.language.abstract import Potential
from recipe.language.blocks import Block, Vector
from recipe.language.symbols import Length, name_of

Own = Mapping[Potential, Estimator]

HEADER = """\
from typing import NamedTuple
import math
import operator

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, lower_builtin, lower_cast
from numba.extending import models, register_model, type_callable

# _nrt=False: nothing is allocated in here (a gradient of the user's own may), so that references
# need no counting
# forceinline=False: a function that is not said to be part of its caller would be, if the caller is
device = njit(error_model="numpy", forceinline=True, _nrt=False)
reduction = njit(error_model="numpy", forceinline=False, _nrt=False)
kernel = njit(cache={kernels_cached}, error_model="numpy")
row_kernel = njit(cache={kernels_cached}, error_model="numpy", _nrt=False)
start_kernel = njit(cache=True, error_model="numpy")
run_kernel = njit(nogil=True, cache={run_cached}, error_model="numpy", _nrt={counted})

LARGEST = 1.7976931348623157e308
TILE = np.uint64(32)
LONG = 128
"""


def header(*, run_cached: bool, kernels_cached: bool) -> str:
    """Imports and decorators, with what is kept in Numba's cache on disk."""
    return HEADER.format(
        run_cached=run_cached, kernels_cached=kernels_cached, counted=not run_cached
    )


def _takes_no_function(plan: Plan, own: Own) -> bool:
    """Whether ``run`` takes no function as an argument.

    A ``run`` that takes one is not kept in Numba's cache on disk: the cache would hold the user's
    function by value, and not see that its source has changed.
    """
    return set(plan.potentials) <= {
        U for U, estimator in own.items() if estimator.gradient.derived is not None
    }


def module_text(
    comment: str,
    plan: Plan,
    own: Own,
    ahead: Mapping[str, str],
    namer: Namer,
    fields: Namer,
    scheduled: Sequence[str] = (),
) -> str:
    """The text of the whole module; every function stands after those that it calls.

    Args:
        comment: the lines on top.
        plan: one step.
        own: the estimators of gradients from data.
        ahead: the scratch array of the numbers that are drawn ahead, by key.
        namer: gives names to functions that nothing else in the module has.
        fields: gives names to fields of ``State``.
        scheduled: the fields of ``Params`` that may change from step to step.
    """
    counts = count_names(plan.state, namer)
    filled = {d.local.name: fields.fresh(d.name) for d in filled_noises(plan)}
    scratch: dict[str, Length | int | None] = {
        **plan.scratch,
        **{filled[d.local.name]: d.length for d in filled_noises(plan)},
    }
    scratch |= dict.fromkeys(ahead.values(), AHEAD)
    scratch |= {
        field: length for estimator in own.values() for field, length in estimator.scratch.items()
    }
    loops = [
        s
        for s in (*every(plan.statements), *plan.recorded.statements)
        if isinstance(s, Sums | MatrixProduct | ElementwiseLoop)
    ]
    bodies = {
        s.function: loop_functions(s, STEP_FIXED, every_noise(plan), namer, plan.conditions)
        for s in loops
    }
    steps = plan_in_place(plan)
    run, purposes = run_function(plan, steps, counts, own, filled, ahead)
    texts = [
        comment,
        header(run_cached=_takes_no_function(plan, own), kernels_cached=False),
        *types_text(plan, scratch, own),
        allocate_text(plan, scratch, _tables(own), rows=bool(own)),
        *device_texts(plan, own),
        printed(invalid_block_function(plan)),
        *(printed(f) for functions in bodies.values() for f in functions),
        *(text for e in own.values() for text in _gradient_texts(e, plan, counts, namer)),
        "" if plan.in_place else printed(step_function(plan, counts)),
        printed(run),
        RUN_SCHEDULE,
        scheduled_text(plan, scheduled, of_gradients(plan, own).values()) if scheduled else "",
    ]
    if refusal_of_many(plan) is None:
        texts += many_texts(
            plan, steps, counts, many_names(plan, filled, namer, fields), purposes, bodies
        )
    return "\n\n\n".join(text.strip("\n") for text in texts if text) + "\n"


def of_gradients(plan: Plan, own: Own) -> dict[str, str]:
    """Return the fields of ``Params`` that gradients from data read, by name of the parameter."""
    read = {s for e in own.values() for s in e.gradient.posterior.parameters}
    return {name_of(s): field for s, field in plan.settings.items() if s in read}


def _gradient_texts(
    estimator: Estimator, plan: Plan, counts: Mapping[Length, str], namer: Namer
) -> list[str]:
    argument = gradient_argument(plan, estimator.gradient.potential)
    gradient, value = estimator.gradient, estimator.gradient.value
    functions = gradient_functions(gradient, counts, namer, argument)
    if value:
        functions += potential_functions(
            gradient, value.function, value.sum, counts, namer, functions
        )
    return [printed(f) for f in (*functions, *estimator_functions(estimator))]


def types_text(plan: Plan, scratch: Iterable[str], own: Own) -> list[str]:
    """The named tuples; a module without parameters or data takes empty tuples there."""
    arrays = [*scratch, *_tables(own), *(ROWS if own else ())]
    return [
        _named_tuple(
            "State",
            "The blocks, one array each (of length 1 for a number), then scratch.",
            dict.fromkeys([*plan.fields.values(), *arrays], "np.ndarray"),
        ),
        _named_tuple(
            "Draws",
            "What run keeps: one row a draw; no rows for a block that is not kept.",
            dict.fromkeys([*plan.fields.values(), *plan.statistics], "np.ndarray"),
        ),
        *input_types(
            [*plan.settings.items(), *plan.factors.items()],
            (f for estimator in own.values() for f in estimator.data),
        ),
    ]


def input_types(settings: Iterable[tuple[Any, str]], data: Iterable[str]) -> list[str]:
    """``Params`` and ``Data``, where there are any."""
    params = {
        f: "float" if type(s) is sympy.Symbol else "np.ndarray"
        for s, f in sorted(settings, key=lambda item: item[1])
    }
    arrays = dict.fromkeys(sorted(data), "np.ndarray")
    return [
        *([_named_tuple("Params", "The parameters.", params)] if params else []),
        *([_named_tuple("Data", "The data, one row a datum.", arrays)] if arrays else []),
    ]


def _named_tuple(name: str, meaning: str, fields: Mapping[str, str]) -> str:
    return "\n".join(
        [
            f"class {name}(NamedTuple):",
            f'    """{meaning}"""',
            "",
            *(f"    {f}: {kind}" for f, kind in fields.items()),
        ]
    )


ROWS = {
    "rows": "np.zeros(batch_size, dtype=np.int64)",
    "table": "np.zeros(0 if replace else 2 << int(batch_size).bit_length(), dtype=np.int64)",
}


def _tables(own: Own) -> dict[str, Length | None]:
    return {f: n for estimator in own.values() for f, n in estimator.tables.items()}


def allocate_text(
    plan: Plan,
    scratch: Mapping[str, Length | int | None],
    tables: Mapping[str, Length | None],
    *,
    rows: bool,
) -> str:
    """``allocate(theta, r, ...)``: a state with these blocks and fresh scratch, with ``rows`` for a
    minibatch, and ``tables`` with a row for every datum, each as long as a block.
    """

    namer = local_namer()
    names = {b: namer.fresh(b.name) for b in plan.state}
    first = {b.length: names[b] for b in reversed(plan.state) if isinstance(b, Vector)}
    blocks = list(names.values())
    values = [f"np.array({b}, dtype=np.float64)" for b in blocks]
    sizes = (f"{first[n]}.size" if isinstance(n, Length) else n or 1 for n in scratch.values())
    values += [f"np.zeros({size})" for size in sizes]
    rows_of = (f" * {first[n]}.size" if n is not None else "" for n in tables.values())
    values += [f"np.zeros(data_rows{size})" for size in rows_of]
    values += ROWS.values() if rows else ()
    given = [*(("batch_size=0", "replace=True") if rows else ())]
    given += ["data_rows=0"] if tables else []
    arguments = ", ".join([*blocks, *given])
    batch = " for minibatches of that size (0: all of the data)" if rows else ""
    meaning = (
        f"A state with copies of these blocks (arrays of one dimension), and its scratch{batch}."
    )
    return "\n".join(
        [
            f"def allocate({arguments}):",
            f'    """{meaning}"""',
            "    return State(",
            *(f"        {v}," for v in values),
            "    )",
        ]
    )


def device_texts(plan: Plan, own: Own) -> list[str]:
    """The device functions that the module calls: random numbers, and the special functions that
    occur in it.
    """
    sums = [e.gradient.derived for e in own.values() if e.gradient.derived is not None]
    sums += [e.gradient.value.sum for e in own.values() if e.gradient.value is not None]
    statements = [*every(plan.statements), *plan.recorded.statements]
    many = refusal_of_many(plan) is None
    more = [*EMBEDDED, *domain_functions(plan, many=many), keep, *(MINIBATCH if own else ())]
    more += [function for estimator in own.values() for function in estimator_devices(estimator)]
    more += [*MANY_CHAINS, *STOPPING, keep_many] if many else []
    more += [pairwise_many] if many and any(isinstance(s, Sums) for s in statements) else []
    more += [random_row] if any(isinstance(s, Loop) for s in statements) else []
    more += [log_uniform] if plan.statistics else []
    more += CHI_SQUARED if any(isinstance(s, ChiSquared) for s in statements) else ()
    return functions_texts(
        [*statements, *(s for g in sums for s in g.statements)], more, rows=bool(sums)
    )


def functions_texts(
    statements: Iterable[Statement], more: Iterable[Any], *, rows: bool
) -> list[str]:
    """The texts of the device functions in ``more``, of those that occur in the statements, and of
    all functions that these call; with ``rows``, also those that read rows of data in tiles.
    """
    statements = list(statements)
    used = {
        type(node)
        for s in statements
        for e in expressions(s)
        for node in sympy.preorder_traversal(e)
    }
    by_eight = rows or any(isinstance(s, Sums | MatrixProduct) for s in statements)
    devices = with_callees([*INTRINSICS, *more, *(f for kind, f in OURS.items() if kind in used)])
    return [*(source_of(f) for f in devices), *([lanes_text()] if by_eight else [])]


def count_names(blocks: Iterable[Block], namer: Namer) -> dict[Length, str]:
    """A name for the number of coordinates of each length."""
    lengths = dict.fromkeys(b.length for b in blocks if isinstance(b, Vector))
    return {length: namer.fresh(f"n_{length.name.removeprefix('d_')}") for length in lengths}
