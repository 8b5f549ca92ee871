"""Files that a reader finds whole or not at all, and that are never opened through a link.

A file is written beside its place, under a name that says which process writes it, forced to the
disk, and moved to its place in one step. By this name the leftover of a process that was killed is
recognised; the next writer in the folder deletes it.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import platform
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from recipe.language.errors import RecipeError

UNFINISHED = re.compile(
    r"\.(?P<name>.+)\.recipe_(?P<place>[0-9a-f]{8})_(?P<process>\d{1,9})_[0-9a-f]{8}(\.[^.]{1,15})?",
    re.DOTALL,
)
# Flags that a system lacks are 0: Windows has no links that a user without privileges can make.
SAFE_OPEN_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
MAX_NAME_BYTES = 255  # on every file system in use
# after so long without a change, the process that was writing a file is gone, wherever it ran
LEFTOVER_AGE_SECONDS = 86400.0


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary file beside ``path`` to write to; it is moved to ``path`` in one step when
    the block ends without an error.

    Args:
        path: the file, which is replaced if it exists.

    Raises:
        RecipeError: where it cannot be written; the old file is then unchanged.
    """
    target = Path(path)
    try:
        with replaced(target) as temporary:
            yield temporary
    except OSError as error:
        raise RecipeError(
            f"{target} cannot be written: {error.strerror or error}; choose another path"
        ) from None


@contextmanager
def replaced(target: Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield a temporary file beside ``target`` as ``whole_file`` does, but let errors of the system
    pass as they are.

    ``mode`` are the permissions of the new file, from which the umask takes some away.
    """
    delete_leftovers(target.parent)
    temporary = _new_file(target, mode)
    try:
        yield temporary
        with open_regular(temporary, os.O_RDWR) as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    force_names_to_disk(target.parent)


def open_regular(path: Path, flags: int = os.O_RDONLY) -> IO[bytes]:
    """Open a regular file under exactly this name: never through a link, and no pipe, which may
    block, or device.

    Raises:
        OSError: where that is not possible.
    """
    descriptor = -1
    try:
        descriptor = os.open(path, flags | SAFE_OPEN_FLAGS, 0o666)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, f"{path.name} is not a regular file")
        return os.fdopen(descriptor, "r+b" if flags & os.O_RDWR else "rb")
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        if error.errno == errno.ELOOP:
            raise OSError(
                errno.ELOOP, f"{path.name} is a link, and no file of this program is"
            ) from None
        raise


def force_to_disk(file: IO[Any]) -> None:
    """Force all of an open file to the disk, so that it survives a crash of the machine.

    Args:
        file: the file, open for writing.

    Raises:
        OSError: where the disk refuses it.
    """
    file.flush()
    os.fsync(file.fileno())


def force_names_to_disk(folder: Path) -> None:
    """Force the names of the files in a folder to the disk, where the system and the file system
    can do that.
    """
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def is_unfinished(name: str, of: str) -> bool:
    """Return True if ``name`` is the name of a temporary file for the file ``of``."""
    found = UNFINISHED.fullmatch(name)
    return found is not None and found["name"] == of


def delete_leftovers(folder: Path) -> None:
    """Delete the temporary files of processes that are gone; a file that cannot be deleted is
    left.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = UNFINISHED.fullmatch(entry.name)
            if name is not None:
                with suppress(OSError):
                    if is_left(entry.stat(follow_symlinks=False), name):
                        os.unlink(entry.path)


def is_left(status: os.stat_result, name: re.Match[str]) -> bool:
    """Return True if this is a regular file of the user whose process is gone.

    A process on this machine is looked up. If the process ran elsewhere, the age of the file
    decides.
    """
    if not stat.S_ISREG(status.st_mode) or (
        sys.platform != "win32" and status.st_uid != os.geteuid()
    ):
        return False
    if name["place"] == _place() and sys.platform != "win32":
        return not _runs(int(name["process"]))
    return status.st_mtime < time.time() - LEFTOVER_AGE_SECONDS


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@functools.cache
def _place() -> str:
    """Return a hash of where process numbers have the same meaning as here: this machine since it
    was started, and this container of it.
    """
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        parts.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def _new_file(target: Path, mode: int) -> Path:
    """Create an empty temporary file beside the target."""
    suffix = (
        target.suffix if len(os.fsencode(target.suffix)) <= 16 else ""
    )  # libraries choose a format by the suffix
    mark = f".recipe_{_place()}_{os.getpid()}_{secrets.token_hex(4)}{suffix}"
    name = os.fsencode(target.name)[: MAX_NAME_BYTES - 1 - len(os.fsencode(mark))].decode(
        errors="ignore"
    )
    path = target.parent / f".{name}{mark}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_OPEN_FLAGS, mode))
    return path
