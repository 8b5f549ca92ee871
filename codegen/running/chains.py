"""Run chains in threads.

Compiled kernels release Python's global interpreter lock. A draw is a function of the seed, the
chain and the step, so that the number of threads and the size of the chunks change no draw.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from codegen.system.progress_bar import progress_bar
from codegen.system.signals import Signals

CHUNK_SECONDS = 0.1  # seconds that a thread works before the main thread hears of it
MAX_CHUNK_STEPS = 2**20  # steps of a chunk, whose step sizes are in memory together
# turns, at least, in which a thread takes its share of all chains; so no chain waits for long
MIN_TURNS_PER_THREAD = 4

Advance = Callable[[Any, Any, int, int, int], tuple[int, int]]
Rest = Callable[["Chain"], None]


@dataclass
class Chain:
    """A chain, or a bundle of chains, under way.

    Attributes:
        number: the number of the chain.
        state: its state, a ``State`` of the module.
        draws: its draws, a ``Draws`` of the module.
        done: the number of steps that it has done.
        stopped_by: the number of the block that was not finite or left its domain; -1 if none.
        chunk: the number of steps in its next chunk.
    """

    number: int
    state: Any
    draws: Any
    done: int = 0
    stopped_by: int = -1
    chunk: int = 1

    def finished(self, steps: int) -> bool:
        """Return True if the chain has done all steps, or has stopped."""
        return self.done >= steps or self.stopped_by >= 0


def run_chains(
    advance: Advance,
    chains: list[Chain],
    steps: int,
    threads: int,
    progress: bool,
    rest: Rest | None = None,
    signals: Signals | None = None,
) -> bool:
    """Advance every chain to ``steps``, unless it diverges or a signal interrupts the run.

    Chains take turns, so that an interruption finds all of them about equally far. No turn of a
    chain looks at all chains, so that twice as many chains take twice as long.

    Args:
        advance: ``advance(state, draws, chain, start, steps)`` does some steps in place and returns
            the steps done and the number of the block that stopped the chain, or -1.
        chains: the chains, which are changed in place.
        steps: the number of steps of each chain.
        threads: the number of threads.
        progress: True to show a progress bar, where standard error is a terminal.
        rest: called with a chain between two chunks of it, while no thread moves it.
        signals: the signals that interrupt; by default SIGINT where it raises KeyboardInterrupt. A
            second signal changes nothing until the first has taken effect.

    Returns:
        True if a signal interrupted the run and a chain is unfinished.
    """
    done = sum(chain.done for chain in chains)
    with (
        (signals or Signals()).held(running=True) as heard,
        progress_bar("sampling", steps * len(chains), done=done, wanted=progress) as show,
        ThreadPoolExecutor(threads) as pool,
    ):
        waiting = deque(chain for chain in chains if not chain.finished(steps))
        running: set[Future[tuple[list[Chain], int]]] = set()
        while running or (waiting and heard.first is None):
            try:
                while waiting and len(running) < threads and heard.first is None:
                    most = 1 + len(waiting) // (MIN_TURNS_PER_THREAD * threads)
                    running.add(pool.submit(_advance_several, advance, waiting, most, steps))
                finished, _ = wait(running, timeout=CHUNK_SECONDS, return_when=FIRST_COMPLETED)
                for future in finished:
                    running.remove(future)
                    moved, count = future.result()
                    done += count
                    show(done)
                    for chain in moved:
                        if rest is not None and heard.first is None:
                            rest(chain)
                        if not chain.finished(steps):
                            waiting.append(chain)
            except KeyboardInterrupt:  # a handler of the caller's own has raised it
                heard.note(signal.SIGINT)
    return heard.first is not None and not all(chain.finished(steps) for chain in chains)


def _advance_several(
    advance: Advance, waiting: deque[Chain], most: int, steps: int
) -> tuple[list[Chain], int]:
    """Advance at most ``most`` chains by a chunk each, until half of ``CHUNK_SECONDS`` is over.
    Return these chains and the sum of their steps.

    So many short chunks are one piece of work for the main thread, which would otherwise keep the
    other threads waiting.
    """
    began = time.perf_counter()
    moved: list[Chain] = []
    count = 0
    while len(moved) < most and (not moved or time.perf_counter() - began < CHUNK_SECONDS / 2):
        try:
            chain = waiting.popleft()
        except IndexError:  # other threads have taken the rest
            break
        before = chain.done
        _advance_once(advance, chain, steps)
        moved.append(chain)
        count += chain.done - before
    return moved, count


def _advance_once(advance: Advance, chain: Chain, steps: int) -> None:
    """Advance a chain by one chunk, and double the next chunk while a chunk takes less than half of
    ``CHUNK_SECONDS``, up to ``MAX_CHUNK_STEPS``.
    """
    began = time.perf_counter()
    count = min(chain.chunk, steps - chain.done)
    chain.done, chain.stopped_by = advance(
        chain.state, chain.draws, chain.number, chain.done, count
    )
    if time.perf_counter() - began < CHUNK_SECONDS / 2:
        chain.chunk = min(2 * chain.chunk, MAX_CHUNK_STEPS)
