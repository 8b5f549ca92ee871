"""What a checkpoint compares of a gradient in Python: whatever its numbers come from, and nothing
that it writes itself.
"""

import functools
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers.gradient_text import source_text
from sympy import Matrix

from codegen import sample
from codegen.running import gradient_source
from codegen.running.gradient_source import read_gradient
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Vector

theta = Vector("theta")
ONE = Recipe(theta, Potential("U", theta), Matrix([[1]]), Matrix([[0]]), name="one")
W = [1.0, 1.0]
TABLE = {"k": 1.0}
SPACE = SimpleNamespace(k=1.0)
SCALE = 1.0


def resumed(gradient, folder, steps=60, **options):
    given = {"step_size": 0.05, "chains": 2, "lengths": {"theta": 2}, **options}
    return sample(
        ONE, gradient=gradient, progress=False, checkpoint=folder, seed=1, steps=steps, **given
    )


def of_a_list(theta):
    return np.array(W) * theta


def of_a_dict(theta):
    return TABLE["k"] * theta


def of_a_namespace(theta):
    return SPACE.k * theta


def inner(theta):
    def scaled(v):
        return v * SCALE

    return scaled(theta)


def of_its_default(theta, scales=(1.0,)):
    return theta * scales[0]


def of_its_keyword(theta, *, scale=1.0):
    return theta * scale


class Model:
    factor = 1.0

    def __init__(self, scale):
        self.scales = [scale]

    def scaled(self, theta):
        return theta * self.scales[0] * self.factor

    def __call__(self, theta):
        return self.scaled(theta) * self.of_a_property

    @property
    def of_a_property(self):
        return TABLE["k"]


class Slotted:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = [1.0]

    def gradient(self, theta):
        return theta * self.scale[0]


class Network:
    """Stands for a module of PyTorch."""

    def __init__(self):
        self._parameters, self.weight = {}, np.ones(2)

    def state_dict(self):
        return {"weight": self.weight}

    def __call__(self, theta):
        return theta * self.weight


def decorated(scale):
    def decorator(function):
        @functools.wraps(function)
        def scaled(theta):
            return scale * function(theta)

        return scaled

    return decorator


def of_value(value):
    return lambda theta: theta * value


def of_a_module(scale):
    settings = ModuleType("settings_of_a_user")
    settings.scale = scale
    return lambda theta: theta * settings.scale


def typed(text):
    """Return a gradient without a file, as at a prompt."""
    (code,) = (c for c in compile(text, "<nowhere>", "exec").co_consts if hasattr(c, "co_code"))
    return FunctionType(code, {"__name__": "__main__"})


def of_a_library(argnums):
    """Stands for what ``jax.grad`` returns: a function of a library, around one of the user."""

    def gradient(theta):
        return argnums

    return FunctionType(
        gradient.__code__, {"__name__": "jax._src.api"}, closure=gradient.__closure__
    )


class PjitFunction:
    """Stands for what ``jax.jit`` returns."""

    __module__ = "jaxlib._jax"

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, theta):
        return self.__wrapped__(theta)


def long(last):
    found = np.zeros(2000)
    found[700] = last
    return found


def knot(scale):
    """Return a list that contains itself, and a number."""
    found = [scale]
    found.append({"self": found})
    return found


def sparse(value):
    scipy = pytest.importorskip("scipy.sparse")
    return scipy.csr_array(np.diag([1.0, value]))


