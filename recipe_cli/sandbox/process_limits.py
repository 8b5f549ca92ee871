"""How long an obligation may take, and how much memory the process may have that works on it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

MAX_GIGABYTES = 2.0**30  # more is no limit, and no number that the system takes


@dataclass(frozen=True)
class Limits:
    """Seconds for each obligation, and for running the file; gigabytes of memory for the process
    that does it.
    """

    seconds: float = 60.0
    gigabytes: float = 4.0


@contextlib.contextmanager
def limited_memory(gigabytes: float) -> Iterator[None]:
    """Let the process have so much memory more than it has now, where the platform can say so
    (Linux; not Windows).

    Within, too much ends in MemoryError, or in native code by a signal; afterwards there is room to
    say so.
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
    """The bytes of address space that the process has; 0 where the platform does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
