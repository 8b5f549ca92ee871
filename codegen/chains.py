"""Run chains in threads.

The kernels release the GIL, and a draw is a function of seed, chain and step: the number of threads and the size of the chunks
change nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import Progress

CHUNK_SECONDS = 0.1

Advance = Callable[[Any, Any, int, int, int], tuple[int, int]]


@dataclass
class Chain:
    """One chain: its state and draws, the steps it has done, and the number of the block that was not finite (or -1)."""

    number: int
    state: Any
    draws: Any
    done: int = 0
    guilty: int = -1


def run_chains(advance: Advance, chains: list[Chain], steps: int, threads: int, progress: bool) -> bool:
    """Advance every chain to ``steps``, unless it diverges; returns whether it was interrupted.

    ``advance(state, draws, chain, start, steps)`` does some steps in place and returns (steps done, guilty block or -1).
    """
    stop = threading.Event()
    console = Console(stderr=True)
    with (
        Progress(console=console, disable=not (progress and console.is_terminal), transient=True) as bar,
        ThreadPoolExecutor(threads) as pool,
    ):
        task = bar.add_task("sampling", total=steps * len(chains))
        running = {pool.submit(_run, advance, chain, steps, stop) for chain in chains}
        futures = set(running)
        interrupted = False
        while running:
            try:
                _, running = wait(running, timeout=CHUNK_SECONDS)
                bar.update(task, completed=sum(c.done for c in chains))
            except KeyboardInterrupt:
                interrupted = True
                stop.set()
    for future in futures:
        future.result()
    return interrupted


def _run(advance: Advance, chain: Chain, steps: int, stop: threading.Event) -> None:
    chunk = 1
    while chain.done < steps and chain.guilty < 0 and not stop.is_set():
        began = time.perf_counter()
        chunk = min(chunk, steps - chain.done)
        chain.done, chain.guilty = advance(chain.state, chain.draws, chain.number, chain.done, chunk)
        if time.perf_counter() - began < CHUNK_SECONDS / 2:
            chunk *= 2
