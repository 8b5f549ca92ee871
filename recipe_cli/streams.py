"""Standard streams that end no run: closed ones lead nowhere, and what cannot be written is said
once, at the end.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
from typing import Any

# the exit status where the output was lost: bad input, like every other path that cannot be written
OUTPUT_LOST_STATUS = 2


class _Forgiving(io.FileIO):
    """A stream that drops what it cannot write, and remembers the first reason."""

    failure: OSError | None = None

    def write(self, data: object) -> int:
        size = memoryview(data).nbytes  # type: ignore[arg-type]
        try:
            while (written := super().write(data)) is None:  # type: ignore[arg-type]
                select.select([], [self.fileno()], [])  # it is one that does not wait by itself
            return written
        except OSError as error:
            self.failure = self.failure or error
            return size


class _Piped(_Forgiving):
    """The same for stdout: who reads may stop, as ``head`` does, and then this process ends as
    others do.
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
    """The text of such a stream; what its encoding lacks is written as an escape.

    It shows no buffer, or typer would write UTF-8 past an encoding that is ASCII.
    """

    buffer = None  # type: ignore[assignment]


def open_streams() -> None:
    """Put such streams in the place of Python's own."""
    _open_closed_descriptors()
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
    sys.stdout = _text(_Piped(1), sys.stdout)
    sys.stderr = _text(_Forgiving(2, "wb", closefd=False), sys.stderr)


def close_streams(status: int) -> int:
    """Write out what is left; returns the status to end with, which says whether the output was
    lost.
    """
    failure = _failure(sys.stdout)
    if failure is not None:
        reason = failure.strerror or str(failure)
        sys.stderr.write(f"recipe: the output could not be written: {reason}; send it elsewhere\n")
        status = status or OUTPUT_LOST_STATUS
    _failure(sys.stderr)
    return status


def _failure(stream: Any) -> OSError | None:
    stream.flush()
    raw = io.TextIOWrapper.buffer.__get__(stream).raw if isinstance(stream, _Text) else None
    return raw.failure if isinstance(raw, _Forgiving) else None


def _open_closed_descriptors() -> None:
    """Give 0, 1 and 2 to the null device where they are closed, or the next files to be opened
    would get them.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _text(raw: _Forgiving, like: Any) -> _Text:
    encoding = getattr(like, "encoding", None) or "utf-8"
    at_once = getattr(like, "line_buffering", False)
    return _Text(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=at_once)
