"""Limits of a child process: seconds for each obligation, and memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

# The system accepts no larger numbers, and none would be a limit.
MAX_GIGABYTES = 2.0**30
MAX_SECONDS = 1e8


@dataclass(frozen=True)
class Limits:
    """The limits of a child process.

    Attributes:
        seconds: time for each obligation, and for running the file.
        gigabytes: memory beyond what the process has at its start.
    """

    seconds: float = 60.0
    gigabytes: float = 4.0


@contextlib.contextmanager
def limited_memory(gigabytes: float) -> Iterator[None]:
    """Limit the memory that this process may take beyond what it has now.

    Inside, too much memory raises MemoryError, or ends native code by a signal; afterwards the
    limit is lifted, so that the process can report it. Platforms other than Linux may have no such
    limit.
    """
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _memory_now() + int(min(gigabytes, MAX_GIGABYTES) * 2**30)
    ends = [n for n in (soft, hard, wanted) if n != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    resource.setrlimit(resource.RLIMIT_AS, (min(ends), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _memory_now() -> int:
    """Return the bytes of address space of this process; 0 if the platform does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
