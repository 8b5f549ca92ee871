"""Many chains at once: each has the draws that it has alone, bit for bit, and stops alone."""

from __future__ import annotations

import numpy as np
import pytest
from cases.compiled_kernels import BOUND
from cases.many_chains import (
    CASES,
    DRAWN,
    POSITIVE,
    QUARTIC,
    SCHEMES,
    SGLD,
    VECTOR,
    V,
    h,
    theta,
)
from oracles.slow_step import slow_step
from sympy import Matrix, exp

from codegen import generate
from codegen.lowering.batch_form import refusal_of_many
from recipe import (
    Kernel,
    Recipe,
    Scalar,
    Update,
    total,
)
from recipe.language.symbols import Indexed

VALUES = {"C": 0.7, "k": 1.7, "c": np.linspace(0.3, 2.5, 13), "cv": np.linspace(0.5, 1.5, 13)}
SEED = np.uint64(11)


def case(name, length, chains=9):
    """A module, its parameters, and first states of the shape (length, chains) each, of which the
    chains differ.
    """
    module = generate(CASES[name], scheme=SCHEMES.get(name, "semi-implicit"))
    loaded = module.load()
    values = {
        f: VALUES[s.base][:length] if isinstance(s, Indexed) else VALUES[s.name]
        for s, f in module.plan.settings.items()
    }
    sizes = [1 if isinstance(block, Scalar) else length for block in module.plan.state]
    rng = np.random.default_rng(5)
    return (
        module,
        loaded,
        loaded.Params(**values) if values else (),
        [0.3 / d * np.exp(0.3 * rng.normal(size=(d, chains))) for d in sizes],
    )


def room(loaded, shapes, statistic):
    more = len(loaded.Draws._fields) - len(shapes)
    return loaded.Draws(
        *(np.full(s, np.nan) for s in shapes), *(np.full(statistic, np.nan) for _ in range(more))
    )


def one_by_one(loaded, params, blocks, sizes, warmup, thin, first):
    """Draws of the shape (draws, length, chains), and where each chain stands at its end and why,
    by ``run``.
    """
    count, found, ends = (len(sizes) - warmup) // thin, [], []
    for c in range(blocks[0].shape[1]):
        state = loaded.allocate(*(block[:, c] for block in blocks))
        draws = room(loaded, [(count, len(block)) for block in blocks], (count, 1))
        end = loaded.run_schedule(
            state, draws, (), (), sizes, params, SEED, first + c, 0, warmup, thin
        )
        ends.append((*end, *(getattr(state, f) for f in loaded.Draws._fields[: len(blocks)])))
        found.append(draws)
    return [np.stack(d, axis=-1) for d in zip(*found, strict=True)], ends


def together(loaded, params, blocks, sizes, warmup, thin, first, splits=()):
    """The same by ``run_many``, and its state."""
    count, chains = (len(sizes) - warmup) // thin, blocks[0].shape[1]
    state = loaded.allocate_many(*blocks)
    draws, begin = (
        room(loaded, [(count, len(block), chains) for block in blocks], (count, 1, chains)),
        0,
    )
    for part in np.split(sizes, splits):
        begin, bad = loaded.run_many(
            state, draws, part, params, SEED, np.uint64(first), begin, warmup, thin
        )
        if bad >= 0:
            break
    return draws, state


@pytest.mark.slow  # each takes seconds to compile
@pytest.mark.parametrize("name", [n for n in CASES if n not in DRAWN])
def test_a_chain_has_the_draws_that_it_has_alone(name):
    for length in (1, 2, 5, 8, 13):
        _, loaded, params, blocks = case(name, length)
        sizes = np.repeat([0.01, 0.02], 20)
        alone, ends = one_by_one(loaded, params, blocks, sizes, 3, 2, 1000)
        draws, state = together(loaded, params, blocks, sizes, 3, 2, 1000, [7, 8, 25])
        assert all(end[:2] == (40, -1) for end in ends)
        for one, many in zip(alone, draws, strict=True):
            assert np.all(np.isfinite(one))
            np.testing.assert_array_equal(one, many)
        assert np.all(state[0] == np.array([e[2] for e in ends]).T)


@pytest.mark.slow
def test_neither_the_first_chain_nor_how_many_there_are_is_seen():
    _, loaded, params, blocks = case("banana with momentum", 1, 40)
    sizes = np.full(30, 0.05)
    whole, _ = together(loaded, params, blocks, sizes, 0, 1, 0)
    for first, last in ((0, 1), (1, 18), (18, 40)):
        part, _ = together(
            loaded, params, [block[:, first:last] for block in blocks], sizes, 0, 1, first
        )
        for one, many in zip(part, whole, strict=True):
            np.testing.assert_array_equal(one, many[..., first:last])


