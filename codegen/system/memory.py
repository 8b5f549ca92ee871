"""How much memory a process can still get, and refusals before it is allocated.

Linux ends a process that takes too much without a word. The smallest of several numbers counts: the
memory that is available on the machine, the rest that the control group of the process may have,
and the rest that the limits of the process leave.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from recipe.language.errors import RecipeError

CGROUPS = Path("/sys/fs/cgroup")
PROCESS = Path("/proc/self")
MEMINFO = Path("/proc/meminfo")


def require_memory(needed: int, what: str, repair: str) -> None:
    """Refuse work that needs more memory than there is.

    Args:
        needed: bytes.
        what: what needs them, in the plural, as the message names it.
        repair: what the user can do.

    Raises:
        RecipeError: with the repair, how much is needed, and how much there is.
    """
    there = available_memory()
    if there is not None and needed > there:
        raise RecipeError(
            f"{what} do not fit into memory; {repair}: {_size(needed)} would be needed, and there"
            f" is {_size(there)}"
        )


def require_to_load(what: str, resident: int, address_space: int) -> None:
    """Refuse libraries that cannot even be loaded: with too little memory they abort the process,
    or wait for ever.

    Args:
        what: the libraries, as the message names them.
        resident: bytes of memory.
        address_space: bytes of address space.

    Raises:
        RecipeError: with the repair, how much is needed, and how much there is.
    """
    there = min(_left_of_limits(), default=None)
    if there is not None and address_space > there:
        raise RecipeError(
            f"{what} do not fit into the address space of this process; raise its limit (ulimit"
            f" -v): {_size(address_space)} more would be needed, and there is {_size(there)}"
        )
    require_memory(resident, what, "free some, or allow more of it")


def available_memory() -> int | None:
    """Return the bytes that this process can get before an allocation fails or the process is
    ended; None where the platform does not say.
    """
    return min([*_left_of_machine(), *_left_of_groups(), *_left_of_limits()], default=None)


def _left_of_machine() -> Iterator[int]:
    """Yield what Linux calls available; on other systems all physical memory, as no process can get
    more.
    """
    with suppress(OSError, ValueError, IndexError):
        for line in MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024
                return
    with suppress(OSError, ValueError, AttributeError):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_of_groups() -> Iterator[int]:
    """Yield what each control group around this process leaves, in both versions of Linux; file
    pages count as free.
    """
    for folder, most, now in _groups():
        with suppress(OSError, ValueError):
            limit = int(
                (folder / most).read_text(encoding="ascii")
            )  # "max" is no number, and no limit
            used = int((folder / now).read_text(encoding="ascii"))
            yield max(0, limit - used + _file_pages(folder))


def _groups() -> Iterator[tuple[Path, str, str]]:
    """Yield the folder of each control group around this process, and its two files for the limit
    and the use.
    """
    with suppress(OSError, ValueError):
        for line in (PROCESS / "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                files, root = ("memory.max", "memory.current"), CGROUPS
            elif "memory" in controllers.split(","):
                files, root = ("memory.limit_in_bytes", "memory.usage_in_bytes"), CGROUPS / "memory"
            else:
                continue
            inside = Path(path.lstrip("/"))
            yield from ((root / folder, *files) for folder in (inside, *inside.parents))


def _file_pages(folder: Path) -> int:
    for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines():
        name, _, count = line.partition(" ")
        if name in {"inactive_file", "total_inactive_file"}:
            return int(count)
    return 0


def _left_of_limits() -> Iterator[int]:
    """Yield what the limits of the process itself leave (Unix)."""
    with suppress(ImportError):
        import resource

        for limit, field in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
            most = resource.getrlimit(limit)[0]
            if most != resource.RLIM_INFINITY:
                yield max(0, most - _used(field))


def _used(field: int) -> int:
    """Return a number of ``statm`` in bytes; 0 where there is none."""
    with suppress(OSError, ValueError, IndexError):
        pages = (PROCESS / "statm").read_text(encoding="ascii").split()[field]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _size(count: int) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e8 else f"{count / 1e6:.3g} MB"
