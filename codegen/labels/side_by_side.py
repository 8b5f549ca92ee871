"""Chains that run at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from codegen.labels.sample import LabelRun


class SideBySide:
    """Runs chains, some at a time; after one that was stopped, or that failed, none begins.

    Args:
        number: how many at a time.
        stop: asked after each step of each chain, by one thread at a time.
        show: told how many steps were made.
    """

    def __init__(
        self, number: int, stop: Callable[[], bool], show: Callable[[float], None]
    ) -> None:
        self._number, self._stop, self._show = number, stop, show
        self._ended, self._lock, self._made = threading.Event(), threading.Lock(), 0

    def each(
        self, one: Callable[[int, Callable[[], bool]], LabelRun], chains: int
    ) -> list[LabelRun]:
        """Return the chains that were begun, in their order.

        Args:
            one: runs a chain of a number, and asks the function that it is given after each step.
            chains: how many there are.
        """

        def unless_ended(chain: int) -> LabelRun | None:
            if self._ended.is_set():
                return None
            try:
                return one(chain, self._stopping)
            except BaseException:
                self._ended.set()
                raise

        if self._number == 1:
            found = list(map(unless_ended, range(chains)))
        else:
            with ThreadPoolExecutor(min(self._number, chains)) as pool:
                try:
                    found = list(pool.map(unless_ended, range(chains)))
                finally:
                    self._ended.set()
        return [run for run in found if run is not None]

    def _stopping(self) -> bool:
        with self._lock:
            self._made += 1
            self._show(self._made)
            if not self._ended.is_set() and self._stop():
                self._ended.set()
        return self._ended.is_set()
