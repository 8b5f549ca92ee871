"""What the machine lacks, in words, where an exception says so. It imports nothing that is
large.
"""

from __future__ import annotations

import errno

OF_MEMORY = "there is not enough memory; free some, or allow more (ulimit -v)"
OF_FILES = "too many files are open; allow more (ulimit -n)"
OF_PROCESSES = "no further process or thread can be started; allow more (ulimit -u)"
BY_NUMBER = {
    errno.ENOMEM: OF_MEMORY,
    errno.EMFILE: OF_FILES,
    errno.ENFILE: OF_FILES,
    errno.EAGAIN: OF_PROCESSES,
}
BY_TEXT = {  # the dynamic loader and the threads of Python say it in words only
    "failed to map segment": OF_MEMORY,
    "annot allocate memory": OF_MEMORY,
    "nable to allocate": OF_MEMORY,
    "rror 24": OF_FILES,
    "oo many open files": OF_FILES,
    "can't start new thread": OF_PROCESSES,
}


def shortage_of(error: BaseException) -> str | None:
    """What was missing, and the repair; None where the exception is about something else."""
    if isinstance(error, MemoryError):
        return OF_MEMORY
    if isinstance(error, OSError) and error.errno in BY_NUMBER:
        return BY_NUMBER[error.errno]
    if isinstance(error, ImportError | OSError | RuntimeError):
        text = str(error)
        return next((said for part, said in BY_TEXT.items() if part in text), None)
    return None
