"""Functions that modules have in common: compiled once, and only where the texts are the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from helpers.command import INSTALLED
from numba.core import event

from catalog.sgld import sgld
from codegen import generate, sample
from codegen.printing.common_functions import common_names, common_text
from codegen.store import modules
from codegen.store.allowlist import checked
from codegen.store.common_functions import same_functions
from recipe import Data, Posterior, Vector, total

theta = Vector("theta")
x = Data("x", like=theta)

TEXT = """\
from numba import njit
device = njit(forceinline=True)
SCALE = 2.0

@device
def leaf(a):
    return abs(a) * SCALE

@device
def inner(a):
    return leaf(a) + 1.0

@device
def outer(a):
    return inner(a)

@device
def other(a):
    return a
"""
NAMES = ["leaf", "inner", "outer", "other"]


def normal(scale):
    rows = np.arange(6.0).reshape(3, 2)
    return Posterior(theta, -scale * total((x - theta) ** 2), -total(theta**2), {x: rows})


def test_a_text_has_all_its_functions_in_common_with_itself():
    assert same_functions(TEXT, TEXT, NAMES) == NAMES
    assert same_functions(TEXT + "\nmore = 1\n", TEXT, NAMES) == NAMES


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("abs(a) * SCALE", "abs(a) + SCALE", ["other"]),
        ("SCALE = 2.0", "SCALE = 3.0", ["other"]),
        ("SCALE = 2.0", "SCALE = 2.0\nSCALE = 3.0", ["other"]),
        ("SCALE = 2.0", "SCALE = 2.0\nabs = float", ["other"]),
        ("leaf(a) + 1.0", "leaf(a) + 2.0", ["leaf", "other"]),
        ("forceinline=True", "forceinline=False", []),
        ("from numba import njit", "from numba import jit as njit", []),
        ("def outer(a)", "def outermost(a)", ["leaf", "inner", "other"]),
        ("@device\ndef other", "def other", ["leaf", "inner", "outer"]),
    ],
)
def test_what_refers_to_another_text_is_another_function(old, new, left):
    assert old in TEXT
    assert same_functions(TEXT.replace(old, new), TEXT, NAMES) == left


def test_a_generated_module_takes_what_it_has_and_keeps_what_stands_between_eights():
    module = generate(sgld, normal(1))
    loaded = module.load()
    common = sys.modules[loaded.stream_key.py_func.__module__]
    assert common.__name__.startswith("common_")
    assert {"stream_key", "normal_pair", "draw_rows", "keep", "jitter"} <= common_names()
    for name in common_names():
        assert getattr(loaded, name, None) in (None, getattr(common, name))
    assert loaded.run is not getattr(common, "run", None)
    assert checked(common_text()) == common_text()


def test_a_changed_text_runs_as_it_stands():
    """A module whose random numbers are other ones than those of this release keeps its own."""
    module = generate(sgld, normal(1))
    old = "return r * c, r * s"
    assert old in module.source
    changed = module.source.replace(old, "return r * s, r * c")
    common = modules.Common(common_text(), common_names())
    loaded = modules.load("changed", changed, common)
    assert loaded.normal_pair.py_func.__module__ == loaded.__name__
    assert loaded.fill_normals.py_func.__module__ == loaded.__name__
    assert loaded.stream_key.py_func.__module__ != loaded.__name__


class Compiled(event.Listener):
    def __init__(self):
        self.names = []

    def on_start(self, e):
        self.names.append(e.data["dispatcher"].py_func.__name__)

    def on_end(self, e):
        pass


def test_a_changed_model_compiles_nothing_that_does_not_depend_on_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    options = {"steps": 4, "step_size": 0.01, "batch_size": 2, "progress": False}
    sample(sgld, normal(2), **options)
    heard = Compiled()
    with event.install_listener("numba:compile", heard):
        sample(sgld, normal(3), **options)
    assert "run" in heard.names
    assert not common_names() & set(heard.names)
    assert len(heard.names) < 20  # 47 where each model compiles all of its text


def test_a_kernel_that_run_calls_has_an_entry_point_where_python_calls_it(tmp_path, monkeypatch):
    """Its entry point takes as long to compile as the kernel, and hardly anybody calls it."""
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    loaded = generate(sgld, normal(4)).load()
    state = loaded.allocate(np.zeros(2), 3, True)
    draws, data = loaded.Draws(np.zeros((0, 2))), loaded.Data(np.arange(6.0).reshape(3, 2))
    loaded.run(state, draws, (), data, 0.1, (), np.uint64(1), 0, 0, 1, 0, 1)
    assert not loaded.gradient_U.overloads
    assert not loaded.invalid_block.overloads
    g, everything = np.zeros(2), np.zeros(0, dtype=np.int64)
    loaded.gradient_U(g, np.zeros(2), data, (), (), everything)
    np.testing.assert_allclose(g, -8 * data.x.sum(axis=0))
    assert loaded.invalid_block(state) == -1


def instructions(run):
    """The machine instructions of a function, without the names of what they refer to."""
    (text,) = run.inspect_asm().values()
    lines = [line.split("#")[0].rstrip() for line in text.splitlines()]
    names = r"_ZN[\w$.]+|\.L\w+|\.const\.[\w.]+|\.numba[\w.]+"
    return [
        re.sub(names, "", line)
        for line in lines
        if line.startswith("\t") and not line.startswith("\t.")
    ]


@pytest.mark.slow
def test_the_machine_code_of_a_run_is_the_same_instruction_by_instruction(tmp_path, monkeypatch):
    """So no kernel is slower than if its module were compiled as a whole."""
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    module = generate(sgld, normal(5))
    taken, whole = module.load(), modules.load("whole", module.source)
    found = []
    for loaded in (taken, whole):
        state = loaded.allocate(np.zeros(2), 2, True)
        draws, data = loaded.Draws(np.zeros((0, 2))), loaded.Data(np.zeros((3, 2)))
        given = (state, draws, (), data, 0.1, (), np.uint64(1), 0, 0, 0, 0, 1)
        loaded.run.compile(tuple(map(loaded.run.typeof_pyval, given)))
        found.append(instructions(loaded.run))
    assert len(found[0]) > 1000
    assert found[0] == found[1]


WITH_AND_WITHOUT = """\
import sys
from codegen.store import modules
load = modules.load
def other(name, text, common=None, density=None):
    if common is None or sys.argv[1] == "alone":
        return load(name, text, None, density)
    changed = modules.Common(common.text + "# another version\\n", common.names)
    return load(name, text, changed, density)
if sys.argv[1] != "as it is":
    modules.load = other
from catalog.sgld import sgld
from codegen import sample
from recipe import Vector, total
theta = Vector("theta")
draws = sample(sgld, total(theta**2) / 2, steps=5, step_size=0.1, lengths={theta: 2},
               chains=1, progress=False)
print(draws["theta"].sum())
"""


@pytest.mark.by_default(1)
def test_machine_code_that_names_other_common_functions_is_not_used(tmp_path):
    """The text of the module is the same each time."""
    environment = {**os.environ, "PYTHONPATH": str(INSTALLED), "RECIPE_CACHE": str(tmp_path)}
    said = []
    for how in ("as it is", "another version", "alone"):
        call = [sys.executable, "-c", WITH_AND_WITHOUT, how]
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
        for file in tmp_path.rglob("common_*"):
            file.unlink(missing_ok=True)
    assert len(set(said)) == 1
