"""Named tuples as one pointer: the same numbers come out as of tuples that are passed by parts; and
functions without machine code of their own are still part of their callers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit, types
from sympy import Interval, oo

from catalog.hmc import hmc_kernel
from codegen import sample
from codegen.running import compiled
from codegen.store.inner_functions import InnerCompiler
from codegen.store.records import Record, as_record
from recipe import Data, Posterior, Scalar


class Given(NamedTuple):
    """Arrays of every form, and numbers."""

    table: Any
    numbers: Any
    counts: Any
    factor: float
    shift: int


@njit
def combined(g):
    total = g.factor * g.table[2, 1] + g.shift + g.numbers.size + g.counts[-1]
    for x in g.table[:, 0]:
        total += x
    g.numbers[1] = total
    return total, g.table.shape, g.table.strides, g.counts[1:].size


def given(table):
    return Given(table, np.arange(3.0), np.array([4, 5, 6]), 0.5, 7)


def record_of(function, value):
    return function.compile((as_record(function.typeof_pyval(value)),))


@pytest.mark.parametrize(
    "table",
    [
        np.arange(12.0).reshape(4, 3),
        np.asfortranarray(np.arange(12.0).reshape(4, 3)),
        np.arange(96.0).reshape(8, 12)[::2, ::-4],
        np.arange(12, dtype=np.float32).reshape(4, 3),
    ],
)
def test_a_record_has_the_parts_of_its_tuple(table):
    by_parts, by_pointer = given(table), given(table)
    assert isinstance(as_record(combined.typeof_pyval(by_pointer)), Record)
    assert record_of(combined, by_pointer)(by_pointer) == combined(by_parts)
    assert by_pointer.numbers[1] == by_parts.numbers[1] != 1.0  # written through the pointer


def test_two_tuples_with_the_same_fields_have_one_type_and_others_do_not():
    class Other(NamedTuple):
        numbers: Any

    class Again(NamedTuple):
        numbers: Any

    class Named(NamedTuple):
        values: Any

    kinds = [types.NamedTuple((types.float64[::1],), c) for c in (Other, Again, Named)]
    of_words = types.NamedTuple((types.int64[::1],), Other)
    one, same, named = map(as_record, kinds)
    assert one == same
    assert one != named
    assert one != as_record(of_words)


def test_what_is_no_record_stays_as_it_is():
    class Flags(NamedTuple):
        switch: bool

    for kind in (types.NamedTuple((types.boolean,), Flags), types.float64, types.Tuple(())):
        assert as_record(kind) is kind


def test_a_tuple_of_another_length_is_refused():
    value = given(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="a tuple of 5 parts is needed"):
        record_of(combined, value)((value.table,))


def test_a_part_of_another_type_is_refused():
    value = given(np.zeros((4, 3)))
    with pytest.raises(TypeError):
        record_of(combined, value)(value._replace(factor="half"))


def test_draws_are_those_of_a_state_that_is_passed_by_its_parts(monkeypatch):
    slope, tau = Scalar("slope"), Scalar("tau", domain=Interval.open(0, oo))
    x, y = Data("x"), Data("y")
    posterior = Posterior(
        (slope, tau),
        -tau * (y - slope * x) ** 2 / 2,
        -(slope**2) / 2 - tau,
        {x: [0.5, 1.0, -2.0], y: [0.4, 1.2, -1.9]},
    )
    options = {"steps": 60, "step_size": 0.2, "chains": 2, "seed": 3, "progress": False}
    kinds = []

    def seen(kind):
        kinds.append(as_record(kind))
        return kinds[-1]

    monkeypatch.setattr(compiled, "as_record", seen)
    by_pointer = sample(hmc_kernel, posterior, **options)
    assert kinds
    assert all(isinstance(k, Record) for k in kinds)
    monkeypatch.setattr(compiled, "as_record", lambda kind: kind)
    by_parts = sample(hmc_kernel, posterior, **options)
    for block in ("slope", "tau"):
        assert by_pointer[block].tobytes() == by_parts[block].tobytes()


def test_an_inner_function_is_a_part_of_its_caller_and_has_no_machine_code():
    @njit(pipeline_class=InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    def inner(x):
        return 3.0 * x

    @njit
    def outer(x):
        return inner(x) + 1.0

    assert outer(2.0) == 7.0
    (made,) = inner.overloads.values()
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0
    (around,) = outer.overloads.values()
    assert around.library.get_pointer_to_function(around.fndesc.llvm_func_name) != 0
