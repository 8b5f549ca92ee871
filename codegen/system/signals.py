"""Signals that ask a run to stop: Ctrl-C, SIGTERM and SIGHUP are treated alike.

While work must not be cut short, a signal is noted and raises nothing; the work looks at the note
between two pieces. Elsewhere a signal raises ``Stopped``. Handlers of the process are replaced only
meanwhile, and only handlers that would end the work: a signal that is ignored (``nohup``), or that
has a handler of the user's own, is left alone.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
RAISES = signal.default_int_handler  # KeyboardInterrupt: what Python does at SIGINT
ENDS = signal.SIG_DFL  # the process is ended by the system: what happens at SIGTERM and SIGHUP


class Stopped(KeyboardInterrupt):
    """A signal that came while none was held back.

    Args:
        number: the number of the signal.
        lost: called by who finds this exception where Python cannot raise it, as in a callback of
            a library; the signal may then be sent again.
    """

    def __init__(self, number: int, lost: Callable[[], None] = lambda: None) -> None:
        super().__init__(signal.Signals(number).name)
        self.number, self.lost = number, lost


class Signals:
    """Hears the signals that ask to stop, in the main thread; in other threads Python hears none,
    and this changes nothing.

    Args:
        replaced: the handlers that are replaced while this is entered.
        tell: called with a sentence when a signal is noted; it must not raise.
        last: whether the program ends after the first signal. All later signals then change
            nothing, also once this is left.

    Attributes:
        first: the number of the first signal that was noted, or None.
        later: the number of the first signal after that one, or of one that came while no run was
            going; it is raised once nothing is held. None if there is none.
    """

    def __init__(
        self,
        replaced: tuple[Any, ...] = (RAISES,),
        tell: Callable[[str], None] = lambda _: None,
        last: bool = False,
    ) -> None:
        self.first: int | None = None
        self.later: int | None = None
        self._replaced, self._tell, self._last = replaced, tell, last
        self._raised = False
        self._before: dict[int, Any] = {}
        self._entered = self._held = self._running = 0

    def __enter__(self) -> Signals:
        self._entered += 1
        if self._entered == 1 and threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                handler = signal.getsignal(number)
                if handler in self._replaced:
                    self._before[number] = handler
                    signal.signal(number, self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        self._entered -= 1
        ending = self._last and (self._raised or self.first is not None)
        while self._before and not self._entered:
            number, handler = self._before.popitem()
            signal.signal(number, signal.SIG_IGN if ending else handler)

    @contextmanager
    def held(self, running: bool = False) -> Iterator[Signals]:
        """Yield this object, which notes signals until the block ends, and raises nothing.

        Args:
            running: True if the first signal asks a run to stop.
        """
        with self:
            self._held, self._running = self._held + 1, self._running + running
            try:
                yield self
            finally:
                self._held, self._running = self._held - 1, self._running - running

    def note(self, number: int) -> None:
        """Note a signal, and tell the user.

        Args:
            number: the number of the signal.
        """
        name = signal.Signals(number).name
        if self._running and self.first is None:
            self.first = number
            self._tell(f"{name}: the run stops here, and its draws are kept")
        else:
            self.first, self.later = self.first or number, self.later or number
            self._tell(f"{name} waits until the draws are safe; only SIGKILL would not")

    def act(self) -> None:
        """Raise the signal that waits, if there is one.

        Raises:
            Stopped: with the number of the signal.
        """
        if self.later is not None:
            self._raised = True
            raise Stopped(self.later)

    def _heard(self, number: int, frame: Any) -> None:
        if self._held:
            self.note(number)
        elif not (self._last and self._raised):
            self._raised = True
            raise Stopped(number, self._hear_again)

    def _hear_again(self) -> None:
        self._raised = False
