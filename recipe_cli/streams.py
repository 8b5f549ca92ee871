"""Standard streams that never stop a run.

A closed stream leads to the null device. Output that cannot be written is reported once, at the
end.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
from typing import Any

# The exit status if output was lost is that of bad input, as for any path that cannot be written.
OUTPUT_LOST_STATUS = 2


class _Forgiving(io.FileIO):
    """A stream that drops what it cannot write, and remembers the first error."""

    failure: OSError | None = None

    def write(self, data: object) -> int:
        size = memoryview(data).nbytes  # type: ignore[arg-type]
        try:
            while (written := super().write(data)) is None:  # type: ignore[arg-type]
                select.select([], [self.fileno()], [])  # a non-blocking descriptor: wait for it
            return written
        except OSError as error:
            self.failure = self.failure or error
            return size


class _Piped(_Forgiving):
    """Standard output, which ends this process by SIGPIPE when its reader has stopped reading.

    This is what other programs do in a pipe such as ``recipe list | head``.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._process = os.getpid()

    def write(self, data: object) -> int:
        size = super().write(data)
        if isinstance(self.failure, BrokenPipeError) and os.getpid() == self._process:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.kill(self._process, signal.SIGPIPE)
        return size


class _Text(io.TextIOWrapper):
    """The text layer of such a stream; characters that its encoding lacks are written as
    escapes.

    It hides its buffer, because typer would write UTF-8 to that buffer even if the encoding is
    ASCII.
    """

    buffer = None  # type: ignore[assignment]


def open_streams() -> None:
    """Replace Python's standard streams by streams that never stop a run."""
    _open_closed_descriptors()
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
    sys.stdout = _text(_Piped(1), sys.stdout)
    sys.stderr = _text(_Forgiving(2, "wb", closefd=False), sys.stderr)


def close_streams(status: int) -> int:
    """Flush both output streams; return the exit status, which says whether output was lost.

    Args:
        status: the exit status of the command. A status of 0 becomes 2 if output was lost.
    """
    failure = _failure(sys.stdout)
    if failure is not None:
        reason = failure.strerror or str(failure)
        sys.stderr.write(f"recipe: the output could not be written: {reason}; send it elsewhere\n")
        status = status or OUTPUT_LOST_STATUS
    _failure(sys.stderr)
    return status


def _failure(stream: Any) -> OSError | None:
    """Flush a stream; return the first error of writing to it, or None if there was none."""
    stream.flush()
    raw = io.TextIOWrapper.buffer.__get__(stream).raw if isinstance(stream, _Text) else None
    return raw.failure if isinstance(raw, _Forgiving) else None


def _open_closed_descriptors() -> None:
    """Open the null device on each of the descriptors 0, 1 and 2 that is closed.

    Otherwise the next files that are opened would get these numbers.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _text(raw: _Forgiving, like: Any) -> _Text:
    encoding = getattr(like, "encoding", None) or "utf-8"
    at_once = getattr(like, "line_buffering", False)
    return _Text(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=at_once)
