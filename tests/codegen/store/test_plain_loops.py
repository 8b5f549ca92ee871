"""Machine code without loop strength reduction, a switch of LLVM that is turned back each time."""

import numba
import numpy as np
import pytest
from llvmlite import binding
from numba.core.codegen import JITCodeLibrary

from codegen.store.plain_loops import TRIED, PlainLoopsCompiler

TABLE, OUT = np.arange(12.0).reshape(4, 3), np.zeros(4)


def apart(table, out, step):
    for i in range(out.size):
        out[i] = table[i * step % table.shape[0], 1] + i * step


def compiled(**options):
    """The function, and its machine code."""
    f = numba.njit(_nrt=False, **options)(apart)
    f(TABLE, OUT, 3)
    (made,) = f.overloads.values()
    return f, made.library._get_compiled_object()


def test_machine_code_is_made_without_it_and_that_of_others_with_it():
    assert binding.llvm_version_info[0] in TRIED
    with_it, plain = compiled()
    without, ours = compiled(pipeline_class=PlainLoopsCompiler)
    _, after = compiled()
    assert len(ours) != len(plain)
    assert len(after) == len(plain)
    a, b = np.zeros(4), np.zeros(4)
    with_it(TABLE, a, 5)
    without(TABLE, b, 5)
    assert a.tobytes() == b.tobytes()


def test_it_is_turned_back_where_no_machine_code_can_be_made(monkeypatch):
    said = []
    monkeypatch.setattr(binding, "set_option", lambda _, option: said.append(option))

    made = JITCodeLibrary._finalize_specific

    def fails(library):
        made(library)
        raise MemoryError

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", fails)
    with pytest.raises(MemoryError):
        compiled(pipeline_class=PlainLoopsCompiler)
    assert said == ["-disable-lsr=true", "-disable-lsr=false"]


def test_it_is_turned_back_where_the_user_interrupts_at_once(monkeypatch):
    said = []

    def interrupted(_, option):
        said.append(option)
        if option.endswith("true"):
            raise KeyboardInterrupt

    monkeypatch.setattr(binding, "set_option", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compiled(pipeline_class=PlainLoopsCompiler)
    assert said[-1] == "-disable-lsr=false"


def test_a_version_of_llvm_that_was_not_tried_keeps_it(monkeypatch):
    """It would end the process for a switch that it does not know."""
    monkeypatch.setattr(binding, "llvm_version_info", (99, 0, 0))
    monkeypatch.setattr(binding, "set_option", None)
    compiled(pipeline_class=PlainLoopsCompiler)