THIS = sys.modules[__name__]
CHANGES = {
    "a list": (of_a_list, lambda m: m.setattr(THIS, "W", [9.0, 1.0])),
    "an item of a list": (of_a_list, lambda m: m.setattr(THIS, "W", [1.0, 1.5])),
    "an item of a dict": (of_a_dict, lambda m: m.setitem(TABLE, "k", 2.0)),
    "an attribute": (of_a_namespace, lambda m: m.setattr(SPACE, "k", 2.0)),
    "a global of an inner function": (inner, lambda m: m.setattr(THIS, "SCALE", 2.0)),
    "a default": (of_its_default, lambda m: m.setattr(of_its_default, "__defaults__", ([2.0],))),
    "a default by keyword": (
        of_its_keyword,
        lambda m: m.setitem(of_its_keyword.__kwdefaults__, "scale", 2.0),
    ),
    "a value in a class": (Model(1.0), lambda m: m.setattr(Model, "factor", 2.0)),
    "a property": (Model(1.0), lambda m: m.setitem(TABLE, "k", 2.0)),
    "a method": (Model(1.0), lambda m: m.setattr(Model, "scaled", lambda self, theta: theta)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_is_another_gradient(name, monkeypatch):
    gradient, change = CHANGES[name]
    before = source_text(gradient)
    assert source_text(gradient) == before
    change(monkeypatch)
    assert source_text(gradient) != before


PAIRS = {
    "a list in an object": Model,
    "a method of an object": lambda scale: Model(scale).scaled,
    "a decorator": lambda scale: decorated(scale)(of_a_list),
    "a path": lambda scale: of_value([Path(f"x{scale}")]),
    "a set": lambda scale: of_value({1.0, "name", scale}),
    "an array in a tuple": lambda scale: of_value((long(scale),)),
    "an array of objects": lambda scale: of_value(np.array([1, (scale,)], dtype=object)),
    "a list in itself": lambda scale: of_value(knot(scale)),
    "a table": lambda scale: of_value(pd.DataFrame({"x": [1.0, scale], "name": ["a", "b"]})),
    "names of columns": lambda scale: of_value(pd.DataFrame({f"x{scale}": [1.0]})),
    "a mask": lambda scale: of_value(np.ma.masked_greater([1.0, 2.0, 3.0], scale)),
    "a sparse matrix": lambda scale: of_value(sparse(scale)),
    "an argument of jax.grad": of_a_library,
    "what jax.jit returned": lambda scale: PjitFunction(of_value([scale])),
    "a module of a user": of_a_module,
    "a method of an array": lambda scale: np.array([[scale, 0.0], [0.0, 1.0]]).dot,
    "a constant at a prompt": lambda scale: typed(f"def gradient(t): return {scale} * t"),
    "a name at a prompt": lambda scale: typed(f"def gradient(t): return t.x{int(scale)}"),
    "an inner function at a prompt": lambda scale: typed(
        f"def gradient(t):\n  def f(u): return u * {scale}\n  return f(t)"
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_another_value_is_another_gradient(name):
    made = PAIRS[name]
    assert source_text(made(1.0)) == source_text(made(1.0))
    assert source_text(made(1.0)) != source_text(made(2.0))
    assert not read_gradient(made(1.0)).unread


def test_slots_and_weights_are_read():
    slotted, network = Slotted(), Network()
    before = source_text(slotted.gradient), source_text(network)
    slotted.scale[0], network.weight[1] = 2.0, 2.0
    assert source_text(slotted.gradient) != before[0]
    assert source_text(network) != before[1]


def test_the_order_in_which_a_set_is_stored_is_no_difference():
    one, other = ({first, second} for first, second in ((0, 8), (8, 0)))
    assert list(one) != list(other)
    assert source_text(of_value(one)) == source_text(of_value(other))
    assert source_text(of_value(frozenset(one))) == source_text(of_value(frozenset(other)))
    kept, swapped = (
        typed("def gradient(t): return t in {0, 8}"),
        typed("def gradient(t): return t in {8, 0}"),
    )
    assert source_text(kept) == source_text(swapped)


@pytest.mark.slow
def test_it_is_the_same_in_another_process():
    """Sets and addresses have another order there."""
    program = (
        "from types import SimpleNamespace\n"
        "from helpers.gradient_text import source_text\n"
        "class Model:\n"
        "  def __init__(self): self.names, self.of = {'a', 'b', 'c', 'd'}, frozenset('efgh')\n"
        "  def __call__(self, t):\n"
        "    def f(u): return u\n"
        "    return f(t) * len(self.names | self.of)\n"
        "print(source_text(Model()))\n"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert "names" in texts[0]


def test_a_run_goes_on_only_with_the_same_values(tmp_path, monkeypatch):
    """It once went on with another law: a list was not read."""
    resumed(of_a_list, tmp_path, steps=20)
    assert not any("not compared" in w for w in resumed(of_a_list, tmp_path).warnings)
    monkeypatch.setattr(THIS, "W", [9.0, 9.0])
    with pytest.raises(RecipeError, match=r"another run: gradient 0, \w+:W was \w+ and is \w+;"):
        resumed(of_a_list, tmp_path)


class Counts:
    """Keeps its argument, counts its calls, and remembers where it was called."""

    def __init__(self, scale):
        self.scale, self.calls, self.points, self.log = scale, 0, [], {}

    def __call__(self, theta, *_):
        self.theta = theta
        self.calls += 1
        self.points.append(theta.copy())
        self.log["calls"] = self.calls
        return self.scale * self.theta


def test_what_the_gradient_writes_is_not_compared_and_said(tmp_path):
    gradient = Counts(np.array([1.0, 2.0]))
    resumed(gradient, tmp_path, steps=20)
    (said,) = (w for w in resumed(gradient, tmp_path).warnings if "not compared" in w)
    assert said.startswith("the run went on from its checkpoint, and of the gradient of your own")
    assert "written by the gradient itself: gradient.calls, " in said
    assert "gradient.points" in said
    assert "scale" not in said
    assert "theta" not in said  # it is the first point in every run
    gradient.scale = np.array([1.0, 2.5])
    with pytest.raises(RecipeError, match=r"another run: gradient 0, gradient\.scale was"):
        resumed(gradient, tmp_path)


@pytest.mark.slow
def test_so_it_is_with_data(tmp_path):
    y, counts = Data("y"), Counts(1.0)
    posterior = Posterior(theta, data={y: np.arange(60.0)}, gradient=counts)
    options = {"step_size": 0.05, "chains": 2, "lengths": {"theta": 2}, "seed": 1}
    for steps in (20, 60):
        draws = sample(ONE, posterior, checkpoint=tmp_path, steps=steps, progress=False, **options)
    assert any("gradient.calls" in w for w in draws.warnings)


def test_what_cannot_be_read_is_said_where_a_run_goes_on(tmp_path):
    generator = np.random.default_rng(0)

    def gradient(theta):
        assert generator is not None
        return theta

    first = resumed(gradient, tmp_path, steps=20)
    assert not any("not compared" in w for w in first.warnings)
    (said,) = (w for w in resumed(gradient, tmp_path).warnings if "not compared" in w)
    assert "as it cannot be read: gradient.generator (numpy.random._generator.Generator)" in said


class Hostile:
    """An object that fails whatever is asked of it."""

    def __getattr__(self, name):
        raise ValueError(name)


def test_reading_ends_and_never_fails(monkeypatch):
    deep = [1.0]
    for _ in range(5000):
        deep = [deep, 2.0]
    nested = ()
    for _ in range(5000):
        nested = (nested,)
    assert not read_gradient(of_value(deep)).unread
    assert list(read_gradient(of_value(nested)).unread) == ["gradient.value"]
    assert read_gradient(of_value(Hostile())).texts
    monkeypatch.setattr(gradient_source, "MAX_VALUES", 50)
    assert read_gradient(of_value(deep)).unread == {"values": "after the first 50"}
