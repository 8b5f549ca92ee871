"""Run chains in threads.

The kernels release the GIL, and a draw is a function of seed, chain and step: the number of threads and the size of the chunks
change nothing.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import Progress

from codegen.signals import Signals
from codegen.terminal import Terminal

CHUNK_SECONDS = 0.1
MOST_STEPS = 2**20  # of a chunk: their step sizes are in memory together

Advance = Callable[[Any, Any, int, int, int], tuple[int, int]]
Rest = Callable[["Chain"], None]


@dataclass
class Chain:
    """One chain: its state and draws, the steps it has done, and the number of the block that was not finite (or -1)."""

    number: int
    state: Any
    draws: Any
    done: int = 0
    guilty: int = -1
    chunk: int = 1

    def finished(self, steps: int) -> bool:
        """Whether there is nothing left to do."""
        return self.done >= steps or self.guilty >= 0


def run_chains(
    advance: Advance, chains: list[Chain], steps: int, threads: int, progress: bool, rest: Rest | None = None,
    signals: Signals | None = None,
) -> bool:  # fmt: skip
    """Advance every chain to ``steps``, unless it diverges; returns whether it was interrupted before.

    ``advance(state, draws, chain, start, steps)`` does some steps in place and returns (steps done, guilty block or -1). Chains
    take turns, so that an interruption finds all of them about equally far; a second one changes nothing until the first is served.
    ``rest(chain)`` is called when a chain is between two chunks, and nothing moves it. ``signals`` are those that interrupt, by
    default SIGINT where it raises KeyboardInterrupt.
    """
    console = Console(file=Terminal(sys.stderr))  # type: ignore[arg-type]
    with (
        (signals or Signals()).held(running=True) as heard,
        Progress(console=console, disable=not (progress and console.is_terminal), transient=True) as bar,
        ThreadPoolExecutor(threads) as pool,
    ):
        task = bar.add_task("sampling", total=steps * len(chains))
        unfinished = [chain for chain in chains if not chain.finished(steps)]
        running = {pool.submit(_advance_once, advance, chain, steps): chain for chain in unfinished}
        while running:
            try:
                finished, _ = wait(running, timeout=CHUNK_SECONDS, return_when=FIRST_COMPLETED)
                bar.update(task, completed=sum(c.done for c in chains))
                for future in finished:
                    chain = running.pop(future)
                    future.result()
                    if rest is not None and heard.first is None:
                        rest(chain)
                    if not chain.finished(steps) and heard.first is None:
                        running[pool.submit(_advance_once, advance, chain, steps)] = chain
            except KeyboardInterrupt:  # a handler of the caller's own has raised it
                heard.note(signal.SIGINT)
    return heard.first is not None and not all(chain.finished(steps) for chain in chains)


def _advance_once(advance: Advance, chain: Chain, steps: int) -> None:
    """One chunk of a chain, sized so that it takes about ``CHUNK_SECONDS`` or has ``MOST_STEPS``."""
    began = time.perf_counter()
    count = min(chain.chunk, steps - chain.done)
    chain.done, chain.guilty = advance(chain.state, chain.draws, chain.number, chain.done, count)
    if time.perf_counter() - began < CHUNK_SECONDS / 2:
        chain.chunk = min(2 * chain.chunk, MOST_STEPS)