@pytest.mark.slow
def test_a_step_is_the_slow_one():
    """In 50 digits, with the noise that the counters say; the second draw of a pair of numbers
    included.
    """
    from codegen.device.random import normal_pair, stream_key

    module, loaded, params, blocks = case("banana", 1, 3)
    draws, _ = together(loaded, params, blocks, np.full(1, 0.3), 0, 1, 5)
    for c in range(3):
        key = tuple(map(np.uint64, stream_key(SEED, np.uint64(0), np.uint64(5 + c))))
        w_x, w_y = normal_pair(key, np.uint64(0), np.uint64(0))
        noise = dict(zip([d.name for d in module.plan.noises], [[w_x], [w_y]], strict=True))
        from recipe import discretise

        update = discretise(SGLD, "semi-implicit")
        slow = slow_step(
            update, {"x": blocks[0][:, c], "y": blocks[1][:, c], str(update.step): 0.3, **noise}
        )
        np.testing.assert_allclose(
            [draws.x[0, 0, c], draws.y[0, 0, c]], [slow["x"][0], slow["y"][0]], rtol=1e-13
        )


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3])
def test_a_chain_that_diverges_stops_alone(length):
    module = generate(QUARTIC)
    loaded = module.load()
    rng = np.random.default_rng(3)
    start = rng.normal(size=(length, 20))
    start[-1, [0, 7, 19]] = [1e3, 12.0, -5.1]
    sizes = np.full(60, 0.1)
    alone, ends = one_by_one(loaded, (), [start], sizes, 2, 3, 0)
    draws, state = together(loaded, (), [start], sizes, 2, 3, 0, [30, 31])
    stopped = [c for c, end in enumerate(ends) if end[1] >= 0]
    assert {0, 7} <= set(stopped) < set(range(20))
    assert len({ends[c][0] for c in stopped}) > 1
    for c, (step, invalid, last) in enumerate(ends):
        healthy = c not in stopped
        assert (state.stopped[0, c], state.invalid[0, c]) == (
            (-1, -1) if healthy else (step, invalid)
        )
        np.testing.assert_array_equal(
            state.theta[:, c] if healthy else state.last_theta[:, c], last
        )
        kept = max(0, step - 2) // 3
        np.testing.assert_array_equal(draws.theta[:kept, :, c], alone[0][:kept, :, c])


@pytest.mark.slow
def test_where_no_chain_runs_any_more_nothing_runs():
    loaded = generate(QUARTIC).load()
    state = loaded.allocate_many(np.full((2, 5), 1e4))
    done, bad = loaded.run_many(
        state, room(loaded, [(0, 2, 5)], ()), np.full(1000, 1.0), (), SEED, np.uint64(0), 0, 0, 1
    )
    assert bad == 0
    assert done == state.stopped.max() < 20


@pytest.mark.slow
def test_a_chain_that_leaves_its_domain_stops_alone():
    shrinking = Update(h, {POSITIVE: POSITIVE * exp(-h)}, total(POSITIVE))
    loaded = generate(shrinking).load()
    start = np.array([[1.0, 1e-300, 1.0], [1.0, 1.0, 1e-100]])
    alone, ends = one_by_one(loaded, (), [start], np.full(6, 100.0), 0, 1, 0)
    draws, state = together(loaded, (), [start], np.full(6, 100.0), 0, 1, 0)
    assert [end[:2] for end in ends] == [(6, -1), (0, 0), (4, 0)] or all(
        e[1] in (-1, 0) for e in ends
    )
    assert state.stopped[0].tolist() == [-1 if bad < 0 else step for step, bad, _ in ends]
    assert any(bad == 0 for _, bad, _ in ends)
    for c, (step, _, _) in enumerate(ends):
        np.testing.assert_array_equal(draws.positive[:step, :, c], alone[0][:step, :, c])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lambda: Recipe(theta, V, Matrix([[1]]), Matrix([[0]])),
            "its gradients are functions of one chain",
        ),
        (
            lambda: Kernel(BOUND["random times"]),
            "how often it repeats a part is drawn, for each chain",
        ),
    ],
)
def test_what_has_no_such_form_says_why(make, reason):
    module = generate(make())
    assert refusal_of_many(module.plan) == reason
    assert "run_many" not in module.source
    assert "def run(" in module.source


@pytest.mark.slow
def test_one_compilation_serves_every_number_of_chains_and_every_length():
    _, loaded, _, _ = case("sums", 5)
    before = len(loaded.run.signatures)
    for length, chains in ((1, 1), (3, 64), (5, 700)):
        start = np.zeros((length, chains))
        params = loaded.Params(C=0.5, c=np.ones(length))
        draws = room(loaded, [(0, length, chains)] * 2, ())
        loaded.run_many(
            loaded.allocate_many(start, start),
            draws,
            np.full(4, 0.1),
            params,
            SEED,
            np.uint64(0),
            0,
            0,
            1,
        )
    assert len(loaded.run_many.signatures) == 1
    assert len(loaded.run.signatures) == before


def test_every_operation_of_a_step_stands_once_in_the_text():
    """The text does not know the length: what it grows with is the recipe."""
    module = generate(VECTOR)
    assert module.source.count("def run_many(") == 1
    body = module.source[module.source.index("def run_many(") :]
    assert body.count("normal_pair(") == 2  # a pair of coordinates, and the odd last one
    assert "for c in range(chains):" in body
