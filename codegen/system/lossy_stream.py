"""A terminal that may go away while a run goes on."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any


class LossyStream(io.TextIOBase):
    """Writes to a stream, and ignores its errors: a progress bar must not end a run."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        with suppress(OSError, ValueError, AttributeError):
            return bool(self._stream.isatty())
        return False

    def write(self, text: str) -> int:
        with suppress(
            OSError, ValueError, AttributeError
        ):  # ValueError: the stream is closed, or its encoding lacks a character
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError, AttributeError):
            self._stream.flush()
