"""Shortages of the machine in words: which exceptions say that memory, files or processes ran
out.

This file imports nothing that takes time.
"""

from __future__ import annotations

import errno

NO_MEMORY = "there is not enough memory; free some, or allow more (ulimit -v)"
NO_FILES = "too many files are open; allow more (ulimit -n)"
NO_PROCESSES = "no further process or thread can be started; allow more (ulimit -u)"
SHORTAGE_BY_ERRNO = {
    errno.ENOMEM: NO_MEMORY,
    errno.EMFILE: NO_FILES,
    errno.ENFILE: NO_FILES,
    errno.EAGAIN: NO_PROCESSES,
}
SHORTAGE_BY_MESSAGE = {  # the dynamic loader and Python's threads give no error number
    "failed to map segment": NO_MEMORY,
    "annot allocate memory": NO_MEMORY,
    "nable to allocate": NO_MEMORY,
    "rror 24": NO_FILES,
    "oo many open files": NO_FILES,
    "can't start new thread": NO_PROCESSES,
}


def shortage_of(error: BaseException) -> str | None:
    """Return which resource ran out and how to get more of it; None if the exception has another
    cause.
    """
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno in SHORTAGE_BY_ERRNO:
        return SHORTAGE_BY_ERRNO[error.errno]
    if isinstance(error, ImportError | OSError | RuntimeError):
        text = str(error)
        return next(
            (shortage for part, shortage in SHORTAGE_BY_MESSAGE.items() if part in text), None
        )
    return None
