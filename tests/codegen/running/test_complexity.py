"""What grows with what: a step with the number of coordinates, compilations with nothing,
generation with the declaration.
"""

from __future__ import annotations

import ast
import itertools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from cases import golden
from helpers.plain_python import plainly
from sympy import Matrix, Symbol, cos, zeros

from codegen import generate, sample
from recipe import Dense, Potential, Recipe, Vector, bind, dot, total

theta = Vector("theta")
SIZES = (64, 128, 256)  # each twice the one before, and multiples of every width
VECTORISED = [
    "sgld",
    "sghmc",
    "sghmc, baoab",
    "sgnht",
    "third-order",
    "mirror_sgld",
    "corv_sgld",
    "hmc_kernel",
    "mala",
]


def operations(called: Callable[[], Any]) -> int:
    """How many lines of the module are executed: each is one statement, or one round of a loop."""
    count = 0

    def local(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def entered(frame: Any, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename == "plain" else None

    with np.errstate(all="ignore"):
        before = sys.gettrace()
        sys.settrace(entered)
        try:
            called()
        finally:
            sys.settrace(before)
    return count


def of_a_run(what: Any, generated: dict[str, Any], params: dict[str, Any], size: int) -> int:
    """The operations of three steps of ``run`` with so many coordinates."""
    module = generate(what, **generated)
    space = vars(plainly(module.source))
    values = {b.name: np.full(size if isinstance(b, Vector) else 1, 0.5) for b in module.plan.state}
    draws = space["Draws"](*(np.zeros((0, 0)) for _ in space["Draws"]._fields))
    settings = (
        space["Params"](**{f: params[f] for f in space["Params"]._fields})
        if "Params" in space
        else ()
    )
    state = space["allocate"](*values.values())
    ended = []
    count = operations(
        lambda: ended.append(
            space["run"](state, draws, (), (), 0.01, settings, np.uint64(1), 0, 0, 3, 0, 1)
        ),
    )
    assert ended == [(3, -1)]
    return count


def is_linear(counts: list[int]) -> bool:
    one, two, four = counts
    return four - two == 2 * (two - one) > 0


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", VECTORISED)
def test_the_operations_of_a_step_are_linear_in_the_number_of_coordinates(name):
    run = golden.RUNS[name]
    counts = [
        of_a_run(run.what(), run.generated, run.options.get("params", {}), size) for size in SIZES
    ]
    assert is_linear(counts), counts


def test_the_count_sees_a_matrix():
    M = Dense("M", theta, theta, positive=True)
    U = Potential("U", theta)
    quadratic = bind(
        Recipe(theta, U, Matrix([[1]]), Matrix([[0]])), {U: total(theta * dot(M, theta)) / 2}
    )
    counts = [of_a_run(quadratic, {}, {"M": np.eye(size)}, size) for size in (16, 32, 48, 64)]
    assert not is_linear([counts[0], counts[1], counts[3]])
    assert np.diff(counts, 2).min() > 0
    assert np.diff(counts, 3).tolist() == [0]  # the square of the size, and no higher power


@pytest.mark.by_default(8)
@pytest.mark.parametrize("name", golden.RUNS)
def test_nothing_that_takes_a_whole_array_stands_in_a_loop(name):
    """So that the count of lines is one of operations: ``x[:] = 0`` and ``np.sum(x)`` are lines of
    more than one.
    """
    run = golden.RUNS[name]
    tree = ast.parse(generate(run.what(), **run.generated).source)
    drivers = ("run", "run_many", "draw_rows")
    for function in (
        node for node in tree.body if isinstance(node, ast.FunctionDef) if node.name not in drivers
    ):
        for loop in (node for node in ast.walk(function) if isinstance(node, ast.For)):
            for inner in ast.walk(loop):
                assert not isinstance(inner, ast.Slice), ast.unparse(loop)
                assert not (
                    isinstance(inner, ast.Call) and ast.unparse(inner.func) in ("np.sum", "np.dot")
                ), ast.unparse(loop)


@pytest.mark.by_default("sgnht")
@pytest.mark.parametrize("name", ["sgnht", "mala", "sghmc, baoab"])
def test_one_compilation_serves_every_length_chain_and_start(name):
    run = golden.RUNS[name]
    what = run.what()
    module = generate(what, **run.generated)
    for size, chains, kind in (
        (1, 1, np.float64),
        (2, 3, np.float32),
        (33, 3, np.int64),
        (33, 1, np.float64),
    ):
        start = {"theta": np.ones(size, dtype=kind)}
        options = {**run.options, "lengths": None, "initial": start}
        sample(what, steps=2, chains=chains, seed=size, step_size=0.01, progress=False, **options)
    assert len(module.load().run.signatures) == 1


def chain_of(blocks: int) -> Recipe:
    """As many vectors, each coupled to the next by Q and in H."""
    z = [Vector("z1")]
    z += [Vector(f"z{i}", like=z[0]) for i in range(2, blocks + 1)]
    D, Q = zeros(blocks, blocks), zeros(blocks, blocks)
    D[blocks - 1, blocks - 1] = Symbol("c", positive=True)
    for i in range(blocks - 1):
        g = Symbol(f"g{i + 1}", positive=True)
        Q[i, i + 1], Q[i + 1, i] = -g, g
    H = sum(total(b**2) / 2 for b in z) + sum(
        total(a * b) ** 2 / 20 for a, b in itertools.pairwise(z)
    )
    return Recipe(tuple(z), H, D, Q, name="chain")


def terms(count: int) -> Recipe:
    """A potential with as many terms that have nothing in common."""
    k = [Symbol(f"k{i}", positive=True) for i in range(count)]
    H = total(theta**2) + sum(total(cos(a * theta)) + total(theta**2 + a * theta) ** 2 for a in k)
    return Recipe(theta, H, Matrix([[1]]), Matrix([[0]]), name="terms")


def statements(what: Recipe) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(generate(what).source)))


def calls(what: Recipe) -> int:
    """How many Python functions are called while the module is generated, from empty caches: a
    clock that no neighbour disturbs.
    """
    count = 0

    def entered(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sympy.core.cache.clear_cache()
    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        generate(what)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("declared", [chain_of, terms])
def test_generation_and_its_text_grow_about_linearly(declared):
    """A quadratic growth would be a factor of 4 where the declaration doubles."""
    texts = [statements(declared(n)) for n in (4, 8, 16)]
    assert texts[2] - texts[1] <= 2 * (texts[1] - texts[0])
    work = [calls(declared(n)) for n in (4, 8, 16)]
    assert work[2] / work[1] < 2.8
    assert work[2] - work[1] < 2.8 * (work[1] - work[0])


def test_the_lines_of_a_loop_are_counted():
    space = vars(
        plainly("def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n")
    )
    assert [operations(lambda n=n: space["f"](n)) for n in (0, 1, 10)] == [3, 5, 23]
    assert math.isclose(space["fma"](2.0, 3.0, 4.0), 10.0)
