"""Many chains take time in proportion to their number: no turn of a chain looks at all of them, and
each has its turn.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from sympy import Matrix, exp, log

from codegen import sample
from codegen.inputs.density.compiled_posterior import Density
from codegen.running import chains as scheduling
from codegen.running.chains import Chain, run_chains
from codegen.running.checkpoint import Checkpoint
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

STEPS = 5

theta = Vector("theta")
U = Potential("U", theta)
x, y = Data("x", like=theta), Data("y")
RNG = np.random.default_rng(0)
LAW = Posterior(
    theta,
    -log(1 + exp(-y * total(x * theta))),
    -total(theta**2) / 2,
    {x: RNG.normal(size=(200, 3)), y: np.where(RNG.random(200) < 0.5, 1.0, -1.0)},
)
LANGEVIN = bind(Recipe((theta,), U, Matrix([[1]]), Matrix([[0]])), {U: LAW})


class Watched(Chain):
    """A chain that counts how often anybody asks how far it is."""

    asked = 0

    def __getattribute__(self, name):
        if name in {"done", "stopped_by", "finished"}:
            Watched.asked += 1
        return super().__getattribute__(name)


def one_step(state, draws, chain, start, steps):
    return start + 1, -1


@pytest.fixture
def waited(monkeypatch):
    """A turn is one step. The numbers of pieces of work that the main thread waits for at once."""
    numbers, wait = [], scheduling.wait

    def noted(running, *, timeout, return_when):
        numbers.append(len(running))
        return wait(running, timeout=1.0, return_when=return_when)

    monkeypatch.setattr(scheduling, "wait", noted)
    monkeypatch.setattr(scheduling, "CHUNK_SECONDS", 0.0)
    return numbers


def asked_of(number):
    """How often a run of so many chains asks them anything."""
    watched = [Watched(c, None, None) for c in range(number)]
    Watched.asked = 0
    assert not run_chains(one_step, watched, STEPS, 2, progress=False)
    asked = Watched.asked
    assert all(c.done == STEPS for c in watched)
    return asked


def test_a_turn_costs_the_same_among_few_chains_and_among_many(waited):
    assert asked_of(800) == 40 * asked_of(20)
    assert max(waited) <= 2  # the number of threads


def test_chains_take_turns_one_after_another(waited):
    turns = []

    def noted(state, draws, chain, start, steps):
        turns.append(chain)
        return start + 1, -1

    run_chains(noted, [Chain(c, None, None) for c in range(50)], STEPS, 1, progress=False)
    assert turns == [*range(50)] * STEPS


def test_many_short_turns_are_one_piece_of_work(monkeypatch):
    """Else threads wait for the one thread that hands out the work."""
    pieces, rested, submit = [], [], ThreadPoolExecutor.submit

    def noted(*arguments):
        pieces.append(arguments)
        return submit(*arguments)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", noted)
    several = [Chain(c, None, None) for c in range(5000)]
    run_chains(
        one_step, several, STEPS, 2, progress=False, rest=lambda chain: rested.append(chain.number)
    )
    assert sorted(rested) == sorted([*range(5000)] * STEPS)
    assert len(pieces) < 5000


def test_an_interruption_finds_many_chains_equally_far():
    """No chain is two turns ahead of another, but where the machine stops a thread; and it is
    obeyed at once.
    """

    def slow(state, draws, chain, start, steps):
        time.sleep(2e-4)
        return start + 1, -1

    several = [Chain(c, None, None) for c in range(300)]
    threading.Timer(0.4, _thread.interrupt_main).start()
    began = time.perf_counter()
    assert run_chains(slow, several, 10**12, 2, progress=False)
    assert time.perf_counter() - began < 5
    done = [c.done for c in several]
    assert min(done) > 0
    assert max(done) - min(done) <= 4  # a thread may be kept from its processor for a while


def saved(number, tmp_path, monkeypatch):
    """How often a checkpoint of so many chains asks whether one is at rest, and what it writes."""
    fields = ("theta",)
    chains = []
    for c in range(number):
        state = SimpleNamespace(theta=np.full(2, float(c)), _fields=fields)
        draws = SimpleNamespace(theta=np.zeros((4, 2)), _fields=fields)
        chains.append(Chain(c, state, draws, done=1))
    checkpoint = Checkpoint(tmp_path / str(number), {}, lambda done: done, 1e-9, 1)
    checkpoint.open(chains, 4)
    asked, written = [], []
    monkeypatch.setattr(
        checkpoint, "_write_copied", lambda _: written.append(dict(checkpoint._copied))
    )
    for chain in chains:
        checkpoint.visit(chain, chains, lambda c: asked.append(c) is not None)
    checkpoint.release()
    return len(asked), written


def test_a_checkpoint_looks_at_all_chains_once(tmp_path, monkeypatch):
    for number in (10, 400):
        asked, written = saved(number, tmp_path, monkeypatch)
        assert asked <= number
        assert len(written) == 1  # when the last of them had its turn
        assert sorted(written[0]) == list(range(number))


def test_a_finished_chain_does_not_keep_a_checkpoint_waiting(tmp_path, monkeypatch):
    state = [SimpleNamespace(theta=np.zeros(1), _fields=("theta",)) for _ in range(6)]
    chains = [Chain(c, s, s, done=1) for c, s in enumerate(state)]
    checkpoint, written = Checkpoint(tmp_path / "c", {}, lambda done: 0, 1e-9, 1), []
    checkpoint.open(chains, 4)
    monkeypatch.setattr(
        checkpoint, "_write_copied", lambda _: written.append(dict(checkpoint._copied))
    )
    for chain in chains[:3]:
        checkpoint.visit(chain, chains, lambda c: c.number >= 3)
    checkpoint.release()
    assert [sorted(w) for w in written] == [[0, 1, 2, 3, 4, 5]]


def walk(state, draws, chain, start, steps):
    """A chain that is a function of its number and step, as all chains here are."""
    for t in range(start, start + steps):
        state.theta[:] = np.sin(3.0 * state.theta + chain + t)
        draws.theta[t] = state.theta
    return start + steps, -1


Blocks = namedtuple("Blocks", ["theta"])


def walking(count, steps):
    return [
        Chain(c, Blocks(np.zeros(2)), Blocks(np.full((steps, 2), np.nan))) for c in range(count)
    ]


def test_many_chains_go_on_from_their_checkpoint_bit_for_bit(tmp_path):
    """After interruptions at any time, with writes in between."""
    steps, whole = 60, walking(150, 60)
    run_chains(walk, whole, steps, 2, progress=False)
    interrupted = 0
    for after in (1, 400, 500, 600, 700, 10**9):
        chains, turns = walking(150, steps), count(1)
        checkpoint = Checkpoint(tmp_path / "c", {}, lambda done: done, 0.01, 1)
        checkpoint.open(chains, steps)

        def advance(*arguments, turns=turns, after=after):
            if next(turns) == after:
                _thread.interrupt_main()
            return walk(*arguments)

        def rest(chain, chains=chains, checkpoint=checkpoint):
            checkpoint.visit(chain, chains, lambda c: c.finished(steps))

        interrupted += run_chains(advance, chains, steps, 2, progress=False, rest=rest)
        checkpoint.close(chains)
        checkpoint.release()
    assert interrupted > 1
    for one, other in zip(whole, chains, strict=True):
        np.testing.assert_array_equal(one.draws.theta, other.draws.theta)


def drawn(chains, **options):
    return sample(
        LANGEVIN,
        **{
            "step_size": 1e-3,
            "steps": 40,
            "chains": chains,
            "batch_size": 10,
            "progress": False,
            **options,
        },
    )


@pytest.mark.slow
def test_many_chains_that_are_interrupted_go_on_bit_for_bit(tmp_path, monkeypatch):
    whole = drawn(300)
    once = scheduling._advance_once
    turns = []

    def interrupted(*arguments):
        turns.append(arguments[1].number)
        if len(turns) == 700:
            _thread.interrupt_main()
        once(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(scheduling, "_advance_once", interrupted)
        part = drawn(300, checkpoint=tmp_path / "c", checkpoint_seconds=0.01)
    assert part.interrupted
    again = drawn(300, checkpoint=tmp_path / "c")
    np.testing.assert_array_equal(again["theta"], whole["theta"])
    np.testing.assert_array_equal(drawn(7)["theta"], whole["theta"][:7])
    assert np.array_equal(part["theta"], whole["theta"][:, : part["theta"].shape[1]])


@pytest.mark.slow
def test_another_module_with_the_same_data_does_not_make_a_turn_slow(monkeypatch):
    """Numba took 0.3 ms for the types of each call, 30 s for 10,000 chains, as it went through
    Python.
    """
    asked, compile_for = [], Dispatcher._compile_for_args

    def noted(dispatcher, *arguments, **named):
        asked.append(dispatcher)
        return compile_for(dispatcher, *arguments, **named)

    Density(LAW).gradient({theta: np.zeros(3)})
    monkeypatch.setattr(Dispatcher, "_compile_for_args", noted)
    drawn(50)
    assert len(asked) < 20  # of 300 turns


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [None, 10])
def test_ten_thousand_chains_with_data_take_twenty_seconds_and_grow_linearly(batch_size):
    """Processor time, so that what else runs on the machine does not count."""
    drawn(1, batch_size=batch_size)  # compiled
    taken = []
    numbers = (1000, 3000, 10_000)
    for number in numbers:
        began = time.process_time()
        drawn(number, batch_size=batch_size, steps=100)
        taken.append(time.process_time() - began)
    power = np.polyfit(np.log(numbers), np.log(taken), 1)[0]
    assert taken[-1] < 20, taken
    assert power < 1.25, taken
